// Wire schemas of platform configuration and API tokens.
import Type from 'typebox';
import { PERMISSIONS } from '../../../http/operation.js';
import { Closed, Enum, NullableInteger, NullableString, OneOf, pageOfSchema, ReadOnly, Timestamp } from '../../../http/schemas.js';
import { lateCheck } from '../../../http/validate.js';
import { type ApiToken, CUSTOMER_INFO_FIELDS, type FeeConfig, type Platform } from './platform.js';
import type { ConfigPatch } from './rules.js';

const CustomerInfoFieldName = Enum(CUSTOMER_INFO_FIELDS, { title: 'CustomerInfoFieldName' });

export const CounterpartyFieldDefinition = Closed(
  { name: CustomerInfoFieldName, mandatory: Type.Boolean() },
  { title: 'CounterpartyFieldDefinition' },
);

const amount = () => Type.Integer({ format: 'int64', minimum: 0, maximum: Number.MAX_SAFE_INTEGER });

const PlatformCurrencyConfig = Closed(
  {
    currencyCode: Type.String(),
    minAmount: amount(),
    maxAmount: amount(),
    requiredCounterpartyFields: Type.Array(CounterpartyFieldDefinition, { maxItems: 50 }),
    providerRequiredCustomerFields: Type.Optional(ReadOnly(Type.Array(CustomerInfoFieldName))),
    providerRequiredCounterpartyCustomerFields: Type.Optional(ReadOnly(Type.Array(CustomerInfoFieldName))),
    enabledTransactionTypes: Type.Array(Enum(['INCOMING', 'OUTGOING'], { title: 'TransactionType' })),
  },
  { title: 'PlatformCurrencyConfig' },
);

const text = (maxLength: number) => Type.Optional(Type.String({ maxLength }));
const email = () => Type.Optional(Type.String({ format: 'email', maxLength: 255 }));

const EmbeddedWalletConfig = Closed(
  {
    appName: text(255),
    otpLength: Type.Optional(Type.Integer({ minimum: 4, maximum: 12 })),
    alphanumeric: Type.Optional(Type.Boolean()),
    expirationSeconds: Type.Optional(Type.Integer({ minimum: 1, maximum: 86_400 })),
    sendFromEmailAddress: email(),
    sendFromEmailSenderName: text(255),
    replyToEmailAddress: email(),
    logoUrl: Type.Optional(Type.String({ format: 'uri', maxLength: 512 })),
  },
  { title: 'EmbeddedWalletConfig' },
);

const CardTokenization2FAConfig = Closed(
  {
    displayName: text(255),
    logoUrl: Type.Optional(Type.String({ format: 'uri', pattern: '^https://', maxLength: 512 })),
    email: Type.Optional(
      Closed(
        { fromAddress: email(), fromName: text(255), replyToAddress: email(), subject: text(255), bodyText: text(2000) },
        { title: 'CardTokenization2FAEmailConfig' },
      ),
    ),
    sms: Type.Optional(Closed({ templateSid: text(64), bodyText: text(480) }, { title: 'CardTokenization2FASmsConfig' })),
  },
  { title: 'CardTokenization2FAConfig' },
);

const spendLimit = () => Type.Optional(NullableInteger({ format: 'int64', minimum: 1, maximum: Number.MAX_SAFE_INTEGER }));

const CardConfig = Closed(
  {
    pinTargetOrigin: Type.Optional(
      NullableString({
        format: 'uri',
        pattern: '^https://(?:[A-Za-z0-9.-]+|\\[[0-9A-Fa-f:.]+\\])(?::[0-9]{1,5})?$',
        maxLength: 255,
      }),
    ),
    maxSpendPerTransaction: spendLimit(),
    maxSpendPerDay: spendLimit(),
    maxTransactionsPerDay: Type.Optional(NullableInteger({ format: 'int32', minimum: 1, maximum: 2_147_483_647 })),
    panRevealCssUrl: Type.Optional(NullableString({ format: 'uri', pattern: '^https://[^@]*$', maxLength: 512 })),
  },
  { title: 'CardConfig' },
);

export const FixedFee = Closed({ amount: amount(), currency: Type.String() }, { title: 'FixedFee' });

const fee = { variableFeeBps: Type.Integer({ minimum: 0, maximum: 10_000 }), fixedFee: FixedFee };

export const PaymentRail = Enum(
  [
    'ACH',
    'ACH_COLOMBIA',
    'ACH_SAME_DAY',
    'BANK_TRANSFER',
    'BRE_B',
    'CIPS',
    'FAST',
    'FASTER_PAYMENTS',
    'FEDNOW',
    'INSTAPAY',
    'MOBILE_MONEY',
    'NEFT',
    'PAYNOW',
    'PESONET',
    'PIX',
    'RTGS',
    'RTP',
    'SEPA',
    'SEPA_INSTANT',
    'SPEI',
    'SWIFT',
    'UNIONPAY',
    'UPI',
    'WIRE',
  ],
  { title: 'PaymentRail' },
);

const FeeConfigOneOf = OneOf<FeeConfig>(
  'feeType',
  [
    Closed(
      { feeType: Enum(['CROSS_CURRENCY_TRANSACTION']), ...fee, sourceCurrency: Type.String() },
      { title: 'CrossCurrencyTransactionFeeConfig' },
    ),
    Closed(
      {
        feeType: Enum(['RAIL']),
        ...fee,
        rail: PaymentRail,
        direction: Enum(['IN', 'OUT'], { title: 'FeeDirection' }),
        originator: Enum(['GRID', 'EXTERNAL'], { title: 'FeeOriginator' }),
      },
      { title: 'RailFeeConfig' },
    ),
  ],
  { title: 'FeeConfigOneOf' },
);

const shared = {
  webhookEndpoint: Type.Optional(Type.String({ maxLength: 2048 })),
  supportedCurrencies: Type.Optional(Type.Array(PlatformCurrencyConfig, { maxItems: 100 })),
  embeddedWalletConfig: Type.Optional(EmbeddedWalletConfig),
  cardTokenization2faConfig: Type.Optional(CardTokenization2FAConfig),
  cardConfigs: Type.Optional(CardConfig),
  feeConfigs: Type.Optional(Type.Array(FeeConfigOneOf, { maxItems: 100 })),
};

const domainName = '[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?';

export const PlatformConfigUpdateRequest = Closed(
  { umaDomain: Type.Optional(Type.String({ pattern: `^${domainName}(\\.${domainName})*$`, maxLength: 200 })), ...shared },
  { title: 'PlatformConfigUpdateRequest' },
);

const checkUpdate = lateCheck(PlatformConfigUpdateRequest);

/** An update that did not come with a request. */
export function parseConfigUpdate(given: unknown): ConfigPatch {
  checkUpdate(given);
  return given as ConfigPatch;
}

export const PlatformConfig = Type.Object(
  {
    id: Type.Optional(ReadOnly(Type.String())),
    umaDomain: Type.Optional(Type.String({ maxLength: 200 })),
    proxyUmaSubdomain: Type.Optional(ReadOnly(Type.String({ maxLength: 200 }))),
    isRegulatedFinancialInstitution: Type.Optional(ReadOnly(Type.Boolean())),
    ...shared,
    createdAt: Type.Optional(ReadOnly(Timestamp())),
    updatedAt: Type.Optional(ReadOnly(Timestamp())),
  },
  { title: 'PlatformConfig' },
);

export const renderPlatformConfig = ({ id, config, webhookEndpoint, createdAt, updatedAt }: Platform) => ({
  id,
  ...config,
  ...(webhookEndpoint === null ? {} : { webhookEndpoint }),
  createdAt: createdAt.toISOString(),
  updatedAt: updatedAt.toISOString(),
});

const Permission = Enum(PERMISSIONS, { title: 'Permission' });

export const ApiTokenCreateRequest = Closed(
  {
    name: Type.String({ minLength: 1, maxLength: 255 }),
    permissions: Type.Array(Permission, { minItems: 1, maxItems: 3, uniqueItems: true }),
  },
  { title: 'ApiTokenCreateRequest' },
);

export const ApiTokenSchema = Type.Object(
  {
    id: ReadOnly(Type.String()),
    name: Type.String(),
    permissions: Type.Array(Permission),
    clientId: ReadOnly(Type.String()),
    clientSecret: Type.Optional(ReadOnly(Type.String({ description: 'Shown once, when the token is created.' }))),
    // Not read-only: whoever asks for an expiry must not get a token without one.
    expiresAt: Type.Optional(Timestamp()),
    createdAt: ReadOnly(Timestamp()),
    updatedAt: ReadOnly(Timestamp()),
  },
  { title: 'ApiToken' },
);

export const TokenListResponse = pageOfSchema(ApiTokenSchema, 'TokenListResponse');

export const renderToken = (token: ApiToken, clientSecret?: string) => ({
  id: token.id,
  name: token.name,
  permissions: token.permissions,
  clientId: token.clientId,
  ...(clientSecret === undefined ? {} : { clientSecret }),
  ...(token.expiresAt ? { expiresAt: token.expiresAt.toISOString() } : {}),
  createdAt: token.createdAt.toISOString(),
  updatedAt: token.updatedAt.toISOString(),
});
