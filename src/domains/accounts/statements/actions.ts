// Reading a window so that the answer is final, and keeping the receipts of a month's statement.
import type { Db, Tx } from '../../../db/pool.js';
import { assert } from '../../../kernel/errors.js';
import { type InternalAccountId, type PlatformId, uuidOf } from '../../../kernel/ids.js';
import { findCustomer } from '../../identity/customers/actions.js';
import type { Customer } from '../../identity/customers/customer.js';
import { closeEntriesBefore } from '../../ledger/actions.js';
import { assertAddsUp, decidePeriod, decideWindow, followChanges, pageEnd, pageStart, type WindowFacts } from './rules.js';
import type { BalanceChangePage, Place, Span, Statement, StatementAccount, StatementReceipt, Window, WindowReading } from './statement.js';
import { findWindow, listChanges, saveDelivered, saveFetched, sumChanges } from './store.js';

export type StatementDeps = { readonly db: Db; readonly settlementLagMs: number };

type Ask = {
  readonly platformId: PlatformId;
  /** Undefined: an id that could never name an account. */
  readonly id: InternalAccountId | undefined;
  readonly window: Window;
  readonly now: Date;
};

/** Entries read from the database at a time while a whole month is written out. */
const ROWS_AT_ONCE = 1_000;

async function gather(
  { settlementLagMs }: StatementDeps,
  tx: Pick<Tx, 'one'>,
  { platformId, id, window, now }: Ask,
): Promise<{ reading: WindowReading | undefined; facts: WindowFacts }> {
  const reading = id && (await findWindow(tx, platformId, id, window));
  return { reading, facts: { window, account: reading?.account, isFinal: reading?.isFinal === true, now, settlementLagMs } };
}

/** The span of a window that may be answered, after which it can never change. Its statements need no transaction: each is true for good. */
async function finalSpan(db: Db, { platformId, window }: Ask, { id }: StatementAccount, reading: WindowReading | undefined): Promise<Span> {
  if (reading?.isFinal) return reading.span;
  await closeEntriesBefore(db, platformId, uuidOf(id), window.end);
  const closed = await findWindow(db, platformId, id, window);
  assert(closed?.isFinal, 'a closed window is final');
  return closed.span;
}

/** One page of a window. `after` is the entry number the caller's cursor stands at. */
export async function listBalanceChanges(
  deps: StatementDeps,
  ask: Ask & { readonly limit: number; readonly after: bigint | undefined },
): Promise<BalanceChangePage> {
  const { reading, facts } = await gather(deps, deps.db, ask);

  const account = decideWindow({ ...facts, hasCursor: ask.after !== undefined });

  const span = await finalSpan(deps.db, ask, account, reading);
  const from = pageStart(span, ask.after);
  // The entry before the page comes along: its balance is where the page begins.
  const end = pageEnd(span, from, ask.limit);
  const rows = await listChanges(deps.db, ask.platformId, account.id, { first: from, last: end });
  const [before, changes] = from === 0n ? [{ number: 0n, balance: 0n }, rows] : [rows[0], rows.slice(1)];
  assert(before?.number === from, 'the entry a page follows exists');
  const last = followChanges(before, changes, end, span);
  await recordIfRead(deps.db, ask, account, span, last);
  return { account, span, changes, last };
}

/** "recorded as fetched only when the window is exactly one calendar month", and only once its last page was read. */
async function recordIfRead(
  db: Db,
  { platformId, window, now }: Ask,
  { id }: StatementAccount,
  { closing }: Span,
  last: Place,
): Promise<void> {
  if (window.period !== undefined && last.number === closing.number) await saveFetched(db, platformId, id, window.period, now);
}

const nameOf = (customer: Customer): string | undefined =>
  customer.customerType === 'BUSINESS' ? customer.profile.businessInfo.legalName : customer.profile.fullName;

/** A month's statement to be written out whole; refused before its first line when it does not add up. */
export async function openStatement(deps: StatementDeps, ask: Ask & { readonly window: Required<Window> }): Promise<Statement> {
  const { db } = deps;
  const { reading, facts } = await gather(deps, db, ask);

  const { account } = decidePeriod(facts);

  const span = await finalSpan(db, ask, account, reading);
  const totals = await sumChanges(db, ask.platformId, account.id, span);
  assertAddsUp(span, totals);
  const customer = account.customerId && (await findCustomer(db, ask.platformId, account.customerId));
  async function* pages() {
    let place = span.opening;
    while (place.number < span.closing.number) {
      const end = pageEnd(span, place.number, ROWS_AT_ONCE);
      const changes = await listChanges(db, ask.platformId, account.id, { first: place.number + 1n, last: end, withCause: true });
      place = followChanges(place, changes, end, span);
      yield changes;
    }
    await recordIfRead(db, ask, account, span, place);
  }
  return { account, holder: customer && nameOf(customer), period: ask.window.period, span, totals, pages };
}

/** "Stores the delivery record for the account and period; repeating it is harmless and the first receipt's time is kept." */
export async function confirmStatement(
  deps: StatementDeps,
  tx: Tx,
  ask: Ask & { readonly window: Required<Window>; readonly deliveredAt: Date | undefined },
): Promise<StatementReceipt> {
  const { facts } = await gather(deps, tx, ask);

  const { account, deliveredAt } = decidePeriod({ ...facts, deliveredAt: ask.deliveredAt });

  await closeEntriesBefore(tx, ask.platformId, uuidOf(account.id), ask.window.end);
  return saveDelivered(tx, ask.platformId, account.id, ask.window.period, { deliveredAt, now: ask.now });
}
