// Which payments and card transactions a list shows. Pure.
import { type CardId, type CustomerId, type InternalAccountId, idOf, type PlatformId, parseId, uuidAt } from '../../../kernel/ids.js';
import { MINUTE_MS } from '../../../kernel/time.js';
import type { TransactionFilter as CardFilter } from '../../cards/authorizations/actions.js';
import type { ClockBounds } from '../../core/platform/actions.js';
import { type PaymentFilter, uuidOfReference } from '../payments/actions.js';
import type { PaymentStatus } from '../payments/payment.js';

/** As a caller gives it: ids are texts that may name nothing. */
export type TransactionFilter = {
  readonly customerId?: string | undefined;
  readonly platformCustomerId?: string | undefined;
  readonly accountIdentifier?: string | undefined;
  readonly senderAccountIdentifier?: string | undefined;
  readonly receiverAccountIdentifier?: string | undefined;
  readonly status?: string | undefined;
  readonly type?: 'INCOMING' | 'OUTGOING' | 'CARD' | undefined;
  readonly cardId?: string | undefined;
  readonly reference?: string | undefined;
  /** Only transactions with one of these accounts. */
  readonly among?: readonly string[] | undefined;
  readonly from?: Date | undefined;
  readonly to?: Date | undefined;
};

/** Undefined where nothing of the kind can match. */
export type Filters = { readonly payments: PaymentFilter | undefined; readonly cards: CardFilter | undefined };

const STATUSES: ReadonlySet<string> = new Set<PaymentStatus>([
  'PENDING',
  'PENDING_AUTHORIZATION',
  'PROCESSING',
  'COMPLETED',
  'REJECTED',
  'FAILED',
  'EXPIRED',
]);
const isStatus = (text: string): text is PaymentStatus => STATUSES.has(text);

/** The clocks of processes and of the database differ by less than this. Signatures of webhooks need the same of their receivers. */
const CLOCK_TOLERANCE_MS = 5 * MINUTE_MS;

export type FilterFacts = {
  readonly platformId: PlatformId;
  readonly now: Date;
  /** Of the platform's clock; undefined where nothing is known of its past. */
  readonly clock: ClockBounds | undefined;
};

/** An id rises with the real time. How far the platform's clock was ahead of it bounds the ids of a period. */
const idBounds = ({ from, to }: Pick<TransactionFilter, 'from' | 'to'>, { clock }: FilterFacts) => ({
  ...(from && clock && { idFrom: uuidAt(from.getTime() - clock.mostAhead - CLOCK_TOLERANCE_MS) }),
  ...(to && clock && { idBefore: uuidAt(to.getTime() - clock.leastAhead + CLOCK_TOLERANCE_MS) }),
});

export const filtersOf = (filter: TransactionFilter, facts: FilterFacts): Filters => ({
  payments: paymentFilter(filter, facts),
  cards: cardFilter(filter, facts),
});

type Named<Value> = { readonly value: Value | undefined } | undefined;

/** Undefined for a text that names nothing. */
const named = <Value>(text: string | undefined, parse: (text: string) => Value | undefined): Named<Value> => {
  if (text === undefined) return { value: undefined };
  const value = parse(text);
  return value === undefined ? undefined : { value };
};

function paymentFilter(filter: TransactionFilter, facts: FilterFacts): PaymentFilter | undefined {
  const { platformId, now } = facts;
  const { status, type, from, to } = filter;
  if (type === 'CARD' || filter.cardId !== undefined) return undefined;
  if (status !== undefined && !isStatus(status)) return undefined;
  const customer = named<CustomerId | null>(filter.customerId, (text) => (text === platformId ? null : parseId('Customer', text)));
  const id = named(filter.reference, (text) => {
    const uuid = uuidOfReference(text);
    return uuid === undefined ? undefined : idOf('Transaction', uuid);
  });
  if (!customer || !id) return undefined;
  return {
    id: id.value,
    type,
    status,
    now: status && now,
    customerId: customer.value,
    platformCustomerId: filter.platformCustomerId,
    account: filter.accountIdentifier,
    sender: filter.senderAccountIdentifier,
    receiver: filter.receiverAccountIdentifier,
    among: filter.among,
    from,
    to,
    ...idBounds(filter, facts),
  };
}

/** Money of a purchase leaves the account, money of a credit reaches it. */
function cardFilter(filter: TransactionFilter, facts: FilterFacts): CardFilter | undefined {
  if (filter.status !== undefined || filter.type === 'INCOMING' || filter.type === 'OUTGOING') return undefined;
  const { senderAccountIdentifier: sender, receiverAccountIdentifier: receiver } = filter;
  const accounts = [filter.accountIdentifier, sender, receiver].filter((text) => text !== undefined);
  if (accounts.some((text) => text !== accounts[0]) || (sender !== undefined && receiver !== undefined)) return undefined;
  const card = named<CardId>(filter.cardId, (text) => parseId('Card', text));
  const customer = named<CustomerId>(filter.customerId, (text) => parseId('Customer', text));
  const account = named<InternalAccountId>(accounts[0], (text) => parseId('InternalAccount', text));
  if (!card || !customer || !account) return undefined;
  return {
    cardId: card.value,
    customerId: customer.value,
    platformCustomerId: filter.platformCustomerId,
    accountId: account.value,
    among: filter.among?.flatMap((text) => parseId('InternalAccount', text) ?? []),
    direction: sender !== undefined ? 'DEBIT' : receiver !== undefined ? 'CREDIT' : undefined,
    reference: filter.reference,
    from: filter.from,
    to: filter.to,
    ...idBounds(filter, facts),
  };
}

/** Counting what a filter matches must not take longer than reading a page, so it stops earlier. */
export const COUNTED_AT_MOST = 10_000;
export const COUNTED_WITH_FILTER = 1_000;

export const countLimitOf = (filter: TransactionFilter): number =>
  Object.values(filter).some((value) => value !== undefined) ? COUNTED_WITH_FILTER : COUNTED_AT_MOST;
