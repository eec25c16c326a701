// Creates and deletes external accounts, and verifies the ownership of wallets.
import { randomBytes } from 'node:crypto';
import type { Cause, Db, Tx } from '../../../db/pool.js';
import { batchedBy } from '../../../kernel/batch.js';
import { ApiError, type FieldError } from '../../../kernel/errors.js';
import { type CustomerId, type ExternalAccountId, newId, type PlatformId } from '../../../kernel/ids.js';
import { version } from '../../../root.js';
import { getPlatform } from '../../core/platform/actions.js';
import { enqueueEvents } from '../../core/webhooks/actions.js';
import { lockCustomerRow } from '../../identity/customers/actions.js';
import type { Customer } from '../../identity/customers/customer.js';
import type { ExternalAccount, NewExternalAccount, OwnerScope, OwnershipChallenge, OwnershipMethod } from './external-account.js';
import type { LivenessPass } from './liveness-pass.js';
import {
  type AnsweredChallenge,
  answerWithLiveness,
  answerWithSignature,
  claimOf,
  findWarnings,
  finishNameCheck,
  identityOf,
  isInScope,
  openAccount,
  refusalOf,
  refuseTrusted,
  type Submission,
  startChallenge,
} from './rules.js';
import { renderExternalAccount } from './schemas.js';
import { checkOwnerships } from './signatures/check-ownerships.js';
import type { Verdict } from './signatures/verdict.js';
import {
  accountKey,
  clearDefaultAccount,
  type DueWork,
  deleteAccountsOf,
  deleteExternalAccount,
  findEquivalent,
  insertExternalAccount,
  lockDue,
  lockExternalAccount,
  lockExternalAccounts,
  saveAnswers,
  saveExternalAccount,
} from './store.js';

export { isWalletType, paymentRailsOf } from './account-types.js';
export { isAddressOn } from './identifiers.js';
export { INSTITUTIONS, type Institution } from './institutions.js';
export { openLivenessPass } from './liveness-pass.js';
export { identifierOf } from './rules.js';
export {
  findDefaultDepositAccount,
  findExternalAccount,
  getExternalAccount,
  listExternalAccounts,
  lockExternalAccount,
  saveTrust,
} from './store.js';

/** Stored with every proof: the version that verified it. */
const SOFTWARE = `switchyard ${version}`;

// ---- creating and deleting

/** `sees`: whose accounts the caller may know, all of the platform or those of the owner alone. */
export async function createExternalAccount(
  tx: Tx,
  platformId: PlatformId,
  now: Date,
  ownerScope: OwnerScope,
  request: NewExternalAccount,
  sees: 'PLATFORM' | 'OWNER' = 'PLATFORM',
): Promise<{ readonly account: ExternalAccount; readonly warnings: readonly FieldError[] }> {
  const { counterpartyRules, mode } = await getPlatform(tx, platformId);
  const isSandbox = mode === 'sandbox';
  const isOwnerKnown = ownerScope === 'PLATFORM' || (await lockOwner(tx, platformId, request.customerId));
  const id = newId('ExternalAccount');

  const account = openAccount({ id, request, ownerScope, isOwnerKnown, counterpartyRules, isSandbox, now });
  const identity = identityOf(account);

  if (request.defaultUmaDepositAccount && request.customerId) clearDefaultAccount(tx, platformId, request.customerId, now);
  if (!(await insertExternalAccount(tx, platformId, account, identity))) {
    const existing = await findEquivalent(tx, platformId, account, identity);
    throw duplicateOf(sees === 'PLATFORM' || existing?.customerId === account.customerId ? existing : undefined);
  }
  return { account, warnings: findWarnings(request, isSandbox) };
}

/** Locks the customer, so that concurrent requests leave one default account, and none is added to a customer that is being deleted. */
async function lockOwner(tx: Tx, platformId: PlatformId, customerId: CustomerId | undefined): Promise<boolean> {
  const customer = customerId && (await lockCustomerRow(tx, platformId, customerId));
  return customer !== undefined && customer.deletedAt === null;
}

/** Names the existing account, if the caller may know it. It is always one of the caller's own platform. */
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
  ownerScope: OwnerScope,
  id: ExternalAccountId | undefined,
): Promise<void> {
  const account = await lockExternalAccount(tx, platformId, ownerScope, id);
  refuseTrusted(account);
  deleteExternalAccount(tx, platformId, account.id, now);
}

/** The external accounts of a deleted customer are deleted, also trusted ones. */
export const removeAccountsOf = (tx: Tx, platformId: PlatformId, { id }: Pick<Customer, 'id'>, now: Date): void =>
  deleteAccountsOf(tx, platformId, id, now);

// ---- ownership

export async function challengeOwnership(
  tx: Tx,
  platformId: PlatformId,
  now: Date,
  ownerScope: OwnerScope,
  id: ExternalAccountId | undefined,
  method: OwnershipMethod,
): Promise<ExternalAccount & { readonly challenge: OwnershipChallenge }> {
  const account = await lockExternalAccount(tx, platformId, ownerScope, id);
  const hasLivenessVendor = method === 'LIVENESS' && (await getPlatform(tx, platformId)).mode === 'sandbox';

  const challenged = startChallenge({ account, method, nonce: randomBytes(16).toString('hex'), hasLivenessVendor, now });

  saveExternalAccount(tx, platformId, challenged);
  enqueueStatusEvents(tx, platformId, now, [{ before: account, after: challenged }]);
  return challenged;
}

export type OwnershipAttempt = {
  readonly platformId: PlatformId;
  readonly now: Date;
  readonly ownerScope: OwnerScope | 'ANY';
  readonly id: ExternalAccountId | undefined;
  readonly submission: Submission;
  readonly requestId: string;
};

/** The account after the attempt, and the refusal if it failed. Both are stored. */
export type AttemptOutcome = { readonly account: ExternalAccount; readonly refusal: ApiError | undefined };

/** Concurrent attempts of a platform share a transaction. Each is decided by itself, so a refused attempt does not affect the others. */
export function createOwnershipVerifier(db: Db): (attempt: OwnershipAttempt) => Promise<AttemptOutcome> {
  const together = async (attempts: readonly OwnershipAttempt[]): Promise<(AttemptOutcome | Error)[]> => {
    try {
      return await db.transaction((tx) => attemptOwnerships(tx, attempts));
    } catch (error) {
      const failure = error instanceof Error ? error : new Error(String(error));
      // The database is unavailable, or the result of the commit is unknown: only the caller may try again.
      if (attempts.length === 1 || failure instanceof ApiError) return attempts.map(() => failure);
      return (await Promise.all(attempts.map((attempt) => together([attempt])))).flat();
    }
  };
  const verify = batchedBy((_: PlatformId, attempts: readonly OwnershipAttempt[]) => together(attempts), { max: 128, lanes: 3 });
  return (attempt) => verify(attempt.platformId, attempt);
}

/** Decides the attempts one after the other, each on the result of those before it. */
export async function attemptOwnerships(tx: Tx, attempts: readonly OwnershipAttempt[]): Promise<(AttemptOutcome | ApiError)[]> {
  const keys = attempts.flatMap(({ platformId, id }) => (id === undefined ? [] : [{ platformId, id }]));
  const accounts = await lockExternalAccounts(tx, keys);
  const verdicts = await checkOwnerships(
    attempts.map((attempt) => {
      const account = accounts.get(accountKey(attempt));
      return account && claimOf(account, attempt.submission, attempt.now);
    }),
  );

  const answers: WrittenAnswer[] = [];
  const outcomes = attempts.map((attempt, i): AttemptOutcome | ApiError => {
    const { platformId, now, requestId } = attempt;
    const key = accountKey(attempt);
    const before = accounts.get(key);
    if (!before || !isInScope(before, attempt.ownerScope)) return new ApiError('ACCOUNT_NOT_FOUND');
    const outcome = decideAttempt(before, attempt, verdicts[i]);
    if (outcome instanceof ApiError) return outcome;
    accounts.set(key, outcome.account);
    answers.push({ platformId, now, before, cause: { requestId }, ...outcome });
    return { account: outcome.account, refusal: refusalOf(outcome.proof) };
  });

  writeAnswers(tx, answers);
  return outcomes;
}

function decideAttempt(
  account: ExternalAccount,
  { submission, now }: OwnershipAttempt,
  checked: Verdict | undefined,
): AnsweredChallenge | ApiError {
  try {
    return answerWithSignature({ account, submission, checked, proofId: newId('OwnershipProof'), software: SOFTWARE, now });
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
}

/** Applies the result of the liveness vendor. */
export async function concludeLiveness(
  tx: Tx,
  platformId: PlatformId,
  now: Date,
  id: ExternalAccountId | undefined,
  outcome: 'PASS' | 'FAIL',
): Promise<ExternalAccount> {
  return answerLiveness(tx, platformId, now, await lockExternalAccount(tx, platformId, 'ANY', id), outcome);
}

/** As `concludeLiveness`, of the check that a link leads to. A check that a newer one has replaced is over. */
export async function concludeLinkedLiveness(
  tx: Tx,
  { platformId, accountId, checkId }: LivenessPass,
  now: Date,
  outcome: 'PASS' | 'FAIL',
): Promise<void> {
  answerLiveness(tx, platformId, now, await lockExternalAccount(tx, platformId, 'ANY', accountId), outcome, checkId);
}

function answerLiveness(
  tx: Tx,
  platformId: PlatformId,
  now: Date,
  account: ExternalAccount,
  outcome: 'PASS' | 'FAIL',
  checkId?: string,
): ExternalAccount {
  const answered = answerWithLiveness({ account, outcome, checkId, proofId: newId('OwnershipProof'), software: SOFTWARE, now });

  writeAnswers(tx, [{ ...answered, platformId, now, before: account }]);
  return answered.account;
}

type WrittenAnswer = AnsweredChallenge & {
  readonly platformId: PlatformId;
  readonly now: Date;
  readonly before: ExternalAccount;
  readonly cause?: Cause;
};

function writeAnswers(tx: Tx, answers: readonly WrittenAnswer[]): void {
  if (answers.length === 0) return;
  saveAnswers(tx, answers);
  for (const [platformId, now] of new Map(answers.map((answer) => [answer.platformId, answer.now]))) {
    const own = answers.filter((answer) => answer.platformId === platformId);
    enqueueStatusEvents(
      tx,
      platformId,
      now,
      own.map(({ before, account: after, cause }) => ({ before, after, cause })),
    );
  }
}

type StatusChange = { readonly before: ExternalAccount; readonly after: ExternalAccount; readonly cause?: Cause | undefined };

/** "An external account's status changes." */
function enqueueStatusEvents(tx: Tx, platformId: PlatformId, now: Date, changes: readonly StatusChange[]): void {
  const changed = changes.filter(({ before, after }) => before.status !== after.status);
  enqueueEvents(
    tx,
    platformId,
    now,
    changed.map(({ after, cause }) => ({
      type: 'EXTERNAL_ACCOUNT.STATUS_UPDATED',
      objectId: after.id,
      data: renderExternalAccount(after),
      cause,
    })),
  );
}

// ---- due work

const DUE_BATCH = 50;

/** Does a batch of due work and returns the number of accounts. */
export async function doDueWork(tx: Tx, work: DueWork, platformId: PlatformId, now: Date): Promise<number> {
  const due = await lockDue(tx, work, platformId, now, DUE_BATCH);
  for (const account of due) {
    // Without a result from the vendor before the expiry the check has failed.
    if (work === 'LIVENESS') answerLiveness(tx, platformId, now, account, 'FAIL');
    else {
      const checked = finishNameCheck(account, now);
      saveExternalAccount(tx, platformId, checked);
      enqueueStatusEvents(tx, platformId, now, [{ before: account, after: checked }]);
    }
  }
  return due.length;
}
