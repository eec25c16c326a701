// Card authorizations for other domains and for the routes: deciding requests, changing transactions, reading them.
import type { Tx } from '../../../db/pool.js';
import { ApiError, assert } from '../../../kernel/errors.js';
import { type CardId, type PlatformId, uuidOf } from '../../../kernel/ids.js';
import { plusMs } from '../../../kernel/time.js';
import { authorizePulls } from '../../access/delegated-keys/actions.js';
import { enqueueEvents } from '../../core/webhooks/actions.js';
import { lockBalances, lockHolds, spendable } from '../../ledger/actions.js';
import { NOTHING_SPENT, spendingDay } from './authorization.js';
import {
  type AuthorizationRequest,
  type Authorize,
  createBatchedAuthorize,
  type Decision,
  type DecisionDeps,
  HasNetworkMessages,
} from './batch.js';
import { type AuthorizationDeps, changeTransaction, gatherFacts, lockDecidedCard, withoutKey } from './changes.js';
import { release } from './lifecycle.js';
import { balanceEvents, PullRefused, routeOf, transactionEvent, type Wallets, writeMoves } from './money.js';
import { movesBetween } from './moves.js';
import { decideAfterMessages, isRepeat, tokenOfAnotherRequest } from './rules.js';
import { countWaitingRequests, findByToken, findOpen, isDisputed, isUnrequested, saveAnswer, saveTransaction } from './store.js';

export { type AuthorizationRequest, type Authorize, authorizeWithin, type Decision } from './batch.js';
export {
  type AuthorizationDeps,
  changeTransaction,
  gatherFacts,
  getOwnTransaction,
  isOfProgram,
  type LockedCard,
  lockDecidedCard,
  openUnrequested,
  type PlannedChange,
  paySettlement,
  planChange,
  retryWithoutWallet,
  type TransactionFacts,
  type WalletDeps,
  writeChange,
} from './changes.js';
export { authorizeInTime, type LateDecision, reverseLateDecision, reverseUntilDone } from './late-decisions.js';
export { clear, pullHeld, release, reverse } from './lifecycle.js';
export type { Wallets } from './money.js';
export { planReturn, reverseReturn } from './returns.js';
export { advise, tokenOfAnotherCard } from './rules.js';
export {
  countTransactions,
  findByToken,
  findOutstanding,
  findPlaces,
  findPlacesByToken,
  findTransaction,
  isUnrequested,
  listTransactions,
  type Place,
  type TransactionFilter,
} from './store.js';
export { addChange, factsNow, firstOfEach, gatherTogether, MAX_TOGETHER, writeTogether } from './together.js';

/** Wallets that cards spend from: pulls are signed with the cards' delegated keys. */
export const cardWallets = (keys: Parameters<typeof authorizePulls>[0]): Wallets => ({
  authorize: (tx, platformId, pulls, now) => authorizePulls(keys, tx, platformId, pulls, now),
});

/** Decides in batches; a transaction that network messages opened is decided alone. */
export function createAuthorize(deps: DecisionDeps): Authorize {
  const authorize = createBatchedAuthorize(deps);
  return (platformId, request) =>
    authorize(platformId, request).catch((error: Error) => {
      if (error instanceof HasNetworkMessages) return deps.whileWaiting(() => decideAlone(deps, platformId, request));
      throw error;
    });
}

/** A wallet may reject the signature of an ACTIVE key. Then the request is decided as if the card had none, in a transaction of its own. */
const decideAlone = (deps: AuthorizationDeps, platformId: PlatformId, request: AuthorizationRequest): Promise<Decision> =>
  authorizeAfterMessages(deps, platformId, request, true).catch((error: Error) => {
    if (error instanceof PullRefused) return authorizeAfterMessages(deps, platformId, request, false);
    throw error;
  });

/** Decides a request for a transaction that network messages opened. */
const authorizeAfterMessages = (
  deps: AuthorizationDeps,
  platformId: PlatformId,
  request: AuthorizationRequest,
  walletsSign: boolean,
): Promise<Decision> =>
  deps.db.transaction(async (tx) => {
    const locked = await lockDecidedCard(tx, platformId, request.cardId);
    const before = await findByToken(tx, platformId, request.issuerToken);
    assert(before, 'the transaction of the network messages exists');
    const [unrequested, history, disputed] = await Promise.all([
      isUnrequested(tx, platformId, before.id),
      deps.findNetworkHistory(tx, platformId, before.id),
      isDisputed(tx, platformId, before.id),
    ]);
    assert(history, 'the transaction has network messages');
    if (!unrequested) {
      if (!isRepeat({ ...before, hasNetworkMessages: true }, request)) throw tokenOfAnotherRequest();
      if (before.declinedReason === null) await countWaitingRequests(tx, platformId, before.id, 1);
      return { transaction: before };
    }
    if (request.isLate?.()) throw new ApiError('SERVICE_UNAVAILABLE');
    const gathered = await gatherFacts(tx, platformId, locked, before);
    const facts = gathered.source.isWallet && !walletsSign ? withoutKey(gathered) : gathered;

    const expiresAt = plusMs(facts.now, deps.holdLifeMs);
    const { transaction, spend } = decideAfterMessages(request, {
      ...facts,
      source: { ...facts.source, available: spendable(facts.source) },
      before,
      history,
      disputed,
      fromWallet: facts.source.isWallet,
      expiresAt,
    });

    saveAnswer(tx, platformId, transaction);
    const approved = await changeTransaction(deps, tx, platformId, facts, transaction, { cause: 'CARD_AUTHORIZATION', spend });
    if (transaction.declinedReason !== null) return { transaction };
    // An approval below what was advised has added nothing.
    const spent = spend && spend.spent > 0n ? spend : NOTHING_SPENT;
    return { transaction, undo: { before, approved, amount: request.amount, history, spend: spent, day: spendingDay(facts.now) } };
  }, request);

/** "Pending authorizations reconcile to a terminal state" when their card is closed. The caller has locked the card. */
export async function reconcileClosedCard(tx: Tx, platformId: PlatformId, cardId: CardId, now: Date): Promise<void> {
  const open = await findOpen(tx, platformId, cardId);
  if (open.length === 0) return;
  const [balances, holds] = await Promise.all([
    lockBalances(tx, platformId, [...new Set(open.map(({ accountId }) => uuidOf(accountId)))]),
    lockHolds(
      tx,
      platformId,
      open.map(({ id }) => uuidOf(id)),
      open.map(() => uuidOf(cardId)),
    ),
  ]);

  // The close may have waited for the card while it was used: `now` is the time of its request.
  const changes = open.map((before) => ({
    before,
    after: { ...release(before), updatedAt: before.updatedAt > now ? before.updatedAt : now },
  }));
  const moves = changes.flatMap(({ before, after }) => {
    const currency = balances.get(uuidOf(before.accountId))?.currency;
    assert(currency, 'the account of a transaction has a balance');
    const hold = holds.find(({ transactionId }) => transactionId === uuidOf(before.id));
    return movesBetween(before, after, routeOf(platformId, before, currency, 'CARD_CLOSED'), hold);
  });

  const released = changes.map(({ after }) => after);
  for (const transaction of released) saveTransaction(tx, platformId, transaction);
  const changed = writeMoves(tx, platformId, balances.values(), moves, now);
  enqueueEvents(tx, platformId, now, [...released.map(transactionEvent), ...(await balanceEvents(tx, platformId, changed))]);
}
