// Decisions that an issuer's deadline passes: the issuer is answered in time, and what was decided later is reversed.
import { isDeepStrictEqual } from 'node:util';
import type { Logger } from 'pino';
import type { Tx } from '../../../db/pool.js';
import { ApiError, messageForLog } from '../../../kernel/errors.js';
import { newId, type PlatformId, uuidOf } from '../../../kernel/ids.js';
import { saveSpend } from '../cards/actions.js';
import { type DaySpend, NOTHING_SPENT, spendingDay, takeSpend } from './authorization.js';
import type { AuthorizationRequest, Authorize, Decision, Undo } from './batch.js';
import type { CardTransaction, NetworkHistory } from './card-transaction.js';
import {
  type AuthorizationDeps,
  changeTransaction,
  gatherFacts,
  lockDecidedCard,
  retryWithoutWallet,
  type TransactionFacts,
  type WalletDeps,
  writeChange,
} from './changes.js';
import { cancelled, owedOnceCancelled } from './lifecycle.js';
import { routeOf } from './money.js';
import { movesBetween } from './moves.js';
import { countsAsSpend, undoneAfterMessages } from './rules.js';
import { type Answered, countWaitingRequests, findTransaction, saveAnswer } from './store.js';

/** The part of a decision that its reversal needs. */
export type LateDecision = Pick<Answered, 'id' | 'cardId'> & Pick<Decision, 'undo'>;

/**
 * Decides before the issuer's deadline, or returns undefined. A decision made later is reversed, because the issuer was answered with
 * a decline. A request still waiting for its batch by then is dropped there.
 */
export async function authorizeInTime(
  authorize: Authorize,
  reverse: (platformId: PlatformId, late: LateDecision) => Promise<void>,
  platformId: PlatformId,
  request: AuthorizationRequest,
  deadlineMs: number,
): Promise<Decision | undefined> {
  let late = false;
  let timer: NodeJS.Timeout | undefined;
  const deadline = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => {
      late = true;
      resolve(undefined);
    }, deadlineMs);
  });
  const id = newId('Transaction');
  const decision = authorize(platformId, { ...request, id, isLate: () => late });
  decision.then(
    async ({ transaction: { id, cardId, declinedReason }, undo }) => {
      if (late && declinedReason === null) await reverse(platformId, { id, cardId, undo });
    },
    async (error: Error) => {
      // The issuer was answered with a decline, but the decision may be committed: the answer to its commit was lost.
      if (late && !(error instanceof ApiError && error.cause === undefined)) await reverse(platformId, { id, cardId: request.cardId });
    },
  );
  try {
    return await Promise.race([decision, deadline]);
  } finally {
    clearTimeout(timer);
  }
}

/** Why the ledger moves money. */
const UNDONE = 'CARD_AUTHORIZATION_UNDONE';

type ReversalDeps = Pick<AuthorizationDeps, 'db' | 'wallets' | 'findNetworkHistory'>;

/**
 * Reverses a late decision: its hold is released, its daily spend is taken back, and the transaction is declined. What network messages
 * before the decision did stays. It is kept when another request with the same token was answered in time.
 */
export async function reverseLateDecision(deps: ReversalDeps, platformId: PlatformId, { id, cardId, undo }: LateDecision): Promise<void> {
  await deps.db.transaction(async (tx) => {
    const locked = await lockDecidedCard(tx, platformId, cardId).catch(undecidable);
    const transaction = locked && (await findTransaction(tx, platformId, id));
    if (!transaction || transaction.declinedReason !== null) return;
    const history = await deps.findNetworkHistory(tx, platformId, id);
    const undone = history && undo && undoneBy(undo, transaction, history);
    // The network has used the authorization, so the issuer knows of it.
    if (history && !undone) return;
    if ((await countWaitingRequests(tx, platformId, id, -1)) > 0) return;
    const facts = await gatherFacts(tx, platformId, locked, transaction);

    const { day, spend } = undo ?? { day: spendingDay(transaction.createdAt), spend: spendOf(transaction) };
    saveSpend(tx, platformId, [[uuidOf(cardId), takeSpend(locked.card.days, day, spend)]]);
    if (undone) saveAnswer(tx, platformId, undone);
    await retryWithoutWallet(facts, (known) =>
      undone
        ? changeTransaction(deps, tx, platformId, known, undone, { cause: UNDONE })
        : writeCancelled(deps, tx, platformId, known, { ...cancelled(transaction), updatedAt: known.now }),
    );
  });
}

/** A transaction that has changed since its approval has been used by the network, or it has ended. */
const undoneBy = ({ before, approved, amount, history }: Undo, now: CardTransaction, historyNow: NetworkHistory) =>
  isDeepStrictEqual(now, approved) && isDeepStrictEqual(historyNow, history)
    ? undoneAfterMessages(before, approved, amount, history)
    : undefined;

const spendOf = ({ direction, authorized }: CardTransaction): DaySpend =>
  countsAsSpend(direction, authorized) ? { spent: authorized, count: 1 } : NOTHING_SPENT;

/** A request whose answer was lost may have named a card that does not exist, or that its issuer decides for: nothing was decided. */
function undecidable(error: unknown): undefined {
  if (error instanceof ApiError && (error.code === 'NOT_FOUND' || error.code === 'CONFLICT')) return;
  throw error;
}

/** The credit may have paid what its holder owed, or have been spent: the account pays back what it can. */
function writeCancelled(
  deps: WalletDeps,
  tx: Tx,
  platformId: PlatformId,
  facts: TransactionFacts,
  after: CardTransaction,
): Promise<CardTransaction> {
  const { transaction, source, withdrawable, hold } = facts;
  const owed = owedOnceCancelled(transaction, withdrawable);
  const route = routeOf(platformId, transaction, source.currency, UNDONE);
  const moves = movesBetween(transaction, { ...after, pulled: -owed, shortfall: owed }, route, hold);
  return writeChange(deps, tx, platformId, facts, {
    transaction: after,
    opened: [],
    saved: [after],
    announced: [after],
    moves,
    arrives: false,
  });
}

const sleep = (ms: number): Promise<void> => new Promise((resolve) => void setTimeout(resolve, ms).unref());

/** Repeats the reversal until it succeeds or the hold has expired. Nothing else knows of the late decision. */
export async function reverseUntilDone(
  deps: ReversalDeps & Pick<AuthorizationDeps, 'holdLifeMs'> & { readonly log: Pick<Logger, 'error'> },
  platformId: PlatformId,
  late: LateDecision,
  pause = sleep,
): Promise<void> {
  for (let attempt = 1, waitedMs = 0; waitedMs < deps.holdLifeMs; attempt += 1) {
    const pauseMs = Math.min(attempt, 60) * 1_000;
    try {
      return await reverseLateDecision(deps, platformId, late);
    } catch (error) {
      const errorMessage = messageForLog(error);
      deps.log.error({ transactionId: late.id, attempt, errorMessage }, 'the reversal of a late authorization failed; it will be repeated');
      await pause(pauseMs);
      waitedMs += pauseMs;
    }
  }
}
