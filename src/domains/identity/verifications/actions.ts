// Submits packets of customers for verification, and applies what the provider, its vendor or an operator decides.
import type { Tx } from '../../../db/pool.js';
import { ApiError, assert } from '../../../kernel/errors.js';
import type { Hooks } from '../../../kernel/hook.js';
import { type CustomerId, newId, type PlatformId } from '../../../kernel/ids.js';
import type { KeyCustody } from '../../../providers/key-custody.js';
import { type KycApplication, type KycDecision, type KycError, type KycProvider, poorQuality, rejection } from '../../../providers/kyc.js';
import { enqueueEvents } from '../../core/webhooks/actions.js';
import {
  changeVerificationStatus,
  isInRegulatedRegion,
  lockCustomer,
  lockCustomerRow,
  readIdentifier,
  unverifiedChannels,
} from '../customers/actions.js';
import type { BeneficialOwner, Customer, VerificationStatus } from '../customers/customer.js';
import { documentsOf, documentsSubmitted, holdersRemoved } from './hooks.js';
import { deleteLinksOf } from './links-store.js';
import { ownerIdentifierContext } from './owners.js';
import { deleteOwnersOf, findOwnersOf, findSealedIdentifiers, saveOwner } from './owners-store.js';
import { findProblems, identityDocumentOf } from './requirements.js';
import {
  decideLater,
  decideSubmission,
  isUnderReview,
  laterCauseOf,
  refuseDecided,
  refuseErrors,
  type StatusCause,
  statusAfter,
} from './rules.js';
import { renderVerification } from './schemas.js';
import { endVerificationsOf, findOpenVerification, findVerification, insertVerification, saveVerification } from './store.js';
import type { Packet, Verification, VerificationId } from './verification.js';

export { createOwner, ownerIdentifierContext, removeOwner, updateOwner } from './owners.js';
export { lockOwnerForShare } from './owners-store.js';
export { findVerification, findWaiting } from './store.js';

export type VerificationDeps = { readonly custody: KeyCustody; readonly kyc: KycProvider; readonly hooks: Hooks };

// ---- packets

/** Everything about the customer that is verified. The caller has locked the customer. */
export async function gatherPacket(
  tx: Tx,
  { custody, hooks }: Pick<VerificationDeps, 'custody' | 'hooks'>,
  platformId: PlatformId,
  customer: Customer,
): Promise<Packet> {
  const isBusiness = customer.customerType === 'BUSINESS';
  const owners = isBusiness ? await findOwnersOf(tx, platformId, customer.id) : [];
  const sealed = isBusiness ? await findSealedIdentifiers(tx, platformId, customer.id) : new Map<string, Buffer>();
  const holders = [customer.id, ...owners.map(({ id }) => id)];
  const documents = await Promise.all(hooks.all(documentsOf).map((find) => find(tx, platformId, holders)));
  const open = (owner: BeneficialOwner): string => {
    const text = sealed.get(owner.id);
    assert(text, 'every owner has an identifier');
    return custody.open(text, ownerIdentifierContext(platformId, owner.id)).toString('utf8');
  };
  return {
    customer: isBusiness ? { ...customer, beneficialOwners: owners } : customer,
    identifier: isBusiness ? undefined : await readIdentifier(tx, custody, platformId, customer.id),
    owners: owners.map((owner) => ({ ...owner, identifier: open(owner) })),
    documents: documents.flat(),
  };
}

/** What keeps the packet from being handed over; nothing where the provider decides without it. */
export function findMissing({ kyc }: Pick<VerificationDeps, 'kyc'>, packet: Packet, now: Date): KycError[] {
  if (kyc.decideUnchecked(applicationOf(packet))) return [];
  return findProblems({
    ...packet,
    unverifiedChannels: unverifiedChannels(packet.customer),
    isInRegulatedRegion: isInRegulatedRegion(packet.customer),
    now,
  });
}

const applicationOf = ({ customer, documents }: Packet): KycApplication => ({
  customerId: customer.id,
  ...(customer.customerType === 'INDIVIDUAL'
    ? {
        customerType: 'INDIVIDUAL',
        fullName: customer.profile.fullName,
        identityDocumentId: identityDocumentOf(documents, customer.id)?.id,
      }
    : { customerType: 'BUSINESS', registrationNumber: customer.profile.businessInfo.registrationNumber }),
});

// ---- submitting

export type SubmissionRequest = { readonly platformId: PlatformId; readonly customerId: CustomerId | undefined; readonly now: Date };

/** A packet that is under review is not submitted again: the answer is its verification as it is. */
export async function submitVerification(tx: Tx, deps: VerificationDeps, request: SubmissionRequest): Promise<Verification> {
  const { platformId, customerId } = request;
  const customer = await lockCustomer(tx, platformId, customerId);
  refuseDecided(customer);
  const open = await findOpenVerification(tx, platformId, customer.id);
  if (open && isUnderReview(open)) return open;

  return submitPacket(tx, deps, request, open, await gatherPacket(tx, deps, platformId, customer));
}

/** The caller has locked the customer and found it undecided, with no packet under review. */
export async function submitPacket(
  tx: Tx,
  deps: VerificationDeps,
  { platformId, now }: SubmissionRequest,
  open: Verification | undefined,
  packet: Packet,
): Promise<Verification> {
  const { kyc, hooks } = deps;
  const { customer, documents } = packet;
  const application = applicationOf(packet);
  const unchecked = kyc.decideUnchecked(application);
  const problems = findMissing(deps, packet, now);
  const submission = unchecked ? { decision: unchecked } : problems.length === 0 ? await kyc.submit(application) : undefined;

  const hasVendor = kyc.vendor !== undefined && !unchecked;
  const { verification, cause } = decideSubmission({
    id: newId('Verification'),
    customerId: customer.id,
    open,
    submission,
    problems,
    hasVendor,
    now,
  });

  if (open) saveVerification(tx, platformId, verification);
  else insertVerification(tx, platformId, verification);
  if (submission) {
    const ids = documents.map(({ id }) => id);
    for (const mark of hooks.all(documentsSubmitted)) await mark(tx, platformId, ids, now);
  }
  await moveCustomer(tx, kyc, platformId, customer, cause, now);
  enqueueStatus(tx, platformId, now, open, verification);
  return verification;
}

/** "Sent when a record is created and whenever its status or errors change." */
function enqueueStatus(tx: Tx, platformId: PlatformId, now: Date, before: Verification | undefined, after: Verification): void {
  const isSame = before?.status === after.status && JSON.stringify(before.errors) === JSON.stringify(after.errors);
  if (isSame) return;
  enqueueEvents(tx, platformId, now, [{ type: `VERIFICATION.${after.status}`, objectId: after.id, data: renderVerification(after) }]);
}

/** Moves the customer and, for a business, its owners. The customer is locked and shows its owners. */
async function moveCustomer(
  tx: Tx,
  kyc: KycProvider,
  platformId: PlatformId,
  customer: Customer,
  cause: StatusCause,
  now: Date,
): Promise<Customer> {
  const status = statusAfter(customer.verificationStatus, cause);
  // The owners have their own verdict, also where compliance has decided the business before.
  const moved = customer.customerType === 'BUSINESS' ? moveOwners(tx, kyc, platformId, customer, cause, now) : customer;
  // Owners who joined since the last submission come under review with a business that is PENDING already.
  if (status === customer.verificationStatus && !(cause === 'SUBMITTED' && status === 'PENDING')) return moved;
  return changeVerificationStatus(tx, platformId, moved, status, now);
}

function moveOwners<Business extends Customer & { readonly customerType: 'BUSINESS' }>(
  tx: Tx,
  kyc: KycProvider,
  platformId: PlatformId,
  business: Business,
  cause: StatusCause,
  now: Date,
): Business {
  const statusOf = (owner: BeneficialOwner): VerificationStatus => {
    if (cause === 'SUBMITTED') return 'PENDING';
    return cause === 'APPROVED' || cause === 'REJECTED' ? kyc.decideOwner(owner.personalInfo, cause) : owner.kycStatus;
  };
  const beneficialOwners = business.beneficialOwners.map((owner) => {
    const kycStatus = statusOf(owner);
    return kycStatus === owner.kycStatus ? owner : { ...owner, kycStatus, updatedAt: now };
  });
  for (const owner of beneficialOwners) if (!business.beneficialOwners.includes(owner)) saveOwner(tx, platformId, owner, null);
  return { ...business, beneficialOwners };
}

// ---- deciding

export type DecisionRequest = {
  readonly platformId: PlatformId;
  readonly id: VerificationId | undefined;
  readonly decision: KycDecision;
  /** The submission that the decision is about; without it the latest. */
  readonly submission?: number | undefined;
  readonly now: Date;
};

export type DecisionOutcome = { readonly verification: Verification; readonly isApplied: boolean };

/** The verification and its customer, both locked by the customer's row. Undefined: unknown, or the customer was deleted. */
export async function lockVerification(
  tx: Tx,
  platformId: PlatformId,
  id: VerificationId | undefined,
): Promise<{ verification: Verification; customer: Customer } | undefined> {
  const found = await findVerification(tx, platformId, id);
  const customer = found && (await lockCustomerRow(tx, platformId, found.customerId));
  // Read again: it may have changed while the lock was waited for.
  const verification = customer && (await findVerification(tx, platformId, id));
  return verification && customer && { verification, customer };
}

/** The one way in which a later answer takes effect, whoever gives it. One that comes too late or twice changes nothing. */
export async function decideVerification(
  tx: Tx,
  { kyc }: Pick<VerificationDeps, 'kyc'>,
  { platformId, id, decision, submission, now }: DecisionRequest,
): Promise<DecisionOutcome> {
  const locked = await lockVerification(tx, platformId, id);
  if (!locked) throw new ApiError('VERIFICATION_NOT_FOUND');

  const decided = decideLater(locked.verification, decision, now, submission);
  if (!decided) return { verification: locked.verification, isApplied: false };

  saveVerification(tx, platformId, decided);
  const cause = laterCauseOf(decision);
  if (cause) await moveCustomer(tx, kyc, platformId, await withOwners(tx, platformId, locked.customer), cause, now);
  enqueueStatus(tx, platformId, now, locked.verification, decided);
  return { verification: decided, isApplied: true };
}

/** Makes the decision that the provider announced, if it is still due. Whether it was. */
export async function decidePlanned(
  tx: Tx,
  deps: Pick<VerificationDeps, 'kyc'>,
  platformId: PlatformId,
  id: VerificationId,
  now: Date,
): Promise<boolean> {
  const locked = await lockVerification(tx, platformId, id);
  const planned = locked?.verification.planned;
  if (!planned || planned.at > now) return false;
  const { verification, isApplied } = await decideVerification(tx, deps, { platformId, id, decision: planned.decision, now });
  // Never due again, also if it could not be applied.
  if (!isApplied) saveVerification(tx, platformId, { ...verification, planned: null });
  return true;
}

export type SandboxDecision = Omit<DecisionRequest, 'decision'> & {
  readonly outcome: 'APPROVED' | 'REJECTED' | 'RESOLVE_ERRORS' | 'PENDING_MANUAL_REVIEW';
  readonly errors: readonly KycError[] | undefined;
};

/** The caller of the sandbox plays the provider. */
export async function decideInSandbox(tx: Tx, deps: VerificationDeps, request: SandboxDecision): Promise<Verification> {
  const { platformId, id, outcome, errors } = request;
  refuseErrors(outcome, errors);
  const locked = await lockVerification(tx, platformId, id);
  if (!locked) throw new ApiError('VERIFICATION_NOT_FOUND');
  if (!isUnderReview(locked.verification))
    throw new ApiError('CONFLICT', { verificationStatus: locked.verification.status }, { reason: 'The verification is not under review.' });

  const { customer, documents } = await gatherPacket(tx, deps, platformId, locked.customer);
  const unclear = identityDocumentOf(documents, customer.id)?.id ?? documents.at(-1)?.id ?? customer.id;
  const decision: KycDecision =
    outcome === 'RESOLVE_ERRORS'
      ? { outcome, errors: errors ?? [poorQuality(unclear)] }
      : outcome === 'REJECTED'
        ? { outcome, errors: errors ?? [rejection(customer.id)] }
        : { outcome };
  return (await decideVerification(tx, deps, { ...request, decision })).verification;
}

/** The customer with its owners as they are under the lock. */
const withOwners = async (tx: Tx, platformId: PlatformId, customer: Customer): Promise<Customer> =>
  customer.customerType === 'BUSINESS' ? { ...customer, beneficialOwners: await findOwnersOf(tx, platformId, customer.id) } : customer;

/** Compliance puts a customer on hold or releases it. No verification is touched. */
export async function moveByCompliance(
  tx: Tx,
  { platformId, customerId, cause, now }: SubmissionRequest & { readonly cause: 'PUT_ON_HOLD' | 'RELEASED' },
): Promise<Customer> {
  const customer = await lockCustomer(tx, platformId, customerId);
  const status = statusAfter(customer.verificationStatus, cause);
  if (status === customer.verificationStatus)
    throw new ApiError(
      'CONFLICT',
      { status },
      { reason: `A customer that is ${status} cannot be ${cause === 'RELEASED' ? 'released' : 'put on hold'}.` },
    );
  return changeVerificationStatus(tx, platformId, await withOwners(tx, platformId, customer), status, now);
}

/** Compliance sets the status by hand. No verification is touched. */
export async function setVerificationStatus(
  tx: Tx,
  { platformId, customerId, status, now }: SubmissionRequest & { readonly status: VerificationStatus },
): Promise<Customer> {
  const customer = await lockCustomer(tx, platformId, customerId);
  if (customer.verificationStatus === status)
    throw new ApiError('CONFLICT', { status }, { reason: 'The customer has this status already.' });
  return changeVerificationStatus(tx, platformId, await withOwners(tx, platformId, customer), status, now);
}

// ---- deletion of a customer

/** Links, owners and verifications end with the customer. */
export async function endOf(
  tx: Tx,
  { hooks }: { readonly hooks: Hooks },
  platformId: PlatformId,
  customer: Customer,
  now: Date,
): Promise<void> {
  const owners = await findOwnersOf(tx, platformId, customer.id);
  deleteLinksOf(tx, platformId, customer.id);
  deleteOwnersOf(tx, platformId, customer.id, now);
  endVerificationsOf(tx, platformId, customer.id, now);
  if (owners.length === 0) return;
  const ids = owners.map(({ id }) => id);
  for (const remove of hooks.all(holdersRemoved)) await remove(tx, platformId, ids, now);
}
