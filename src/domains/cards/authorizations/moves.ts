// The ledger moves that lead from one state of a transaction to the next. All money of cards passes through the settlement account.
import type { CurrencyCode } from '../../../kernel/money.js';
import type { AccountUuid, Hold, Move, Transfer } from '../../ledger/ledger.js';
import type { Amounts } from './card-transaction.js';

export type Route = {
  readonly account: AccountUuid;
  readonly settlement: AccountUuid;
  readonly reserve: AccountUuid;
  readonly receivable: AccountUuid;
  readonly currency: CurrencyCode;
  readonly cause: string;
  /** The bare uuid of the transaction that statements show for the movement. */
  readonly transactionId: string;
  readonly newTransferId: () => string;
};

type Money = Pick<Amounts, 'held' | 'pulled' | 'shortfall'>;

export const NO_MONEY: Money = { held: 0n, pulled: 0n, shortfall: 0n };

/** The transaction's one hold has the amount `before.held`. A hold is resolved as a whole, so a changed hold is replaced. */
export function movesBetween(
  before: Money,
  after: Money,
  route: Route,
  hold?: Hold | undefined,
  outcome: 'VOIDED' | 'EXPIRED' = 'VOIDED',
): Move[] {
  const { account, settlement } = route;
  const moves: Move[] = [];
  const short = after.shortfall - before.shortfall;
  // A shortfall that shrinks is paid to the account: the ledger recovers what is still owed.
  let taken = after.pulled - before.pulled + (short < 0n ? short : 0n);
  if (hold && after.held !== before.held) {
    // A clearing above the hold is one movement, so that the statement shows the purchase in one row.
    const posts = after.held === 0n && taken === before.held;
    moves.push({ kind: 'RESOLVE', hold, outcome: posts ? 'POSTED' : outcome });
    if (posts) taken = 0n;
  }
  moves.push(...transferMoves(route, account, settlement, taken));
  moves.push(...shortfallMoves(route, short));
  if (after.held > 0n && after.held !== before.held)
    moves.push({ kind: 'HOLD', transfer: transferOf(route, account, settlement, after.held) });
  return moves;
}

/** A positive amount goes from the first account to the second, a negative one the other way; 0 moves nothing. */
export function transferMoves(route: Route, from: AccountUuid, to: AccountUuid, amount: bigint): Move[] {
  if (amount === 0n) return [];
  const transfer = amount > 0n ? transferOf(route, from, to, amount) : transferOf(route, to, from, -amount);
  return [{ kind: 'POST', transfer }];
}

/** The holder of the account owes a positive amount, which the settlement account receives. */
export const shortfallMoves = (route: Route, amount: bigint): Move[] =>
  amount > 0n ? [{ kind: 'OWE', debtor: route.account, transfer: transferOf(route, route.receivable, route.settlement, amount) }] : [];

const transferOf = (
  { currency, cause, transactionId, newTransferId }: Route,
  from: AccountUuid,
  to: AccountUuid,
  amount: bigint,
): Transfer => ({
  id: newTransferId(),
  from,
  to,
  amount,
  currency,
  cause,
  transactionId,
});
