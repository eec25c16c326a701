// Wire schemas of cards, parsing of requests and rendering of answers.
import Type, { type Static } from 'typebox';
import {
  Closed,
  Enum,
  NullableInteger,
  NullableString,
  OneOf,
  pageOfSchema,
  pageQuery,
  ReadOnly,
  Timestamp,
} from '../../../http/schemas.js';
import { ANY_REQUIRED } from '../../../http/validate.js';
import { type FieldError, invalid } from '../../../kernel/errors.js';
import { type CardId, parseId } from '../../../kernel/ids.js';
import type { CardCapabilities } from '../../accounts/internal-accounts/internal-account.js';
import {
  CARD_BRANDS,
  CARD_FORMS,
  CARD_STATUS_REASONS,
  CARD_STATUSES,
  CARD_SUBSTATUSES,
  type Card,
  type CardIssueRequest,
  type CardPatch,
  type CardProgram,
  DIGITAL_WALLETS,
  PIN_STATUSES,
  REQUESTABLE_STATUSES,
  type TokenizationPayload,
  type TokenizationRequest,
} from './card.js';
import { findProgram } from './programs.js';

const MAX_COUNT = 2_147_483_647;
const amount = { format: 'int64', minimum: 1, maximum: Number.MAX_SAFE_INTEGER };
const count = { format: 'int32', minimum: 1, maximum: MAX_COUNT };
const nullableLimits = {
  maxSpendPerTransaction: NullableInteger({
    ...amount,
    description: 'Most one authorization may take, in the smallest unit of the currency.',
  }),
  maxSpendPerDay: NullableInteger({ ...amount, description: 'Most that all new spend of a UTC calendar day may add up to.' }),
  maxTransactionsPerDay: NullableInteger({ ...count, description: 'Most authorizations of a UTC calendar day.' }),
};
export const parseCardId = ({ id = '' }: Readonly<Record<string, string>>): CardId | undefined => parseId('Card', id);

export const CardStatusSchema = Enum(CARD_STATUSES, { title: 'CardStatus' });
const CardFormSchema = Enum(CARD_FORMS, { title: 'CardForm' });
const Password = Type.String({ pattern: '\\S', format: 'password', description: 'Handed to the issuer, kept nowhere, never shown.' });

const capability = () => Type.Boolean();
export const CardCapabilitiesSchema = Type.Object(
  {
    supportsSpendLimits: capability(),
    supportsSpendLimitsAtIssuance: capability(),
    supportsTransactionCountLimit: capability(),
    supports3dSecurePassword: capability(),
    supportsPanReveal: capability(),
    supportsDigitalWalletTokenization: capability(),
  } satisfies Record<keyof CardCapabilities, unknown>,
  { title: 'CardCapabilities' },
);

export const CardSchema = Type.Object(
  {
    id: ReadOnly(Type.String()),
    customerId: Type.String(),
    platformCardId: Type.Optional(ReadOnly(Type.String())),
    status: CardStatusSchema,
    statusReason: Type.Optional(ReadOnly(Enum(CARD_STATUS_REASONS, { title: 'CardStatusReason' }))),
    brand: Type.Optional(ReadOnly(Enum(CARD_BRANDS, { title: 'CardBrand' }))),
    form: CardFormSchema,
    pinStatus: Type.Optional(ReadOnly(Enum(PIN_STATUSES, { title: 'CardPinStatus' }))),
    last4: Type.Optional(ReadOnly(Type.String())),
    expMonth: Type.Optional(ReadOnly(Type.Integer({ minimum: 1, maximum: 12 }))),
    expYear: Type.Optional(ReadOnly(Type.Integer())),
    fundingSource: Type.String({ description: 'The internal account that funds the card; of a closed card, the one that did last.' }),
    cardCapabilities: Type.Optional(ReadOnly(CardCapabilitiesSchema)),
    ...nullableLimits,
    currency: Type.Optional(ReadOnly(Type.String())),
    processorRef: Type.Optional(ReadOnly(Type.String())),
    issuerRef: Type.Optional(ReadOnly(Type.String())),
    createdAt: ReadOnly(Timestamp()),
    updatedAt: ReadOnly(Timestamp()),
  },
  { title: 'Card' },
);

export const CardListResponse = pageOfSchema(CardSchema, 'CardListResponse');

export const CardListQuery = Type.Object(
  {
    customerId: Type.Optional(Type.String()),
    accountId: Type.Optional(Type.String()),
    platformCardId: Type.Optional(Type.String()),
    status: Type.Optional(CardStatusSchema),
    ...pageQuery,
    sortOrder: Type.Optional(Enum(['asc', 'desc'], { default: 'desc' })),
  },
  { additionalProperties: false },
);

export const CardCreateRequest = Closed(
  {
    customerId: Type.String(),
    platformCardId: Type.Optional(Type.String({ description: 'Ignored: the service makes one.' })),
    threeDSecurePassword: Type.Optional(Password),
    form: CardFormSchema,
    fundingSource: Type.String(),
    maxSpendPerTransaction: Type.Optional(Type.Integer(amount)),
    maxSpendPerDay: Type.Optional(Type.Integer(amount)),
    maxTransactionsPerDay: Type.Optional(Type.Integer(count)),
  },
  { title: 'CardCreateRequest' },
);

const PATCHABLE = [
  'status',
  'fundingSource',
  'maxSpendPerTransaction',
  'maxSpendPerDay',
  'maxTransactionsPerDay',
  'threeDSecurePassword',
] as const;

export const CardUpdateRequest = Closed(
  {
    status: Type.Optional(Enum(REQUESTABLE_STATUSES, { title: 'CardUpdateStatus' })),
    substatus: Type.Optional(Enum(CARD_SUBSTATUSES, { title: 'CardUpdateSubstatus' })),
    reason: Type.Optional(Type.String({ minLength: 1 })),
    fundingSource: Type.Optional(Type.String()),
    maxSpendPerTransaction: Type.Optional(nullableLimits.maxSpendPerTransaction),
    maxSpendPerDay: Type.Optional(nullableLimits.maxSpendPerDay),
    maxTransactionsPerDay: Type.Optional(nullableLimits.maxTransactionsPerDay),
    threeDSecurePassword: Type.Optional(Password),
  },
  {
    title: 'CardUpdateRequest',
    [ANY_REQUIRED]: PATCHABLE,
    dependentRequired: { status: ['substatus', 'reason'] },
  },
);

export function parseCardIssueRequest(body: Static<typeof CardCreateRequest>): CardIssueRequest {
  const { maxSpendPerTransaction, maxSpendPerDay, platformCardId: _ignored, ...rest } = body;
  return {
    ...rest,
    ...(maxSpendPerTransaction === undefined ? {} : { maxSpendPerTransaction: BigInt(maxSpendPerTransaction) }),
    ...(maxSpendPerDay === undefined ? {} : { maxSpendPerDay: BigInt(maxSpendPerDay) }),
  };
}

const NOT_WITH_CLOSED = ['fundingSource', 'maxSpendPerTransaction', 'maxSpendPerDay', 'maxTransactionsPerDay'] as const;

/** Refuses what is wrong whatever the card; the rules judge the rest. An absent field is left unchanged, null clears it. */
export function parseCardPatch(body: Static<typeof CardUpdateRequest>): CardPatch {
  const errors: FieldError[] = [];
  if (body.status === 'CLOSED') {
    for (const field of NOT_WITH_CLOSED) {
      if (body[field] !== undefined) errors.push({ field, message: 'cannot be supplied with status CLOSED' });
    }
  }
  if (body.threeDSecurePassword !== undefined && Object.keys(body).length > 1) {
    errors.push({ field: 'threeDSecurePassword', message: 'must be sent on its own' });
  }
  if (errors.length > 0) throw invalid(...errors);

  const { maxSpendPerTransaction, maxSpendPerDay, ...rest } = body;
  const exact = (value: number | null) => (value === null ? null : BigInt(value));
  return {
    ...rest,
    ...(maxSpendPerTransaction === undefined ? {} : { maxSpendPerTransaction: exact(maxSpendPerTransaction) }),
    ...(maxSpendPerDay === undefined ? {} : { maxSpendPerDay: exact(maxSpendPerDay) }),
  };
}

export type WireCard = Static<typeof CardSchema>;

/** Limits came as JSON numbers, so they fit into one. */
const wire = (value: bigint | null): number | null => (value === null ? null : Number(value));

export function renderCard(card: Card): WireCard {
  const { details } = card;
  const program = findProgram(card.program);
  return {
    id: card.id,
    customerId: card.customerId,
    platformCardId: card.platformCardId,
    status: card.status,
    ...(card.statusReason === null ? {} : { statusReason: card.statusReason }),
    ...(details === null ? {} : { brand: details.brand }),
    form: card.form,
    ...(card.pinStatus === null ? {} : { pinStatus: card.pinStatus }),
    ...(details === null ? {} : { last4: details.last4, expMonth: details.expMonth, expYear: details.expYear }),
    fundingSource: card.fundingAccountId,
    ...(program === undefined ? {} : { cardCapabilities: program.capabilities }),
    maxSpendPerTransaction: wire(card.maxSpendPerTransaction),
    maxSpendPerDay: wire(card.maxSpendPerDay),
    maxTransactionsPerDay: card.maxTransactionsPerDay,
    currency: card.currency,
    ...(details === null ? {} : { processorRef: details.processorRef, issuerRef: details.issuerRef }),
    createdAt: card.createdAt.toISOString(),
    updatedAt: card.updatedAt.toISOString(),
  };
}

// ---- details, wallets, PIN

export const CardRevealRequest = Closed(
  {
    cssUrl: Type.Optional(NullableString({ format: 'uri', pattern: '^https://[^@]*$', maxLength: 512 })),
  },
  { title: 'CardRevealRequest' },
);
export const CardRevealResponse = Type.Object(
  { panEmbedUrl: Type.String({ format: 'uri', 'x-secret': true }), expiresAt: Timestamp() },
  { title: 'CardRevealResponse' },
);

const MAX_WALLET_TEXT = 16_384;
const text = () => Type.String({ minLength: 1, maxLength: MAX_WALLET_TEXT });
const UUID = '^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$';
const [APPLE_PAY, GOOGLE_PAY, SAMSUNG_PAY] = DIGITAL_WALLETS;

export const CardTokenizationRequest = OneOf<TokenizationRequest>(
  'wallet',
  [
    Closed(
      { wallet: Enum([APPLE_PAY]), certificate: text(), nonce: text(), nonceSignature: text() },
      { title: 'ApplePayTokenizationRequest' },
    ),
    Closed(
      {
        wallet: Enum([GOOGLE_PAY]),
        walletAccountId: text(),
        serverSessionId: Type.String({ format: 'uuid', pattern: UUID }),
        deviceId: Type.Optional(text()),
        opaquePaymentCardRequested: Type.Optional(Type.Boolean({ default: false })),
      },
      { title: 'GooglePayTokenizationRequest' },
    ),
    Closed({ wallet: Enum([SAMSUNG_PAY]), walletAccountId: text(), deviceId: text() }, { title: 'SamsungPayTokenizationRequest' }),
  ],
  { title: 'CardTokenizationRequestOneOf' },
);

export const CardTokenizationResponse = OneOf<TokenizationPayload>(
  'wallet',
  [
    Type.Object(
      {
        wallet: Enum([APPLE_PAY]),
        applePay: Type.Object(
          { activationData: Type.String(), encryptedPassData: Type.String(), ephemeralPublicKey: Type.String() },
          { title: 'CardTokenizationApplePayPayload' },
        ),
      },
      { title: 'ApplePayTokenizationResponse' },
    ),
    Type.Object(
      { wallet: Enum([GOOGLE_PAY]), provisioningPayload: Type.String(), googleAccountPayload: Type.Optional(Type.String()) },
      { title: 'GooglePayTokenizationResponse' },
    ),
    Type.Object({ wallet: Enum([SAMSUNG_PAY]), provisioningPayload: Type.String() }, { title: 'SamsungPayTokenizationResponse' }),
  ],
  { title: 'CardTokenizationResponseOneOf' },
);

export const CardPinSetRequest = Closed(
  {
    encryptedPinBlock: Type.String({
      minLength: 16,
      maxLength: 1024,
      pattern: '^(?:[A-Za-z0-9+/]{4})+(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$',
      description: 'Base64. Encrypted to the issuer; the service cannot open it and does not keep it.',
    }),
  },
  { title: 'CardPinSetRequest' },
);

export const CardPinUrlResponse = Type.Object(
  {
    iframeUrl: Type.String({ format: 'uri', 'x-secret': true }),
    sessionToken: Type.String(),
    expiresAt: Timestamp(),
    environment: Enum(['SANDBOX', 'PRODUCTION'], { title: 'ServiceEnvironment' }),
  },
  { title: 'CardPinUrlResponse' },
);

// ---- sandbox

export const SandboxCardProgram = Type.Object(
  {
    id: Type.String(),
    summary: Type.String(),
    selected: Type.Boolean({ description: 'Cards issued next belong to it.' }),
    decides: Enum(['SERVICE', 'ISSUER'], { description: 'Who decides authorizations.' }),
    currency: Type.String(),
    brand: Enum(CARD_BRANDS),
    fundingCurrencies: Type.Array(Type.String()),
    cardCapabilities: CardCapabilitiesSchema,
    supportsPin: Type.Boolean(),
  },
  { title: 'SandboxCardProgram' },
);
export const SandboxCardProgramList = Type.Object({ data: Type.Array(SandboxCardProgram) }, { title: 'SandboxCardProgramList' });
export const SandboxCardProgramRequest = Closed({ program: Type.String() }, { title: 'SandboxCardProgramRequest' });

export const renderProgram = ({ capabilities, ...program }: CardProgram, selected: string) => ({
  ...program,
  cardCapabilities: capabilities,
  selected: program.id === selected,
});

export const PageTokenQuery = Type.Object({ token: Type.String({ maxLength: 4096 }) }, { additionalProperties: false });
export const SandboxPinEntry = Closed(
  { sessionToken: Type.String({ maxLength: 4096 }), pin: Type.String({ pattern: '^[0-9]{4}$', format: 'password' }) },
  { title: 'SandboxPinEntry' },
);
