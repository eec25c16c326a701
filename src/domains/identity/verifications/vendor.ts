// Sends packets to the vendor and takes its callbacks. A packet is sent outside of any transaction, again until the vendor has it, and
// the vendor's answer is applied only to the submission that it is about.
import type { Db, Tx } from '../../../db/pool.js';
import { ApiError } from '../../../kernel/errors.js';
import { idOf, type PlatformId, uuidOf } from '../../../kernel/ids.js';
import { UUID_KEY } from '../../../kernel/page.js';
import { plusMs } from '../../../kernel/time.js';
import {
  type CallbackProof,
  type KycDecision,
  type KycPacket,
  type KycVendor,
  rejection,
  type VendorAnswer,
} from '../../../providers/kyc.js';
import { readClock } from '../../core/platform/actions.js';
import { renderBeneficialOwner } from '../customers/owner-schemas.js';
import { renderCustomer } from '../customers/schemas.js';
import { type DecisionOutcome, decideVerification, gatherPacket, lockVerification, type VerificationDeps } from './actions.js';
import { type DocumentContent, documentContent, documentsSubmitted } from './hooks.js';
import { isUnderReview, sendAgain } from './rules.js';
import { findVerification, saveVerification } from './store.js';
import type { DocumentId, HeldDocument, Packet, VerificationId } from './verification.js';

/** How long a packet that is being sent is left alone by other processes. Longer than a call to the vendor may take. */
const LEASE_MS = 60_000;

type Submission = { readonly platformId: PlatformId; readonly id: VerificationId; readonly submission: number };

/** Names a submission to the vendor. It holds nothing that a guess could make use of: callbacks are signed. */
const referenceOf = ({ platformId, id, submission }: Submission): string => `${uuidOf(platformId)}.${uuidOf(id)}.${submission}`;

export function parseReference(reference: string): Submission | undefined {
  const [platform = '', verification = '', submission = '', ...rest] = reference.split('.');
  if (rest.length > 0 || !UUID_KEY.test(platform) || !UUID_KEY.test(verification) || !/^[1-9]\d{0,8}$/.test(submission)) return undefined;
  return { platformId: idOf('Platform', platform), id: idOf('Verification', verification), submission: Number(submission) };
}

/** The only place where identifiers leave in plain text. */
const packetFor = (reference: string, { customer, identifier, owners, documents }: Packet): KycPacket => ({
  reference,
  customer: { ...renderCustomer({ ...customer, ...(customer.customerType === 'BUSINESS' && { beneficialOwners: [] }) }), identifier },
  owners: owners.map(({ identifier: plain, ...owner }) => {
    const { personalInfo, ...rendered } = renderBeneficialOwner(owner);
    return { ...rendered, personalInfo: { ...personalInfo, identifier: plain } };
  }),
  documents: documents.map(({ id, holderId, documentType, country, side }) => ({ id, holderId, documentType, country, side })),
});

/** Sends one packet that is due. */
export async function sendPacket(
  db: Db,
  deps: VerificationDeps & { readonly vendor: KycVendor },
  platformId: PlatformId,
  id: VerificationId,
  now: Date,
): Promise<void> {
  const claimed = await db.transaction((tx) => claimPacket(tx, deps, platformId, id, now));
  if (!claimed) return;
  const answer = await deps.vendor.send(packetFor(referenceOf(claimed), claimed.packet));
  await db.transaction((tx) => applyAnswer(tx, deps, claimed, answer, now));
}

async function claimPacket(
  tx: Tx,
  deps: VerificationDeps,
  platformId: PlatformId,
  id: VerificationId,
  now: Date,
): Promise<(Submission & { readonly packet: Packet }) | undefined> {
  const locked = await lockVerification(tx, platformId, id);
  if (!locked?.verification.sendAt || locked.verification.sendAt > now) return undefined;
  saveVerification(tx, platformId, { ...locked.verification, sendAt: plusMs(now, LEASE_MS) });
  const packet = await gatherPacket(tx, deps, platformId, locked.customer);
  // Documents that were added or replaced since the submission are handed over as well.
  const added = packet.documents.filter(({ isSubmitted }) => !isSubmitted).map((document) => document.id);
  for (const mark of deps.hooks.all(documentsSubmitted)) await mark(tx, platformId, added, now);
  return { platformId, id, submission: locked.verification.submissions, packet };
}

async function applyAnswer(tx: Tx, deps: VerificationDeps, sent: Submission, answer: VendorAnswer, now: Date): Promise<void> {
  const { platformId, id, submission } = sent;
  const locked = await lockVerification(tx, platformId, id);
  if (locked?.verification.submissions !== submission || !isUnderReview(locked.verification)) return;
  // After a callback that was faster the vendor has the packet: what it says counts, and nothing is sent again.
  const isSending = locked.verification.sendAt !== null;
  if (answer.kind === 'UNAVAILABLE') {
    if (isSending) saveVerification(tx, platformId, sendAgain(locked.verification, now));
    return;
  }
  if (isSending) saveVerification(tx, platformId, { ...locked.verification, sendAt: null });
  // A packet that the vendor refuses to read is for people to look at.
  const decision: KycDecision = answer.kind === 'DECIDED' ? answer.decision : { outcome: 'PENDING_MANUAL_REVIEW' };
  await decideVerification(tx, deps, { platformId, id, submission, decision: withCause(decision, locked.customer.id), now });
}

/** A rejection always names a cause. */
const withCause = (decision: KycDecision, customerId: string): KycDecision =>
  decision.outcome === 'REJECTED' && decision.errors.length === 0 ? { outcome: 'REJECTED', errors: [rejection(customerId)] } : decision;

export type Callback = { readonly reference: string; readonly decision: KycDecision; readonly proof: CallbackProof };

/** The vendor, where one is set. What it sends must be signed. */
function requireVendor({ kyc: { vendor } }: VerificationDeps, proof: CallbackProof): void {
  if (!vendor) throw new ApiError('NOT_FOUND');
  if (!vendor.isAuthentic(proof)) throw new ApiError('UNAUTHORIZED');
}

export type DocumentRequest = { readonly reference: string; readonly documentId: DocumentId | undefined; readonly proof: CallbackProof };

/** A document of a packet, as long as the packet is under review. */
export async function readDocument(
  db: Db,
  deps: VerificationDeps,
  { reference, documentId, proof }: DocumentRequest,
): Promise<DocumentContent> {
  requireVendor(deps, proof);
  const about = parseReference(reference);
  const found = about && (await db.transaction((tx) => findInPacket(tx, deps, about, documentId)));
  if (!about || !found) throw new ApiError('NOT_FOUND');
  return deps.hooks.only(documentContent)(db, about.platformId, found.id);
}

async function findInPacket(
  tx: Tx,
  deps: VerificationDeps,
  { platformId, id, submission }: Submission,
  documentId: DocumentId | undefined,
): Promise<HeldDocument | undefined> {
  const locked = await lockVerification(tx, platformId, id);
  if (locked?.verification.submissions !== submission || !isUnderReview(locked.verification)) return undefined;
  const { documents } = await gatherPacket(tx, deps, platformId, locked.customer);
  const found = documents.find((document) => document.id === documentId);
  if (!found || found.isSubmitted) return found;
  // One that was added or replaced since the packet was sent is handed over by this reading.
  const { now } = await readClock(tx, platformId);
  for (const mark of deps.hooks.all(documentsSubmitted)) await mark(tx, platformId, [found.id], now);
  return found;
}

/** Applies a signed callback. One that comes twice or too late is taken and changes nothing. */
export async function receiveCallback(tx: Tx, deps: VerificationDeps, { reference, decision, proof }: Callback): Promise<DecisionOutcome> {
  requireVendor(deps, proof);
  const about = parseReference(reference);
  const verification = about && (await findVerification(tx, about.platformId, about.id));
  if (!about || !verification) throw new ApiError('VERIFICATION_NOT_FOUND');
  const { now } = await readClock(tx, about.platformId);
  return decideVerification(tx, deps, { ...about, decision: withCause(decision, verification.customerId), now });
}
