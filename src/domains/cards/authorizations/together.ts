// Changes several transactions at once: gathers once, decides each as it would be decided alone, writes once. One commit for all of them.
import type { Cause, Tx } from '../../../db/pool.js';
import { type PlatformId, type TransactionId, uuidOf } from '../../../kernel/ids.js';
import { findInternalAccounts } from '../../accounts/internal-accounts/actions.js';
import type { InternalAccount } from '../../accounts/internal-accounts/internal-account.js';
import { enqueueEvents } from '../../core/webhooks/actions.js';
import type { NewEvent } from '../../core/webhooks/event.js';
import { lockHolds, writePosting } from '../../ledger/actions.js';
import type { AccountUuid, Balance, Posting } from '../../ledger/ledger.js';
import type { CardTransaction } from './card-transaction.js';
import { factsOf, isDecidedHere, lockedCard, type PlannedChange, type TransactionFacts, withdrawableFrom } from './changes.js';
import { changedAccountEvents, postMoves, transactionEvent } from './money.js';
import { findMoment, lockSourcesOf, lockSpendingCards, sourceKey } from './spending-store.js';
import { findTransactions, insertTransactions, type Place, saveTransactions } from './store.js';

/** Locks are held until the last change is written. */
export const MAX_TOGETHER = 100;

/** The first item of each transaction. Items of one transaction build on each other; those of wallets wait for a signature. */
export function firstOfEach<Item>(items: readonly Item[], placeOf: (item: Item) => Place | undefined): { item: Item; place: Place }[] {
  const taken = new Set<TransactionId>();
  const first: { item: Item; place: Place }[] = [];
  for (const item of items) {
    const place = placeOf(item);
    if (!place || place.isWallet || taken.has(place.id) || first.length === MAX_TOGETHER) continue;
    taken.add(place.id);
    first.push({ item, place });
  }
  return first;
}

/** What several changes are decided on, and what they amount to so far. */
export type Together = {
  readonly now: Date;
  readonly gathered: ReadonlyMap<TransactionId, TransactionFacts>;
  readonly accounts: ReadonlyMap<AccountUuid, InternalAccount>;
  /** The balances as the changes so far leave them. */
  readonly balances: Map<AccountUuid, Balance>;
  readonly opened: CardTransaction[];
  readonly saved: CardTransaction[];
  readonly postings: Posting[];
  readonly events: NewEvent[];
};

/** Locks and reads everything in one round trip. Transactions are left out whose card another transaction has locked or whose issuer decides. */
export async function gatherTogether(tx: Tx, platformId: PlatformId, places: readonly Place[]): Promise<Together> {
  const ids = places.map(({ id }) => id);
  const cardIds = places.map(({ cardId }) => uuidOf(cardId));
  const accountIds = new Set(places.map(({ accountId }) => accountId));
  // Sent together and executed in order: each statement sees what was committed before the cards were locked.
  const [cards, moment, transactions, sources, holds, accounts] = await Promise.all([
    lockSpendingCards(tx, platformId, [...new Set(cardIds)].sort(), { waitsForLocks: false }),
    findMoment(tx, platformId),
    findTransactions(tx, platformId, ids),
    lockSourcesOf(tx, platformId, places),
    lockHolds(tx, platformId, ids.map(uuidOf), cardIds),
    findInternalAccounts(tx, platformId, [...accountIds]),
  ]);
  const held = new Map(holds.map((hold) => [hold.transactionId, hold]));
  const gathered = new Map<TransactionId, TransactionFacts>();
  for (const place of places) {
    const card = cards.get(uuidOf(place.cardId));
    const transaction = transactions.get(place.id);
    const source = sources.get(sourceKey(place));
    if (!card || !transaction || !source || !isDecidedHere(card)) continue;
    const hold = held.get(uuidOf(place.id));
    gathered.set(place.id, factsOf(lockedCard(card, moment), transaction, source, hold ? [hold] : []));
  }
  return {
    now: moment.now,
    gathered,
    accounts: new Map(accounts.map((account) => [uuidOf(account.id), account])),
    balances: new Map([...gathered.values()].map(({ source }) => [source.accountId, source])),
    opened: [],
    saved: [],
    postings: [],
    events: [],
  };
}

/** The facts of a transaction, with the balance that earlier changes have left. */
export function factsNow({ gathered, balances }: Together, id: TransactionId): TransactionFacts | undefined {
  const facts = gathered.get(id);
  const balance = facts && balances.get(facts.source.accountId);
  if (!balance) return undefined;
  const { status, isWallet, usable, platformCustomerId } = facts.source;
  const source = { ...balance, status, isWallet, usable, platformCustomerId };
  return { ...facts, source, withdrawable: withdrawableFrom(source) };
}

/** Adds a change, or throws and adds nothing. */
export function addChange(platformId: PlatformId, together: Together, planned: PlannedChange, cause?: Cause): void {
  const { transaction, opened, saved, announced, moves } = planned;
  const account = together.balances.get(uuidOf(transaction.accountId));
  const posting = postMoves(platformId, account ? [account] : [], moves);
  for (const [id, balance] of posting.balances) together.balances.set(id, balance);
  together.postings.push(posting);
  together.opened.push(...opened);
  together.saved.push(...saved);
  for (const event of [...announced.map(transactionEvent), ...changedAccountEvents(together.accounts, posting.balances)])
    together.events.push(cause ? { ...event, cause } : event);
}

/** One statement per table. Fails if another transaction has the token of an opened one. */
export function writeTogether(tx: Tx, platformId: PlatformId, { now, opened, saved, postings, events }: Together): void {
  if (saved.length === 0) return;
  if (opened.length > 0) insertTransactions(tx, platformId, opened);
  saveTransactions(tx, platformId, saved);
  writePosting(tx, platformId, joined(postings), now);
  enqueueEvents(tx, platformId, now, events);
}

const joined = (postings: readonly Posting[]): Posting => ({
  balances: new Map(postings.flatMap(({ balances }) => [...balances])),
  transfers: postings.flatMap(({ transfers }) => transfers),
  opened: postings.flatMap(({ opened }) => opened),
  ended: postings.flatMap(({ ended }) => ended),
  entries: postings.flatMap(({ entries }) => entries),
});
