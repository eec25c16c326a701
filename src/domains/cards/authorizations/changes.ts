// The steps that every change of an existing transaction shares: lock its card, gather the facts, write the change with its money and events.
import type { Db, Tx } from '../../../db/pool.js';
import { ApiError, assert, invalidField } from '../../../kernel/errors.js';
import { type CardId, idOf, newId, type PlatformId, type TransactionId, uuidOf } from '../../../kernel/ids.js';
import { enqueueEvents } from '../../core/webhooks/actions.js';
import { lockHolds, spendable } from '../../ledger/actions.js';
import type { Hold, Move } from '../../ledger/ledger.js';
import { findProgram, saveSpend } from '../cards/actions.js';
import { addSpend, type DaySpend, type Limits, recordSpend, spendingDay, spendOn } from './authorization.js';
import { type CardTransaction, isOpen, type Merchant, NOTHING_WITHDRAWABLE, type Withdrawable } from './card-transaction.js';
import type { FindNetworkHistory, SchedulePull } from './hooks.js';
import {
  authorizePulls,
  balanceEvents,
  PullRefused,
  routeOf,
  transactionEvent,
  type Wallets,
  withOutstanding,
  writeMoves,
} from './money.js';
import { movesBetween, NO_MONEY, shortfallMoves, transferMoves } from './moves.js';
import { openedByMessage, tokenOfAnotherCard } from './rules.js';
import { findMoment, lockSource, lockSpendingCards, type Moment, type Source, type SpendingCard } from './spending-store.js';
import { countWaitingRequests, findTransaction, insertIfNew, saveTransaction } from './store.js';

export type AuthorizationDeps = {
  readonly db: Db;
  readonly wallets: Wallets;
  /** How long an authorization that nobody clears holds its amount. */
  readonly holdLifeMs: number;
  readonly schedulePull: SchedulePull;
  readonly findNetworkHistory: FindNetworkHistory;
};

export type WalletDeps = Pick<AuthorizationDeps, 'wallets'>;

// ---- gathering

export const isDecidedHere = ({ program }: SpendingCard): boolean => findProgram(program)?.decides === 'SERVICE';
/** An issuer's processor reaches the cards of its program only. Without a program every card of the platform is meant. */
export const isOfProgram = (card: SpendingCard, program: string | undefined): boolean => program === undefined || card.program === program;
export const decidedByIssuer = () => new ApiError('CONFLICT', undefined, { reason: 'The issuer of this card decides its authorizations.' });

export type LockedCard = { readonly card: SpendingCard; readonly now: Date; readonly limits: Limits; readonly today: DaySpend };

/**
 * The card locked, or 404, also when it is not of `program`, if one is given. 409 when its issuer decides authorizations: then the service
 * handles none of its messages.
 */
export async function lockDecidedCard(tx: Tx, platformId: PlatformId, cardId: CardId | undefined, program?: string): Promise<LockedCard> {
  if (!cardId) throw new ApiError('NOT_FOUND');
  const cardUuid = uuidOf(cardId);
  const [cards, { now, limits }] = await Promise.all([lockSpendingCards(tx, platformId, [cardUuid]), findMoment(tx, platformId)]);
  const card = cards.get(cardUuid);
  if (!card || !isOfProgram(card, program)) throw new ApiError('NOT_FOUND');
  if (!isDecidedHere(card)) throw decidedByIssuer();
  return lockedCard(card, { now, limits });
}

export const lockedCard = (card: SpendingCard, { now, limits }: Moment): LockedCard => ({
  card,
  now,
  limits,
  today: spendOn(card.days, spendingDay(now)),
});

export type TransactionFacts = LockedCard & {
  readonly transaction: CardTransaction;
  readonly source: Source;
  readonly hold: Hold | undefined;
  readonly withdrawable: Withdrawable;
};

export async function gatherFacts(
  tx: Tx,
  platformId: PlatformId,
  locked: LockedCard,
  transaction: CardTransaction,
): Promise<TransactionFacts> {
  const [source, holds] = await Promise.all([
    lockSource(tx, platformId, locked.card, transaction.accountId),
    isOpen(transaction) ? lockHolds(tx, platformId, [uuidOf(transaction.id)], [uuidOf(transaction.cardId)]) : [],
  ]);
  return factsOf(locked, transaction, source, holds);
}

/** `holds`: those of the transaction. */
export function factsOf(locked: LockedCard, transaction: CardTransaction, source: Source, holds: readonly Hold[]): TransactionFacts {
  assert(
    holds.length === (isOpen(transaction) ? 1 : 0) && (holds[0]?.amount ?? 0n) === transaction.held,
    'an open transaction has one hold',
  );
  return { ...locked, transaction, source, hold: holds[0], withdrawable: withdrawableFrom(source) };
}

/** Nothing from a wallet without its key, nothing from an account that is not ACTIVE, and nothing that its holder owes. */
export const withdrawableFrom = (source: Source): Withdrawable =>
  source.usable && source.status === 'ACTIVE' && spendable(source) > 0n ? { available: spendable(source) } : NOTHING_WITHDRAWABLE;

/** The transaction of this card, or 404. */
export async function getOwnTransaction(
  tx: Tx,
  platformId: PlatformId,
  cardId: CardId,
  id: TransactionId | undefined,
): Promise<CardTransaction> {
  const transaction = id && (await findTransaction(tx, platformId, id));
  if (transaction?.cardId !== cardId) throw new ApiError('TRANSACTION_NOT_FOUND');
  return transaction;
}

// ---- writing

export type Change = {
  /** Why the ledger moves money. */
  readonly cause: string;
  readonly outcome?: 'EXPIRED';
  /** What the change adds to the daily spend. */
  readonly spend?: DaySpend | undefined;
};

/** A change that is decided and not written yet. */
export type PlannedChange = {
  /** What the caller asked for, as it is afterwards: the transaction, or the return of a purchase. */
  readonly transaction: CardTransaction;
  readonly opened: readonly CardTransaction[];
  readonly saved: readonly CardTransaction[];
  /** The transactions that events are sent for. */
  readonly announced: readonly CardTransaction[];
  readonly moves: readonly Move[];
  /** Money that is new to the account must not exceed what the account can hold. */
  readonly arrives: boolean;
};

/** The transaction as changed, and the moves that follow from the difference. */
export function planChange(
  platformId: PlatformId,
  { transaction, source, hold, now }: TransactionFacts,
  changed: CardTransaction,
  { cause, outcome }: Omit<Change, 'spend'>,
): PlannedChange {
  const moves = movesBetween(transaction, changed, routeOf(platformId, transaction, source.currency, cause), hold, outcome);
  const after = { ...changed, updatedAt: now };
  const isVisible = !rendersAlike(transaction, after);
  if (moves.length === 0 && !isVisible) return { transaction, opened: [], saved: [], announced: [], moves, arrives: false };
  // What a purchase gives back was on the account before; what a credit pays is new to it.
  const arrives = after.direction === 'CREDIT';
  return { transaction: after, opened: [], saved: [after], announced: isVisible ? [after] : [], moves, arrives };
}

/** Writes a change with its money and events. */
export async function writeChange(
  deps: WalletDeps,
  tx: Tx,
  platformId: PlatformId,
  { card, source, now }: TransactionFacts,
  { transaction, opened, saved, announced, moves, arrives }: PlannedChange,
): Promise<CardTransaction> {
  if (saved.length === 0) return transaction;
  for (const one of opened)
    if (!(await insertIfNew(tx, platformId, one))) throw invalidField('messageToken', 'is the token of another transaction');
  for (const one of saved) saveTransaction(tx, platformId, one);
  await moveFunds(deps, tx, platformId, { cardId: card.id, source, moves, announced, arrives, now });
  return transaction;
}

/** Writes the transaction as changed, moves the money that follows from the difference, and sends the events of both. */
export async function changeTransaction(
  deps: WalletDeps,
  tx: Tx,
  platformId: PlatformId,
  facts: TransactionFacts,
  changed: CardTransaction,
  { spend, ...change }: Change,
): Promise<CardTransaction> {
  if (spend) addToDailySpend(tx, platformId, facts, spend);
  return writeChange(deps, tx, platformId, facts, planChange(platformId, facts, changed, change));
}

/** Whether both are the same to a reader of the API. */
const rendersAlike = (a: CardTransaction, b: CardTransaction): boolean =>
  a.status === b.status && a.authorized === b.authorized && a.settled === b.settled && a.refunded === b.refunded;

/** A new total that is lower does not reduce the daily spend. */
function addToDailySpend(tx: Tx, platformId: PlatformId, { card, now, today }: LockedCard, { spent, count }: DaySpend): void {
  if (spent <= 0n && count === 0) return;
  const after = addSpend(today, spent > 0n ? spent : 0n, count);
  saveSpend(tx, platformId, [[uuidOf(card.id), recordSpend(card.days, spendingDay(now), after)]]);
}

type Movement = Pick<PlannedChange, 'announced' | 'moves' | 'arrives'> & {
  readonly cardId: CardId;
  readonly source: Source;
  readonly now: Date;
};

async function moveFunds(
  { wallets }: WalletDeps,
  tx: Tx,
  platformId: PlatformId,
  { cardId, source, moves, announced, arrives, now }: Movement,
): Promise<void> {
  const accountId = idOf('InternalAccount', source.accountId);
  if (source.isWallet) await authorizePulls(wallets, tx, platformId, [{ cardId, accountId, moves }], now);
  const changed = writeMoves(tx, platformId, arrives ? await withOutstanding(tx, platformId, [source]) : [source], moves, now);
  enqueueEvents(tx, platformId, now, [...announced.map(transactionEvent), ...(await balanceEvents(tx, platformId, changed))]);
}

/** What is known when the wallet rejects the signature of the card's key. */
export const withoutKey = (facts: TransactionFacts): TransactionFacts => ({
  ...facts,
  source: { ...facts.source, usable: false },
  withdrawable: NOTHING_WITHDRAWABLE,
});

/**
 * A wallet may reject the signature of an ACTIVE key. Then the same work is done with nothing withdrawable from it; what was written
 * before the rejection is overwritten.
 */
export async function retryWithoutWallet<Done>(facts: TransactionFacts, work: (facts: TransactionFacts) => Promise<Done>): Promise<Done> {
  try {
    return await work(facts);
  } catch (error) {
    if (!(error instanceof PullRefused)) throw error;
    return work(withoutKey(facts));
  }
}

/**
 * Money that goes beside the transaction, out of the settlement account; negative amounts go into it. `shortfall`: what the account
 * could not pay, which its holder owes.
 */
export type Settlement = { readonly toAccount: bigint; readonly toReserve: bigint; readonly shortfall: bigint; readonly cause: string };

/** Pays the account and the reserve of a transaction without changing the transaction. */
export async function paySettlement(
  deps: WalletDeps,
  tx: Tx,
  platformId: PlatformId,
  { transaction, source, now }: TransactionFacts,
  { toAccount, toReserve, shortfall, cause }: Settlement,
): Promise<void> {
  const route = routeOf(platformId, transaction, source.currency, cause);
  const moves = [
    ...transferMoves(route, route.settlement, route.account, toAccount),
    ...shortfallMoves(route, shortfall),
    ...transferMoves(route, route.settlement, route.reserve, toReserve),
  ];
  await moveFunds(deps, tx, platformId, { cardId: transaction.cardId, source, moves, announced: [], arrives: toAccount > 0n, now });
}

export type UnrequestedOpening = {
  readonly kind: 'CLEARING' | 'AUTHORIZATION_ADVICE';
  readonly issuerToken: string;
  readonly merchant: Merchant;
  readonly expiresAt: Date;
};

/** Opens the transaction of a network message that arrives before any request. */
export async function openUnrequested(
  tx: Tx,
  platformId: PlatformId,
  { card, now }: LockedCard,
  { kind, issuerToken, merchant, expiresAt }: UnrequestedOpening,
): Promise<CardTransaction> {
  const source = await lockSource(tx, platformId, card, card.accountId);
  const { id: cardId, accountId, customerId, currency } = card;
  const { platformCustomerId } = source;
  const identity = { id: newId('Transaction'), cardId, accountId, customerId, platformCustomerId, issuerToken, merchant, currency };
  const transaction = openedByMessage(identity, kind, expiresAt, now);
  // Messages of one card are serialized by its lock, so a conflict comes from a message of another card.
  if (!(await insertIfNew(tx, platformId, transaction))) throw tokenOfAnotherCard();
  await countWaitingRequests(tx, platformId, transaction.id, -1);
  const moves = movesBetween(NO_MONEY, transaction, routeOf(platformId, transaction, source.currency, 'CARD_AUTHORIZATION'));
  writeMoves(tx, platformId, [source], moves, now);
  return transaction;
}
