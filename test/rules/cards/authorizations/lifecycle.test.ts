// CARD_TRANSACTION_MOVES lists exactly the transitions of the functions: every sequence of events up to a length is tried, each step is
// in the table, and each transition of the table occurs.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type CardTransaction,
  leftToReturn,
  type NetworkHistory,
  OPENING_KINDS,
  type OpeningKind,
  type Pull,
} from '../../../../src/domains/cards/authorizations/card-transaction.js';
import {
  CARD_TRANSACTION_MOVES,
  type CardTransactionEvent,
  type CardTransactionState,
  cancelled,
  clear,
  pullHeld,
  refund,
  release,
  reverse,
  takeBackRefund,
} from '../../../../src/domains/cards/authorizations/lifecycle.js';
import {
  advise,
  decideAfterMessages,
  openedByMessage,
  openTransaction,
  returnOf,
  undoneAfterMessages,
} from '../../../../src/domains/cards/authorizations/rules.js';
import { newId } from '../../../../src/kernel/ids.js';

const NOW = new Date('2026-03-01T12:00:00.000Z');
const LATER = new Date('2026-03-08T12:00:00.000Z');
const LENGTH = 4;
const identity = {
  id: newId('Transaction'),
  cardId: newId('Card'),
  accountId: newId('InternalAccount'),
  customerId: newId('Customer'),
  platformCustomerId: 'ada',
  issuerToken: 'token',
  merchant: { descriptor: 'CORNER SHOP' },
  currency: 'USD',
};
const LIMITS = { maxSpendPerTransaction: null, maxSpendPerDay: null, maxTransactionsPerDay: null };
const NO_HISTORY: NetworkHistory = { advices: 0, advised: 0n, ended: false, reversed: 0n };

/** A transaction and what the service knows about it. */
type World = {
  readonly transaction: CardTransaction;
  readonly returned?: CardTransaction;
  readonly history?: NetworkHistory;
  /** No request has been answered. */
  readonly unrequested: boolean;
};
type Step = {
  readonly event: CardTransactionEvent;
  readonly from?: CardTransaction | undefined;
  readonly to: CardTransaction;
  readonly world: World;
};

const FUNDS = [{ available: 0n }, { available: 100n }];

const requested = (kind: OpeningKind, fromWallet: boolean, pull: Pull, declined?: 'OTHER'): CardTransaction =>
  openTransaction(identity, { kind, amount: 10n, declined, fromWallet, pull, expiresAt: LATER, now: NOW });

function openings(): Step[] {
  const steps: Step[] = [];
  const add = (event: CardTransactionEvent, transaction: CardTransaction, known: Omit<World, 'transaction'>) =>
    steps.push({ event, to: transaction, world: { transaction, ...known } });
  for (const kind of OPENING_KINDS)
    for (const pull of ['PROMPT', 'DELAYED', 'FAILING'] as const)
      for (const fromWallet of [true, false]) add('AUTHORIZATION', requested(kind, fromWallet, pull), { unrequested: false });
  add('AUTHORIZATION', requested('AUTHORIZATION', false, 'PROMPT', 'OTHER'), { unrequested: false });
  for (const funds of FUNDS) {
    const cleared = clear(openedByMessage(identity, 'CLEARING', LATER, NOW), 5n, funds);
    add('CLEARING', cleared, { unrequested: true, history: NO_HISTORY });
    const opened = openedByMessage(identity, 'AUTHORIZATION_ADVICE', LATER, NOW);
    const history = { ...NO_HISTORY, advices: 1, advised: 10n };
    const terms = { amount: 10n, unrequested: true, fromWallet: false, expiresAt: LATER, withdrawable: funds };
    add('ADVICE', advise(opened, terms, history).transaction, { unrequested: true, history });
  }
  return steps;
}

function nextSteps(world: World): Step[] {
  const { transaction: before, returned, history, unrequested } = world;
  const steps: Step[] = [];
  const add = (event: CardTransactionEvent, transaction: CardTransaction, known: Partial<World> = {}) =>
    steps.push({ event, from: before, to: transaction, world: { ...world, ...known, transaction } });
  const recorded = history ?? NO_HISTORY;
  for (const withdrawable of FUNDS) {
    for (const amount of [5n, 10n]) add('CLEARING', clear(before, amount, withdrawable), { history: recorded });
    for (const amount of [5n, 20n]) {
      const advised = { ...recorded, advices: recorded.advices + 1, advised: amount };
      const terms = { amount, unrequested, fromWallet: false, expiresAt: LATER, withdrawable };
      add('ADVICE', advise(before, terms, advised).transaction, { history: advised });
    }
    if (unrequested && history)
      for (const kind of OPENING_KINDS)
        for (const forced of ['OTHER', undefined] as const) {
          if (before.direction === 'DEBIT' && kind.includes('CREDIT') && (history.advices > 0 || before.refunded > 0n)) continue;
          const facts = {
            card: { status: 'ACTIVE', currency: 'USD', network: null, expiry: null, ...LIMITS } as const,
            limits: LIMITS,
            today: { spent: 0n, count: 0 },
            source: { status: 'ACTIVE', available: 100n, usable: true },
            now: NOW,
          };
          const terms = { before, history, disputed: false, withdrawable, fromWallet: false, expiresAt: LATER };
          const request = { kind, amount: 10n, currency: 'USD', forced };
          const decided = decideAfterMessages(request, { ...facts, ...terms }).transaction;
          add('AUTHORIZATION', decided, { unrequested: false });
          const undone = decided.declinedReason === null ? undoneAfterMessages(before, decided, 10n, history) : undefined;
          if (undone)
            steps.push({ event: 'LATE_DECISION', from: decided, to: undone, world: { ...world, transaction: undone, unrequested: false } });
        }
    if (returned?.status === 'SETTLED') {
      const after = takeBackRefund(before, returned, withdrawable);
      add('RETURN_REVERSAL', after.purchase, { returned: after.returned, history: recorded });
      steps.push({ event: 'RETURN_REVERSAL', from: returned, to: after.returned, world });
    }
  }
  for (const amount of [undefined, 3n, 10n]) {
    const reversed = { ...recorded, ended: recorded.ended || amount === undefined, reversed: recorded.reversed + (amount ?? 0n) };
    add('REVERSAL', reverse(before, amount), { history: reversed });
  }
  add('EXPIRY', release(before), { history: { ...recorded, ended: true } });
  // By the clock or the close of the card, without a network message.
  add('EXPIRY', release(before));
  if (before.pullDueAt !== null) add('PULL', pullHeld(before));
  if (leftToReturn(before, 0n) >= 5n && !returned) {
    const opened = returnOf(before, { id: newId('Transaction'), issuerToken: 'return' }, 5n, NOW);
    add('RETURN', refund(before, 5n), { returned: opened, history: recorded });
    steps.push({ event: 'RETURN', to: opened, world });
  }
  // Only an issuer's request has a deadline, and its money is always pulled promptly.
  if (!history && before.declinedReason === null && before.pull === 'PROMPT') add('LATE_DECISION', cancelled(before));
  return steps;
}

const text = (value: unknown): string =>
  JSON.stringify(value, (key, member) => (typeof member === 'bigint' ? Number(member) : key === 'id' ? undefined : member));

test('the table of transitions lists exactly the transitions of the functions', () => {
  const observed = new Map<CardTransactionState, Map<CardTransactionEvent, Set<string>>>();
  const seen = new Set<string>();
  let worlds: World[] = [];
  const take = (steps: readonly Step[]) => {
    for (const { event, from, to, world } of steps) {
      if (from === undefined || text(from) !== text(to)) {
        const events = observed.get(from?.status ?? 'NEW') ?? new Map<CardTransactionEvent, Set<string>>();
        observed.set(from?.status ?? 'NEW', events.set(event, (events.get(event) ?? new Set()).add(to.status)));
      }
      const key = text(world);
      if (!seen.has(key)) worlds.push(world);
      seen.add(key);
    }
  };
  take(openings());
  for (let length = 1; length < LENGTH; length += 1) {
    const known = worlds;
    worlds = [];
    for (const world of known) take(nextSteps(world));
  }
  const rows = (state: string, event: string, statuses: Iterable<string>) => [...statuses].map((to) => `${state} ${event} ${to}`);
  const happened = [...observed].flatMap(([state, events]) => [...events].flatMap(([event, to]) => rows(state, event, to)));
  const drawn = Object.entries(CARD_TRANSACTION_MOVES).flatMap(([state, events]) =>
    Object.entries(events).flatMap(([event, to]) => rows(state, event, to)),
  );
  assert.deepEqual(happened.sort(), drawn.sort());
});
