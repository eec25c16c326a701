// Opening external accounts, showing that a wallet is one's own, deleting.
import { randomBytes } from 'node:crypto';
import type { Tx } from '../../db/pool.js';
import { ApiError, invalidField } from '../../kernel/errors.js';
import { type ExternalAccountId, newId, type PlatformId } from '../../kernel/ids.js';
import { version } from '../../root.js';
import { findCustomer, lockCustomer } from '../customers/actions.js';
import type { Customer } from '../customers/customer.js';
import { getPlatform } from '../platform/actions.js';
import { enqueueEvents } from '../webhooks/actions.js';
import type { Door, ExternalAccount, NewExternalAccount, OwnershipChallenge, OwnershipMethod } from './external-account.js';
import {
  type AnsweredChallenge,
  answerWithLiveness,
  answerWithSignature,
  finishNameCheck,
  identityOf,
  openAccount,
  refusalOf,
  type Submission,
  startChallenge,
} from './rules.js';
import { renderExternalAccount } from './schemas.js';
import {
  clearDefaultAccount,
  type DueWork,
  deleteAccountsOf,
  deleteExternalAccount,
  findEquivalent,
  insertExternalAccount,
  insertProof,
  lockDue,
  lockExternalAccount,
  saveExternalAccount,
} from './store.js';

export { getExternalAccount } from './store.js';

/** Kept with every proof: which code judged it. */
const SOFTWARE = `switchyard ${version}`;

// ---- opening and deleting

export async function createExternalAccount(
  tx: Tx,
  platformId: PlatformId,
  now: Date,
  request: NewExternalAccount,
): Promise<ExternalAccount> {
  const { counterpartyRules, mode } = await getPlatform(tx, platformId);
  await requireCustomer(tx, platformId, request);

  const account = openAccount({ id: newId('ExternalAccount'), request, counterpartyRules, isSandbox: mode === 'sandbox', now });
  const identity = identityOf(account);

  if (request.defaultUmaDepositAccount && request.customerId) await clearDefaultAccount(tx, platformId, request.customerId, now);
  if (!(await insertExternalAccount(tx, platformId, account, identity))) {
    throw duplicateOf(await findEquivalent(tx, platformId, account, identity));
  }
  return account;
}

/** Whoever names a new default deposit account locks the customer, so that two at once leave one default. */
async function requireCustomer(
  tx: Tx,
  platformId: PlatformId,
  { customerId, defaultUmaDepositAccount }: NewExternalAccount,
): Promise<void> {
  if (customerId === undefined) return;
  const customer = defaultUmaDepositAccount
    ? await lockCustomer(tx, platformId, customerId).catch(() => undefined)
    : await findCustomer(tx, platformId, customerId);
  if (!customer || customer.deletedAt !== null) throw invalidField('customerId', 'is not a customer of this platform');
}

/** Equivalents are looked for on the caller's own platform only, so the one found may always be named. */
const duplicateOf = (existing: ExternalAccount | undefined): ApiError =>
  new ApiError(
    'DUPLICATE_EXTERNAL_ACCOUNT',
    existing && {
      externalAccountId: existing.id,
      ...(existing.platformAccountId !== undefined && { platformAccountId: existing.platformAccountId }),
    },
  );

export async function removeExternalAccount(
  tx: Tx,
  platformId: PlatformId,
  now: Date,
  door: Door,
  id: ExternalAccountId | undefined,
): Promise<void> {
  const account = await lockExternalAccount(tx, platformId, door, id);
  if (account.isTrusted) throw new ApiError('BENEFICIARY_TRUSTED');
  await deleteExternalAccount(tx, platformId, account.id, now);
}

/** A customer that is deleted takes its external accounts along, trusted ones too. */
export const removeAccountsOf = (tx: Tx, platformId: PlatformId, { id }: Pick<Customer, 'id'>, now: Date): Promise<void> =>
  deleteAccountsOf(tx, platformId, id, now);

// ---- ownership

export async function challengeOwnership(
  tx: Tx,
  platformId: PlatformId,
  now: Date,
  door: Door,
  id: ExternalAccountId | undefined,
  method: OwnershipMethod,
): Promise<OwnershipChallenge> {
  const account = await lockExternalAccount(tx, platformId, door, id);
  // A liveness check is somebody else's work, and only the sandbox plays that somebody.
  if (method === 'LIVENESS' && (await getPlatform(tx, platformId)).mode !== 'sandbox') throw new ApiError('NOT_IMPLEMENTED');

  const challenged = startChallenge({ account, method, nonce: randomBytes(16).toString('hex'), now });

  await Promise.all([saveExternalAccount(tx, platformId, challenged), tellStatus(tx, platformId, now, account, challenged)]);
  return challenged.challenge;
}

/** The account after the attempt, and the refusal of one that failed: both are remembered. */
export async function verifyOwnershipBySignature(
  tx: Tx,
  platformId: PlatformId,
  now: Date,
  door: Door,
  id: ExternalAccountId | undefined,
  submission: Submission,
): Promise<{ account: ExternalAccount; refusal: ApiError | undefined }> {
  const account = await lockExternalAccount(tx, platformId, door, id);

  const answered = answerWithSignature({ account, submission, proofId: newId('OwnershipProof'), software: SOFTWARE, now });

  await writeAnswer(tx, platformId, now, account, answered);
  return { account: answered.account, refusal: refusalOf(answered.proof) };
}

/** What the liveness vendor found out. */
export async function concludeLiveness(
  tx: Tx,
  platformId: PlatformId,
  now: Date,
  id: ExternalAccountId | undefined,
  outcome: 'PASS' | 'FAIL',
): Promise<ExternalAccount> {
  return answerLiveness(tx, platformId, now, await lockExternalAccount(tx, platformId, 'ANY', id), outcome);
}

async function answerLiveness(
  tx: Tx,
  platformId: PlatformId,
  now: Date,
  account: ExternalAccount,
  outcome: 'PASS' | 'FAIL',
): Promise<ExternalAccount> {
  const answered = answerWithLiveness({ account, outcome, proofId: newId('OwnershipProof'), software: SOFTWARE, now });

  await writeAnswer(tx, platformId, now, account, answered);
  return answered.account;
}

async function writeAnswer(
  tx: Tx,
  platformId: PlatformId,
  now: Date,
  before: ExternalAccount,
  { account, proof }: AnsweredChallenge,
): Promise<void> {
  await Promise.all([
    saveExternalAccount(tx, platformId, account),
    insertProof(tx, platformId, proof),
    tellStatus(tx, platformId, now, before, account),
  ]);
}

/** "An external account's status changes." */
async function tellStatus(tx: Tx, platformId: PlatformId, now: Date, before: ExternalAccount, after: ExternalAccount): Promise<void> {
  if (after.status === before.status) return;
  await enqueueEvents(tx, platformId, now, [
    { type: 'EXTERNAL_ACCOUNT.STATUS_UPDATED', objectId: after.id, data: renderExternalAccount(after) },
  ]);
}

// ---- work that falls due

const DUE_BATCH = 50;

/** Does a batch of due work; answers how many accounts it took. */
export async function doDueWork(tx: Tx, work: DueWork, platformId: PlatformId, now: Date): Promise<number> {
  const due = await lockDue(tx, work, platformId, now, DUE_BATCH);
  for (const account of due) {
    // A check nobody finished in time has failed: no word from the vendor is no proof.
    if (work === 'LIVENESS') await answerLiveness(tx, platformId, now, account, 'FAIL');
    else {
      const checked = finishNameCheck(account, now);
      await Promise.all([saveExternalAccount(tx, platformId, checked), tellStatus(tx, platformId, now, account, checked)]);
    }
  }
  return due.length;
}
