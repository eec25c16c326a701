// Quotes, payments and card transactions, exchange rates, invitations.
import type { Item } from '../api.ts';
import { CREATED, ID, is, OF_CUSTOMER, STATUS, text, to } from './shared.ts';
import type { Action, Resource } from './types.ts';

const ofType =
  (...types: readonly string[]) =>
  (object: Item): boolean =>
    types.includes(text(object, 'type'));
const isCard = ofType('CARD');
const ofCard = (object: Item): readonly string[] => [text(object, 'cardId')];
const amountOf = (object: Item, name: string): string => text((object[name] ?? {}) as Item, 'amount');

/** A message of the card network about the transaction. */
const network = (label: string, operation: string, statuses: readonly string[], amount?: string, leads?: readonly string[]): Action => ({
  operation,
  label,
  ids: ofCard,
  fixed: (object) => ({ cardTransactionId: text(object, 'id') }),
  ...(amount === undefined ? {} : { values: (object) => ({ amount: amountOf(object, amount) }) }),
  when: (object) => isCard(object) && is(...statuses)(object),
  ...(leads && { leads }),
});

const OPEN = ['AUTHORIZED', 'PARTIALLY_SETTLED'];
const MOVED = ['SETTLED', 'PARTIALLY_SETTLED'];
const waits = (object: Item): boolean => !isCard(object) && is('PENDING')(object);
const runs = (object: Item): boolean => !isCard(object) && is('PROCESSING', 'PENDING')(object);

const transactions: Resource = {
  name: 'transactions',
  title: 'Transactions',
  one: 'transaction',
  group: 'Payments',
  kind: 'Transaction',
  list: '/transactions',
  columns: [
    { name: 'sentAmount|receivedAmount|authorizedAmount', label: 'Amount', as: 'money' },
    { name: 'type', label: 'Type' },
    STATUS,
    { name: 'merchant.descriptor|description|pendingReason', label: 'What' },
    { name: 'paymentRail', label: 'Rail' },
    CREATED,
    ID,
  ],
  filters: [
    { name: 'type', label: 'Type', choices: ['INCOMING', 'OUTGOING', 'CARD'] },
    {
      name: 'status',
      label: 'Status of payments',
      choices: ['CREATED', 'PENDING', 'PENDING_AUTHORIZATION', 'PROCESSING', 'COMPLETED', 'REJECTED', 'FAILED', 'REFUNDED', 'EXPIRED'],
    },
    OF_CUSTOMER,
    { name: 'cardId', label: 'Card' },
    { name: 'reference', label: 'Reference' },
  ],
  get: 'getTransactionById',
  titleOf: (object) => (isCard(object) ? 'Card transaction' : `${text(object, 'type') === 'INCOMING' ? 'Incoming' : 'Outgoing'} payment`),
  machine: (object) => (isCard(object) ? 'CardTransactionStatus' : 'TransactionStatus'),
  hasTimeline: true,
  actions: [
    { operation: 'approvePendingPayment', label: 'Approve', when: waits, leads: ['PROCESSING', 'COMPLETED'] },
    { operation: 'rejectPendingPayment', label: 'Reject', when: waits, leads: ['REJECTED'], isDanger: true },
    { operation: 'cancelTransaction', label: 'Cancel payment', when: runs, isDanger: true },
    { operation: 'confirmReceiptDelivery', label: 'Confirm receipt', when: (object) => !isCard(object) && is('COMPLETED')(object) },
    { operation: 'sandboxRailEvent', label: 'Rail event', when: (object) => !isCard(object) && is('COMPLETED', 'PROCESSING')(object) },
    network('Clear', 'sandboxSimulateCardClearing', OPEN, 'authorizedAmount', ['SETTLED', 'PARTIALLY_SETTLED']),
    network('Reverse', 'sandboxSimulateCardAuthorizationReversal', OPEN, 'authorizedAmount', ['VOIDED']),
    network('Expire', 'sandboxSimulateCardAuthorizationExpiry', OPEN),
    network('Advice', 'sandboxSimulateCardAuthorizationAdvice', OPEN, 'authorizedAmount'),
    network('Refund', 'sandboxSimulateCardReturn', MOVED, 'settledAmount'),
    network('Reverse refund', 'sandboxSimulateCardReturnReversal', MOVED),
    network('Open dispute', 'sandboxSimulateCardDisputeOpen', MOVED, 'settledAmount'),
    network('Provisional credit', 'sandboxSimulateCardDisputeProvisionalCredit', MOVED, 'settledAmount'),
    network('Take credit back', 'sandboxSimulateCardDisputeProvisionalCreditReversal', MOVED, 'settledAmount'),
    network('Close dispute', 'sandboxSimulateCardDisputeClose', MOVED),
  ],
  empty: 'Nothing has moved.',
};

const quotes: Resource = {
  name: 'quotes',
  title: 'Quotes',
  one: 'quote',
  group: 'Payments',
  kind: 'Quote',
  key: 'quoteId',
  // The API has no list of quotes. Each quote has a transaction.
  list: '/transactions',
  columns: [
    { name: 'quoteId', label: 'Quote', as: 'mono' },
    { name: 'sentAmount', label: 'Sent', as: 'money' },
    { name: 'receivedAmount', label: 'Received', as: 'money' },
    { name: 'exchangeRate', label: 'Rate', as: 'mono' },
    { name: 'status', label: 'Transaction', as: 'badge' },
    CREATED,
  ],
  filters: [{ name: 'type', label: 'Type', choices: ['INCOMING', 'OUTGOING'] }, OF_CUSTOMER],
  get: 'getQuoteById',
  machine: () => 'QuoteStatus',
  hasTimeline: true,
  create: { operation: 'createQuote', label: 'Create quote', values: () => ({ lockedCurrencyAmount: '10000' }), next: to('quotes') },
  actions: [
    { operation: 'executeQuote', label: 'Execute', when: is('PENDING'), leads: ['PROCESSING'] },
    {
      operation: 'sandboxSend',
      label: 'Send the money',
      when: (object) => is('PENDING', 'PROCESSING')(object) && text((object['source'] ?? {}) as Item, 'sourceType') === 'REALTIME_FUNDING',
      fixed: (object) => ({
        quoteId: text(object, 'id'),
        currencyCode: text((object['sendingCurrency'] ?? {}) as Item, 'code'),
      }),
      ids: () => [],
      ask: ['currencyAmount'],
    },
    { operation: 'authorizeQuote', label: 'Authorize', when: is('PENDING_AUTHORIZATION'), leads: ['PROCESSING'] },
    { operation: 'resendQuoteScaCode', label: 'Send the code again', when: is('PENDING_AUTHORIZATION') },
  ],
  empty: 'No quotes yet.',
};

const exchangeRates: Resource = {
  name: 'exchange-rates',
  title: 'Exchange rates',
  one: 'rate',
  group: 'Payments',
  list: '/exchange-rates',
  columns: [
    { name: 'sourceCurrency.code', label: 'From' },
    { name: 'destinationCurrency.code', label: 'To' },
    { name: 'destinationPaymentRail', label: 'Rail' },
    { name: 'exchangeRate', label: 'Rate', as: 'mono' },
    { name: 'sendingAmount', label: 'Sent', as: 'sending' },
    { name: 'receivingAmount', label: 'Received', as: 'receiving' },
    { name: 'updatedAt', label: 'Of', as: 'time' },
  ],
  filters: [
    { name: 'sourceCurrency', label: 'From' },
    { name: 'destinationCurrency', label: 'To' },
    { name: 'sendingAmount', label: 'Amount' },
  ],
  create: { operation: 'sandboxUpdateExchangeRate', label: 'Set a rate' },
  empty: 'No pair of these currencies has a rate.',
};

const invitations: Resource = {
  name: 'invitations',
  title: 'Invitations',
  one: 'invitation',
  group: 'Payments',
  key: 'code',
  columns: [],
  get: 'getInvitation',
  titleOf: (object) => `Invitation ${text(object, 'code')}`,
  machine: () => 'UmaInvitationStatus',
  create: { operation: 'createInvitation', label: 'Invite', next: (answer) => `/invitations/${text(answer, 'code')}` },
  actions: [
    { operation: 'claimInvitation', label: 'Claim', when: is('PENDING'), leads: ['CLAIMED'] },
    { operation: 'cancelInvitation', label: 'Cancel invitation', when: is('PENDING'), leads: ['CANCELLED'], isDanger: true },
  ],
  empty: 'An invitation is opened by its code.',
};

export const PAYMENTS: readonly Resource[] = [quotes, transactions, exchangeRates, invitations];
