// Types of statements: what changed an account's balance within a window, and the receipt for a month's statement.
import type { CustomerId, InternalAccountId } from '../../../kernel/ids.js';
import type { CurrencyCode } from '../../../kernel/money.js';

/** The first day of a calendar month in US Central time, `YYYY-MM-01`. */
export type Period = string;

/** Half-open: `start` is inside, `end` is not. */
export type Window = {
  readonly start: Date;
  readonly end: Date;
  /** Set when the window as asked for is exactly one calendar month in US Central time. */
  readonly period?: Period;
};

/** The facts of an account that decide whether and for what time it has a statement. */
export type StatementAccount = {
  readonly id: InternalAccountId;
  readonly customerId: CustomerId | undefined;
  readonly type: string;
  readonly currency: CurrencyCode;
  /** It funds a card now or has funded one. */
  readonly hasFundedCard: boolean;
};

/** A place in the account's history: the number of an entry and the balance right after it. Number 0 is before the first. */
export type Place = { readonly number: bigint; readonly balance: bigint };

/** The entries of a window are those after `opening`, up to and including `closing`. */
export type Span = { readonly opening: Place; readonly closing: Place };

export type WindowReading = {
  readonly account: StatementAccount;
  readonly span: Span;
  /** It was answered before, by itself or within a longer one. No entry still to come is dated inside it: `span` is what it will always be. */
  readonly isFinal: boolean;
};

export type BalanceChange = {
  readonly number: bigint;
  readonly amount: bigint;
  readonly balance: bigint;
  readonly transactionId: string | undefined;
  readonly effectiveAt: Date;
  /** Why the money moved, as the ledger calls it; read for people only. */
  readonly cause?: string | undefined;
};

export type BalanceChangePage = {
  readonly account: StatementAccount;
  readonly span: Span;
  readonly changes: readonly BalanceChange[];
  /** The place after the last change of the page. */
  readonly last: Place;
};

/** How many changes a window holds and what came in and went out, both counted as positive. */
export type Totals = { readonly count: bigint; readonly moneyIn: bigint; readonly moneyOut: bigint };

/** A month's statement; its changes are read as they are needed. */
export type Statement = {
  readonly account: StatementAccount;
  /** The name of the person or business, where it is known. */
  readonly holder: string | undefined;
  readonly period: Period;
  readonly span: Span;
  readonly totals: Totals;
  readonly pages: () => AsyncIterable<readonly BalanceChange[]>;
};

/** Whether a month's statement was fetched and delivered, and when first. */
export type StatementReceipt = {
  readonly accountId: InternalAccountId;
  readonly period: Period;
  readonly fetchedAt: Date | undefined;
  readonly deliveredAt: Date | undefined;
};
