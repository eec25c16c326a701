// Which payments and card transactions a list shows. Pure.
import { type CardId, type CustomerId, type InternalAccountId, idOf, type PlatformId, parseId, uuidAt } from '../../../kernel/ids.js';
import { HOUR_MS } from '../../../kernel/time.js';
import type { TransactionFilter as CardFilter } from '../../cards/authorizations/actions.js';
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

/** The clocks of processes and of the database differ by less than this. */
const CLOCK_TOLERANCE_MS = HOUR_MS;

/** An id rises with the real time, which is the clock of a live platform. The clock of a sandbox platform says nothing about ids. */
const idBounds = ({ from, to }: Pick<TransactionFilter, 'from' | 'to'>) => ({
  ...(from && { idFrom: uuidAt(from.getTime() - CLOCK_TOLERANCE_MS) }),
  ...(to && { idBefore: uuidAt(to.getTime() + CLOCK_TOLERANCE_MS) }),
});

export type FilterFacts = { readonly platformId: PlatformId; readonly isSandbox: boolean };

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

function paymentFilter(filter: TransactionFilter, { platformId, isSandbox }: FilterFacts): PaymentFilter | undefined {
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
    customerId: customer.value,
    platformCustomerId: filter.platformCustomerId,
    account: filter.accountIdentifier,
    sender: filter.senderAccountIdentifier,
    receiver: filter.receiverAccountIdentifier,
    among: filter.among,
    from,
    to,
    ...(!isSandbox && idBounds(filter)),
  };
}

/** Money of a purchase leaves the account, money of a credit reaches it. */
function cardFilter(filter: TransactionFilter, { isSandbox }: FilterFacts): CardFilter | undefined {
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
    ...(!isSandbox && idBounds(filter)),
  };
}

/** Counting what a filter matches must not take longer than reading a page, so it stops earlier. */
export const COUNTED_AT_MOST = 10_000;
export const COUNTED_WITH_FILTER = 1_000;

export const countLimitOf = (filter: TransactionFilter): number =>
  Object.values(filter).some((value) => value !== undefined) ? COUNTED_WITH_FILTER : COUNTED_AT_MOST;
