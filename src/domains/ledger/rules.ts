// The effect of moves on balances. Pure: the same balances and moves always give the same rows.
import { ApiError, assert } from '../../kernel/errors.js';
import { derivedUuid, type PlatformId, uuidOf } from '../../kernel/ids.js';
import { type CurrencyCode, MAX_AMOUNT } from '../../kernel/money.js';
import type { AccountUuid, Balance, Entry, Move, Posting, ServicePurpose, Transfer } from './ledger.js';

/** The id of a service-side account is derived from its purpose, so it needs no look-up. */
export function serviceAccountId(platformId: PlatformId, purpose: ServicePurpose, currency: CurrencyCode): AccountUuid {
  return derivedUuid(`${uuidOf(platformId)} ${purpose} ${currency}`);
}

/**
 * Applies moves in order. `balances` holds every account of the moves that keeps a balance; an account missing from it is service-side.
 * Refuses an amount above the available balance. Refuses incoming money that, together with outstanding returns, would exceed the largest
 * amount JSON can carry: so a return never fails for lack of room.
 */
export function applyMoves(balances: ReadonlyMap<AccountUuid, Balance>, moves: readonly Move[]): Posting {
  const after = new Map(balances);
  const transfers: Posting['transfers'][number][] = [];
  const resolutions: Posting['resolutions'][number][] = [];
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
      transactionId: transfer.transactionId ?? null,
    });
  };

  for (const move of moves) {
    const transfer = move.kind === 'RESOLVE' ? move.hold : move.transfer;
    assert(transfer.amount > 0n && transfer.from !== transfer.to, 'a transfer moves a positive amount between two accounts');
    switch (move.kind) {
      case 'POST':
        enter(transfer, transfer.from, -transfer.amount, -transfer.amount);
        enter(transfer, transfer.to, transfer.amount, transfer.amount);
        transfers.push({ ...transfer, state: 'POSTED' });
        break;
      case 'HOLD':
        change(transfer.from, transfer.currency, -transfer.amount, 0n);
        transfers.push({ ...transfer, state: 'PENDING' });
        break;
      case 'RESOLVE':
        if (move.outcome === 'POSTED') {
          // The hold has reduced the available balance already.
          enter(transfer, transfer.from, -transfer.amount, 0n);
          enter(transfer, transfer.to, transfer.amount, transfer.amount);
        } else {
          change(transfer.from, transfer.currency, transfer.amount, 0n);
        }
        resolutions.push({ id: transfer.id, outcome: move.outcome });
        break;
    }
  }
  return { balances: after, transfers, resolutions, entries };
}

/** Every account of the moves, for locking. */
export const accountsOf = (moves: readonly Move[]): AccountUuid[] => [
  ...new Set(moves.flatMap((move) => (move.kind === 'RESOLVE' ? [move.hold.from, move.hold.to] : [move.transfer.from, move.transfer.to]))),
];
