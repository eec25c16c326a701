// Deciding authorizations, many at a time: one gathering, one decision each in turn, one writing, one commit.
// The hottest path of the service. A batch of one is the same code.
import { type Db, type Tx, violatedConstraint } from '../../../db/pool.js';
import { batched } from '../../../kernel/batch.js';
import { ApiError } from '../../../kernel/errors.js';
import { type CardId, newId, type PlatformId, type TransactionId, uuidOf } from '../../../kernel/ids.js';
import { plusMs } from '../../../kernel/time.js';
import { enqueueEvents } from '../../core/webhooks/actions.js';
import type { Balance, Move } from '../../ledger/ledger.js';
import { findProgram } from '../cards/actions.js';
import { addSpend, CREDIT_DECLINES, type DaySpend, DECLINES, decideAuthorization, NOTHING_SPENT, spendingDay } from './authorization.js';
import type { CardTransaction, DeclineReason, Merchant, OpeningKind, Pull } from './card-transaction.js';
import { balanceEvents, expecting, routeOf, transactionEvent, type WalletPull, type Wallets, writeMoves } from './money.js';
import { movesBetween, NO_MONEY } from './moves.js';
import { isRepeat, OPENINGS, openTransaction, waitingFor } from './rules.js';
import {
  type Answered,
  countAskers,
  type DayFacts,
  findAnswers,
  findDay,
  insertMessage,
  insertTransactions,
  type Known,
  lockSources,
  lockSpendingCards,
  type Source,
  type SpendingCard,
  saveDays,
} from './store.js';

export type AuthorizationRequest = {
  /** The transaction's id should it be opened: tells a request's own decision from the one it repeats. */
  readonly id?: TransactionId | undefined;
  readonly kind: OpeningKind;
  readonly cardId: CardId;
  readonly issuerToken: string;
  readonly amount: bigint;
  readonly currency: string;
  readonly network?: string | undefined;
  readonly merchant: Merchant;
  /** What a sandbox caller asked to see. */
  readonly forced?: DeclineReason | undefined;
  readonly pull?: Pull | undefined;
  /** Whoever asked has stopped waiting: nothing may come of it. */
  readonly isLate?: (() => boolean) | undefined;
};

/** As much of a decision as undoing it needs. */
export type Late = Pick<Answered, 'id' | 'cardId'>;

/** Also of a message that was answered before: then it is that answer again. */
export type Decision = { readonly transaction: Answered };

export type AuthorizationDeps = {
  readonly db: Db;
  readonly wallets: Wallets;
  /** How long an authorization holds that nobody clears. */
  readonly holdLifeMs: number;
};

export type Authorize = (platformId: PlatformId, request: AuthorizationRequest) => Promise<Decision>;

/** A wallet did not accept a signature that its key should have been good for. */
export class PullRefused extends Error {}

/** The network has told of the transaction but not asked before: it is decided on its own, on what there is already. */
export class AlreadySpokenOf extends Error {}

export const ofAnotherCard = () => new ApiError('CONFLICT', undefined, { reason: 'The token is that of a transaction of another card.' });
export const answeredForAnother = () => new ApiError('CONFLICT', undefined, { reason: 'The token was answered for another request.' });

export const isDecidedHere = ({ program }: SpendingCard): boolean => findProgram(program)?.decides === 'SERVICE';
export const decidedByIssuer = () => new ApiError('CONFLICT', undefined, { reason: 'The issuer of this card decides its authorizations.' });

/** The card is locked elsewhere or does not exist; the patient attempt will tell which. */
class CardHeld extends Error {}

type Line = { readonly authorize: (request: AuthorizationRequest) => Promise<Decision>; open: number };

/**
 * Requests of one platform that arrive while a batch is under way make the next one; two at once would only make both smaller.
 * A card that somebody else holds makes no other card wait: its requests stand in a line of their own for as long as there are any.
 */
export function createBatchedAuthorize(deps: AuthorizationDeps): Authorize {
  const lines = new Map<string, Line>();

  const standIn = async (name: string, platformId: PlatformId, request: AuthorizationRequest, attempt: Attempt): Promise<Decision> => {
    let line = lines.get(name);
    if (!line) {
      line = { authorize: batched((requests) => authorizeCards(deps, platformId, requests, attempt)), open: 0 };
      lines.set(name, line);
    }
    line.open += 1;
    try {
      return await line.authorize(request);
    } finally {
      line.open -= 1;
      if (line.open === 0) lines.delete(name);
    }
  };

  return async (platformId, request) => {
    const own = `${platformId} ${request.cardId}`;
    try {
      if (!lines.has(own)) return await standIn(platformId, platformId, request, IMPATIENT);
    } catch (error) {
      if (!(error instanceof CardHeld)) throw error;
    }
    return standIn(own, platformId, request, PATIENT);
  };
}

type Attempt = {
  /** Tokens may have been answered before. Hardly ever: the unique index says when, and only then are they looked up. */
  readonly repeats: boolean;
  /** Wallets sign when asked. */
  readonly walletsSign: boolean;
  /** Waits for cards that somebody else holds. */
  readonly patient: boolean;
};

const PATIENT: Attempt = { repeats: false, walletsSign: true, patient: true };
const IMPATIENT: Attempt = { ...PATIENT, patient: false };

/** Answers a decision or a refusal for each request, in order. What fails a batch fails one request when they are taken singly. */
export async function authorizeCards(
  deps: AuthorizationDeps,
  platformId: PlatformId,
  requests: readonly AuthorizationRequest[],
  attempt: Attempt = PATIENT,
): Promise<(Decision | Error)[]> {
  try {
    return await deps.db.transaction((tx) => decideBatch(deps, tx, platformId, requests, attempt));
  } catch (error) {
    if (!attempt.repeats && violatedConstraint(error) === 'card_transactions_issuer_token')
      return authorizeCards(deps, platformId, requests, { ...attempt, repeats: true });
    if (requests.length > 1) {
      const results: (Decision | Error)[] = [];
      // A commit whose answer was lost may stand: its decisions are then found by their tokens and given again.
      for (const request of requests) results.push(...(await authorizeCards(deps, platformId, [request], attempt)));
      return results;
    }
    if (error instanceof PullRefused) return authorizeCards(deps, platformId, requests, { ...attempt, walletsSign: false });
    return [error as Error];
  }
}

/** One decision in a transaction that is open already. The token must be new: a repeat would fail what else the transaction does. */
export async function authorizeWithin(
  deps: AuthorizationDeps,
  tx: Tx,
  platformId: PlatformId,
  request: AuthorizationRequest,
): Promise<Decision> {
  const attempt = (walletsSign: boolean) => decideBatch(deps, tx, platformId, [request], { ...PATIENT, walletsSign });
  const [decision] = await attempt(true).catch((error: Error) => {
    if (error instanceof PullRefused) return attempt(false);
    throw error;
  });
  if (decision instanceof Error) throw decision;
  return decision as Decision;
}

/**
 * Decides within the time an issuer waits, or answers undefined. What is decided later is undone: a hold that nobody was told of
 * must not stay. A request still waiting for its batch by then is dropped there.
 */
export async function authorizeInTime(
  authorize: Authorize,
  undo: (platformId: PlatformId, late: Late) => Promise<void>,
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
    async ({ transaction }) => {
      if (late && transaction.declinedReason === null) await undo(platformId, transaction);
    },
    async (error: Error) => {
      // It was told to be declined, and yet it may stand: the answer to its commit was lost.
      if (late && !(error instanceof ApiError && error.cause === undefined)) await undo(platformId, { id, cardId: request.cardId });
    },
  );
  try {
    return await Promise.race([decision, deadline]);
  } finally {
    clearTimeout(timer);
  }
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

  await writePlan(deps.wallets, tx, platformId, facts, plan);
  return decisions;
}

type BatchFacts = {
  readonly cards: ReadonlyMap<string, SpendingCard>;
  readonly sources: ReadonlyMap<string, Source>;
  readonly known: ReadonlyMap<string, Known>;
} & DayFacts;

async function gatherBatch(
  tx: Tx,
  platformId: PlatformId,
  requests: readonly AuthorizationRequest[],
  { patient, repeats }: Attempt,
): Promise<BatchFacts> {
  const cardIds = [...new Set(requests.map(({ cardId }) => uuidOf(cardId)))].sort();
  const tokens = requests.map(({ issuerToken }) => issuerToken);
  // Sent together, answered in order: each sees what was committed before the cards were locked.
  const [cards, sources, day, known] = await Promise.all([
    lockSpendingCards(tx, platformId, cardIds, { patient }),
    lockSources(tx, platformId, cardIds),
    findDay(tx, platformId, cardIds),
    repeats ? findAnswers(tx, platformId, tokens) : new Map(),
  ]);
  return { cards, sources, known, ...day };
}

/** What a batch comes to. Requests are decided in turn, the later ones seeing here what the earlier ones did. */
type Plan = {
  readonly decided: Map<string, Known | CardTransaction>;
  readonly spent: Map<string, DaySpend>;
  readonly available: Map<string, bigint>;
  readonly opened: CardTransaction[];
  readonly moves: Move[];
  readonly pulls: WalletPull[];
  readonly changedDays: Map<string, DaySpend>;
  readonly waiting: { readonly transaction: CardTransaction; readonly due: ReturnType<typeof waitingFor> }[];
  /** Decisions that one more counts on. */
  readonly again: TransactionId[];
};

const startPlan = ({ known, days, sources }: BatchFacts): Plan => ({
  decided: new Map(known),
  spent: new Map(days),
  available: new Map([...sources.values()].map(({ accountId, available }) => [accountId, available])),
  opened: [],
  moves: [],
  pulls: [],
  changedDays: new Map(),
  waiting: [],
  again: [],
});

type Terms = Attempt & { readonly platformId: PlatformId; readonly expiresAt: Date };

function decideNext(facts: BatchFacts, plan: Plan, terms: Terms, request: AuthorizationRequest): Decision | Error {
  const cardUuid = uuidOf(request.cardId);
  const card = facts.cards.get(cardUuid);
  if (!card && !terms.patient) return new CardHeld();
  const earlier = plan.decided.get(request.issuerToken);
  if (earlier) return answerAgain(plan, earlier, request);
  const source = facts.sources.get(cardUuid);
  if (!card || !source) return new ApiError('NOT_FOUND');
  if (!isDecidedHere(card)) return decidedByIssuer();
  if (request.isLate?.()) return new ApiError('SERVICE_UNAVAILABLE');

  const { kind, amount, currency, network, forced, pull = 'PROMPT' } = request;
  const { direction, advice } = OPENINGS[kind];
  const today = plan.spent.get(cardUuid) ?? NOTHING_SPENT;
  const available = plan.available.get(source.accountId) as bigint;
  const usable = source.usable && (terms.walletsSign || !source.isWallet);
  const declined = advice
    ? undefined
    : decideAuthorization(
        { amount, currency, network, card, platform: facts.limits, today, source: { status: source.status, available, usable }, forced },
        direction === 'DEBIT' ? DECLINES : CREDIT_DECLINES,
      );
  const { isWallet: fromWallet } = source;
  const identity = identityOf(request, card, source);
  const transaction = openTransaction(identity, { kind, amount, declined, fromWallet, pull, expiresAt: terms.expiresAt, now: facts.now });

  plan.opened.push(transaction);
  plan.decided.set(request.issuerToken, transaction);
  if (declined) return { transaction };
  const moves = movesBetween(NO_MONEY, transaction, routeOf(terms.platformId, transaction, source.currency, 'CARD_AUTHORIZATION'));
  plan.moves.push(...moves);
  if (fromWallet) plan.pulls.push({ cardId: card.id, accountId: card.accountId, moves });
  plan.available.set(source.accountId, available - transaction.held - transaction.pulled);
  if (direction === 'DEBIT') {
    const after = addSpend(today, amount, 1);
    plan.spent.set(cardUuid, after);
    plan.changedDays.set(cardUuid, after);
  }
  const due = waitingFor(transaction, kind, fromWallet);
  if (due.length > 0) plan.waiting.push({ transaction, due });
  return { transaction };
}

/** A message that was answered before gets that answer again. */
function answerAgain(plan: Plan, earlier: Known | CardTransaction, request: AuthorizationRequest): Decision | Error {
  if (earlier.cardId !== request.cardId) return ofAnotherCard();
  if ('unasked' in earlier && earlier.unasked) return new AlreadySpokenOf();
  if (!isRepeat({ spokenOf: false, ...earlier }, request)) return answeredForAnother();
  // One more counts on it, unless it is this request's own decision, whose commit was not answered.
  if (earlier.declinedReason === null && earlier.id !== request.id) plan.again.push(earlier.id);
  return { transaction: earlier };
}

async function writePlan(wallets: Wallets, tx: Tx, platformId: PlatformId, { sources, now }: BatchFacts, plan: Plan): Promise<void> {
  const { opened, moves, pulls, changedDays, waiting, again } = plan;
  if (opened.length > 0) {
    if (pulls.length > 0 && !(await wallets.authorize(tx, platformId, pulls, now))) throw new PullRefused();
    const paysOut = opened.some(({ pulled }) => pulled < 0n);
    const locked = paysOut ? await expecting(tx, platformId, [...sources.values()], opened) : sources.values();
    const changed = writeMoves(tx, platformId, locked, moves);
    insertTransactions(tx, platformId, opened);
    saveDays(tx, platformId, spendingDay(now), [...changedDays]);
    enqueueEvents(tx, platformId, now, opened.map(transactionEvent));
    // A hold is told by its transaction; money that has moved, out of a wallet or because it settled at once, is told by its account, too.
    const moved = new Map<string, Balance>();
    for (const { accountId, total } of sources.values()) {
      const after = changed.get(accountId);
      if (after && after.total !== total) moved.set(accountId, after);
    }
    if (moved.size > 0) enqueueEvents(tx, platformId, now, await balanceEvents(tx, platformId, moved));
  }
  for (const { transaction, due } of waiting)
    for (const { kind, amount } of due)
      await insertMessage(
        tx,
        platformId,
        { token: transaction.issuerToken, kind, transactionId: transaction.id, amount, dueAt: transaction.pullDueAt ?? undefined },
        now,
      );
  for (const id of again) await countAskers(tx, platformId, id, 1);
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
