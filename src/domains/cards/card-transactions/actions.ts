// What the network says about existing transactions, disputes, and reading them. Every step: lock the card, decide, write.
import type { Logger } from 'pino';
import type { FailedRecently } from '../../../db/job.js';
import type { Tx } from '../../../db/pool.js';
import { ApiError, assert, invalidField } from '../../../kernel/errors.js';
import { type CardId, newId, newUuid, type PlatformId, type TransactionId, uuidOf } from '../../../kernel/ids.js';
import { plusMs } from '../../../kernel/time.js';
import { enqueueEvents } from '../../core/webhooks/actions.js';
import { lockBalances, lockHolds } from '../../ledger/actions.js';
import type { Hold, Move } from '../../ledger/ledger.js';
import {
  addSpend,
  CREDIT_DECLINES,
  type DaySpend,
  DECLINES,
  decideAuthorization,
  type Limits,
  NOTHING_SPENT,
  spendingDay,
} from './authorization.js';
import {
  AlreadySpokenOf,
  type AuthorizationDeps,
  type AuthorizationRequest,
  type Authorize,
  answeredForAnother,
  createBatchedAuthorize,
  type Decision,
  decidedByIssuer,
  isDecidedHere,
  type Late,
  ofAnotherCard,
  PullRefused,
} from './authorize.js';
import type { CardTransaction, Disposition, Dispute, FollowUpKind, Heard, Merchant, ScheduledKind } from './card-transaction.js';
import { balanceEvents, expecting, routeOf, transactionEvent, writeMoves } from './money.js';
import { movesBetween, transferMoves } from './moves.js';
import {
  type Ask,
  authorizeAfterwards,
  clear,
  closeDispute,
  creditProvisionally,
  type DisputeStep,
  declineAfterwards,
  isRepeat,
  leftToClear,
  OPENINGS,
  openDispute,
  pullHeld,
  type Reach,
  refund,
  refuseMessage,
  refuseSimulation,
  release,
  resize,
  returnOf,
  reverse,
  reverseProvisionalCredit,
  standsIn,
  takeBackRefund,
  undone,
  unheardOf,
} from './rules.js';
import {
  countAskers,
  type Due,
  findByToken,
  findDay,
  findDisputed,
  findDueMessages,
  findExpired,
  findHeard,
  findOpen,
  findOpenDispute,
  findToldOf,
  findTransaction,
  findWaiting,
  insertDispute,
  insertIfNew,
  insertMessage,
  lockSource,
  lockSpendingCards,
  type Source,
  type SpendingCard,
  saveAnswer,
  saveDays,
  saveDispute,
  saveTransaction,
  takeDueMessage,
  takeFromDay,
} from './store.js';

export type { AuthorizationRequest, Authorize, Decision, Late } from './authorize.js';
export { authorizeInTime, authorizeWithin } from './authorize.js';
export { findOutstanding, findTransaction, listTransactions, type TransactionFilter } from './store.js';

export type CardTransactionDeps = AuthorizationDeps;

/** A message about a transaction. `token` is the message's own: the network repeats itself. */
export type NetworkMessage = { readonly kind: FollowUpKind; readonly token: string; readonly amount?: bigint | undefined };

// ---- gathering

type Facts = {
  readonly card: SpendingCard;
  readonly transaction: CardTransaction;
  readonly source: Source;
  readonly hold: Hold | undefined;
  readonly now: Date;
  readonly limits: Limits;
  readonly today: DaySpend;
  readonly reach: Reach;
};

/** The card locked, or 404; 409 where the issuer decides, since then these messages are not ours. */
async function lockDecidedCard(tx: Tx, platformId: PlatformId, cardId: CardId | undefined) {
  if (!cardId) throw new ApiError('NOT_FOUND');
  const cardUuid = uuidOf(cardId);
  const [cards, day] = await Promise.all([lockSpendingCards(tx, platformId, [cardUuid]), findDay(tx, platformId, [cardUuid])]);
  const card = cards.get(cardUuid);
  if (!card) throw new ApiError('NOT_FOUND');
  if (!isDecidedHere(card)) throw decidedByIssuer();
  return { card, now: day.now, limits: day.limits, today: day.days.get(cardUuid) ?? NOTHING_SPENT };
}

async function gather(
  tx: Tx,
  platformId: PlatformId,
  locked: Awaited<ReturnType<typeof lockDecidedCard>>,
  transaction: CardTransaction,
): Promise<Facts> {
  const [source, holds] = await Promise.all([
    lockSource(tx, platformId, locked.card, transaction.accountId),
    transaction.held > 0n ? lockHolds(tx, platformId, [uuidOf(transaction.id)]) : [],
  ]);
  assert(holds.length === (transaction.held > 0n ? 1 : 0), 'a transaction has one hold for what it holds');
  return { ...locked, transaction, source, hold: holds[0], reach: reachOf(source) };
}

/** From a wallet nothing can be had without its key, from an account that is not ACTIVE nothing at all. */
const reachOf = ({ usable, status, available }: Source): Reach => ({ available: usable && status === 'ACTIVE' ? available : 0n });

async function getOwnTransaction(tx: Tx, platformId: PlatformId, cardId: CardId, id: TransactionId | undefined): Promise<CardTransaction> {
  const transaction = id && (await findTransaction(tx, platformId, id));
  if (transaction?.cardId !== cardId) throw new ApiError('TRANSACTION_NOT_FOUND');
  return transaction;
}

// ---- the network's messages

export type Simulated = NetworkMessage & { readonly cardId: CardId | undefined; readonly transactionId: TransactionId | undefined };

/** Plays the network: refuses what a network could not say about the transaction, then says it. Answers the issuer's token. */
export async function simulateMessage(deps: CardTransactionDeps, tx: Tx, platformId: PlatformId, message: Simulated): Promise<string> {
  const locked = await lockDecidedCard(tx, platformId, message.cardId);
  const transaction = await getOwnTransaction(tx, platformId, locked.card.id, message.transactionId);
  refuseSimulation(message.kind, await askOf(tx, platformId, locked.card, transaction, message));
  return (await takeMessage(deps, tx, platformId, locked, transaction, message)).issuerToken;
}

export type IssuerMessage = NetworkMessage & {
  readonly issuerToken: string;
  readonly cardId?: CardId | undefined;
  readonly merchant?: Merchant | undefined;
};

/** What a real network says, in whatever order it arrives and as often as it likes. */
export async function recordMessage(
  deps: CardTransactionDeps,
  tx: Tx,
  platformId: PlatformId,
  message: IssuerMessage,
): Promise<{ transaction: CardTransaction; duplicate: boolean }> {
  const byToken = () => findByToken(tx, platformId, message.issuerToken);
  const locked = await lockDecidedCard(tx, platformId, message.cardId ?? (await byToken())?.cardId);
  // Read under the lock: it may have changed, or have been opened, while we waited.
  const [known, toldOf] = await Promise.all([byToken(), findToldOf(tx, platformId, message)]);
  if (known && known.cardId !== locked.card.id) throw ofAnotherCard();
  if (toldOf) {
    if (toldOf !== known?.id) throw usedForAnother();
    // A repeat is told what the first was told, also of what could not be said again: of a return, its own row.
    const returned = message.kind === 'RETURN' ? await findByToken(tx, platformId, message.token) : undefined;
    return { transaction: returned ?? known, duplicate: true };
  }
  const transaction = known ?? (await openUnheardOf(deps, tx, platformId, locked, message));
  refuseMessage(message.kind, await askOf(tx, platformId, locked.card, transaction, message));
  return { transaction: await takeMessage(deps, tx, platformId, locked, transaction, message), duplicate: false };
}

const usedForAnother = () => new ApiError('CONFLICT', undefined, { reason: 'The messageToken was used for another transaction.' });

/** What a message is judged by before it is taken. */
async function askOf(
  tx: Tx,
  platformId: PlatformId,
  { status }: SpendingCard,
  transaction: CardTransaction,
  { kind, amount }: NetworkMessage,
): Promise<Ask> {
  const mayWait = kind === 'CLEARING' && transaction.pullDueAt !== null;
  const waiting = mayWait ? await findWaiting(tx, platformId, transaction.id) : 0n;
  const disputed = kind === 'RETURN' ? await findDisputed(tx, platformId, transaction.id) : 0n;
  return { transaction, amount, cardClosed: status === 'CLOSED', waiting, disputed };
}

/** A clearing or an advice stands for an authorization we were not asked about; anything else needs its transaction. */
async function openUnheardOf(
  { holdLifeMs }: CardTransactionDeps,
  tx: Tx,
  platformId: PlatformId,
  { card, now }: { card: SpendingCard; now: Date },
  { kind, issuerToken, merchant, amount }: IssuerMessage,
): Promise<CardTransaction> {
  // A clearing of 0 is an expiry.
  if ((kind !== 'CLEARING' || amount === 0n) && kind !== 'AUTHORIZATION_ADVICE') throw new ApiError('TRANSACTION_NOT_FOUND');
  if (!merchant) throw invalidField('merchant', 'is required for a transaction not heard of before');
  const { platformCustomerId } = await lockSource(tx, platformId, card, card.accountId);
  const { id: cardId, accountId, customerId, currency } = card;
  const identity = { id: newId('Transaction'), cardId, accountId, customerId, platformCustomerId, issuerToken, merchant, currency };
  const transaction = unheardOf(identity, kind, plusMs(now, holdLifeMs), now);
  // Another card's message may have opened it at the same moment; those of this card wait for each other.
  if (!(await insertIfNew(tx, platformId, transaction))) throw ofAnotherCard();
  await countAskers(tx, platformId, transaction.id, -1);
  return transaction;
}

/** Takes a message that is new, and carries it out unless it has to wait. */
async function takeMessage(
  deps: CardTransactionDeps,
  tx: Tx,
  platformId: PlatformId,
  locked: Awaited<ReturnType<typeof lockDecidedCard>>,
  transaction: CardTransaction,
  message: NetworkMessage,
): Promise<CardTransaction> {
  const { now } = locked;
  const waits = message.kind === 'CLEARING' && transaction.pullDueAt !== null && now < transaction.pullDueAt;
  const fresh = await insertMessage(
    tx,
    platformId,
    {
      token: message.token,
      kind: message.kind,
      transactionId: transaction.id,
      amount: message.amount,
      dueAt: waits ? (transaction.pullDueAt as Date) : undefined,
    },
    now,
  );
  // Those about one transaction wait for each other at its card: somebody used it for another at the same moment.
  if (!fresh) throw usedForAnother();
  return waits ? transaction : apply(deps, tx, platformId, await gather(tx, platformId, locked, transaction), message);
}

type Instruction = { readonly kind: ScheduledKind; readonly token: string; readonly amount?: bigint | undefined };

/** Carries a message out; answers the transaction it made or changed. */
const apply = (
  deps: CardTransactionDeps,
  tx: Tx,
  platformId: PlatformId,
  facts: Facts,
  instruction: Instruction,
): Promise<CardTransaction> => asFarAsItReaches(facts, (known) => carryOut(deps, tx, platformId, known, instruction));

/**
 * A wallet may refuse a signature that its key should have been good for. Then the same is done with nothing to be had from it:
 * what was written before the refusal is written over.
 */
async function asFarAsItReaches<Done>(facts: Facts, work: (facts: Facts) => Promise<Done>): Promise<Done> {
  try {
    return await work(facts);
  } catch (error) {
    if (!(error instanceof PullRefused)) throw error;
    return work({ ...facts, source: { ...facts.source, usable: false }, reach: { available: 0n } });
  }
}

async function carryOut(
  deps: CardTransactionDeps,
  tx: Tx,
  platformId: PlatformId,
  facts: Facts,
  { kind, token, amount }: Instruction,
): Promise<CardTransaction> {
  const { transaction, source, reach } = facts;
  // A hold on a wallet cannot be renewed or taken in part without its key: it falls away first.
  const standing = source.isWallet && !source.usable ? { ...transaction, held: 0n } : transaction;
  switch (kind) {
    case 'CLEARING':
      return amount === 0n
        ? change(deps, tx, platformId, facts, release(standing), 'CARD_EXPIRY', 'EXPIRED')
        : change(deps, tx, platformId, facts, clear(standing, amount as bigint, reach), 'CARD_CLEARING');
    case 'AUTHORIZATION_ADVICE':
      return advise(deps, tx, platformId, facts, standing, amount as bigint);
    case 'AUTHORIZATION_REVERSAL':
      return change(deps, tx, platformId, facts, reverse(standing, amount), 'CARD_REVERSAL');
    case 'AUTHORIZATION_EXPIRY':
      return change(deps, tx, platformId, facts, release(standing), 'CARD_EXPIRY', 'EXPIRED');
    case 'PULL':
      return change(deps, tx, platformId, facts, pullHeld(standing), 'CARD_PULL');
    case 'RETURN':
      return giveReturn(deps, tx, platformId, facts, amount as bigint, token);
    case 'RETURN_REVERSAL':
      return takeReturnBack(deps, tx, platformId, facts);
  }
}

/** An increase is new spend of the day it arrives; the cap does not stop what the network already promised. */
async function advise(
  deps: CardTransactionDeps,
  tx: Tx,
  platformId: PlatformId,
  facts: Facts,
  standing: CardTransaction,
  amount: bigint,
): Promise<CardTransaction> {
  const { transaction, source, reach, now } = facts;
  const heard = (await findHeard(tx, platformId, transaction.id)) as Heard;
  const first = standsIn(transaction, heard);
  const advised = first
    ? authorizeAfterwards(
        standing,
        { kind: 'AUTHORIZATION', amount, fromWallet: source.isWallet, expiresAt: plusMs(now, deps.holdLifeMs) },
        heard,
        reach,
      )
    : resize(standing, amount, reach, source.isWallet);
  if (transaction.direction === 'DEBIT')
    countForDay(tx, platformId, facts, first ? amount : advised.authorized - transaction.authorized, first ? 1 : 0);
  return change(deps, tx, platformId, facts, advised, 'CARD_AUTHORIZATION');
}

function countForDay(tx: Tx, platformId: PlatformId, { card, now, today }: Facts, spent: bigint, count: number): void {
  if (spent > 0n || count > 0)
    saveDays(tx, platformId, spendingDay(now), [[uuidOf(card.id), addSpend(today, spent > 0n ? spent : 0n, count)]]);
}

/** Writes the transaction as changed, moves the money the difference means, and tells of both. */
async function change(
  deps: CardTransactionDeps,
  tx: Tx,
  platformId: PlatformId,
  { transaction, source, hold, now }: Facts,
  changed: CardTransaction,
  cause: string,
  outcome?: 'EXPIRED',
): Promise<CardTransaction> {
  const moves = movesBetween(transaction, changed, routeOf(platformId, transaction, source.currency, cause), hold, outcome);
  const after = { ...changed, updatedAt: now };
  if (moves.length === 0 && sameOutside(transaction, after)) return transaction;
  saveTransaction(tx, platformId, after);
  const told = sameOutside(transaction, after) ? [] : [after];
  // What a purchase gives back was on the account before; what a credit pays is new to it.
  await move(deps, tx, platformId, { cardId: after.cardId, source, moves, told, arrives: after.direction === 'CREDIT', now });
  return after;
}

/** Whether nobody outside could tell the two apart. */
const sameOutside = (a: CardTransaction, b: CardTransaction): boolean =>
  a.status === b.status && a.authorized === b.authorized && a.settled === b.settled && a.refunded === b.refunded;

type Movement = {
  readonly cardId: CardId;
  readonly source: Source;
  readonly moves: readonly Move[];
  /** The transactions it is told by. */
  readonly told: readonly CardTransaction[];
  /** Money that is new to the account must find room there. */
  readonly arrives: boolean;
  readonly now: Date;
};

async function move(
  { wallets }: CardTransactionDeps,
  tx: Tx,
  platformId: PlatformId,
  { cardId, source, moves, told, arrives, now }: Movement,
): Promise<void> {
  if (source.isWallet) {
    const pull = { cardId, accountId: `InternalAccount:${source.accountId}`, moves } as const;
    if (!(await wallets.authorize(tx, platformId, [pull], now))) throw new PullRefused();
  }
  const changed = writeMoves(tx, platformId, arrives ? await expecting(tx, platformId, [source]) : [source], moves);
  enqueueEvents(tx, platformId, now, [...told.map(transactionEvent), ...(await balanceEvents(tx, platformId, changed))]);
}

/** "A return is its own CREDIT row"; the purchase is not told of again. */
async function giveReturn(
  deps: CardTransactionDeps,
  tx: Tx,
  platformId: PlatformId,
  { transaction: purchase, source, now }: Facts,
  amount: bigint,
  issuerToken: string,
): Promise<CardTransaction> {
  const returned = returnOf(purchase, { id: newId('Transaction'), issuerToken }, amount, now);
  const refunded = { ...refund(purchase, amount), updatedAt: now };
  // The return goes by its message's token from here on; one that already names a transaction would hide it.
  if (!(await insertIfNew(tx, platformId, returned))) throw invalidField('messageToken', 'is the token of another transaction');
  saveTransaction(tx, platformId, refunded);
  const moves = movesBetween(purchase, refunded, routeOf(platformId, returned, source.currency, 'CARD_RETURN'));
  await move(deps, tx, platformId, { cardId: purchase.cardId, source, moves, told: [returned], arrives: true, now });
  return returned;
}

async function takeReturnBack(
  deps: CardTransactionDeps,
  tx: Tx,
  platformId: PlatformId,
  { transaction: returned, source, reach, now }: Facts,
): Promise<CardTransaction> {
  const purchase = await getOwnTransaction(tx, platformId, returned.cardId, returned.originalTransactionId ?? undefined);
  const after = takeBackRefund(purchase, returned, reach);
  const changed = { ...after.returned, updatedAt: now };
  saveTransaction(tx, platformId, { ...after.purchase, updatedAt: now });
  saveTransaction(tx, platformId, changed);
  const moves = movesBetween(purchase, after.purchase, routeOf(platformId, returned, source.currency, 'CARD_RETURN_REVERSAL'));
  await move(deps, tx, platformId, { cardId: purchase.cardId, source, moves, told: [changed], arrives: false, now });
  return changed;
}

// ---- what happens without the network

/** "Pending authorizations reconcile to a terminal state" when their card is closed. The caller holds the card's lock. */
export async function reconcileClosedCard(tx: Tx, platformId: PlatformId, cardId: CardId, now: Date): Promise<void> {
  const open = await findOpen(tx, platformId, cardId);
  if (open.length === 0) return;
  const [balances, holds] = await Promise.all([
    lockBalances(tx, platformId, [...new Set(open.map(({ accountId }) => uuidOf(accountId)))]),
    lockHolds(
      tx,
      platformId,
      open.map(({ id }) => uuidOf(id)),
    ),
  ]);

  const released = open.map((transaction) => ({ ...release(transaction), updatedAt: now }));
  const moves = open.flatMap((transaction, i) => {
    const currency = balances.get(uuidOf(transaction.accountId))?.currency;
    assert(currency, 'the account of a transaction keeps a balance');
    const hold = holds.find(({ transactionId }) => transactionId === uuidOf(transaction.id));
    return movesBetween(transaction, released[i] as CardTransaction, routeOf(platformId, transaction, currency, 'CARD_CLOSED'), hold);
  });

  for (const transaction of released) saveTransaction(tx, platformId, transaction);
  const changed = writeMoves(tx, platformId, balances.values(), moves);
  enqueueEvents(tx, platformId, now, [...released.map(transactionEvent), ...(await balanceEvents(tx, platformId, changed))]);
}

// ---- authorizations

/** Decides in batches; what the network told of before it asked is decided on its own. */
export function createAuthorize(deps: CardTransactionDeps): Authorize {
  const authorize = createBatchedAuthorize(deps);
  return (platformId, request) =>
    authorize(platformId, request).catch((error: Error) => {
      if (error instanceof AlreadySpokenOf) return authorizeSpokenOf(deps, platformId, request);
      throw error;
    });
}

/** Decided by what it adds: what was cleared is paid for already, what was advised is counted already. */
async function authorizeSpokenOf(deps: CardTransactionDeps, platformId: PlatformId, request: AuthorizationRequest): Promise<Decision> {
  const { kind, amount, currency, network } = request;
  const { direction, advice } = OPENINGS[kind];
  return deps.db.transaction(async (tx) => {
    const locked = await lockDecidedCard(tx, platformId, request.cardId);
    const before = await findByToken(tx, platformId, request.issuerToken);
    const heard = before && (await findHeard(tx, platformId, before.id));
    assert(before && heard, 'the network has spoken of it');
    if (!heard.unasked) {
      if (!isRepeat({ ...before, spokenOf: true }, request)) throw answeredForAnother();
      if (before.declinedReason === null) await countAskers(tx, platformId, before.id, 1);
      return { transaction: before };
    }
    if (request.isLate?.()) throw new ApiError('SERVICE_UNAVAILABLE');
    if (before.direction !== direction && (heard.advices > 0 || before.refunded > 0n))
      throw new ApiError('CONFLICT', undefined, { reason: 'The network has treated the transaction as a purchase.' });
    const facts = await gather(tx, platformId, locked, before);
    const { card, source, limits, today, reach, now } = facts;

    const declined = advice
      ? undefined
      : decideAuthorization(
          {
            amount,
            currency,
            network,
            card,
            platform: limits,
            today: { spent: today.spent - heard.advised, count: today.count - (heard.advices > 0 ? 1 : 0) },
            source: { status: source.status, available: source.available + before.held + before.pulled, usable: source.usable },
          },
          direction === 'DEBIT' ? DECLINES : CREDIT_DECLINES,
        );
    const after = declined
      ? declineAfterwards(before, amount, declined, heard)
      : heard.advices > 0
        ? before
        : authorizeAfterwards(before, { kind, amount, fromWallet: source.isWallet, expiresAt: plusMs(now, deps.holdLifeMs) }, heard, reach);

    saveAnswer(tx, platformId, after);
    if (!declined && direction === 'DEBIT') countForDay(tx, platformId, facts, amount - heard.advised, heard.advices > 0 ? 0 : 1);
    await change(deps, tx, platformId, facts, after, 'CARD_AUTHORIZATION');
    return { transaction: after };
  });
}

/**
 * A decision that came too late never was: the hold goes, the day's count too, and the record says declined. Unless another request
 * for the same was told in time.
 */
export async function undoAuthorization(deps: CardTransactionDeps, platformId: PlatformId, { id, cardId }: Late): Promise<void> {
  await deps.db.transaction(async (tx) => {
    const locked = await lockDecidedCard(tx, platformId, cardId);
    const transaction = await findTransaction(tx, platformId, id);
    if (!transaction || transaction.declinedReason !== null) return;
    // The network went on with it meanwhile: then it was told of after all.
    if (await findHeard(tx, platformId, id)) return;
    if ((await countAskers(tx, platformId, id, -1)) > 0) return;
    const facts = await gather(tx, platformId, locked, transaction);
    if (transaction.direction === 'DEBIT') takeFromDay(tx, platformId, spendingDay(transaction.createdAt), cardId, transaction.authorized);
    await change(deps, tx, platformId, facts, undone(transaction), 'CARD_AUTHORIZATION_UNDONE');
  });
}

const aWhile = (ms: number): Promise<void> => new Promise((resolve) => void setTimeout(resolve, ms).unref());

/** Undoes until it is done, or the hold has expired by itself: nobody waits for it, and nobody else knows of it. */
export async function undoUntilDone(
  deps: CardTransactionDeps & { readonly log: Pick<Logger, 'error'> },
  platformId: PlatformId,
  late: Late,
  pause = aWhile,
): Promise<void> {
  for (let attempt = 1, waitedMs = 0; waitedMs < deps.holdLifeMs; attempt += 1) {
    const pauseMs = Math.min(attempt, 60) * 1_000;
    try {
      return await undoAuthorization(deps, platformId, late);
    } catch (error) {
      deps.log.error({ transactionId: late.id, attempt, errorMessage: (error as Error).message }, 'a late authorization is not undone yet');
      await pause(pauseMs);
      waitedMs += pauseMs;
    }
  }
}

/** A balance inquiry moves and records nothing; it only has to reach a card that is ours to decide. */
export const inquireBalance = async (tx: Tx, platformId: PlatformId, cardId: CardId | undefined): Promise<void> =>
  void (await lockDecidedCard(tx, platformId, cardId));

const BATCH = 100;

export type DueDeps = CardTransactionDeps & { readonly log: Pick<Logger, 'error'> };

/** One run of what is due on a platform, with what failed in earlier ones. */
export type DueRun = {
  readonly platformId: PlatformId;
  readonly now: Date;
  readonly isOver: () => boolean;
  readonly failed: FailedRecently;
};

/**
 * Does what is due, each piece in a transaction of its own. A transaction whose piece fails is set aside, so that those behind it get
 * their turn. `work` answers whether there was anything left to do.
 */
async function workOff<Piece extends Due>(
  { db, log }: DueDeps,
  { failed, isOver }: DueRun,
  find: (passedOver: readonly string[]) => Promise<Piece[]>,
  work: (tx: Tx, piece: Piece) => Promise<boolean>,
): Promise<number> {
  const passedOver = new Set(failed.ids());
  let done = 0;
  for (;;) {
    const due = await find([...passedOver]);
    for (const piece of due) {
      const uuid = uuidOf(piece.id);
      if (passedOver.has(uuid)) continue;
      try {
        if (await db.transaction((tx) => work(tx, piece))) done += 1;
      } catch (error) {
        // Without the database everything would fail.
        if (error instanceof ApiError && error.code === 'SERVICE_UNAVAILABLE') throw error;
        log.error({ transactionId: piece.id, errorMessage: (error as Error).message }, 'what was due of a transaction failed');
        passedOver.add(uuid);
        failed.add(uuid);
      }
    }
    if (due.length < BATCH || isOver()) return done;
  }
}

/** Expires authorizations whose time has passed. */
export function expireAuthorizations(deps: DueDeps, run: DueRun): Promise<number> {
  const { platformId, now } = run;
  return workOff(
    deps,
    run,
    (passedOver) => findExpired(deps.db, platformId, now, passedOver, BATCH),
    async (tx, { id, cardId }) => {
      const locked = await lockDecidedCard(tx, platformId, cardId);
      const transaction = await getOwnTransaction(tx, platformId, cardId, id);
      if (transaction.expiresAt === null || transaction.expiresAt > now) return false;
      const expiry = { kind: 'AUTHORIZATION_EXPIRY', token: newUuid() } as const;
      await apply(deps, tx, platformId, await gather(tx, platformId, locked, transaction), expiry);
      return true;
    },
  );
}

/** Carries out the messages that had to wait for a delayed pull. */
export function applyDueMessages(deps: DueDeps, run: DueRun): Promise<number> {
  const { platformId, now } = run;
  return workOff(
    deps,
    run,
    (passedOver) => findDueMessages(deps.db, platformId, now, passedOver, BATCH),
    async (tx, { id, cardId, token, kind }) => {
      const locked = await lockDecidedCard(tx, platformId, cardId);
      const message = await takeDueMessage(tx, platformId, token, kind);
      if (!message) return false;
      const transaction = await getOwnTransaction(tx, platformId, cardId, id);
      // A clearing under the transaction's own token is no word of the network: the opening left it, and may have been reversed since.
      const isLeft = kind === 'CLEARING' && token === transaction.issuerToken;
      const amount = isLeft ? leftToClear(transaction, message.amount as bigint) : message.amount;
      if (isLeft && amount === undefined) return true;
      await apply(deps, tx, platformId, await gather(tx, platformId, locked, transaction), { ...message, amount });
      return true;
    },
  );
}

// ---- disputes

export type DisputeRef = { readonly cardId: CardId | undefined; readonly transactionId: TransactionId | undefined };

export async function startDispute(
  tx: Tx,
  platformId: PlatformId,
  ref: DisputeRef,
  { amount, reason }: { amount: bigint | undefined; reason: string | undefined },
): Promise<Dispute> {
  const { card, now } = await lockDecidedCard(tx, platformId, ref.cardId);
  const purchase = await getOwnTransaction(tx, platformId, card.id, ref.transactionId);
  if (await findOpenDispute(tx, platformId, purchase.id))
    throw new ApiError('CONFLICT', undefined, { reason: 'The transaction has an open dispute.' });
  const disputed = await findDisputed(tx, platformId, purchase.id);

  const dispute = openDispute(purchase, { id: newId('CardDispute'), token: newUuid(), reason: reason ?? null }, disputed, amount);

  insertDispute(tx, platformId, dispute, now);
  return dispute;
}

/** One step of the transaction's open dispute, with the money it moves. */
async function continueDispute(
  deps: CardTransactionDeps,
  tx: Tx,
  platformId: PlatformId,
  ref: DisputeRef,
  cause: string,
  decide: (dispute: Dispute, reach: Reach) => DisputeStep,
): Promise<Dispute> {
  const locked = await lockDecidedCard(tx, platformId, ref.cardId);
  const purchase = await getOwnTransaction(tx, platformId, locked.card.id, ref.transactionId);
  const open = await findOpenDispute(tx, platformId, purchase.id);
  if (!open) throw invalidField('cardTransactionId', 'the transaction has no open dispute');

  return asFarAsItReaches(await gather(tx, platformId, locked, purchase), async ({ source, reach, now }) => {
    const { dispute, toAccount, toReserve } = decide(open, reach);

    saveDispute(tx, platformId, dispute, now);
    const route = routeOf(platformId, purchase, source.currency, cause);
    const moves = [
      ...transferMoves(route, route.settlement, route.account, toAccount),
      ...transferMoves(route, route.settlement, route.reserve, toReserve),
    ];
    await move(deps, tx, platformId, { cardId: purchase.cardId, source, moves, told: [], arrives: toAccount > 0n, now });
    return dispute;
  });
}

export const creditDispute = (
  deps: CardTransactionDeps,
  tx: Tx,
  platformId: PlatformId,
  ref: DisputeRef,
  amount: bigint,
): Promise<Dispute> =>
  continueDispute(deps, tx, platformId, ref, 'DISPUTE_PROVISIONAL_CREDIT', (dispute) => creditProvisionally(dispute, amount));

export const reverseDisputeCredit = (
  deps: CardTransactionDeps,
  tx: Tx,
  platformId: PlatformId,
  ref: DisputeRef,
  amount: bigint,
): Promise<Dispute> =>
  continueDispute(deps, tx, platformId, ref, 'DISPUTE_PROVISIONAL_CREDIT_REVERSAL', (dispute, reach) =>
    reverseProvisionalCredit(dispute, amount, reach),
  );

export const endDispute = (
  deps: CardTransactionDeps,
  tx: Tx,
  platformId: PlatformId,
  ref: DisputeRef,
  { disposition, recoveredAmount }: { disposition: Disposition; recoveredAmount: bigint | undefined },
): Promise<Dispute> =>
  continueDispute(deps, tx, platformId, ref, 'DISPUTE_CLOSED', (dispute, reach) =>
    closeDispute(dispute, disposition, recoveredAmount, reach),
  );
