// Policies, their change into another currency, usage and device codes, without a database.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Agent, DeviceCodeState, PolicyForm, PolicyPatch, Usage } from '../../../../src/domains/agents/agents/agent.js';
import {
  accountsNamedBy,
  CODE_ALPHABET,
  CODE_LENGTH,
  CODE_LIFE_MS,
  changeAgent,
  checkPolicy,
  codeOf,
  countExecution,
  countedIn,
  mergePolicy,
  readCode,
  readPolicy,
  recast,
  refuseConnected,
  refuseSpentCode,
  resetsAfter,
  tidyPolicy,
  usageAt,
} from '../../../../src/domains/agents/agents/rules.js';
import { fraction } from '../../../../src/kernel/fraction.js';
import type { InternalAccountId } from '../../../../src/kernel/ids.js';
import { MAX_AMOUNT } from '../../../../src/kernel/money.js';
import { answerOf, fieldsOf } from '../../../support/refusal.js';

const OWN: InternalAccountId = 'InternalAccount:01950000-0000-7000-8000-000000000001';
const ALSO_OWN: InternalAccountId = 'InternalAccount:01950000-0000-7000-8000-000000000002';
const FOREIGN = 'InternalAccount:01950000-0000-7000-8000-000000000003';
const BANK = 'ExternalAccount:01950000-0000-7000-8000-000000000004';
const MOST = Number(MAX_AMOUNT);

const BARE: PolicyForm = {
  permissions: ['EXECUTE_QUOTES'],
  defaultExecutionMode: 'AUTO',
  spendingLimits: { currency: 'USD', perTransactionLimit: 100 },
};

/** 17.25 MXN and 1450 RWF, which has no decimals, for one dollar; 1:1 for USDC, which has six; and nothing else. */
const RATES: Readonly<Record<string, ReturnType<typeof fraction>>> = {
  'USD MXN': fraction(1725n, 100n),
  'MXN USD': fraction(100n, 1725n),
  'USD RWF': fraction(1450n),
  'USD USDC': fraction(1n),
  'USDC USD': fraction(1n),
};
const market = { rateOf: (sending: string, receiving: string) => RATES[`${sending} ${receiving}`] };

describe('a policy is valid as a whole', () => {
  const own = new Set([OWN, ALSO_OWN]);
  const check = (fields: Partial<PolicyForm>, prefix?: string) => () => checkPolicy({ ...BARE, ...fields }, own, prefix);

  test('with limits alone, and with everything that may be set', () => {
    check({})();
    check({ accountRestrictions: {}, approvalThresholds: {} })();
    check({ accountRestrictions: { allowedAccountIds: null }, approvalThresholds: { amount: null } })();
    check({ approvalThresholds: { currency: 'EUR' } })();
    check({
      accountRestrictions: { allowedAccountIds: [OWN, ALSO_OWN], accountRules: [{ accountId: ALSO_OWN }, { accountId: OWN }] },
      approvalThresholds: { currency: 'MXN', amount: 0 },
    })();
  });

  test('the currency of the limits and of the threshold is one of the service', () => {
    assert.deepEqual(fieldsOf(check({ spendingLimits: { currency: 'XXX', perTransactionLimit: 1 } })), ['spendingLimits.currency']);
    assert.deepEqual(fieldsOf(check({ approvalThresholds: { currency: 'XXX', amount: 1 } })), ['approvalThresholds.currency']);
    assert.deepEqual(fieldsOf(check({ approvalThresholds: { currency: 'XXX' } })), ['approvalThresholds.currency']);
  });

  test('"currency is required whenever amount is set", also for a threshold of 0', () => {
    for (const amount of [0, 1]) assert.deepEqual(fieldsOf(check({ approvalThresholds: { amount } })), ['approvalThresholds.currency']);
  });

  test('each account is an internal account of the customer, once in its list', () => {
    const named = (ids: string[]) => fieldsOf(check({ accountRestrictions: { allowedAccountIds: ids } }));
    const ruled = (ids: string[]) => fieldsOf(check({ accountRestrictions: { accountRules: ids.map((accountId) => ({ accountId })) } }));
    for (const bad of [FOREIGN, BANK, 'x', OWN.slice('InternalAccount:'.length)]) {
      assert.deepEqual(named([OWN, bad]), ['accountRestrictions.allowedAccountIds.1'], bad);
      assert.deepEqual(ruled([OWN, bad]), ['accountRestrictions.accountRules.1.accountId'], bad);
    }
    assert.deepEqual(named([OWN, ALSO_OWN, OWN]), ['accountRestrictions.allowedAccountIds.2']);
    assert.deepEqual(ruled([OWN, OWN]), ['accountRestrictions.accountRules.1.accountId']);
  });

  test('every bad field is named in one answer, below the member that holds the policy', () => {
    assert.deepEqual(
      fieldsOf(
        check(
          {
            spendingLimits: { currency: 'XXX', perTransactionLimit: 1 },
            accountRestrictions: { allowedAccountIds: [BANK], accountRules: [{ accountId: FOREIGN }] },
            approvalThresholds: { amount: 5 },
          },
          'policy.',
        ),
      ),
      [
        'policy.spendingLimits.currency',
        'policy.accountRestrictions.allowedAccountIds.0',
        'policy.accountRestrictions.accountRules.0.accountId',
        'policy.approvalThresholds.currency',
      ],
    );
  });

  test('the accounts to look up are those that both lists name, as far as they are ids of internal accounts', () => {
    assert.deepEqual(accountsNamedBy({}), []);
    assert.deepEqual(accountsNamedBy({ accountRestrictions: {} }), []);
    assert.deepEqual(
      accountsNamedBy({ accountRestrictions: { allowedAccountIds: [OWN, BANK, 'x'], accountRules: [{ accountId: ALSO_OWN }] } }),
      [OWN, ALSO_OWN],
    );
    assert.deepEqual(accountsNamedBy({ accountRestrictions: { allowedAccountIds: null, accountRules: [{ accountId: OWN }] } }), [OWN]);
  });
});

const FULL: PolicyForm = {
  permissions: ['EXECUTE_QUOTES', 'CREATE_QUOTES'],
  defaultExecutionMode: 'APPROVAL_REQUIRED',
  spendingLimits: { currency: 'USD', perTransactionLimit: 100, dailyLimit: 200, dailyTransactionLimit: 3, monthlyLimit: 400 },
  accountRestrictions: {
    allowedAccountIds: [OWN, ALSO_OWN],
    accountRules: [{ accountId: OWN, executionMode: 'AUTO', perTransactionLimit: 50 }],
  },
  approvalThresholds: { currency: 'EUR', amount: 70 },
};

describe('"updateAgentPolicy merges: an omitted field keeps its value"', () => {
  const merged = (patch: PolicyPatch) => mergePolicy(FULL, patch);

  test('an empty change changes nothing', () => assert.deepEqual(merged({}), FULL));
  test('permissions are replaced whole, the mode as well', () => {
    assert.deepEqual(merged({ permissions: [] }), { ...FULL, permissions: [] });
    assert.deepEqual(merged({ defaultExecutionMode: 'AUTO' }), { ...FULL, defaultExecutionMode: 'AUTO' });
  });
  test('limits merge field by field, and null clears', () => {
    const { spendingLimits } = merged({ spendingLimits: { dailyLimit: null, monthlyLimit: 9 } });
    assert.deepEqual(spendingLimits, {
      currency: 'USD',
      perTransactionLimit: 100,
      dailyLimit: null,
      dailyTransactionLimit: 3,
      monthlyLimit: 9,
    });
  });
  test('a given list of accounts replaces that list and leaves the other', () => {
    assert.deepEqual(merged({ accountRestrictions: { accountRules: [] } }).accountRestrictions, {
      allowedAccountIds: [OWN, ALSO_OWN],
      accountRules: [],
    });
  });
  test('a threshold merges field by field; "amount: null removes the threshold", its currency as well', () => {
    assert.deepEqual(merged({ approvalThresholds: { amount: 1 } }).approvalThresholds, { currency: 'EUR', amount: 1 });
    assert.deepEqual(merged({ approvalThresholds: { currency: 'USD' } }).approvalThresholds, { currency: 'USD', amount: 70 });
    assert.deepEqual(merged({ approvalThresholds: { amount: null } }).approvalThresholds, {});
    assert.deepEqual(merged({ approvalThresholds: { amount: null, currency: 'USD' } }).approvalThresholds, {});
  });
});

describe('"unset optional fields are left out of answers"', () => {
  test('a policy with everything set is shown whole', () => assert.deepEqual(tidyPolicy(FULL), FULL));
  test('a bare policy is shown bare, whether the rest is absent, null or empty', () => {
    const empty: PolicyForm = {
      ...BARE,
      spendingLimits: { ...BARE.spendingLimits, dailyLimit: null, monthlyLimit: null },
      accountRestrictions: { allowedAccountIds: null, accountRules: [] },
      approvalThresholds: { amount: null },
    };
    for (const policy of [BARE, { ...BARE, accountRestrictions: {}, approvalThresholds: {} }, empty])
      assert.deepEqual(tidyPolicy(policy), BARE);
  });
  test('0 and an empty list of allowed accounts are set', () => {
    const zero: PolicyForm = {
      ...BARE,
      spendingLimits: { currency: 'USD', perTransactionLimit: 0, dailyLimit: 0, dailyTransactionLimit: 0, monthlyLimit: 0 },
      accountRestrictions: { allowedAccountIds: [] },
      approvalThresholds: { currency: 'USD', amount: 0 },
    };
    assert.deepEqual(tidyPolicy(zero), zero);
  });
  test('one part alone is shown alone', () => {
    const ruled = { ...BARE, accountRestrictions: { accountRules: [{ accountId: OWN }] } };
    assert.deepEqual(tidyPolicy(ruled), ruled);
    const inEuro = { ...BARE, approvalThresholds: { currency: 'EUR' } };
    assert.deepEqual(tidyPolicy(inEuro), inEuro);
  });
  test('a rule is shown without what it inherits', () => {
    const rules = [
      { accountId: OWN, perTransactionLimit: null },
      { accountId: ALSO_OWN, executionMode: 'AUTO', perTransactionLimit: 0 },
    ] as const;
    assert.deepEqual(tidyPolicy({ ...BARE, accountRestrictions: { accountRules: rules } }).accountRestrictions, {
      accountRules: [{ accountId: OWN }, { accountId: ALSO_OWN, executionMode: 'AUTO', perTransactionLimit: 0 }],
    });
  });
});

describe('a policy as decisions read it', () => {
  test('everything set', () => {
    assert.deepEqual(readPolicy(FULL), {
      permissions: ['EXECUTE_QUOTES', 'CREATE_QUOTES'],
      mode: 'APPROVAL_REQUIRED',
      currency: 'USD',
      perTransaction: 100n,
      daily: 200n,
      dailyCount: 3,
      monthly: 400n,
      allowed: new Set([OWN, ALSO_OWN]),
      rules: new Map([[OWN, { mode: 'AUTO', perTransaction: 50n }]]),
      threshold: { amount: 70n, currency: 'EUR' },
    });
  });
  test('"null or absent = all accounts", no limit, no threshold', () => {
    const none = { daily: null, dailyCount: null, monthly: null, allowed: null, rules: new Map(), threshold: null };
    const expected = { permissions: ['EXECUTE_QUOTES'], mode: 'AUTO', currency: 'USD', perTransaction: 100n, ...none };
    assert.deepEqual(readPolicy(BARE), expected);
    assert.deepEqual(
      readPolicy({ ...BARE, accountRestrictions: { allowedAccountIds: null }, approvalThresholds: { currency: 'EUR' } }),
      expected,
    );
  });
  test('a rule without a mode or a limit inherits both', () => {
    const { rules } = readPolicy({ ...BARE, accountRestrictions: { accountRules: [{ accountId: OWN, perTransactionLimit: null }] } });
    assert.deepEqual(rules, new Map([[OWN, { mode: null, perTransaction: null }]]));
  });
});

describe('amounts in another currency', () => {
  test('"1001 USD cents at 17.25 MXN are 17268 centavos": rounded up', () => {
    assert.equal(countedIn(market, 1001n, 'USD', 'MXN'), 17_268n);
    assert.equal(countedIn(market, 100n, 'USD', 'MXN'), 1_725n, 'what is exact is not rounded');
  });
  test('the decimals of both currencies are respected', () => {
    assert.equal(countedIn(market, 101n, 'USD', 'RWF'), 1_465n);
    assert.equal(countedIn(market, 1n, 'USD', 'USDC'), 10_000n);
    assert.equal(countedIn(market, 10_001n, 'USDC', 'USD'), 2n);
    assert.equal(countedIn(market, 77n, 'EUR', 'EUR'), 77n, 'the same currency needs no rate');
  });
  test('no rate: QUOTE_RATE_UNAVAILABLE', () => {
    assert.deepEqual(
      answerOf(() => countedIn(market, 1n, 'USD', 'EUR')),
      ['QUOTE_RATE_UNAVAILABLE', undefined],
    );
  });
  test('beyond the largest amount of the API it is above every limit', () => {
    assert.equal(countedIn(market, MAX_AMOUNT, 'USD', 'USDC'), MAX_AMOUNT + 1n);
    assert.equal(countedIn(market, MAX_AMOUNT, 'USD', 'USD'), MAX_AMOUNT);
  });
});

describe('"changing spendingLimits.currency recasts the existing limits into the new currency"', () => {
  const usage: Usage = { day: '2026-06-01', dayCount: 2, daySpend: 101n, monthSpend: 1001n };
  const changed = (patch: PolicyPatch, policy = FULL, used = usage) =>
    recast({ policy, usage: used }, mergePolicy(policy, patch), patch, market);

  test('stored limits are rounded down, account rules too; usage is rounded up; counts and the threshold stay', () => {
    const policy: PolicyForm = {
      ...FULL,
      spendingLimits: { currency: 'USD', perTransactionLimit: 101, dailyLimit: 203, dailyTransactionLimit: 3, monthlyLimit: 405 },
      accountRestrictions: { accountRules: [{ accountId: OWN, perTransactionLimit: 51 }, { accountId: ALSO_OWN }] },
    };
    assert.deepEqual(changed({ spendingLimits: { currency: 'MXN' } }, policy), {
      policy: {
        ...policy,
        spendingLimits: { currency: 'MXN', perTransactionLimit: 1_742, dailyLimit: 3_501, dailyTransactionLimit: 3, monthlyLimit: 6_986 },
        accountRestrictions: { accountRules: [{ accountId: OWN, perTransactionLimit: 879 }, { accountId: ALSO_OWN }] },
      },
      usage: { day: '2026-06-01', dayCount: 2, daySpend: 1_743n, monthSpend: 17_268n },
    });
  });

  test('"amounts given in the same request are taken as they are"', () => {
    const limits = { currency: 'MXN', perTransactionLimit: 1, dailyLimit: 2, monthlyLimit: 3 };
    const accountRules = [{ accountId: OWN, perTransactionLimit: 4 }];
    const { policy } = changed({ spendingLimits: limits, accountRestrictions: { accountRules } });
    assert.deepEqual(policy.spendingLimits, { ...limits, dailyTransactionLimit: 3 });
    assert.deepEqual(policy.accountRestrictions, { allowedAccountIds: [OWN, ALSO_OWN], accountRules });
  });

  test('each amount by itself: one given, the others converted; a cleared limit stays cleared', () => {
    const limits = (given: PolicyPatch['spendingLimits']) =>
      changed({ spendingLimits: { currency: 'MXN', ...given } }).policy.spendingLimits;
    const converted = { currency: 'MXN', perTransactionLimit: 1_725, dailyLimit: 3_450, dailyTransactionLimit: 3, monthlyLimit: 6_900 };
    assert.deepEqual(limits({ perTransactionLimit: 7 }), { ...converted, perTransactionLimit: 7 });
    assert.deepEqual(limits({ dailyLimit: 7 }), { ...converted, dailyLimit: 7 });
    assert.deepEqual(limits({ monthlyLimit: null }), { ...converted, monthlyLimit: null });
  });

  test('what is not limited stays so, and restrictions without rules get none', () => {
    const { policy } = changed({ spendingLimits: { currency: 'MXN' } }, BARE);
    assert.deepEqual(policy.spendingLimits, { currency: 'MXN', perTransactionLimit: 1_725 });
    assert.deepEqual(tidyPolicy(policy).accountRestrictions, undefined);
  });

  test('nothing spent stays nothing, also while there is no rate; one unit spent stays one at least', () => {
    const inPesos: PolicyForm = { ...BARE, spendingLimits: { currency: 'MXN', perTransactionLimit: 100 } };
    const inCents = (daySpend: bigint) => changed({ spendingLimits: { currency: 'USD' } }, inPesos, { ...usage, daySpend }).usage.daySpend;
    assert.deepEqual([0n, 1n, 18n].map(inCents), [0n, 1n, 2n]);
    const unused = { ...usage, daySpend: 0n, monthSpend: 0n };
    const allGiven = { spendingLimits: { currency: 'EUR', perTransactionLimit: 1 } };
    assert.deepEqual(changed(allGiven, BARE, unused).usage, unused);
  });

  test('no rate: QUOTE_RATE_UNAVAILABLE, for a limit and for usage', () => {
    const refused = ['QUOTE_RATE_UNAVAILABLE', undefined];
    assert.deepEqual(
      answerOf(() => changed({ spendingLimits: { currency: 'EUR' } }, BARE, { ...usage, daySpend: 0n, monthSpend: 0n })),
      refused,
    );
    assert.deepEqual(
      answerOf(() => changed({ spendingLimits: { currency: 'EUR', perTransactionLimit: 1 } }, BARE)),
      refused,
    );
  });

  test('amounts stay within what the API can show', () => {
    const policy = { ...BARE, spendingLimits: { currency: 'USD', perTransactionLimit: MOST } };
    const { policy: made, usage: used } = changed({ spendingLimits: { currency: 'USDC' } }, policy, { ...usage, daySpend: MAX_AMOUNT });
    assert.deepEqual([made.spendingLimits.perTransactionLimit, used.daySpend], [MOST, MAX_AMOUNT]);
  });
});

describe('"day = UTC calendar day, month = UTC calendar month"', () => {
  const usage: Usage = { day: '2026-06-30', dayCount: 3, daySpend: 30n, monthSpend: 300n };
  const at = (text: string) => new Date(text);
  const TABLE: readonly [name: string, now: string, expected: Usage][] = [
    ['the last millisecond of the day', '2026-06-30T23:59:59.999Z', usage],
    ['midnight into the next month', '2026-07-01T00:00:00.000Z', { day: '2026-07-01', dayCount: 0, daySpend: 0n, monthSpend: 0n }],
    ['the same month a year later', '2027-06-30T12:00:00.000Z', { day: '2027-06-30', dayCount: 0, daySpend: 0n, monthSpend: 0n }],
    ['another day of the month', '2026-06-12T00:00:00.000Z', { day: '2026-06-12', dayCount: 0, daySpend: 0n, monthSpend: 300n }],
    ['a request of the minute before that had to wait', '2026-06-29T23:59:00.000Z', usage],
    ['more than a minute before', '2026-06-29T23:58:59.999Z', { day: '2026-06-29', dayCount: 0, daySpend: 0n, monthSpend: 300n }],
  ];
  for (const [name, now, expected] of TABLE) test(name, () => assert.deepEqual(usageAt(usage, at(now)), expected));

  test('before the first execution nothing counts', () => {
    const unused: Usage = { day: null, dayCount: 0, daySpend: 0n, monthSpend: 0n };
    assert.deepEqual(usageAt(unused, at('2026-06-30T00:00:00Z')), { ...unused, day: '2026-06-30' });
  });

  test('an execution counts once in the day count, the day spend and the month spend', () => {
    assert.deepEqual(countExecution(usage, 5n, at('2026-06-30T10:00:00Z')), { ...usage, dayCount: 4, daySpend: 35n, monthSpend: 305n });
    assert.deepEqual(countExecution(usage, 5n, at('2026-07-01T00:00:00Z')), {
      day: '2026-07-01',
      dayCount: 1,
      daySpend: 5n,
      monthSpend: 5n,
    });
  });

  test('a request from before midnight that follows one from after it takes nothing back', () => {
    const first: Usage = { day: '2026-07-01', dayCount: 1, daySpend: 30n, monthSpend: 30n };
    const late = countExecution(first, 5n, at('2026-06-30T23:59:59.999Z'));
    assert.deepEqual(late, { day: '2026-07-01', dayCount: 2, daySpend: 35n, monthSpend: 35n });
    assert.deepEqual(usageAt(late, at('2026-07-01T00:00:00.001Z')), late);
  });

  test('the sums stop at the largest amount of the API', () => {
    const full = { ...usage, daySpend: MAX_AMOUNT - 1n, monthSpend: MAX_AMOUNT };
    const { daySpend, monthSpend } = countExecution(full, 1n, at('2026-06-30T10:00:00Z'));
    assert.deepEqual([daySpend, monthSpend], [MAX_AMOUNT, MAX_AMOUNT]);
  });

  test("dailyResetDate is tomorrow's UTC date, monthlyResetMonth is next month", () => {
    assert.deepEqual(resetsAfter(at('2026-06-15T23:59:59.999Z')), { date: '2026-06-16', month: '2026-07' });
    assert.deepEqual(resetsAfter(at('2026-01-31T00:00:00Z')), { date: '2026-02-01', month: '2026-02' });
    assert.deepEqual(resetsAfter(at('2026-12-31T12:00:00Z')), { date: '2027-01-01', month: '2027-01' });
  });
});

describe('a change of an agent', () => {
  const [BEFORE, NOW] = [new Date('2026-06-01T00:00:00Z'), new Date('2026-06-02T00:00:00Z')];
  const agent: Agent = {
    id: 'Agent:1',
    customerId: 'Customer:1',
    name: 'Buyer',
    isPaused: false,
    isConnected: true,
    policy: BARE,
    usage: { day: null, dayCount: 0, daySpend: 0n, monthSpend: 0n },
    createdAt: BEFORE,
    updatedAt: BEFORE,
  };
  test('either field changes alone, with the time of the change', () => {
    assert.deepEqual(changeAgent(agent, { name: 'Payer' }, NOW), { ...agent, name: 'Payer', updatedAt: NOW });
    assert.deepEqual(changeAgent(agent, { isPaused: true }, NOW), { ...agent, isPaused: true, updatedAt: NOW });
  });
  test('setting what already is changes nothing', () => {
    for (const patch of [{}, { name: 'Buyer' }, { isPaused: false }, { name: 'Buyer', isPaused: false }])
      assert.equal(changeAgent(agent, patch, NOW), agent);
  });
  test('a connected agent gets no other device code', () => {
    refuseConnected({ isConnected: false });
    assert.deepEqual(
      answerOf(() => refuseConnected({ isConnected: true })),
      ['CONFLICT', undefined],
    );
  });
});

describe('device codes', () => {
  test('"form AGENT-XXXX-XXXX-XXXX, X from the 30 signs" without 0 O 1 I L U; a code lives 24 hours', () => {
    assert.equal(CODE_ALPHABET, '23456789ABCDEFGHJKMNPQRSTVWXYZ');
    assert.equal(CODE_LENGTH, 12);
    assert.equal(CODE_LIFE_MS, 24 * 60 * 60_000);
    assert.equal(codeOf('23456789ABCD'), 'AGENT-2345-6789-ABCD');
  });
  test('"read case-insensitively"; any other form is no code', () => {
    for (const text of ['AGENT-2345-6789-ABCD', 'agent-2345-6789-abcd', 'Agent-2345-6789-aBcD'])
      assert.equal(readCode(text), 'AGENT-2345-6789-ABCD', text);
    const none = [
      '',
      '2345-6789-ABCD',
      'AGENT-2345-6789',
      'AGENT-2345-6789-ABCD-EFGH',
      'AGENT-2345-6789-ABCDE',
      'AGENT23456789ABCD',
      ' AGENT-2345-6789-ABCD',
      ...[...'0O1ILU'].map((sign) => `AGENT-2345-6789-ABC${sign}`),
    ];
    for (const text of none) assert.equal(readCode(text), undefined, text);
  });

  const EXPIRES = new Date('2026-06-02T00:00:00.000Z');
  const BEFORE = new Date('2026-06-01T23:59:59.999Z');
  const AFTER = new Date('2026-06-02T00:00:00.001Z');
  // Columns: a millisecond before the expiry, at it, a millisecond after it.
  const TABLE: Readonly<Record<DeviceCodeState, readonly (string | undefined)[]>> = {
    OPEN: [undefined, 'EXPIRED', 'EXPIRED'],
    REDEEMED: ['ALREADY_REDEEMED', 'ALREADY_REDEEMED', 'ALREADY_REDEEMED'],
    REPLACED: ['REPLACED', 'REPLACED', 'REPLACED'],
  };
  for (const [state, causes] of Object.entries(TABLE))
    test(`${state} before, at and after its expiry: ${causes.map((cause) => cause ?? 'redeemed').join(', ')}`, () => {
      for (const [i, now] of [BEFORE, EXPIRES, AFTER].entries()) {
        const redeem = () => refuseSpentCode({ state: state as DeviceCodeState, expiresAt: EXPIRES }, now);
        if (causes[i] === undefined) redeem();
        else assert.deepEqual(answerOf(redeem), ['INVALID_INPUT', { cause: causes[i] }]);
      }
    });
});
