// Reads the balance changes of a window so that the answer is final, and records the receipts of a month's statement.
import type { Db, Tx } from '../../../db/pool.js';
import { assert } from '../../../kernel/errors.js';
import { type InternalAccountId, type PlatformId, uuidOf } from '../../../kernel/ids.js';
import { findCustomer } from '../../identity/customers/actions.js';
import type { Customer } from '../../identity/customers/customer.js';
import { closeEntriesBefore } from '../../ledger/actions.js';
import { assertAddsUp, decidePeriod, decideWindow, fetchedPeriod, pageEnd, pageStart, verifyChanges, type WindowFacts } from './rules.js';
import type {
  BalanceChangePage,
  EntryPosition,
  Span,
  Statement,
  StatementAccount,
  StatementReceipt,
  Window,
  WindowReading,
} from './statement.js';
import { findWindow, listChanges, saveDelivered, saveFetched, sumChanges } from './store.js';

export type StatementDeps = { readonly db: Db; readonly settlementLagMs: number };

type WindowRequest = {
  readonly platformId: PlatformId;
  /** Undefined for a malformed id. */
  readonly id: InternalAccountId | undefined;
  readonly window: Window;
  readonly now: Date;
};

/** Entries read from the database at a time while a whole month is rendered. */
const ROWS_AT_ONCE = 1_000;

async function gather(
  { settlementLagMs }: StatementDeps,
  tx: Pick<Tx, 'one'>,
  { platformId, id, window, now }: WindowRequest,
): Promise<{ reading: WindowReading | undefined; facts: WindowFacts }> {
  const reading = id && (await findWindow(tx, platformId, id, window));
  return { reading, facts: { window, account: reading?.account, isFinal: reading?.isFinal === true, now, settlementLagMs } };
}

/** Makes the window final and returns its span. The SQL statements need no common transaction, because entries in a final window never change. */
async function finalSpan(
  db: Db,
  { platformId, window }: WindowRequest,
  { id }: StatementAccount,
  reading: WindowReading | undefined,
): Promise<Span> {
  if (reading?.isFinal) return reading.span;
  await closeEntriesBefore(db, platformId, uuidOf(id), window.end);
  const closed = await findWindow(db, platformId, id, window);
  assert(closed?.isFinal, 'a closed window is final');
  return closed.span;
}

/** One page of a window. `after` is the entry number in the caller's cursor. */
export async function listBalanceChanges(
  deps: StatementDeps,
  request: WindowRequest & { readonly limit: number; readonly after: bigint | undefined },
): Promise<BalanceChangePage> {
  const { reading, facts } = await gather(deps, deps.db, request);

  const account = decideWindow({ ...facts, hasCursor: request.after !== undefined });

  const span = await finalSpan(deps.db, request, account, reading);
  const from = pageStart(span, request.after);
  // The entry before the page is read as well: its balance is the opening balance of the page.
  const end = pageEnd(span, from, request.limit);
  const rows = await listChanges(deps.db, request.platformId, account.id, { first: from, last: end });
  const [before, changes] = from === 0n ? [{ number: 0n, balance: 0n }, rows] : [rows[0], rows.slice(1)];
  assert(before?.number === from, 'the entry before a page exists');
  const last = verifyChanges(before, changes, end, span);
  await recordFetched(deps.db, request, account, span, last);
  return { account, span, changes, last };
}

async function recordFetched(
  db: Db,
  { platformId, window, now }: WindowRequest,
  { id }: StatementAccount,
  span: Span,
  last: EntryPosition,
): Promise<void> {
  const period = fetchedPeriod(window, span, last);
  if (period !== undefined) await saveFetched(db, platformId, id, period, now);
}

const nameOf = (customer: Customer): string | undefined =>
  customer.customerType === 'BUSINESS' ? customer.profile.businessInfo.legalName : customer.profile.fullName;

/** A month's statement, to be rendered as a whole. A statement that does not add up is refused before anything is sent. */
export async function openStatement(
  deps: StatementDeps,
  request: WindowRequest & { readonly window: Required<Window> },
): Promise<Statement> {
  const { db } = deps;
  const { reading, facts } = await gather(deps, db, request);

  const { account } = decidePeriod(facts);

  const span = await finalSpan(db, request, account, reading);
  const totals = await sumChanges(db, request.platformId, account.id, span);
  assertAddsUp(span, totals);
  const customer = account.customerId && (await findCustomer(db, request.platformId, account.customerId));
  async function* pages() {
    let last = span.opening;
    while (last.number < span.closing.number) {
      const end = pageEnd(span, last.number, ROWS_AT_ONCE);
      const changes = await listChanges(db, request.platformId, account.id, { first: last.number + 1n, last: end, withCause: true });
      last = verifyChanges(last, changes, end, span);
      yield changes;
    }
    await recordFetched(db, request, account, span, last);
  }
  return { account, holder: customer && nameOf(customer), period: request.window.period, span, totals, pages };
}

/** "Stores the delivery record for the account and period; repeating it is harmless and the first receipt's time is kept." */
export async function confirmStatement(
  deps: StatementDeps,
  tx: Tx,
  request: WindowRequest & { readonly window: Required<Window>; readonly deliveredAt: Date | undefined },
): Promise<StatementReceipt> {
  const { facts } = await gather(deps, tx, request);

  const { account, deliveredAt } = decidePeriod({ ...facts, deliveredAt: request.deliveredAt });

  await closeEntriesBefore(tx, request.platformId, uuidOf(account.id), request.window.end);
  return saveDelivered(tx, request.platformId, account.id, request.window.period, { deliveredAt, now: request.now });
}
