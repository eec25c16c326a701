// The effect of moves on balances. Pure: the same balances and moves always give the same rows.
import { ApiError, assert } from '../../kernel/errors.js';
import { derivedUuid, type PlatformId, uuidOf } from '../../kernel/ids.js';
import { CURRENCIES, type CurrencyCode, MAX_AMOUNT } from '../../kernel/money.js';
import {
  type AccountUuid,
  type Balance,
  type Entry,
  type Hold,
  type Move,
  type Posting,
  SERVICE_PURPOSES,
  type ServicePurpose,
  type Transfer,
} from './ledger.js';

/** Every payment names some of these ids, and deriving one takes a hash. */
const derivedIds = new Map<string, AccountUuid>();
const serviceAccounts = new Set<AccountUuid>();
const MAX_DERIVED_IDS = 10_000;

/** Service-side accounts whose id was derived here. They keep no balance, so there is nothing to lock. */
export const isKnownServiceAccount = (id: AccountUuid): boolean => serviceAccounts.has(id);

/** The id of a service-side account is derived from its purpose, so it needs no look-up. */
export function serviceAccountId(platformId: PlatformId, purpose: ServicePurpose, currency: CurrencyCode): AccountUuid {
  const name = `${uuidOf(platformId)} ${purpose} ${currency}`;
  const known = derivedIds.get(name);
  if (known !== undefined) return known;
  if (derivedIds.size >= MAX_DERIVED_IDS) {
    derivedIds.clear();
    serviceAccounts.clear();
  }
  const id = derivedUuid(name);
  derivedIds.set(name, id);
  serviceAccounts.add(id);
  return id;
}

/** The ids that service-side accounts of a platform may have, in an order that is the same for all platforms. */
export const allServiceAccountIds = (platformId: PlatformId): AccountUuid[] =>
  SERVICE_PURPOSES.flatMap((purpose) => [...CURRENCIES.keys()].map((currency) => serviceAccountId(platformId, purpose, currency)));

/** What the holder may spend: owed money is not available. Below zero when the holder owes more than is there. */
export const spendable = ({ available, owed }: Pick<Balance, 'available' | 'owed'>): bigint => available - owed;

/** The cause of a transfer that pays a receivable, shown on statements. */
export const RECOVERY_CAUSE = 'RECEIVABLE_RECOVERY';

/**
 * Applies moves in order. `balances` holds every account of the moves that keeps a balance; an account missing from it is service-side.
 * Refuses an amount above the available balance. Refuses incoming money that, together with outstanding returns, would exceed the largest
 * amount JSON can carry: so a return never fails for lack of room.
 *
 * What a holder owes is recovered here, so that no caller can forget it. Money that arrives pays it with the next entry. Money of holds
 * that end pays it after all moves, because a hold may be replaced by another. Nothing leaves an account under its holder's key without
 * a signature: there the service withholds what is owed from arriving money. Moves may not spend what is owed already.
 */
export function applyMoves(platformId: PlatformId, balances: ReadonlyMap<AccountUuid, Balance>, moves: readonly Move[]): Posting {
  const after = new Map(balances);
  const transfers: Posting['transfers'][number][] = [];
  const opened: Hold[] = [];
  const ended: Hold[] = [];
  const entries: Entry[] = [];

  const change = (accountId: AccountUuid, currency: CurrencyCode, available: bigint, total: bigint): Balance | undefined => {
    const balance = after.get(accountId);
    if (!balance) return undefined;
    assert(balance.currency === currency, 'a transfer has the currency of its accounts');
    const next = { ...balance, available: balance.available + available, total: balance.total + total };
    if (next.available < 0n) throw new ApiError('INSUFFICIENT_FUNDS');
    if (total > 0n && next.total + (balance.outstanding ?? 0n) > MAX_AMOUNT) throw new ApiError('AMOUNT_OUT_OF_RANGE');
    after.set(accountId, next);
    return next;
  };

  const enter = (transfer: Transfer, accountId: AccountUuid, amount: bigint, available: bigint) => {
    const balance = change(accountId, transfer.currency, available, amount);
    const numbered = balance ? { ...balance, lastEntry: balance.lastEntry + 1n } : undefined;
    if (numbered) after.set(accountId, numbered);
    entries.push({
      transferId: transfer.id,
      accountId,
      currency: transfer.currency,
      amount,
      number: numbered?.lastEntry ?? null,
      balanceAfter: numbered?.total ?? null,
      transactionId: (accountId === transfer.to ? transfer.receivedAs : undefined) ?? transfer.transactionId ?? null,
    });
  };

  const owe = (debtor: AccountUuid, currency: CurrencyCode, amount: bigint) => {
    const balance = after.get(debtor);
    assert(balance?.currency === currency, 'a debtor has an account of the currency');
    const owed = balance.owed + amount;
    if (owed > MAX_AMOUNT) throw new ApiError('AMOUNT_OUT_OF_RANGE');
    after.set(debtor, { ...balance, owed });
  };

  const post = (transfer: Transfer, { debtor, isHeld = false }: { debtor?: AccountUuid; isHeld?: boolean } = {}) => {
    // A hold has reduced the available balance already.
    enter(transfer, transfer.from, -transfer.amount, isHeld ? 0n : -transfer.amount);
    enter(transfer, transfer.to, transfer.amount, transfer.amount);
    transfers.push(debtor === undefined ? transfer : { ...transfer, debtor });
  };

  /** Pays what the holder of `debtor` owes out of `received`, which the transfer made available. Returns how much it paid. */
  const recover = (debtor: AccountUuid, received: bigint, { id, currency }: Transfer, { isHeld, ...payer }: Payer): bigint => {
    const amount = min(after.get(debtor)?.owed ?? 0n, received);
    if (amount <= 0n) return 0n;
    const to = serviceAccountId(platformId, 'RECEIVABLE', currency);
    const recovery = { ...payer, id: derivedUuid(`${id} recovery ${debtor}`), to, amount, currency, cause: RECOVERY_CAUSE };
    post(recovery, { debtor, isHeld });
    owe(debtor, currency, -amount);
    return amount;
  };

  const arrive = (transfer: Transfer, isHeld: boolean) => {
    const { from, to, amount, transactionId } = transfer;
    if (!after.get(to)?.underHolderKey) {
      post(transfer, { isHeld });
      recover(to, amount, transfer, { from: to, isHeld: false });
      return;
    }
    const rest = amount - recover(to, amount, transfer, { from, transactionId, isHeld });
    if (rest > 0n) post({ ...transfer, amount: rest }, { isHeld });
  };

  const released = new Map<AccountUuid, Hold>();
  for (const move of moves) {
    const transfer = move.kind === 'RESOLVE' ? move.hold : move.transfer;
    const movesMoney = move.kind !== 'HOLD' && !(move.kind === 'RESOLVE' && move.outcome !== 'POSTED');
    assert(transfer.amount > 0n || (transfer.amount === 0n && !movesMoney), 'a transfer moves a positive amount');
    assert(transfer.from !== transfer.to, 'a transfer is between two accounts');
    switch (move.kind) {
      case 'POST':
        arrive(transfer, false);
        break;
      case 'OWE':
        assert(!after.has(transfer.from) && !after.has(transfer.to), 'a receivable is booked between service-side accounts');
        post(transfer, { debtor: move.debtor });
        owe(move.debtor, transfer.currency, transfer.amount);
        break;
      case 'HOLD':
        change(transfer.from, transfer.currency, -transfer.amount, 0n);
        opened.push(transfer);
        break;
      case 'RESOLVE':
        ended.push(transfer);
        if (move.outcome === 'POSTED') arrive(plain(transfer), true);
        else {
          change(transfer.from, transfer.currency, transfer.amount, 0n);
          if (!after.get(transfer.from)?.underHolderKey) released.set(transfer.from, transfer);
        }
        break;
    }
  }
  for (const [accountId, hold] of released)
    recover(accountId, gainOf(balances.get(accountId), after.get(accountId)), hold, { from: accountId, isHeld: false });
  for (const [accountId, balance] of after) refuseSpendingOwed(balances.get(accountId), balance);
  return { balances: after, transfers, opened, ended, entries };
}

/** Who pays a recovery, and whether the money is held. */
type Payer = Pick<Transfer, 'from' | 'transactionId'> & { readonly isHeld: boolean };

/** The transfer that a hold becomes. */
const plain = ({ ownerId: _, expiresAt: __, ...transfer }: Hold): Transfer => transfer;

const gainOf = (before: Balance | undefined, after: Balance | undefined): bigint => (after?.available ?? 0n) - (before?.available ?? 0n);

/** The moves as a whole may take no money that was owed before them and still is. */
function refuseSpendingOwed(before: Balance | undefined, after: Balance): void {
  if (!before || before.owed === 0n || after.available >= before.available) return;
  if (after.available < min(before.owed, after.owed)) throw new ApiError('INSUFFICIENT_FUNDS');
}

const min = (a: bigint, b: bigint): bigint => (a < b ? a : b);

/** Transfers of one date, their entries, and the balances whose latest entry is among them. */
export type DatedPart = Pick<Posting, 'balances' | 'transfers' | 'entries'> & { readonly at: Date };

/**
 * A transfer is dated `now`, or later where one of its accounts has later entries: within an account times never decrease. Other transfers
 * of the posting may be of other holders, so they are not dated by it.
 */
export function partsByDate({ balances, transfers, entries }: Posting, now: Date): DatedPart[] {
  const start = now.getTime();
  const dates = new Map<AccountUuid, number>();
  for (const [id, { notBefore }] of balances) dates.set(id, Math.max(start, notBefore?.getTime() ?? start));
  const dateOf = new Map<string, number>();
  for (const { id, from, to } of transfers) {
    const at = Math.max(dates.get(from) ?? start, dates.get(to) ?? start);
    dateOf.set(id, at);
    for (const account of [from, to]) if (dates.has(account)) dates.set(account, at);
  }
  return [...new Set([...dateOf.values(), ...dates.values()])].map((at) => ({
    at: new Date(at),
    balances: new Map([...balances].filter(([id]) => dates.get(id) === at)),
    transfers: transfers.filter(({ id }) => dateOf.get(id) === at),
    entries: entries.filter(({ transferId }) => dateOf.get(transferId) === at),
  }));
}

/** Every account of the moves, for locking. */
export const accountsOf = (moves: readonly Move[]): AccountUuid[] => [
  ...new Set(
    moves.flatMap((move) => {
      if (move.kind === 'RESOLVE') return [move.hold.from, move.hold.to];
      return [move.transfer.from, move.transfer.to, ...(move.kind === 'OWE' ? [move.debtor] : [])];
    }),
  ),
];
