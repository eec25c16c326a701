// Money of card transactions: between which accounts it moves, who signs for it, and which events it causes.
import type { Tx } from '../../../db/pool.js';
import { type CardId, type InternalAccountId, idOf, newUuid, type PlatformId, uuidOf } from '../../../kernel/ids.js';
import type { CurrencyCode } from '../../../kernel/money.js';
import { balanceUpdatedEvent, findInternalAccounts, withBalance } from '../../accounts/internal-accounts/actions.js';
import type { InternalAccount } from '../../accounts/internal-accounts/internal-account.js';
import type { NewEvent } from '../../core/webhooks/event.js';
import { applyMoves, serviceAccountId, writePosting } from '../../ledger/actions.js';
import type { AccountUuid, Balance, Move, Posting } from '../../ledger/ledger.js';
import { capabilitiesFor } from '../cards/actions.js';
import type { CardTransaction } from './card-transaction.js';
import type { Route } from './moves.js';
import { renderCardTransaction } from './schemas.js';
import type { Source } from './spending-store.js';
import { findOutstanding } from './store.js';

/** Movements of one card out of its embedded wallet. */
export type WalletPull = { readonly cardId: CardId; readonly accountId: InternalAccountId; readonly moves: readonly Move[] };

/** Access to embedded wallets: each movement is signed with the card's delegated key and checked by the wallet signer. */
export type Wallets = {
  /** Returns whether all pulls were allowed. */
  authorize(tx: Tx, platformId: PlatformId, pulls: readonly WalletPull[], now: Date): Promise<boolean>;
};

/** A wallet rejected a signature of an ACTIVE delegated key. */
export class PullRefused extends Error {}

/** Throws PullRefused unless the wallets allow every pull. */
export async function authorizePulls(
  wallets: Wallets,
  tx: Tx,
  platformId: PlatformId,
  pulls: readonly WalletPull[],
  now: Date,
): Promise<void> {
  if (!(await wallets.authorize(tx, platformId, pulls, now))) throw new PullRefused();
}

type ServiceAccounts = Pick<Route, 'settlement' | 'reserve' | 'receivable'>;

const known = new Map<string, ServiceAccounts>();

/** Their ids are derived from the platform and the currency. The derivation hashes, so its result is kept. */
export function serviceAccountsOf(platformId: PlatformId, currency: CurrencyCode): ServiceAccounts {
  const key = `${platformId} ${currency}`;
  let accounts = known.get(key);
  if (!accounts) {
    accounts = {
      settlement: serviceAccountId(platformId, 'CARD_SETTLEMENT', currency),
      reserve: serviceAccountId(platformId, 'RESERVE', currency),
      receivable: serviceAccountId(platformId, 'RECEIVABLE', currency),
    };
    known.set(key, accounts);
  }
  return accounts;
}

export const routeOf = (
  platformId: PlatformId,
  { id, accountId, cardId }: Pick<CardTransaction, 'id' | 'accountId' | 'cardId'>,
  currency: CurrencyCode,
  cause: string,
): Route => ({
  account: uuidOf(accountId),
  ...serviceAccountsOf(platformId, currency),
  currency,
  cause,
  transactionId: uuidOf(id),
  ownerId: uuidOf(cardId),
  newTransferId: newUuid,
});

/** Applies moves to locked balances and writes those that changed. Returns the changed balances. */
export function writeMoves(
  tx: Tx,
  platformId: PlatformId,
  locked: Iterable<Balance>,
  moves: readonly Move[],
  now: Date,
): ReadonlyMap<AccountUuid, Balance> {
  if (moves.length === 0) return new Map();
  const posting = postMoves(platformId, locked, moves);
  writePosting(tx, platformId, posting, now);
  return posting.balances;
}

/** The rows of moves, with those of the locked balances that they change. */
export function postMoves(platformId: PlatformId, locked: Iterable<Balance>, moves: readonly Move[]): Posting {
  const before = new Map([...locked].map((balance) => [balance.accountId, balance]));
  const posting = applyMoves(platformId, before, moves);
  return { ...posting, balances: new Map([...posting.balances].filter(([id, balance]) => differs(before.get(id), balance))) };
}

/** A hold of 0, or one that another of the same amount replaces, changes no balance. */
const differs = (before: Balance | undefined, after: Balance): boolean =>
  before?.available !== after.available ||
  before.total !== after.total ||
  before.owed !== after.owed ||
  before.lastEntry !== after.lastEntry;

/**
 * Adds to locked accounts what their cards may still give back, `opened` included: money that arrives must leave room for it.
 * Only wallets are pulled before anything settles.
 */
export async function withOutstanding(
  tx: Tx,
  platformId: PlatformId,
  sources: readonly Source[],
  opened: readonly CardTransaction[] = [],
): Promise<Balance[]> {
  const wallets = sources.filter(({ isWallet }) => isWallet).map(({ accountId }) => accountId);
  const outstanding = wallets.length > 0 ? await findOutstanding(tx, platformId, wallets) : new Map<AccountUuid, bigint>();
  for (const { accountId, pulled, settled } of opened)
    if (pulled > settled) outstanding.set(uuidOf(accountId), (outstanding.get(uuidOf(accountId)) ?? 0n) + pulled - settled);
  return sources.map((source) => ({ ...source, outstanding: outstanding.get(source.accountId) }));
}

export const transactionEvent = (transaction: CardTransaction): NewEvent => ({
  type: `CARD_TRANSACTION.${transaction.status}`,
  objectId: transaction.id,
  data: renderCardTransaction(transaction),
});

/** INTERNAL_ACCOUNT.BALANCE_UPDATED for each account whose money moved. */
export async function balanceEvents(
  tx: Tx,
  platformId: PlatformId,
  changed: ReadonlyMap<AccountUuid, Pick<Balance, 'available' | 'total' | 'owed'>>,
): Promise<NewEvent[]> {
  if (changed.size === 0) return [];
  const accounts = await findInternalAccounts(
    tx,
    platformId,
    [...changed.keys()].map((id) => idOf('InternalAccount', id)),
  );
  return changedAccountEvents(new Map(accounts.map((account) => [uuidOf(account.id), account])), changed);
}

export const changedAccountEvents = (
  accounts: ReadonlyMap<AccountUuid, InternalAccount>,
  changed: ReadonlyMap<AccountUuid, Pick<Balance, 'available' | 'total' | 'owed'>>,
): NewEvent[] =>
  [...changed].flatMap(([id, balance]) => {
    const account = accounts.get(id);
    return account ? [balanceUpdatedEvent(withBalance(account, balance), capabilitiesFor)] : [];
  });
