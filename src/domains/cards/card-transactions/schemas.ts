// Wire schemas of card transactions, of the simulated network and of the issuer's door.
import Type, { type Static } from 'typebox';
import { Closed, CurrencyAmount, Enum, Timestamp } from '../../../http/schemas.js';
import { invalid, invalidField } from '../../../kernel/errors.js';
import { renderMoney } from '../../../kernel/money.js';
import {
  CARD_TRANSACTION_STATUSES,
  type CardTransaction,
  DECLINE_REASONS,
  DISPOSITIONS,
  type Dispute,
  FOLLOW_UP_KINDS,
  type Merchant,
  OPENING_KINDS,
} from './card-transaction.js';

// ---- the resource

const CardMerchant = Type.Object(
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

const CardDeclinedReason = Enum(DECLINE_REASONS, { title: 'CardDeclinedReason' });

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

// ---- the simulated network

const cents = (minimum: number) => Type.Integer({ format: 'int64', minimum, maximum: Number.MAX_SAFE_INTEGER });

const text = (maxLength: number) => Type.Optional(Type.String({ minLength: 1, maxLength }));

const MerchantRequest = Closed({
  descriptor: Type.String({
    minLength: 1,
    maxLength: 25,
    description: 'As it reaches a statement; its last three characters choose the outcome.',
  }),
  mcc: text(4),
  city: text(100),
  state: text(100),
  country: text(100),
});

const CurrencyRequest = Closed({
  code: Type.Optional(Type.String()),
  name: Type.Optional(Type.String()),
  symbol: Type.Optional(Type.String()),
  decimals: Type.Optional(Type.Integer({ minimum: 0 })),
});

const cardTransactionId = Type.String({ maxLength: 255 });

export const SandboxCardAuthorizationRequest = Closed(
  { amount: cents(1), currency: CurrencyRequest, merchant: MerchantRequest },
  { title: 'SandboxCardAuthorizationRequest' },
);
export const SandboxCardBalanceInquiryRequest = Closed({ merchant: MerchantRequest }, { title: 'SandboxCardBalanceInquiryRequest' });
export const SandboxCardClearingRequest = Closed({ cardTransactionId, amount: cents(0) }, { title: 'SandboxCardClearingRequest' });
export const SandboxCardReturnRequest = Closed({ cardTransactionId, amount: cents(1) }, { title: 'SandboxCardReturnRequest' });
export const SandboxCardAuthorizationAdviceRequest = Closed(
  { cardTransactionId, amount: cents(1) },
  { title: 'SandboxCardAuthorizationAdviceRequest' },
);
export const SandboxCardTransactionRefRequest = Closed({ cardTransactionId }, { title: 'SandboxCardTransactionRefRequest' });
export const SandboxCardReversalRequest = Closed(
  { cardTransactionId, amount: Type.Optional(cents(1)) },
  { title: 'SandboxCardReversalRequest' },
);
export const SandboxCardDisputeOpenRequest = Closed(
  { cardTransactionId, amount: Type.Optional(cents(1)), reason: text(1024) },
  { title: 'SandboxCardDisputeOpenRequest' },
);
export const SandboxCardDisputeCreditRequest = Closed(
  { cardTransactionId, amount: cents(1) },
  { title: 'SandboxCardDisputeCreditRequest' },
);
export const SandboxCardDisputeCloseRequest = Closed(
  {
    cardTransactionId,
    disposition: Enum(DISPOSITIONS, { title: 'CardDisputeDisposition' }),
    recoveredAmount: Type.Optional(cents(1)),
  },
  { title: 'SandboxCardDisputeCloseRequest' },
);

export const SandboxCardSimulationResponse = Type.Object(
  { issuerTransactionToken: Type.String() },
  { title: 'SandboxCardSimulationResponse' },
);
export const SandboxCardDisputeResponse = Type.Object(
  {
    disputeId: Type.String(),
    disputeToken: Type.String(),
    status: Enum(['OPEN', 'CLOSED'], { title: 'SandboxCardDisputeStatus' }),
    disposition: Type.Optional(Type.Unsafe<string | null>({ type: ['string', 'null'], enum: [...DISPOSITIONS, null] })),
  },
  { title: 'SandboxCardDisputeResponse' },
);

export const renderDispute = ({ id, token, status, disposition }: Dispute) => ({ disputeId: id, disputeToken: token, status, disposition });

/** A simulated purchase is in the currency of cards; what a real network sends is declined, not refused. */
export function parseSimulatedCurrency({ code }: Static<typeof CurrencyRequest>): string {
  if (code === undefined) throw invalid({ field: 'currency.code', message: 'is required' });
  if (code !== 'USD') throw invalidField('currency.code', 'cards transact in USD', { enum: ['USD'] });
  return code;
}

// ---- the issuer's door

const token = Type.String({ minLength: 1, maxLength: 128, pattern: '^[\\x21-\\x7e]+$' });

export const IssuerAuthorizationRequest = Closed(
  {
    kind: Type.Optional(Enum(OPENING_KINDS, { default: 'AUTHORIZATION' })),
    cardId: Type.String({ maxLength: 255 }),
    issuerTransactionToken: token,
    amount: cents(1),
    currency: Type.String({ minLength: 3, maxLength: 8 }),
    network: text(32),
    merchant: MerchantRequest,
  },
  { title: 'IssuerAuthorizationRequest' },
);

export const IssuerAuthorizationResponse = Type.Object(
  {
    decision: Enum(['APPROVED', 'DECLINED']),
    declinedReason: Type.Optional(CardDeclinedReason),
    issuerTransactionToken: Type.String(),
    transactionId: Type.Optional(Type.String({ description: 'Absent when the decision was not made in time.' })),
  },
  { title: 'IssuerAuthorizationResponse' },
);

export const IssuerMessageRequest = Closed(
  {
    kind: Enum(FOLLOW_UP_KINDS),
    messageToken: token,
    issuerTransactionToken: token,
    amount: Type.Optional(cents(0)),
    // Of a transaction the service has not heard of: a clearing or an advice is recorded all the same.
    cardId: Type.Optional(Type.String({ maxLength: 255 })),
    merchant: Type.Optional(MerchantRequest),
  },
  { title: 'IssuerMessageRequest' },
);

export const IssuerMessageResponse = Type.Object(
  {
    issuerTransactionToken: Type.String(),
    transactionId: Type.String(),
    duplicate: Type.Boolean({ description: 'The message was taken before; nothing happened again.' }),
  },
  { title: 'IssuerMessageResponse' },
);

export const parseMerchant = (merchant: Static<typeof MerchantRequest>): Merchant => merchant as Merchant;
