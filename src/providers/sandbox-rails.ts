// The sandbox rails. The last three characters of the identifier decide what happens to an order and when; the clock does the rest.
import { type Fraction, fraction } from '../kernel/fraction.js';
import { MINUTE_MS } from '../kernel/time.js';
import type { DebitKind, NetworkFee, OrderKind, RailProvider, ScheduledMessage } from './rails.js';

const LONG_MS = 6 * MINUTE_MS;
const RETURN_MS = MINUTE_MS / 2;
const NO_ANSWER_MS = MINUTE_MS / 2;

type Plan = readonly Omit<ScheduledMessage, 'id'>[];

const failed = (reason: string, afterMs = 0): Plan => [{ kind: 'FAILED', reason, afterMs }];
const uncollected = (afterMs = 0): Plan => [{ kind: 'COLLECTION_FAILED', afterMs }];

type Plans = { readonly byEnding: Readonly<Record<string, Plan>>; readonly otherwise: Plan };

const PAYOUTS: Readonly<Record<OrderKind, Plans>> = {
  QUOTE: {
    byEnding: {
      '002': failed('QUOTE_EXECUTION_FAILED'),
      '003': [{ kind: 'SETTLED', afterMs: LONG_MS }],
      '004': failed('ACCOUNT_CANNOT_RECEIVE'),
      '005': [
        { kind: 'SETTLED', afterMs: 0 },
        { kind: 'RETURNED', reason: 'PAYOUT_RETURNED', afterMs: RETURN_MS },
      ],
      '006': [{ kind: 'CANCELLED', afterMs: 0 }],
      '007': failed('QUOTE_EXECUTION_FAILED'),
    },
    otherwise: [{ kind: 'SETTLED', afterMs: 0 }],
  },
  TRANSFER: {
    byEnding: {
      '002': failed('QUOTE_EXECUTION_FAILED'),
      '003': failed('ACCOUNT_INVALID'),
      '004': failed('ACCOUNT_CANNOT_RECEIVE'),
      '005': failed('TIMEOUT', NO_ANSWER_MS),
    },
    otherwise: [
      { kind: 'ACCEPTED', afterMs: 0 },
      { kind: 'SETTLED', afterMs: 0 },
    ],
  },
  FORWARD: {
    byEnding: {
      '002': failed('OFFRAMP_FAILED'),
      '003': failed('OFFRAMP_FAILED'),
      '004': failed('OFFRAMP_FAILED'),
      '007': failed('OFFRAMP_FAILED'),
    },
    otherwise: [{ kind: 'SETTLED', afterMs: 0 }],
  },
};

/** Insufficient funds, a closed account, a rejected debit, no answer. */
const FAILED_DEBITS: Plans['byEnding'] = {
  '002': uncollected(),
  '003': uncollected(),
  '004': uncollected(),
  '005': uncollected(NO_ANSWER_MS),
};
const DEBITS: Readonly<Record<DebitKind, Plans>> = {
  QUOTE: { byEnding: FAILED_DEBITS, otherwise: [{ kind: 'COLLECTED', afterMs: 0 }] },
  TRANSFER: {
    byEnding: FAILED_DEBITS,
    otherwise: [
      { kind: 'ACCEPTED', afterMs: 0 },
      { kind: 'COLLECTED', afterMs: 0 },
    ],
  },
};

const PAID_BACK: Plan = [{ kind: 'REFUND_PAID', afterMs: 0 }];
const LOST_AT_007: Plans = { byEnding: { '007': [{ kind: 'REFUND_FAILED', afterMs: 0 }] }, otherwise: PAID_BACK };
const REFUNDS: Readonly<Record<OrderKind, Plans>> = {
  QUOTE: LOST_AT_007,
  TRANSFER: { byEnding: {}, otherwise: PAID_BACK },
  FORWARD: LOST_AT_007,
};

/** Of `name@domain` the name counts. */
const endingOf = (identifier: string): string => (identifier.split('@')[0] ?? '').slice(-3);

/** A plan sends each kind of message once, so the kind identifies it. */
const messagesOf = ({ byEnding, otherwise }: Plans, identifier: string): ScheduledMessage[] =>
  (byEnding[endingOf(identifier)] ?? otherwise).map((message) => ({ ...message, id: message.kind }));

const fee = (asset: string, amount: bigint, usd: Fraction): NetworkFee => ({ asset, amount, usd });
const CENT = fraction(1n, 100n);

const NETWORK_FEES: Readonly<Record<string, NetworkFee>> = {
  SOLANA: fee('SOL', 5_000n, fraction(1n, 1_000n)),
  ETHEREUM: fee('ETH', 42_000_000_000_000n, fraction(15n, 100n)),
  BASE: fee('ETH', 2_800_000_000_000n, CENT),
  ARBITRUM: fee('ETH', 2_800_000_000_000n, CENT),
  POLYGON: fee('POL', 2_000_000_000_000_000n, CENT),
  PLASMA: fee('XPL', 2_000_000_000_000_000n, CENT),
  TRON: fee('TRX', 1_100_000n, fraction(30n, 100n)),
  SPARK: fee('BTC', 0n, fraction(0n)),
  LIGHTNING: fee('BTC', 10n, fraction(12n, 10_000n)),
  BITCOIN: fee('BTC', 1_000n, fraction(12n, 100n)),
};

/** The end of the file name, before the extension, makes the partner refuse a document. */
const REFUSED_NAME = /ATTACHMENT_FAILED(?:\.[^.]*)?$/;

export const sandboxRails: RailProvider = {
  networkFee: (network) => (Object.hasOwn(NETWORK_FEES, network) ? NETWORK_FEES[network] : undefined),
  submit: async (_tx, { kind, identifier }) => messagesOf(PAYOUTS[kind], identifier),
  attach: async (_tx, { documents }) => !documents.some(({ fileName }) => REFUSED_NAME.test(fileName)),
  collect: async (_tx, { kind, identifier }) => messagesOf(DEBITS[kind], identifier),
  // Orders that have not settled can be stopped; the messages that were due are then without effect.
  cancel: async () => true,
  refund: async (_tx, { kind, identifier }) => messagesOf(REFUNDS[kind], identifier),
};
