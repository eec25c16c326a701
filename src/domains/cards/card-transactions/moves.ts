// What the difference between two states of a transaction means for the ledger. Everything a card moves passes the settlement account.
import { newUuid } from '../../../kernel/ids.js';
import type { CurrencyCode } from '../../../kernel/money.js';
import type { AccountUuid, Hold, Move, Transfer } from '../../ledger/ledger.js';
import type { Amounts } from './card-transaction.js';

export type Route = {
  readonly account: AccountUuid;
  readonly settlement: AccountUuid;
  readonly reserve: AccountUuid;
  readonly currency: CurrencyCode;
  readonly cause: string;
  /** The bare uuid of the transaction the movement is told under. */
  readonly transactionId: string;
};

type Money = Pick<Amounts, 'held' | 'pulled' | 'absorbed'>;

export const NO_MONEY: Money = { held: 0n, pulled: 0n, absorbed: 0n };

/** The one hold of the transaction stands for `before.held`; a hold is resolved whole, so a changed one is replaced. */
export function movesBetween(
  before: Money,
  after: Money,
  route: Route,
  hold?: Hold | undefined,
  outcome: 'VOIDED' | 'EXPIRED' = 'VOIDED',
): Move[] {
  const { account, settlement, reserve } = route;
  const moves: Move[] = [];
  let taken = after.pulled - before.pulled;
  if (hold && after.held !== before.held) {
    const posts = after.held === 0n && taken >= before.held;
    moves.push({ kind: 'RESOLVE', hold, outcome: posts ? 'POSTED' : outcome });
    if (posts) taken -= before.held;
  }
  moves.push(...transferMoves(route, account, settlement, taken));
  moves.push(...transferMoves(route, reserve, settlement, after.absorbed - before.absorbed));
  if (after.held > 0n && after.held !== before.held)
    moves.push({ kind: 'HOLD', transfer: transferOf(route, account, settlement, after.held) });
  return moves;
}

/** A positive amount goes from the first account to the second, a negative one the other way, nothing moves nothing. */
export function transferMoves(route: Route, from: AccountUuid, to: AccountUuid, amount: bigint): Move[] {
  if (amount === 0n) return [];
  const transfer = amount > 0n ? transferOf(route, from, to, amount) : transferOf(route, to, from, -amount);
  return [{ kind: 'POST', transfer }];
}

const transferOf = ({ currency, cause, transactionId }: Route, from: AccountUuid, to: AccountUuid, amount: bigint): Transfer => ({
  id: newUuid(),
  from,
  to,
  amount,
  currency,
  cause,
  transactionId,
});
