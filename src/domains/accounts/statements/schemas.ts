// Wire schemas of statements: parses windows and cursors, renders balance changes and receipts.
import Type, { type Static } from 'typebox';
import { Closed, CurrencyAmount, NullableString, pageQuery, Timestamp } from '../../../http/schemas.js';
import { invalidField } from '../../../kernel/errors.js';
import { derivedUuid, type InternalAccountId, idOf, type TransactionId, uuidOf } from '../../../kernel/ids.js';
import { renderMoney } from '../../../kernel/money.js';
import { decodeCursor, encodeCursor, NUMBER_KEY, renderPage } from '../../../kernel/page.js';
import { plusMs, timestamp } from '../../../kernel/time.js';
import { periodBetween, windowOf } from './rules.js';
import type { BalanceChange, BalanceChangePage, StatementAccount, StatementReceipt, Window } from './statement.js';

export const BalanceChangeQuery = Closed({
  startDate: Timestamp({ description: 'First instant of the window; a `+` of the offset is sent as `%2B`.' }),
  endDate: Timestamp({ description: 'First instant after the window; not in the future.' }),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200, default: 100, description: 'How many rows at most.' })),
  cursor: pageQuery.cursor,
});

export const StatementQuery = Closed({
  periodStart: Type.String({ format: 'date', description: 'First day of the month, in US Central time.' }),
});

const BalanceChangeSchema = Type.Object(
  {
    id: Type.String(),
    transactionId: Type.Optional(Type.String()),
    amount: CurrencyAmount,
    effectiveAt: Timestamp(),
  },
  { title: 'BalanceChange' },
);

export const BalanceChangeListResponse = Type.Object(
  {
    data: Type.Array(BalanceChangeSchema),
    startDate: Timestamp(),
    endDate: Timestamp(),
    openingBalance: CurrencyAmount,
    closingBalance: CurrencyAmount,
    hasMore: Type.Boolean(),
    nextCursor: Type.Optional(Type.String()),
    totalCount: Type.Optional(
      Type.Integer({ description: 'Number of balance changes in the period, on every page. It is always present.' }),
    ),
  },
  { title: 'BalanceChangeListResponse' },
);

export const ConfirmStatementDeliveryRequest = Closed(
  { periodStart: Type.String({ format: 'date' }), statementDeliveredAt: Type.Optional(Timestamp()) },
  { title: 'ConfirmStatementDeliveryRequest' },
);

export const StatementDelivery = Type.Object(
  {
    internalAccountId: Type.String(),
    periodStart: Type.String({ format: 'date' }),
    fetchedAt: Type.Optional(NullableString({ format: 'date-time' })),
    statementDeliveredAt: Type.Optional(NullableString({ format: 'date-time' })),
  },
  { title: 'StatementDelivery' },
);

/**
 * Entries are dated to the millisecond, so a finer boundary is rounded up and includes the same entries. A finer boundary is never the
 * first instant of a month.
 */
function parseBoundary(text: string): { at: Date; isExact: boolean } {
  const at = timestamp(text);
  const isExact = !/\.\d{3}\d*[1-9]/.test(text);
  return { at: isExact ? at : plusMs(at, 1), isExact };
}

export function parseWindow({ startDate, endDate }: { startDate: string; endDate: string }): Window {
  const [start, end] = [parseBoundary(startDate), parseBoundary(endDate)];
  if (start.at >= end.at) throw invalidField('endDate', 'must be after startDate');
  const period = start.isExact && end.isExact ? periodBetween(start.at, end.at) : undefined;
  return { start: start.at, end: end.at, ...(period ? { period } : {}) };
}

/** The month that begins on the given day. */
export function parsePeriod(periodStart: string): Required<Window> {
  if (!periodStart.endsWith('-01')) throw invalidField('periodStart', 'must be the first day of a month');
  return windowOf(periodStart);
}

export const parseDelivery = (body: Static<typeof ConfirmStatementDeliveryRequest>) => ({
  window: parsePeriod(body.periodStart),
  deliveredAt: body.statementDeliveredAt === undefined ? undefined : timestamp(body.statementDeliveredAt),
});

const cursorScope = (accountId: string, { start, end }: Window) => ['balance-changes', accountId, start.getTime(), end.getTime()];

/** The entry number in a cursor. A cursor is bound to account and window, not to the page size, and never expires. */
export function parseCursor(cursor: string | undefined, accountId: string, window: Window): bigint | undefined {
  if (cursor === undefined) return undefined;
  const [number] = decodeCursor(cursor, cursorScope(accountId, window), [NUMBER_KEY]);
  return number === undefined ? undefined : BigInt(number);
}

/** The id is derived from account and entry number: the two sides of a transfer are two balance changes. */
export const balanceChangeId = (accountId: InternalAccountId, number: bigint) =>
  idOf('BalanceChange', derivedUuid(`${uuidOf(accountId)} ${number}`));

export const transactionIdOf = ({ transactionId }: BalanceChange): TransactionId | undefined =>
  transactionId === undefined ? undefined : idOf('Transaction', transactionId);

const renderBalanceChange = ({ id, currency }: StatementAccount, change: BalanceChange) => ({
  id: balanceChangeId(id, change.number),
  ...(change.transactionId === undefined ? {} : { transactionId: transactionIdOf(change) }),
  amount: renderMoney(change.amount, currency),
  effectiveAt: change.effectiveAt.toISOString(),
});

export function renderBalanceChanges(window: Window, { account, span: { opening, closing }, changes, last }: BalanceChangePage) {
  const page = {
    items: changes,
    totalCount: Number(closing.number - opening.number),
    ...(last.number < closing.number ? { nextCursor: encodeCursor([String(last.number)], cursorScope(account.id, window)) } : {}),
  };
  return {
    ...renderPage(page, (change) => renderBalanceChange(account, change)),
    startDate: window.start.toISOString(),
    endDate: window.end.toISOString(),
    openingBalance: renderMoney(opening.balance, account.currency),
    closingBalance: renderMoney(closing.balance, account.currency),
  };
}

export const renderReceipt = ({ accountId, period, fetchedAt, deliveredAt }: StatementReceipt) => ({
  internalAccountId: accountId,
  periodStart: period,
  fetchedAt: fetchedAt?.toISOString() ?? null,
  statementDeliveredAt: deliveredAt?.toISOString() ?? null,
});
