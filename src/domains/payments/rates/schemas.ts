// Exchange rates on the wire.
import Type from 'typebox';
import { Closed, Currency, NullableString, Timestamp } from '../../../http/schemas.js';
import { toWire } from '../../../kernel/money.js';
import { PaymentRail } from '../../core/platform/schemas.js';
import type { WithdrawalFee } from './rules.js';

const money = (options: Record<string, unknown> = {}) => Type.Integer({ format: 'int64', minimum: 0, ...options });

export const ExchangeRateQuery = Closed({
  sourceCurrency: Type.Optional(Type.String({ maxLength: 16 })),
  destinationCurrency: Type.Optional(Type.Array(Type.String({ maxLength: 16 }), { maxItems: 100 })),
  sendingAmount: Type.Optional(Type.Integer({ format: 'int64', exclusiveMinimum: 0, maximum: 9_000_000_000_000_000, default: 10_000 })),
});

export const ExchangeRateListResponse = Type.Object(
  {
    data: Type.Array(
      Type.Object(
        {
          sourceCurrency: Currency,
          sendingAmount: money(),
          minSendingAmount: money({ description: 'The smallest amount that can be sent in one payment.' }),
          maxSendingAmount: money({ description: 'The largest amount that can be sent in one payment.' }),
          destinationCurrency: Currency,
          destinationPaymentRail: PaymentRail,
          receivingAmount: money({ description: 'What the receiver gets of `sendingAmount`; 0 where no quote could carry the amount.' }),
          exchangeRate: Type.Number({ exclusiveMinimum: 0, description: 'Sending units per receiving unit, in whole units, after fees.' }),
          fees: Type.Object({ fixed: Type.Optional(money()), total: Type.Optional(money()) }, { title: 'ExchangeRateFees' }),
          updatedAt: Timestamp(),
        },
        { title: 'ExchangeRate' },
      ),
    ),
  },
  { title: 'ExchangeRateListResponse' },
);

const perUsd = () =>
  NullableString({ maxLength: 24, description: 'Units for one US dollar, as a decimal. Null: the rate of the sandbox table.' });

export const RateChangeRequest = Closed(
  {
    currency: Type.String({ maxLength: 16 }),
    perUsd: Type.Optional(perUsd()),
    available: Type.Optional(Type.Boolean({ description: 'Without a rate, new quotes are refused and older ones cannot be executed.' })),
  },
  { title: 'SandboxExchangeRateRequest', minProperties: 2 },
);

export const SandboxRate = Type.Object(
  { currency: Type.String(), perUsd: perUsd(), available: Type.Boolean() },
  { title: 'SandboxExchangeRate' },
);

export const WithdrawalFeeRequest = Closed(
  {
    internalAccountId: Type.String({ maxLength: 255 }),
    currency: Type.String({ maxLength: 16 }),
    cryptoNetwork: Type.String({ maxLength: 32 }),
    amount: Type.Integer({ exclusiveMinimum: 0, maximum: Number.MAX_SAFE_INTEGER }),
    destinationAddress: Type.String({ maxLength: 2_000 }),
  },
  { title: 'EstimateCryptoWithdrawalFeeRequest' },
);

export const WithdrawalFeeResponse = Type.Object(
  {
    networkFee: Type.Integer({ description: 'In units of `networkFeeAsset`.' }),
    networkFeeAsset: Type.String(),
    applicationFee: Type.Integer(),
    totalFee: Type.Integer({ description: 'In units of the withdrawn currency.' }),
    netAmount: Type.Integer({ description: 'What arrives at the address.' }),
  },
  { title: 'EstimateCryptoWithdrawalFeeResponse' },
);

export const renderWithdrawalFee = ({ network, total, net }: WithdrawalFee) => ({
  networkFee: toWire(network.amount),
  networkFeeAsset: network.asset,
  applicationFee: 0,
  totalFee: toWire(total),
  netAmount: toWire(net),
});
