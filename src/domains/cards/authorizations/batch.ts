// Deciding authorizations in batches: gather once, decide each request in order, write once, commit once.
// The hottest path of the service. A batch of one is the same code.
import { type Cause, type Tx, violatedConstraint } from '../../../db/pool.js';
import { batched } from '../../../kernel/batch.js';
import { ApiError, assert } from '../../../kernel/errors.js';
import { type CardId, newId, type PlatformId, type TransactionId, uuidOf } from '../../../kernel/ids.js';
import type { RunInSlot } from '../../../kernel/slots.js';
import { plusMs } from '../../../kernel/time.js';
import { enqueueEvents } from '../../core/webhooks/actions.js';
import { spendable } from '../../ledger/actions.js';
import type { Balance, Move } from '../../ledger/ledger.js';
import { saveSpend } from '../cards/actions.js';
import { addSpend, type DaySpend, recordSpend, type SpendDays, spendingDay, spendOn } from './authorization.js';
import type { CardTransaction, DeclineReason, Merchant, NetworkHistory, OpeningKind, Pull } from './card-transaction.js';
import { type AuthorizationDeps, decidedByIssuer, isDecidedHere, isOfProgram } from './changes.js';
import type { DelayedPull } from './hooks.js';
import {
  authorizePulls,
  balanceEvents,
  PullRefused,
  routeOf,
  transactionEvent,
  type WalletPull,
  withOutstanding,
  writeMoves,
} from './money.js';
import { movesBetween, NO_MONEY } from './moves.js';
import { countsAsSpend, decideRequest, isRepeat, OPENINGS, openTransaction, tokenOfAnotherCard, tokenOfAnotherRequest } from './rules.js';
import { findMoment, lockSources, lockSpendingCards, type Moment, type Source, type SpendingCard } from './spending-store.js';
import { type Answered, countWaitingRequests, findAnswers, insertTransactions, type Known } from './store.js';

export type AuthorizationRequest = {
  /** The id of the transaction if it is opened. Tells a request's own decision from an earlier one with the same token. */
  readonly id?: TransactionId | undefined;
  readonly kind: OpeningKind;
  readonly cardId: CardId;
  /** The program that the caller may decide for. Another program's card is answered like an unknown one. */
  readonly program?: string | undefined;
  readonly issuerToken: string;
  readonly amount: bigint;
  readonly currency: string;
  readonly network?: string | undefined;
  readonly merchant: Merchant;
  /** The decline a sandbox caller chose. */
  readonly forced?: DeclineReason | undefined;
  readonly pull?: Pull | undefined;
  /** The request that asks, for the cause of its events. */
  readonly requestId?: string | undefined;
  /** The issuer's deadline has passed: the request must not be decided any more. */
  readonly isLate?: (() => boolean) | undefined;
};

/** What the reversal of an approval after network messages needs: the state before it, and what it was decided on. */
export type Undo = {
  readonly before: CardTransaction;
  readonly approved: CardTransaction;
  readonly amount: bigint;
  readonly history: NetworkHistory;
  readonly spend: DaySpend;
  /** The day whose spend it counts as. */
  readonly day: string;
};

/** A repeated request gets the decision of the first. */
export type Decision = { readonly transaction: Answered; readonly undo?: Undo | undefined };

export type Authorize = (platformId: PlatformId, request: AuthorizationRequest) => Promise<Decision>;

/** Network messages opened the transaction before its first request: it is decided alone, on what is there already. */
export class HasNetworkMessages extends Error {}

/** The card is locked by another transaction or does not exist; an attempt that waits for locks finds out which. */
class CardLocked extends Error {}

/** `db` is the pool of the decisions. */
export type DecisionDeps = AuthorizationDeps & {
  /**
   * Runs decisions that may wait for the lock of a card. Fewer of them run at once than the pool has connections, so that cards nobody
   * has locked are decided meanwhile.
   */
  readonly whileWaiting: RunInSlot;
};

type Queue = { readonly authorize: (request: AuthorizationRequest) => Promise<Decision>; open: number };

/**
 * Requests of one platform that arrive while a batch is in flight form the next one; two batches at once would only make both smaller.
 * Requests for a card that another transaction has locked go to a queue of that card, so that no other card waits.
 */
export function createBatchedAuthorize(deps: DecisionDeps): Authorize {
  const queues = new Map<string, Queue>();
  const decide = (platformId: PlatformId, requests: readonly AuthorizationRequest[], attempt: Attempt) =>
    attempt.waitsForLocks
      ? deps.whileWaiting(() => authorizeCards(deps, platformId, requests, attempt))
      : authorizeCards(deps, platformId, requests, attempt);

  const enqueue = async (name: string, platformId: PlatformId, request: AuthorizationRequest, attempt: Attempt): Promise<Decision> => {
    let queue = queues.get(name);
    if (!queue) {
      queue = { authorize: batched((requests) => decide(platformId, requests, attempt)), open: 0 };
      queues.set(name, queue);
    }
    queue.open += 1;
    try {
      return await queue.authorize(request);
    } finally {
      queue.open -= 1;
      if (queue.open === 0) queues.delete(name);
    }
  };

  return async (platformId, request) => {
    const ofCard = `${platformId} ${request.cardId}`;
    try {
      if (!queues.has(ofCard)) return await enqueue(platformId, platformId, request, SKIPS_LOCKED);
    } catch (error) {
      if (!(error instanceof CardLocked)) throw error;
    }
    return enqueue(ofCard, platformId, request, WAITS_FOR_LOCKS);
  };
}

type Attempt = {
  /** Tokens may be known already. They hardly ever are: the unique index reports it, and only then are they looked up. */
  readonly repeats: boolean;
  /** Pulls from wallets are signed; otherwise wallets count as not usable. */
  readonly walletsSign: boolean;
  /** Waits for cards that another transaction has locked. */
  readonly waitsForLocks: boolean;
};

const WAITS_FOR_LOCKS: Attempt = { repeats: false, walletsSign: true, waitsForLocks: true };
const SKIPS_LOCKED: Attempt = { ...WAITS_FOR_LOCKS, waitsForLocks: false };

/** Returns a decision or a refusal for each request, in order. When a batch fails, its requests are repeated one by one. */
export async function authorizeCards(
  deps: AuthorizationDeps,
  platformId: PlatformId,
  requests: readonly AuthorizationRequest[],
  attempt: Attempt = WAITS_FOR_LOCKS,
): Promise<(Decision | Error)[]> {
  try {
    return await deps.db.transaction((tx) => decideBatch(deps, tx, platformId, requests, attempt));
  } catch (error) {
    if (!attempt.repeats && violatedConstraint(error) === 'card_transactions_issuer_token')
      return authorizeCards(deps, platformId, requests, { ...attempt, repeats: true });
    if (requests.length > 1) {
      const results: (Decision | Error)[] = [];
      // The commit may have succeeded although its answer was lost: then the decisions are found by their tokens.
      for (const request of requests) results.push(...(await authorizeCards(deps, platformId, [request], attempt)));
      return results;
    }
    if (error instanceof PullRefused) return authorizeCards(deps, platformId, requests, { ...attempt, walletsSign: false });
    return [error instanceof Error ? error : new Error(String(error))];
  }
}

/** One decision in a transaction that is open already. The token must be new: a repeated one would fail that transaction. */
export async function authorizeWithin(
  deps: AuthorizationDeps,
  tx: Tx,
  platformId: PlatformId,
  request: AuthorizationRequest,
): Promise<Decision> {
  const attempt = (walletsSign: boolean) => decideBatch(deps, tx, platformId, [request], { ...WAITS_FOR_LOCKS, walletsSign });
  const [decision] = await attempt(true).catch((error: Error) => {
    if (error instanceof PullRefused) return attempt(false);
    throw error;
  });
  if (decision instanceof Error) throw decision;
  assert(decision, 'every request gets a decision');
  return decision;
}

async function decideBatch(
  deps: AuthorizationDeps,
  tx: Tx,
  platformId: PlatformId,
  requests: readonly AuthorizationRequest[],
  attempt: Attempt,
): Promise<(Decision | Error)[]> {
  const facts = await gatherBatch(tx, platformId, requests, attempt);

  const plan = startPlan(facts);
  const terms = { ...attempt, platformId, expiresAt: plusMs(facts.now, deps.holdLifeMs) };
  const decisions = requests.map((request) => decideNext(facts, plan, terms, request));

  await writePlan(deps, tx, platformId, facts, plan);
  return decisions;
}

type BatchFacts = {
  readonly cards: ReadonlyMap<string, SpendingCard>;
  readonly sources: ReadonlyMap<string, Source>;
  readonly known: ReadonlyMap<string, Known>;
} & Moment;

async function gatherBatch(
  tx: Tx,
  platformId: PlatformId,
  requests: readonly AuthorizationRequest[],
  { waitsForLocks, repeats }: Attempt,
): Promise<BatchFacts> {
  const cardIds = [...new Set(requests.map(({ cardId }) => uuidOf(cardId)))].sort();
  const tokens = requests.map(({ issuerToken }) => issuerToken);
  // Sent together and executed in order: each statement sees what was committed before the cards were locked.
  const [cards, sources, moment, known] = await Promise.all([
    lockSpendingCards(tx, platformId, cardIds, { waitsForLocks }),
    lockSources(tx, platformId, cardIds),
    findMoment(tx, platformId),
    repeats ? findAnswers(tx, platformId, tokens) : new Map(),
  ]);
  return { cards, sources, known, ...moment };
}

/** What a batch results in so far: later requests are decided on what earlier ones changed. */
type Plan = {
  readonly decided: Map<string, Known | CardTransaction>;
  /** The daily spend of the cards that a request has changed. */
  readonly spends: Map<string, SpendDays>;
  /** What each account can spend; below zero when its holder owes more than is there. */
  readonly spendable: Map<string, bigint>;
  readonly opened: CardTransaction[];
  /** By transaction and by account: the request that opened it, and that moved its money last. */
  readonly causes: Map<string, Cause>;
  readonly moves: Move[];
  readonly pulls: WalletPull[];
  readonly delayedPulls: DelayedPull[];
  /** Decisions that one more request waits for. */
  readonly repeated: TransactionId[];
};

const startPlan = ({ known, sources }: BatchFacts): Plan => ({
  decided: new Map(known),
  spends: new Map(),
  spendable: new Map([...sources.values()].map((source) => [source.accountId, spendable(source)])),
  opened: [],
  causes: new Map(),
  moves: [],
  pulls: [],
  delayedPulls: [],
  repeated: [],
});

type Terms = Attempt & { readonly platformId: PlatformId; readonly expiresAt: Date };

function decideNext(facts: BatchFacts, plan: Plan, terms: Terms, request: AuthorizationRequest): Decision | Error {
  const cardUuid = uuidOf(request.cardId);
  const card = facts.cards.get(cardUuid);
  if (!card && !terms.waitsForLocks) return new CardLocked();
  if (!card || !isOfProgram(card, request.program)) return new ApiError('NOT_FOUND');
  const earlier = plan.decided.get(request.issuerToken);
  if (earlier) return answerAgain(plan, earlier, request);
  const source = facts.sources.get(cardUuid);
  if (!source) return new ApiError('NOT_FOUND');
  if (!isDecidedHere(card)) return decidedByIssuer();
  if (request.isLate?.()) return new ApiError('SERVICE_UNAVAILABLE');

  const { kind, amount, pull = 'PROMPT' } = request;
  const { direction, financial } = OPENINGS[kind];
  const days = plan.spends.get(cardUuid) ?? card.days;
  const day = spendingDay(facts.now);
  const today = spendOn(days, day);
  const available = plan.spendable.get(source.accountId) ?? spendable(source);
  const usable = source.usable && (terms.walletsSign || !source.isWallet);
  const { now, limits } = facts;
  const declined = decideRequest(request, { card, limits, today, source: { status: source.status, available, usable }, now });
  const { isWallet: fromWallet } = source;
  const identity = identityOf(request, card, source);
  const transaction = openTransaction(identity, { kind, amount, declined, fromWallet, pull, expiresAt: terms.expiresAt, now });

  plan.opened.push(transaction);
  if (request.requestId !== undefined) {
    const cause = { requestId: request.requestId };
    plan.causes.set(transaction.id, cause);
    plan.causes.set(card.accountId, cause);
  }
  plan.decided.set(request.issuerToken, transaction);
  if (declined) return { transaction };
  const moves = movesBetween(NO_MONEY, transaction, routeOf(terms.platformId, transaction, source.currency, 'CARD_AUTHORIZATION'));
  plan.moves.push(...moves);
  if (fromWallet) plan.pulls.push({ cardId: card.id, accountId: card.accountId, moves });
  plan.spendable.set(source.accountId, available - transaction.held - transaction.pulled - transaction.shortfall);
  if (countsAsSpend(direction, amount)) plan.spends.set(cardUuid, recordSpend(days, day, addSpend(today, amount, 1)));
  if (transaction.pullDueAt !== null) plan.delayedPulls.push({ transaction, fromWallet, financial });
  return { transaction };
}

/** A repeated request gets the decision of the first. */
function answerAgain(plan: Plan, earlier: Known | CardTransaction, request: AuthorizationRequest): Decision | Error {
  if (earlier.cardId !== request.cardId) return tokenOfAnotherCard();
  if ('unrequested' in earlier && earlier.unrequested) return new HasNetworkMessages();
  if (!isRepeat({ hasNetworkMessages: false, ...earlier }, request)) return tokenOfAnotherRequest();
  // With the same id it is the request's own decision, whose commit was not confirmed: it is counted already.
  if (earlier.declinedReason === null && earlier.id !== request.id) plan.repeated.push(earlier.id);
  return { transaction: earlier };
}

async function writePlan(
  { wallets, schedulePull }: AuthorizationDeps,
  tx: Tx,
  platformId: PlatformId,
  { sources, now }: BatchFacts,
  plan: Plan,
): Promise<void> {
  const { opened, causes, moves, pulls, spends, delayedPulls, repeated } = plan;
  if (opened.length > 0) {
    if (pulls.length > 0) await authorizePulls(wallets, tx, platformId, pulls, now);
    const paysOut = opened.some(({ pulled }) => pulled < 0n);
    const locked = paysOut ? await withOutstanding(tx, platformId, [...sources.values()], opened) : sources.values();
    const changed = writeMoves(tx, platformId, locked, moves, now);
    insertTransactions(tx, platformId, opened);
    saveSpend(tx, platformId, [...spends]);
    enqueueEvents(
      tx,
      platformId,
      now,
      opened.map((transaction) => ({ ...transactionEvent(transaction), cause: causes.get(transaction.id), isFirst: true })),
    );
    // A hold has only the event of its transaction; money that moved, out of a wallet or settled at once, has one of its account, too.
    const moved = new Map<string, Balance>();
    for (const { accountId, total, owed } of sources.values()) {
      const after = changed.get(accountId);
      if (after && (after.total !== total || after.owed !== owed)) moved.set(accountId, after);
    }
    if (moved.size > 0) {
      const events = await balanceEvents(tx, platformId, moved);
      enqueueEvents(
        tx,
        platformId,
        now,
        events.map((event) => ({ ...event, cause: causes.get(event.objectId) })),
      );
    }
  }
  for (const pull of delayedPulls) await schedulePull(tx, platformId, pull, now);
  for (const id of repeated) await countWaitingRequests(tx, platformId, id, 1);
}

const identityOf = ({ id, issuerToken, merchant }: AuthorizationRequest, card: SpendingCard, { platformCustomerId }: Source) => ({
  id: id ?? newId('Transaction'),
  cardId: card.id,
  accountId: card.accountId,
  customerId: card.customerId,
  platformCustomerId,
  issuerToken,
  merchant,
  currency: card.currency,
});
