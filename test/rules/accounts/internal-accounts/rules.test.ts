// The accounts that are opened for a holder, created on request and closed, and the route of incoming money.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type {
  InternalAccount,
  InternalAccountDraft,
  SweepRule,
} from '../../../../src/domains/accounts/internal-accounts/internal-account.js';
import {
  ACCOUNT_MOVES,
  changedAccounts,
  checkDraft,
  closeEmptyAccounts,
  type DepositFacts,
  decideDeposit,
  isPaid,
  newOwnAccount,
  newRuleBasedAccount,
  type RuleBasedAccountFacts,
} from '../../../../src/domains/accounts/internal-accounts/rules.js';
import { newId, uuidOf } from '../../../../src/kernel/ids.js';
import { refusalBy } from '../../../support/refusal.js';

const NOW = new Date('2026-03-01T12:00:00.000Z');
const OPENED = new Date('2026-02-01T12:00:00.000Z');
const external = newId('ExternalAccount');

const accountOf = (change: Partial<InternalAccount> = {}): InternalAccount => ({
  id: 'InternalAccount:own',
  customerId: 'Customer:1',
  type: 'INTERNAL_FIAT',
  status: 'ACTIVE',
  currency: 'USD',
  available: 0n,
  total: 0n,
  owed: 0n,
  onBehalfOfCustomerId: null,
  label: null,
  sweepRule: null,
  privateEnabled: null,
  fundingInstructions: [],
  cardProgram: 'service_full',
  createdAt: OPENED,
  updatedAt: OPENED,
  ...change,
});

describe('an own account', () => {
  const opened = (currency: string, customerId: InternalAccount['customerId']) =>
    newOwnAccount({ id: 'InternalAccount:own', customerId, currency, fundingInstructions: [], now: NOW });

  test('is a wallet for a customer’s USDB, and by its currency otherwise; the platform has no keys', () => {
    const types = ['USD', 'EUR', 'USDC', 'BTC', 'USDB'].map((currency) => [
      currency,
      opened(currency, 'Customer:1').type,
      opened(currency, null).type,
    ]);
    assert.deepEqual(types, [
      ['USD', 'INTERNAL_FIAT', 'INTERNAL_FIAT'],
      ['EUR', 'INTERNAL_FIAT', 'INTERNAL_FIAT'],
      ['USDC', 'INTERNAL_CRYPTO', 'INTERNAL_CRYPTO'],
      ['BTC', 'INTERNAL_CRYPTO', 'INTERNAL_CRYPTO'],
      ['USDB', 'EMBEDDED_WALLET', 'INTERNAL_CRYPTO'],
    ]);
  });

  test('is active from the start; only a wallet may be private, and is not at first', () => {
    const { available, total, owed, cardProgram, ...bare } = accountOf({ createdAt: NOW, updatedAt: NOW });
    assert.deepEqual(opened('USD', 'Customer:1'), bare);
    assert.equal(opened('USDB', 'Customer:1').privateEnabled, false);
  });
});

type Draft = NonNullable<InternalAccountDraft['sweepRule']>;
const within: Draft = { destination: { accountId: 'InternalAccount:there' } };
const outside: Draft = { destination: { accountId: external, paymentRail: 'ACH' } };
const draft: InternalAccountDraft = { type: 'RULE_BASED', currency: 'USD', sweepRule: within };
const feeIn = (currency: string): Draft => ({
  ...within,
  platformFeeOverride: { platformFixedFee: { amount: 1, currency }, platformVariableFeeBps: 0 },
});

describe('a request to create an account', () => {
  const refused = (change: Partial<InternalAccountDraft>, ruleBasedAccounts = true) =>
    refusalBy(() => checkDraft({ ...draft, ...change }, { ruleBasedAccounts }));

  test('is refused first if rule-based accounts are not enabled for the platform', () => {
    assert.equal(refused({ type: 'INTERNAL_FIAT' }, false), 'FORBIDDEN');
    assert.equal(refused({}, false), 'FORBIDDEN');
  });

  test('is for a RULE_BASED account in USD with a sweep rule; every wrong field is named', () => {
    assert.equal(checkDraft(draft, { ruleBasedAccounts: true }), within);
    assert.equal(refused({ type: 'INTERNAL_FIAT' }), 'INVALID_INPUT type');
    assert.equal(refused({ currency: 'EUR' }), 'INVALID_INPUT currency');
    const { sweepRule: _without, ...bare } = draft;
    assert.equal(
      refusalBy(() => checkDraft(bare, { ruleBasedAccounts: true })),
      'INVALID_INPUT sweepRule',
    );
    assert.equal(
      refusalBy(() => checkDraft({ type: 'EMBEDDED_WALLET', currency: 'USDB' }, { ruleBasedAccounts: true })),
      'INVALID_INPUT type currency sweepRule',
    );
  });

  test('takes a fixed fee in USD only, and a rail only for a destination outside the service', () => {
    assert.deepEqual(
      [refused({ sweepRule: feeIn('USD') }), refused({ sweepRule: feeIn('EUR') })],
      ['allowed', 'INVALID_INPUT sweepRule.platformFeeOverride.platformFixedFee.currency'],
    );
    assert.equal(refused({ sweepRule: outside }), 'allowed');
    assert.equal(
      refused({ sweepRule: { destination: { ...within.destination, paymentRail: 'ACH' } } }),
      'INVALID_INPUT sweepRule.destination.paymentRail',
    );
  });

  test('the refusals name the only values that are taken', () => {
    assert.throws(
      () => checkDraft({ ...draft, type: 'INTERNAL_FIAT', currency: 'EUR', sweepRule: feeIn('EUR') }, { ruleBasedAccounts: true }),
      {
        details: {
          errors: [
            { field: 'type', constraint: { enum: ['RULE_BASED'] }, message: 'only RULE_BASED accounts can be created' },
            { field: 'currency', constraint: { enum: ['USD'] }, message: 'a RULE_BASED account is held in USD' },
            {
              field: 'sweepRule.platformFeeOverride.platformFixedFee.currency',
              constraint: { enum: ['USD'] },
              message: 'must be the currency of the account',
            },
          ],
        },
      },
    );
  });

  test('a sweep is a payment if it leaves the service or the currency', () => {
    assert.deepEqual(
      [isPaid(outside, undefined), isPaid(within, accountOf({ currency: 'EUR' })), isPaid(within, accountOf()), isPaid(within, undefined)],
      [true, true, false, false],
    );
  });
});

describe('a rule-based account', () => {
  const facts: RuleBasedAccountFacts = {
    id: 'InternalAccount:rule',
    customerId: 'Customer:1',
    onBehalfOfCustomerId: 'Customer:2',
    draft,
    sweepRule: { ...within, description: 'rent' },
    destination: accountOf({ id: 'InternalAccount:there' }),
    bounds: undefined,
    own: accountOf(),
    fundingInstructions: [],
    now: NOW,
  };
  const refused = (change: Partial<RuleBasedAccountFacts>) => refusalBy(() => newRuleBasedAccount({ ...facts, ...change }));

  test('sweeps from one cent to ten million dollars, unless the payment has other bounds', () => {
    const { available, total, owed, cardProgram, ...bare } = accountOf({
      id: 'InternalAccount:rule',
      type: 'RULE_BASED',
      onBehalfOfCustomerId: 'Customer:2',
      createdAt: NOW,
      updatedAt: NOW,
    });
    const destination = { accountId: 'InternalAccount:there' } as const;
    const sweepRule = { destination, description: 'rent', minimumAmount: 1n, maximumAmount: 1_000_000_000n };
    assert.deepEqual(newRuleBasedAccount(facts), { ...bare, sweepRule });
    const bounds = { minimumAmount: 100n, maximumAmount: 200n };
    const labelled = { ...facts, draft: { ...draft, label: 'mine' }, bounds };
    assert.deepEqual(newRuleBasedAccount(labelled), { ...bare, label: 'mine', sweepRule: { ...sweepRule, ...bounds } });
  });

  test('goes to an account outside the service by its id, and to one that exists', () => {
    const rule = newRuleBasedAccount({ ...facts, sweepRule: outside, destination: undefined }).sweepRule;
    assert.deepEqual(rule?.destination, { accountId: external, paymentRail: 'ACH' });
    assert.equal(refused({ destination: undefined }), 'ACCOUNT_NOT_FOUND');
  });

  test('needs the holder’s own USD account first, then an active destination that is not rule-based', () => {
    assert.equal(refused({ own: undefined, destination: accountOf({ status: 'CLOSED' }) }), 'INVALID_INPUT customerId');
    const field = 'INVALID_INPUT sweepRule.destination.accountId';
    for (const status of ['PENDING', 'CLOSED', 'FROZEN', 'FAILED'] as const)
      assert.equal(refused({ destination: accountOf({ status }) }), field, status);
    assert.equal(refused({ destination: accountOf({ type: 'RULE_BASED' }) }), field);
  });
});

const rule: SweepRule = { destination: { accountId: 'InternalAccount:there' }, minimumAmount: 10n, maximumAmount: 1_000n };
const ruled = accountOf({ id: 'InternalAccount:rule', type: 'RULE_BASED', sweepRule: rule });
const sweep = {
  own: accountOf(),
  destination: accountOf({ id: 'InternalAccount:there' }),
  fees: accountOf({ id: 'InternalAccount:fees', customerId: null }),
  isHolderReady: true,
};
const withFee = (fixed: number, bps: number): InternalAccount => ({
  ...ruled,
  sweepRule: { ...rule, platformFeeOverride: { platformFixedFee: { amount: fixed, currency: 'USD' }, platformVariableFeeBps: bps } },
});
/** The steps as `from > to amount cause`, and why nothing is swept. */
const routeOf = (facts: Partial<DepositFacts> & { amount: bigint }) => {
  const { steps, unswept, toPay } = decideDeposit({ account: ruled, sweep, ...facts });
  const short = (id = 'outside') => id.replace('InternalAccount:', '');
  const route = steps.map(({ from, to, amount, cause }) => `${short(from)} > ${short(to)} ${amount} ${cause}`);
  return [...route, ...(unswept ? [unswept] : []), ...(toPay === undefined ? [] : [`pay ${toPay}`])];
};

describe('incoming money', () => {
  test('stays on an account without a rule', () => {
    const account = accountOf();
    assert.deepEqual(decideDeposit({ account, amount: 5n, description: 'salary' }), {
      steps: [{ from: undefined, to: account.id, amount: 5n, cause: 'DEPOSIT' }],
      unswept: undefined,
    });
    assert.deepEqual(routeOf({ account, amount: 5n, sweep }), ['outside > own 5 DEPOSIT'], 'accounts of a sweep change nothing');
    assert.deepEqual(decideDeposit({ account: ruled, amount: 5n }).steps.length, 1);
  });

  test('is refused by a closed account, and takes no description of its own on a rule-based one', () => {
    assert.equal(
      refusalBy(() => decideDeposit({ account: { ...ruled, status: 'CLOSED' }, amount: 5n, description: 'x' })),
      'ACCOUNT_NOT_FOUND',
    );
    assert.equal(
      refusalBy(() => decideDeposit({ account: ruled, amount: 5n, description: 'x', sweep })),
      'INVALID_INPUT description',
    );
  });

  test('passes through the holder’s own account to the destination', () => {
    assert.deepEqual(routeOf({ amount: 500n }), ['outside > rule 500 DEPOSIT', 'rule > own 500 SWEEP', 'own > there 500 SWEEP']);
  });

  test('stays with the holder out of the range of the rule, both bounds included', () => {
    const stays = (amount: bigint) => [`outside > rule ${amount} DEPOSIT`, `rule > own ${amount} SWEEP`, 'SWEEP_AMOUNT_OUT_OF_RANGE'];
    for (const amount of [9n, 1_001n]) assert.deepEqual(routeOf({ amount }), stays(amount));
    for (const amount of [10n, 1_000n]) assert.equal(routeOf({ amount }).at(-1), `own > there ${amount} SWEEP`);
  });

  test('stays with the holder if the destination is not active, or the fee would take all of it', () => {
    const closed = { ...sweep, destination: accountOf({ id: 'InternalAccount:there', status: 'CLOSED' }) };
    assert.equal(routeOf({ amount: 500n, sweep: closed }).at(-1), 'SWEEP_QUOTE_FAILED');
    assert.equal(routeOf({ amount: 500n, account: withFee(500, 0) }).at(-1), 'SWEEP_QUOTE_FAILED');
    assert.equal(routeOf({ amount: 500n, account: withFee(499, 0) }).at(-1), 'own > there 1 SWEEP');
  });

  test('stays with a holder who may not pay, and where there is no room; what is brought to an own account is no payment', () => {
    const unready = { ...sweep, isHolderReady: false };
    const stays = ['outside > rule 500 DEPOSIT', 'rule > own 500 SWEEP', 'SWEEP_QUOTE_FAILED'];
    const own = { ...unready, destination: unready.own };
    assert.deepEqual(routeOf({ amount: 500n, sweep: unready }), stays);
    assert.deepEqual(routeOf({ amount: 500n, sweep: own }), stays.slice(0, 2));
    assert.deepEqual(routeOf({ amount: 500n, sweep, isWithoutRoom: true }), stays);
    assert.deepEqual(routeOf({ amount: 500n, sweep: own, isWithoutRoom: true }), stays);
  });

  test('pays the fee before it reaches the holder; the variable part is rounded down', () => {
    assert.deepEqual(routeOf({ amount: 999n, account: withFee(10, 50) }), [
      'outside > rule 999 DEPOSIT',
      'rule > own 985 SWEEP',
      'rule > fees 14 SWEEP_FEE',
      'own > there 985 SWEEP',
    ]);
    assert.deepEqual(routeOf({ amount: 500n, account: withFee(1, 0) }).slice(1, 3), ['rule > own 499 SWEEP', 'rule > fees 1 SWEEP_FEE']);
    assert.equal(routeOf({ amount: 1_000n, account: withFee(0, 50) })[2], 'rule > fees 5 SWEEP_FEE');
    assert.deepEqual(routeOf({ amount: 500n, account: withFee(0, 0) }), routeOf({ amount: 500n }));
  });

  test('leaves the fee with the platform if the platform is the holder', () => {
    const own = { ...sweep, fees: sweep.own };
    assert.deepEqual(routeOf({ amount: 500n, account: withFee(10, 0), sweep: own }), [
      'outside > rule 500 DEPOSIT',
      'rule > own 500 SWEEP',
      'own > there 490 SWEEP',
    ]);
  });

  test('tells what another holder receives, and nothing where the holder stays the same or nothing is swept', () => {
    const receivedBy = (customerId: InternalAccount['customerId'], amount: bigint, own = sweep.own) =>
      decideDeposit({
        account: withFee(10, 0),
        amount,
        sweep: { ...sweep, own, destination: accountOf({ id: 'InternalAccount:there', customerId }) },
      }).steps.find(({ isReceived }) => isReceived)?.amount;
    assert.deepEqual(receivedBy('Customer:2', 500n), 490n);
    assert.deepEqual(receivedBy(null, 500n), 490n);
    assert.equal(receivedBy('Customer:1', 500n), undefined);
    assert.equal(receivedBy('Customer:2', 500n, accountOf({ owed: 490n })), undefined);
    assert.equal(receivedBy('Customer:2', 1_001n), undefined);
    const { steps } = decideDeposit({
      account: ruled,
      amount: 500n,
      sweep: { ...sweep, destination: accountOf({ id: 'InternalAccount:there', customerId: null }) },
    });
    assert.deepEqual(
      steps.map(({ isReceived }) => isReceived),
      [undefined, undefined, true],
    );
  });

  test('pays first what the holder owes; only the rest is swept', () => {
    const owing = (owed: bigint) => routeOf({ amount: 500n, sweep: { ...sweep, own: accountOf({ owed }) } }).slice(2);
    assert.deepEqual([owing(499n), owing(500n), owing(501n)], [['own > there 1 SWEEP'], [], []]);
  });

  test('ends on the holder’s own account if that is the destination', () => {
    assert.deepEqual(routeOf({ amount: 500n, sweep: { ...sweep, destination: sweep.own } }), [
      'outside > rule 500 DEPOSIT',
      'rule > own 500 SWEEP',
    ]);
  });

  test('is paid onwards where the sweep is a payment, which carries its own fees', () => {
    const paid = (owed: bigint) =>
      routeOf({ amount: 500n, account: withFee(10, 0), sweep: { ...sweep, destination: undefined, own: accountOf({ owed }) } });
    const arrived = ['outside > rule 500 DEPOSIT', 'rule > own 500 SWEEP'];
    assert.deepEqual([paid(0n), paid(499n), paid(500n)], [[...arrived, 'pay 500'], [...arrived, 'pay 1'], arrived]);
  });

  test('changes the accounts on which some of it stays', () => {
    const { steps } = decideDeposit({ account: withFee(10, 0), amount: 500n, sweep });
    assert.deepEqual([...changedAccounts(steps)].sort(), ['InternalAccount:fees', 'InternalAccount:there']);
    assert.deepEqual([...changedAccounts([])], []);
    const cent = { from: 'InternalAccount:own', to: 'InternalAccount:there', amount: 1n, cause: 'SWEEP' } as const;
    assert.deepEqual([...changedAccounts([cent])], ['InternalAccount:own', 'InternalAccount:there']);
    const twice = [5n, 1n].map((amount) => ({ from: undefined, to: 'InternalAccount:own', amount, cause: 'DEPOSIT' }) as const);
    assert.deepEqual([...changedAccounts(twice)], ['InternalAccount:own']);
  });
});

describe('closing', () => {
  test('an account is active until its customer is deleted', () => {
    assert.deepEqual(ACCOUNT_MOVES, { ACTIVE: { CUSTOMER_DELETED: 'CLOSED' }, CLOSED: {} });
  });

  test('closes the accounts that hold and owe nothing and never funded a card', () => {
    const [empty, rich, owing, funder, unknown] = Array.from({ length: 5 }, () =>
      accountOf({ id: newId('InternalAccount'), total: 7n }),
    ) as [InternalAccount, InternalAccount, InternalAccount, InternalAccount, InternalAccount];
    const balances = new Map([
      [uuidOf(empty.id), { total: 0n, owed: 0n }],
      [uuidOf(rich.id), { total: 1n, owed: 0n }],
      [uuidOf(owing.id), { total: 0n, owed: 1n }],
      [uuidOf(funder.id), { total: 0n, owed: 0n }],
    ]);
    assert.deepEqual(closeEmptyAccounts([empty, rich, owing, funder, unknown], balances, new Set([funder.id]), NOW), [
      { ...empty, available: 0n, total: 0n, owed: 0n, status: 'CLOSED', updatedAt: NOW },
    ]);
  });
});
