// Types of statements: the balance changes of an account within a window, and the receipt of a month's statement.
import type { CustomerId, InternalAccountId } from '../../../kernel/ids.js';
import type { CurrencyCode } from '../../../kernel/money.js';

/** The first day of a calendar month in US Central time, `YYYY-MM-01`. */
export type Period = string;

/** Half-open: `start` is inside, `end` is not. */
export type Window = {
  readonly start: Date;
  readonly end: Date;
  /** Set if the requested window is exactly one calendar month in US Central time. */
  readonly period?: Period;
};

/** The facts of an account that decide whether it has a statement for a window. */
export type StatementAccount = {
  readonly id: InternalAccountId;
  readonly customerId: CustomerId | undefined;
  readonly type: string;
  readonly currency: CurrencyCode;
  /** The account funds a card or has funded one. */
  readonly hasFundedCard: boolean;
};

/** The number of an entry and the balance after it. Number 0 is before the first entry. */
export type EntryPosition = { readonly number: bigint; readonly balance: bigint };

/** The entries of a window are those after `opening`, up to and including `closing`. */
export type Span = { readonly opening: EntryPosition; readonly closing: EntryPosition };

export type WindowReading = {
  readonly account: StatementAccount;
  readonly span: Span;
  /** The window was answered before, by itself or within a longer one. No later entry is dated inside it, so `span` never changes. */
  readonly isFinal: boolean;
};

export type BalanceChange = {
  readonly number: bigint;
  readonly amount: bigint;
  readonly balance: bigint;
  readonly transactionId: string | undefined;
  readonly effectiveAt: Date;
  /** The cause of the transfer, read only for statement documents. */
  readonly cause?: string | undefined;
};

export type BalanceChangePage = {
  readonly account: StatementAccount;
  readonly span: Span;
  readonly changes: readonly BalanceChange[];
  /** The position after the last change of the page. */
  readonly last: EntryPosition;
};

/** The number of changes in a window, and the sums of money in and out, both positive. */
export type Totals = { readonly count: bigint; readonly moneyIn: bigint; readonly moneyOut: bigint };

/** A month's statement. Its changes are read page by page. */
export type Statement = {
  readonly account: StatementAccount;
  /** The name of the person or business, if known. */
  readonly holder: string | undefined;
  readonly period: Period;
  readonly span: Span;
  readonly totals: Totals;
  readonly pages: () => AsyncIterable<readonly BalanceChange[]>;
};

/** When a month's statement was first fetched and first delivered. */
export type StatementReceipt = {
  readonly accountId: InternalAccountId;
  readonly period: Period;
  readonly fetchedAt: Date | undefined;
  readonly deliveredAt: Date | undefined;
};
