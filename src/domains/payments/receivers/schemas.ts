// Look-ups on the wire.
import Type from 'typebox';
import { Closed, Currency } from '../../../http/schemas.js';
import { currencyOf, toWire } from '../../../kernel/money.js';
import { CounterpartyFieldDefinition } from '../../core/platform/schemas.js';
import type { CurrencyPreference, ReceiverFound } from './lookup.js';

const amount = (description: string) => Type.Integer({ format: 'int64', exclusiveMinimum: 0, description });

const CurrencyPreferenceSchema = Type.Object(
  {
    currency: Currency,
    estimatedExchangeRate: Type.Number({
      exclusiveMinimum: 0,
      description: 'Receiving units per sending unit, in whole units, before fees.',
    }),
    exchangeRate: Type.Optional(
      Type.Number({ exclusiveMinimum: 0, description: 'Sending units per receiving unit, in whole units, as a quote shows it.' }),
    ),
    min: amount('The least that the receiver can get, in the smallest unit of this currency.'),
    max: amount('The most that the receiver can get, in the smallest unit of this currency.'),
    minSendingAmount: Type.Optional(
      Type.Integer({
        format: 'int64',
        minimum: 0,
        description: 'The least that can be sent, in the smallest unit of the sending currency.',
      }),
    ),
    maxSendingAmount: Type.Optional(
      Type.Integer({
        format: 'int64',
        minimum: 0,
        description: 'The most that can be sent, in the smallest unit of the sending currency.',
      }),
    ),
  },
  { title: 'CurrencyPreference' },
);

const common = {
  sendingCurrency: Currency,
  supportedCurrencies: Type.Array(CurrencyPreferenceSchema, { description: 'The currencies that the receiver can get.' }),
  requiredPayerDataFields: Type.Optional(
    Type.Array(CounterpartyFieldDefinition, {
      description:
        "What the receiver's provider asks for about the sender. Sent as `senderCustomerInfo` of the quote, or known from the customer.",
    }),
  ),
  lookupId: Type.String({ description: 'Named by quotes to this receiver, for an hour.' }),
};

export const ReceiverUmaLookupResponse = Type.Object(
  { receiverUmaAddress: Type.String({ description: 'The address that was looked up.' }), ...common },
  { title: 'ReceiverUmaLookupResponse' },
);
export const ReceiverExternalAccountLookupResponse = Type.Object(
  { accountId: Type.String({ description: 'The account that was looked up.' }), ...common },
  { title: 'ReceiverExternalAccountLookupResponse' },
);

const text = (description: string) => Type.Optional(Type.String({ maxLength: 255, description }));

export const LookupQuery = Closed({
  senderUmaAddress: text('UMA address of the customer who would pay.'),
  customerId: text('The customer who would pay. Without a customer the platform itself is the sender.'),
  sendingCurrency: text("The currency to pay with. Without it the sender's first currency."),
});

const renderPreference = (preference: CurrencyPreference) => ({
  currency: currencyOf(preference.currency),
  estimatedExchangeRate: Number(preference.estimatedExchangeRate),
  exchangeRate: Number(preference.exchangeRate),
  min: toWire(preference.min),
  max: toWire(preference.max),
  minSendingAmount: toWire(preference.minSending),
  maxSendingAmount: toWire(preference.maxSending),
});

export const renderFound = ({ lookup, sendingCurrency, currencies, payerFields }: ReceiverFound) => ({
  sendingCurrency: currencyOf(sendingCurrency),
  supportedCurrencies: currencies.map(renderPreference),
  requiredPayerDataFields: payerFields,
  lookupId: lookup.id,
});
