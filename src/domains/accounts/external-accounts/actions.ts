// Opening external accounts, showing that a wallet is one's own, deleting.
import { randomBytes } from 'node:crypto';
import type { Db, Tx } from '../../../db/pool.js';
import { batched } from '../../../kernel/batch.js';
import { ApiError } from '../../../kernel/errors.js';
import { type CustomerId, type ExternalAccountId, newId, type PlatformId } from '../../../kernel/ids.js';
import { version } from '../../../root.js';
import { getPlatform } from '../../core/platform/actions.js';
import { enqueueEvents } from '../../core/webhooks/actions.js';
import { lockCustomerRow } from '../../identity/customers/actions.js';
import type { Customer } from '../../identity/customers/customer.js';
import type { Door, ExternalAccount, NewExternalAccount, OwnershipChallenge, OwnershipMethod } from './external-account.js';
import {
  type AnsweredChallenge,
  answerWithLiveness,
  answerWithSignature,
  claimOf,
  finishNameCheck,
  identityOf,
  openAccount,
  refusalOf,
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

/** Kept with every proof: which code judged it. */
const SOFTWARE = `switchyard ${version}`;

// ---- opening and deleting

export async function createExternalAccount(
  tx: Tx,
  platformId: PlatformId,
  now: Date,
  door: Door,
  request: NewExternalAccount,
): Promise<ExternalAccount> {
  const { counterpartyRules, mode } = await getPlatform(tx, platformId);
  const isOwnerKnown = door === 'PLATFORM' || (await lockOwner(tx, platformId, request.customerId));
  const id = newId('ExternalAccount');

  const account = openAccount({ id, request, isOwnerKnown, counterpartyRules, isSandbox: mode === 'sandbox', now });
  const identity = identityOf(account);

  if (request.defaultUmaDepositAccount && request.customerId) clearDefaultAccount(tx, platformId, request.customerId, now);
  if (!(await insertExternalAccount(tx, platformId, account, identity))) {
    throw duplicateOf(await findEquivalent(tx, platformId, account, identity));
  }
  return account;
}

/** The customer is locked: two new defaults at once leave one, and no account is left behind by a customer being deleted. */
async function lockOwner(tx: Tx, platformId: PlatformId, customerId: CustomerId | undefined): Promise<boolean> {
  const customer = customerId && (await lockCustomerRow(tx, platformId, customerId));
  return customer !== undefined && customer.deletedAt === null;
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
  deleteExternalAccount(tx, platformId, account.id, now);
}

/** A customer that is deleted takes its external accounts along, trusted ones too. */
export const removeAccountsOf = (tx: Tx, platformId: PlatformId, { id }: Pick<Customer, 'id'>, now: Date): void =>
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

  saveExternalAccount(tx, platformId, challenged);
  tellStatus(tx, platformId, now, [{ before: account, after: challenged }]);
  return challenged.challenge;
}

export type OwnershipAttempt = {
  readonly platformId: PlatformId;
  readonly now: Date;
  readonly door: Door;
  readonly id: ExternalAccountId | undefined;
  readonly submission: Submission;
};

/** The account after the attempt, and the refusal of one that failed: both are remembered. */
export type AttemptOutcome = { readonly account: ExternalAccount; readonly refusal: ApiError | undefined };

/** Attempts that arrive together share a transaction; each is decided by itself, and one that is refused is refused alone. */
export function createOwnershipVerifier(db: Db): (attempt: OwnershipAttempt) => Promise<AttemptOutcome> {
  const together = async (attempts: readonly OwnershipAttempt[]): Promise<(AttemptOutcome | Error)[]> => {
    try {
      return await db.transaction((tx) => attemptOwnerships(tx, attempts));
    } catch (error) {
      // Refused as a whole (the database is away, or its word on the commit was lost): nobody tries again but the caller.
      if (attempts.length === 1 || error instanceof ApiError) return attempts.map(() => error as Error);
      return (await Promise.all(attempts.map((attempt) => together([attempt])))).flat();
    }
  };
  return batched(together, { max: 128, lanes: 3 });
}

/** Decides the attempts in turn, the later ones seeing what the earlier ones did. */
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
    const { platformId, now } = attempt;
    const key = accountKey(attempt);
    const before = accounts.get(key);
    const outcome = decideAttempt(before, attempt, verdicts[i]);
    if (!before || outcome instanceof ApiError) return outcome as ApiError;
    accounts.set(key, outcome.account);
    answers.push({ platformId, now, before, ...outcome });
    return { account: outcome.account, refusal: refusalOf(outcome.proof) };
  });

  writeAnswers(tx, answers);
  return outcomes;
}

function decideAttempt(
  account: ExternalAccount | undefined,
  { door, submission, now }: OwnershipAttempt,
  checked: Verdict | undefined,
): AnsweredChallenge | ApiError {
  if (!account || (account.customerId === undefined) !== (door === 'PLATFORM')) return new ApiError('ACCOUNT_NOT_FOUND');
  try {
    return answerWithSignature({ account, submission, checked, proofId: newId('OwnershipProof'), software: SOFTWARE, now });
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
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

function answerLiveness(tx: Tx, platformId: PlatformId, now: Date, account: ExternalAccount, outcome: 'PASS' | 'FAIL'): ExternalAccount {
  const answered = answerWithLiveness({ account, outcome, proofId: newId('OwnershipProof'), software: SOFTWARE, now });

  writeAnswers(tx, [{ ...answered, platformId, now, before: account }]);
  return answered.account;
}

type WrittenAnswer = AnsweredChallenge & { readonly platformId: PlatformId; readonly now: Date; readonly before: ExternalAccount };

function writeAnswers(tx: Tx, answers: readonly WrittenAnswer[]): void {
  if (answers.length === 0) return;
  saveAnswers(tx, answers);
  for (const [platformId, now] of new Map(answers.map((answer) => [answer.platformId, answer.now]))) {
    const own = answers.filter((answer) => answer.platformId === platformId);
    tellStatus(
      tx,
      platformId,
      now,
      own.map(({ before, account: after }) => ({ before, after })),
    );
  }
}

type StatusChange = { readonly before: ExternalAccount; readonly after: ExternalAccount };

/** "An external account's status changes." */
function tellStatus(tx: Tx, platformId: PlatformId, now: Date, changes: readonly StatusChange[]): void {
  const told = changes.filter(({ before, after }) => before.status !== after.status);
  enqueueEvents(
    tx,
    platformId,
    now,
    told.map(({ after }) => ({ type: 'EXTERNAL_ACCOUNT.STATUS_UPDATED', objectId: after.id, data: renderExternalAccount(after) })),
  );
}

// ---- work that falls due

const DUE_BATCH = 50;

/** Does a batch of due work; answers how many accounts it took. */
export async function doDueWork(tx: Tx, work: DueWork, platformId: PlatformId, now: Date): Promise<number> {
  const due = await lockDue(tx, work, platformId, now, DUE_BATCH);
  for (const account of due) {
    // A check nobody finished in time has failed: no word from the vendor is no proof.
    if (work === 'LIVENESS') answerLiveness(tx, platformId, now, account, 'FAIL');
    else {
      const checked = finishNameCheck(account, now);
      saveExternalAccount(tx, platformId, checked);
      tellStatus(tx, platformId, now, [{ before: account, after: checked }]);
    }
  }
  return due.length;
}
