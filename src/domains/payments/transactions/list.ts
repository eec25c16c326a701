// One list over payments and card transactions. Both have ids that rise with time, so two sorted reads are merged.
import type { Tx } from '../../../db/pool.js';
import { ApiError } from '../../../kernel/errors.js';
import { type PlatformId, type TransactionId, uuidOf } from '../../../kernel/ids.js';
import { type Page, type PageRequest, pageOf } from '../../../kernel/page.js';
import { countTransactions, findTransaction, listTransactions as listCardTransactions } from '../../cards/authorizations/actions.js';
import type { CardTransaction } from '../../cards/authorizations/card-transaction.js';
import { renderCardTransaction } from '../../cards/authorizations/schemas.js';
import { type ClockBounds, readClockBounds } from '../../core/platform/actions.js';
import { asOf, countPayments, findPayment, listPayments, type SortOrder } from '../payments/actions.js';
import type { Payment } from '../payments/payment.js';
import { renderPayment } from '../payments/schemas.js';
import { countLimitOf, type Filters, filtersOf, type TransactionFilter } from './filter-rules.js';

type Reader = Pick<Tx, 'one' | 'many'>;

/** A payment or a card transaction. */
export type Listed = { readonly payment: Payment } | { readonly purchase: CardTransaction };

const uuidIn = (listed: Listed): string => uuidOf('payment' in listed ? listed.payment.id : listed.purchase.id);

export const renderListed = (platformId: PlatformId, listed: Listed, now: Date): Record<string, unknown> =>
  'payment' in listed ? renderPayment(platformId, asOf(listed.payment, now)) : renderCardTransaction(listed.purchase);

export type ListRequest = {
  readonly platformId: PlatformId;
  readonly isSandbox: boolean;
  readonly now: Date;
  readonly filter: TransactionFilter;
  readonly page: PageRequest<string>;
  readonly sortOrder: SortOrder;
  readonly scope: unknown;
};

export async function listTransactions(tx: Reader, request: ListRequest): Promise<Page<Listed>> {
  const { platformId, now, filter, page, sortOrder, scope } = request;
  const filters = filtersOf(filter, { platformId, now, clock: await clockBounds(tx, request) });
  const { limit, after } = page;
  const one = { limit: limit + 1, after };
  const [payments, purchases] = await Promise.all([
    filters.payments ? listPayments(tx, platformId, filters.payments, one, sortOrder) : [],
    filters.cards ? listCardTransactions(tx, platformId, filters.cards, one, sortOrder) : [],
  ]);
  const merged = merge(
    payments.map((payment): Listed => ({ payment })),
    purchases.map((purchase): Listed => ({ purchase })),
    sortOrder,
  );
  // A first page that is the last one shows all that there is.
  const isWhole = after === undefined && merged.length <= limit;
  const totalCount = isWhole ? merged.length : await count(tx, platformId, filters, countLimitOf(filter));
  return pageOf(merged, limit, totalCount, (listed) => [uuidIn(listed)], scope);
}

/** Read where a period is asked for. The clock of a live platform is the real time. */
async function clockBounds(tx: Reader, { platformId, isSandbox, filter: { from, to } }: ListRequest): Promise<ClockBounds | undefined> {
  if (!isSandbox) return { leastAhead: 0, mostAhead: 0 };
  return from || to ? readClockBounds(tx, platformId) : undefined;
}

const merge = (a: readonly Listed[], b: readonly Listed[], sortOrder: SortOrder): Listed[] => {
  const rises = (left: Listed, right: Listed): number => (uuidIn(left) < uuidIn(right) ? -1 : 1);
  return [...a, ...b].sort((left, right) => (sortOrder === 'asc' ? rises(left, right) : rises(right, left)));
};

/** Undefined above the limit. */
async function count(tx: Reader, platformId: PlatformId, { payments, cards }: Filters, most: number): Promise<number | undefined> {
  const counted = payments ? await countPayments(tx, platformId, payments, most + 1) : 0;
  const total = counted <= most && cards ? counted + (await countTransactions(tx, platformId, cards, most + 1 - counted)) : counted;
  return total > most ? undefined : total;
}

/** The transaction, or 404. A malformed id (undefined) answers like an unknown one. */
export async function getTransaction(tx: Reader, platformId: PlatformId, id: TransactionId | undefined): Promise<Listed> {
  const [payment, purchase] = id ? await Promise.all([findPayment(tx, platformId, id), findTransaction(tx, platformId, id)]) : [];
  if (payment) return { payment };
  if (purchase) return { purchase };
  throw new ApiError('TRANSACTION_NOT_FOUND');
}
