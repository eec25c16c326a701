// Wire schemas of card transactions and of authorization requests, simulated or sent by an issuer.
import Type, { type Static } from 'typebox';
import { Closed, Currency, CurrencyAmount, Enum, NullableInteger, Timestamp } from '../../../http/schemas.js';
import { invalid, invalidField } from '../../../kernel/errors.js';
import { type CurrencyCode, MAX_AMOUNT, renderMoney } from '../../../kernel/money.js';
import { type DaySpend, type Limits, SHOWN_DECLINES } from './authorization.js';
import { CARD_TRANSACTION_STATUSES, type CardTransaction, DECLINE_REASONS, OPENING_KINDS, type OpeningKind } from './card-transaction.js';
import { cents, issuerToken, MerchantRequest, optionalText } from './simulator-schemas.js';

// ---- the resource

export const CardMerchant = Type.Object(
  {
    descriptor: Type.String(),
    mcc: Type.Optional(Type.String()),
    city: Type.Optional(Type.String()),
    state: Type.Optional(Type.String()),
    country: Type.Optional(Type.String()),
  },
  { title: 'CardMerchant' },
);

export const TransactionDirection = Enum(['CREDIT', 'DEBIT'], { title: 'TransactionDirection' });

const CardDeclinedReason = Enum(DECLINE_REASONS, {
  title: 'CardDeclinedReason',
  description: 'The first rule that applies is the reason. `x-rules` has the rules in their order.',
  'x-rules': SHOWN_DECLINES,
});

export const CardTransactionSchema = Type.Object(
  {
    type: Enum(['CARD']),
    id: Type.String(),
    cardId: Type.Optional(Type.String()),
    customerId: Type.String(),
    platformCustomerId: Type.String(),
    issuerTransactionToken: Type.Optional(Type.String()),
    status: Enum(CARD_TRANSACTION_STATUSES, { title: 'CardTransactionStatus' }),
    cardDeclinedReason: Type.Optional(CardDeclinedReason),
    direction: TransactionDirection,
    originalTransactionId: Type.Optional(Type.String()),
    description: Type.Optional(Type.String()),
    merchant: CardMerchant,
    authorizedAmount: CurrencyAmount,
    settledAmount: Type.Optional(CurrencyAmount),
    refundedAmount: Type.Optional(CurrencyAmount),
    accountId: Type.String(),
    authorizedAt: Timestamp(),
    createdAt: Timestamp(),
    updatedAt: Timestamp(),
  },
  { title: 'CardTransaction' },
);

/** On the path of every authorization: plain reads, nothing computed that could be stored. */
export function renderCardTransaction(t: CardTransaction) {
  const createdAt = t.createdAt.toISOString();
  return {
    type: 'CARD' as const,
    id: t.id,
    cardId: t.cardId,
    customerId: t.customerId,
    platformCustomerId: t.platformCustomerId,
    issuerTransactionToken: t.issuerToken,
    status: t.status,
    ...(t.status === 'DECLINED' && t.declinedReason !== null ? { cardDeclinedReason: t.declinedReason } : {}),
    direction: t.direction,
    ...(t.originalTransactionId === null ? {} : { originalTransactionId: t.originalTransactionId }),
    merchant: t.merchant,
    authorizedAmount: renderMoney(t.authorized, t.currency),
    ...(t.settled === 0n ? {} : { settledAmount: renderMoney(t.settled, t.currency) }),
    ...(t.refunded === 0n ? {} : { refundedAmount: renderMoney(t.refunded, t.currency) }),
    accountId: t.accountId,
    authorizedAt: createdAt,
    createdAt,
    updatedAt: t.updatedAt.toISOString(),
  };
}

// ---- authorization requests

const CurrencyRequest = Closed(Currency.properties, {
  title: 'CurrencyRequest',
  description: 'The currency of the purchase. Cards transact in `USD`.',
});

export const SandboxCardAuthorizationRequest = Closed(
  { amount: cents(1), currency: CurrencyRequest, merchant: MerchantRequest },
  { title: 'SandboxCardAuthorizationRequest' },
);

/** A simulated purchase is in the currency of cards. A real network may send any currency: another one is declined, not refused. */
export function parseSimulatedCurrency({ code }: Static<typeof CurrencyRequest>): string {
  if (code === undefined) throw invalid({ field: 'currency.code', message: 'is required' });
  if (code !== 'USD') throw invalidField('currency.code', 'cards transact in USD', { enum: ['USD'] });
  return code;
}

const issuerAmount = Type.Integer({
  ...cents(0),
  description:
    'In the smallest unit of the currency. 0 is an account verification: it is answered by the state of the card, holds nothing and does not count as spend. Only an AUTHORIZATION may be of 0.',
});

export const IssuerAuthorizationRequest = Closed(
  {
    kind: Type.Optional(Enum(OPENING_KINDS, { default: 'AUTHORIZATION' })),
    cardId: Type.String({ maxLength: 255 }),
    issuerTransactionToken: issuerToken,
    amount: issuerAmount,
    currency: Type.String({ minLength: 3, maxLength: 8 }),
    network: optionalText(32, 'The card network that carried the message.'),
    merchant: MerchantRequest,
  },
  { title: 'IssuerAuthorizationRequest' },
);

/** Only a plain authorization verifies an account: the other kinds move money. */
export function parseIssuerAmount(kind: OpeningKind, amount: number): bigint {
  if (amount === 0 && kind !== 'AUTHORIZATION') throw invalidField('amount', 'only an AUTHORIZATION may be of 0', { minimum: 1 });
  return BigInt(amount);
}

export const IssuerAuthorizationResponse = Type.Object(
  {
    decision: Enum(['APPROVED', 'DECLINED']),
    declinedReason: Type.Optional(CardDeclinedReason),
    issuerTransactionToken: Type.String(),
    transactionId: Type.Optional(Type.String({ description: 'Absent when the decision was not made in time.' })),
  },
  { title: 'IssuerAuthorizationResponse' },
);

// ---- what a card has spent

const limit = (description: string) => NullableInteger({ format: 'int64', description });

export const CardSpending = Type.Object(
  {
    day: Type.String({ format: 'date', description: 'The day in UTC, by the clock of the platform.' }),
    spent: CurrencyAmount,
    purchases: Type.Integer({ minimum: 0, description: 'How many purchases were authorized on the day.' }),
    limits: Type.Object(
      {
        maxSpendPerTransaction: limit('Most one purchase may take. `null`: no limit.'),
        maxSpendPerDay: limit('Most that the purchases of a day may add up to. `null`: no limit.'),
        maxTransactionsPerDay: limit('Most purchases of a day. `null`: no limit.'),
      },
      { title: 'CardSpendingLimits', description: 'What holds for the card: the lower of its own limit and that of the platform.' },
    ),
  },
  { title: 'CardSpending', description: 'What a card has spent today, beside its limits.' },
);

/** An issuer may have approved more than JSON carries exactly; the largest amount stands for it. */
const bounded = (amount: bigint): bigint => (amount > MAX_AMOUNT ? MAX_AMOUNT : amount);

export const renderSpending = (currency: CurrencyCode, day: string, { spent, count }: DaySpend, limits: Limits) => ({
  day,
  spent: renderMoney(bounded(spent), currency),
  purchases: count,
  limits: {
    maxSpendPerTransaction: limits.maxSpendPerTransaction === null ? null : Number(limits.maxSpendPerTransaction),
    maxSpendPerDay: limits.maxSpendPerDay === null ? null : Number(limits.maxSpendPerDay),
    maxTransactionsPerDay: limits.maxTransactionsPerDay,
  },
});
