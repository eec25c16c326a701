// Wire schemas of internal accounts.
import Type, { type TProperties } from 'typebox';
import { Closed, CurrencyAmount, Enum, OneOf, pageOfSchema, ReadOnly, Timestamp } from '../../../http/schemas.js';
import { renderMoney } from '../../../kernel/money.js';
import { FixedFee, PaymentRail } from '../../core/platform/schemas.js';
import {
  type CardCapabilitiesFor,
  canFundCards,
  INTERNAL_ACCOUNT_STATUSES,
  INTERNAL_ACCOUNT_TYPES,
  type InternalAccount,
  type SweepRule,
} from './internal-account.js';

export const InternalAccountTypeSchema = Enum(INTERNAL_ACCOUNT_TYPES, { title: 'InternalAccountType' });

// ---- how to pay in

const info = (title: string, accountType: string, fields: TProperties) =>
  Type.Object({ accountType: Enum([accountType]), ...fields }, { title });
const rails = (...values: string[]) => Type.Array(Enum(values));
const chainAddress = Type.String({ description: 'Address on the chain.' });
const wallet = (title: string, accountType: string) =>
  info(title, accountType, { address: chainAddress, assetType: Type.Optional(Type.String()) });
const text = Type.String();

export const PaymentInstructions = Type.Object(
  {
    instructionsNotes: Type.Optional(Type.String()),
    isPlatformAccount: Type.Optional(Type.Boolean()),
    accountOrWalletInfo: OneOf<unknown>('accountType', [
      info('PaymentUsdAccountInfo', 'USD_ACCOUNT', {
        accountNumber: text,
        routingNumber: text,
        bankName: text,
        bankAccountType: Enum(['CHECKING', 'SAVINGS']),
        paymentRails: rails('ACH', 'ACH_SAME_DAY', 'WIRE', 'RTP', 'FEDNOW'),
        reference: text,
      }),
      info('PaymentEurAccountInfo', 'EUR_ACCOUNT', {
        iban: text,
        swiftCode: text,
        paymentRails: rails('SEPA', 'SEPA_INSTANT'),
        reference: text,
      }),
      info('PaymentSwiftAccountInfo', 'SWIFT_ACCOUNT', {
        country: text,
        swiftCode: text,
        bankName: text,
        accountNumber: text,
        accountHolderName: text,
        paymentRails: rails('SWIFT'),
        reference: text,
      }),
      info('PaymentMxnAccountInfo', 'MXN_ACCOUNT', { clabeNumber: text, paymentRails: rails('SPEI'), reference: text }),
      info('PaymentBrlAccountInfo', 'BRL_ACCOUNT', { qrCode: text }),
      info('PaymentCopAccountInfo', 'COP_ACCOUNT', { paymentUrl: Type.String({ format: 'uri' }) }),
      info('PaymentArsAccountInfo', 'ARS_ACCOUNT', { accountNumber: text }),
      info('PaymentSparkWalletInfo', 'SPARK_WALLET', { address: chainAddress, assetType: text }),
      info('PaymentBitcoinDepositAddressInfo', 'BITCOIN_L1', { address: chainAddress, network: Enum(['BITCOIN']) }),
      wallet('PaymentSolanaWalletInfo', 'SOLANA_WALLET'),
      wallet('PaymentEthereumWalletInfo', 'ETHEREUM_WALLET'),
      wallet('PaymentBaseWalletInfo', 'BASE_WALLET'),
      wallet('PaymentPolygonWalletInfo', 'POLYGON_WALLET'),
      wallet('PaymentTronWalletInfo', 'TRON_WALLET'),
      wallet('PaymentArbitrumWalletInfo', 'ARBITRUM_WALLET'),
      wallet('PaymentPlasmaWalletInfo', 'PLASMA_WALLET'),
      info('PaymentEmbeddedWalletInfo', 'EMBEDDED_WALLET', { payloadToSign: text }),
    ]),
  },
  { title: 'PaymentInstructions' },
);

// ---- sweep rules

export const PurposeOfPayment = Enum(
  [
    'GIFT',
    'SELF',
    'GOODS_OR_SERVICES',
    'EDUCATION',
    'HEALTH_OR_MEDICAL',
    'REAL_ESTATE_PURCHASE',
    'TAX_PAYMENT',
    'LOAN_PAYMENT',
    'UTILITY_BILL',
    'DONATION',
    'TRAVEL',
    'FAMILY_SUPPORT',
    'SALARY_PAYMENT',
    'EXPORTED_GOODS_PREPAYMENT',
    'EXPORTED_GOODS_POSTPAYMENT',
    'SERVICE_CHARGES',
    'OFFICE_EXPENSES',
    'DELIVERY_FEES',
    'HOTEL_ACCOMMODATION',
    'COMMISSION_ON_GOODS',
    'COMMISSION_ON_SERVICES',
    'ACCOUNTING_SERVICES',
    'EXHIBITION_SERVICES',
    'OTHER',
  ],
  { title: 'PurposeOfPayment' },
);

/** Replaces the platform's configured fees for one payment. */
export const PlatformFeeOverride = Closed(
  { platformFixedFee: FixedFee, platformVariableFeeBps: Type.Integer({ minimum: 0, maximum: 10_000 }) },
  { title: 'PlatformFeeOverride' },
);

const sweepDestination = { accountId: Type.String(), paymentRail: Type.Optional(PaymentRail) };
const sweepRule = {
  purposeOfPayment: Type.Optional(PurposeOfPayment),
  description: Type.Optional(Type.String({ maxLength: 255 })),
  remittanceInformation: Type.Optional(Type.String({ maxLength: 1024 })),
  platformFeeOverride: Type.Optional(PlatformFeeOverride),
};

// ---- accounts

export const CardCapabilities = Type.Object(
  {
    supportsSpendLimits: Type.Boolean(),
    supportsSpendLimitsAtIssuance: Type.Boolean(),
    supportsTransactionCountLimit: Type.Boolean(),
    supports3dSecurePassword: Type.Boolean(),
    supportsPanReveal: Type.Boolean(),
    supportsDigitalWalletTokenization: Type.Boolean(),
  },
  { title: 'CardCapabilities' },
);

export const InternalAccountCreateRequest = Closed(
  {
    type: InternalAccountTypeSchema,
    currency: Type.String(),
    customerId: Type.Optional(Type.String()),
    onBehalfOfCustomerId: Type.Optional(Type.String()),
    label: Type.Optional(Type.String({ maxLength: 255 })),
    sweepRule: Type.Optional(
      Closed(
        { destination: Closed(sweepDestination, { title: 'SweepRuleDestinationRequest' }), ...sweepRule },
        { title: 'SweepRuleRequest' },
      ),
    ),
  },
  { title: 'InternalAccountCreateRequest' },
);

export const SandboxFundRequest = Closed(
  {
    amount: Type.Integer({ format: 'int64', exclusiveMinimum: 0, maximum: 100_000_000_000 }),
    remittanceInformation: Type.Optional(Type.String({ maxLength: 80, pattern: '^[ -~]*$' })),
    description: Type.Optional(Type.String({ maxLength: 1024 })),
  },
  { title: 'SandboxFundRequest' },
);

export const InternalAccountSchema = Type.Object(
  {
    id: ReadOnly(Type.String()),
    customerId: Type.Optional(Type.String()),
    type: InternalAccountTypeSchema,
    status: ReadOnly(Enum(INTERNAL_ACCOUNT_STATUSES, { title: 'InternalAccountStatus' })),
    balance: ReadOnly(CurrencyAmount),
    totalBalance: ReadOnly(CurrencyAmount),
    fundingPaymentInstructions: ReadOnly(Type.Array(PaymentInstructions)),
    onBehalfOfCustomerId: Type.Optional(Type.String()),
    label: Type.Optional(Type.String({ maxLength: 255 })),
    sweepRule: Type.Optional(
      Type.Object(
        {
          destination: Type.Object(sweepDestination, { title: 'SweepRuleDestination' }),
          minimumAmount: Type.Optional(ReadOnly(CurrencyAmount)),
          maximumAmount: Type.Optional(ReadOnly(CurrencyAmount)),
          ...sweepRule,
        },
        { title: 'SweepRule' },
      ),
    ),
    privateEnabled: Type.Optional(Type.Boolean()),
    cardCapabilities: Type.Optional(ReadOnly(CardCapabilities)),
    createdAt: ReadOnly(Timestamp()),
    updatedAt: ReadOnly(Timestamp()),
  },
  { title: 'InternalAccount' },
);

const AmountOwed = Type.Object(CurrencyAmount.properties, {
  title: 'AmountOwed',
  description:
    'What the holder owes because the account could not pay a card purchase, a reversed return or a lost dispute. Money that arrives pays it first, and as much of `balance` cannot be spent. Absent when nothing is owed.',
});

/** An extension: the specification has neither an operation for one account nor a field for what its holder owes. */
export const InternalAccountDetails = Type.Object(
  { ...InternalAccountSchema.properties, amountOwed: Type.Optional(ReadOnly(AmountOwed)) },
  { title: 'InternalAccountDetails' },
);

export const InternalAccountListResponse = pageOfSchema(InternalAccountSchema, 'InternalAccountListResponse');
export const PlatformInternalAccountListResponse = Type.Object(
  { data: Type.Array(InternalAccountSchema) },
  { title: 'PlatformInternalAccountListResponse' },
);

const renderSweepRule = ({ minimumAmount, maximumAmount, ...rule }: SweepRule, currency: string) => ({
  ...rule,
  minimumAmount: renderMoney(minimumAmount, currency),
  maximumAmount: renderMoney(maximumAmount, currency),
});

/** Capabilities are shown if a card can be issued on the account now. */
const showsCapabilities = (account: InternalAccount): boolean =>
  account.customerId !== null && (account.type === 'INTERNAL_FIAT' || account.type === 'EMBEDDED_WALLET') && canFundCards(account);

/** Runs for every payment, so it only reads members and does no I/O. */
export function renderInternalAccount(account: InternalAccount, cardCapabilitiesFor: CardCapabilitiesFor) {
  const cardCapabilities = showsCapabilities(account) ? cardCapabilitiesFor(account.currency, account.cardProgram) : undefined;
  return {
    id: account.id,
    ...(account.customerId === null ? {} : { customerId: account.customerId }),
    type: account.type,
    status: account.status,
    balance: renderMoney(account.available, account.currency),
    totalBalance: renderMoney(account.total, account.currency),
    fundingPaymentInstructions: account.fundingInstructions,
    ...(account.onBehalfOfCustomerId === null ? {} : { onBehalfOfCustomerId: account.onBehalfOfCustomerId }),
    ...(account.label === null ? {} : { label: account.label }),
    ...(account.sweepRule === null ? {} : { sweepRule: renderSweepRule(account.sweepRule, account.currency) }),
    ...(account.privateEnabled === null ? {} : { privateEnabled: account.privateEnabled }),
    ...(cardCapabilities === undefined ? {} : { cardCapabilities }),
    createdAt: account.createdAt.toISOString(),
    updatedAt: account.updatedAt.toISOString(),
  };
}

export const renderInternalAccountDetails = (account: InternalAccount, cardCapabilitiesFor: CardCapabilitiesFor) => ({
  ...renderInternalAccount(account, cardCapabilitiesFor),
  ...(account.owed === 0n ? {} : { amountOwed: renderMoney(account.owed, account.currency) }),
});
