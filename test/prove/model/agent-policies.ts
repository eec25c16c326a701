// Random policies of agents, and changes of them.
import { OPEN_POLICY } from '../../support/agents.js';
import type { Random } from '../random.js';
import { type Account, MOVING, PERMISSIONS, type Policy, type PolicyPatch, shownPolicy } from './agent-model.js';

type Accounts = { readonly usd: Account; readonly usdb: Account };

/** Everything is allowed, up to 1,000.00 USD at a time. */
export const OPEN = shownPolicy(OPEN_POLICY as unknown as Policy);
/** About one cent, in the smallest unit of each currency of limits. */
const CENT: Readonly<Record<string, number>> = { USD: 1, EUR: 1, USDC: 10_000, MXN: 17 };

/** Limits near what the agents of a history spend. */
export function somePolicy(random: Random, { usd, usdb }: Accounts): Policy {
  const currency = random.pick(['USD', 'USD', 'USD', 'EUR', 'USDC', MOVING]);
  const amount = (least: number, most: number) => random.int(least, most) * (CENT[currency] as number);
  const maybe = <Value>(share: number, value: () => Value, other: Value): Value => (random.chance(share) ? value() : other);
  const mode = () => random.pick(['AUTO', 'AUTO', 'AUTO', 'APPROVAL_REQUIRED'] as const);
  const rule = ({ id }: Account) => ({
    accountId: id,
    ...(random.chance(0.5) && { executionMode: mode() }),
    ...(random.chance(0.5) && { perTransactionLimit: random.pick([null, 0, amount(300, 4_000), amount(300, 4_000)]) }),
  });
  return {
    permissions: PERMISSIONS.filter(() => random.chance(0.95)),
    defaultExecutionMode: mode(),
    spendingLimits: {
      currency,
      perTransactionLimit: maybe(0.95, () => amount(1_000, 4_000), 0),
      dailyLimit: maybe(0.5, () => amount(1_000, 5_000), null),
      monthlyLimit: maybe(0.5, () => amount(1_500, 8_000), null),
      ...(random.chance(0.3) && { dailyTransactionLimit: random.int(1, 4) }),
    },
    accountRestrictions: {
      allowedAccountIds: maybe(0.25, () => random.pick([[usd.id], [usd.id, usdb.id], [usdb.id], []]), null),
      accountRules: maybe(0.4, () => random.pick([[rule(usd)], [rule(usdb)], [rule(usd), rule(usdb)]]), []),
    },
    approvalThresholds: random.chance(0.3)
      ? { currency: random.pick(['USD', 'USD', MOVING]), amount: random.int(300, 2_000) }
      : { amount: null },
  };
}

/** A change of one part, or of all. */
export function somePatch(random: Random, accounts: Accounts): PolicyPatch {
  const policy = somePolicy(random, accounts);
  const { currency, ...amounts } = policy.spendingLimits;
  const parts = random.pick([
    'permissions',
    'defaultExecutionMode',
    'amounts',
    'currency',
    'accountRestrictions',
    'approvalThresholds',
    'all',
  ]);
  if (parts === 'all') return policy;
  if (parts === 'currency') return { spendingLimits: { currency } };
  // Amounts are given in the currency of the limits.
  if (parts === 'amounts')
    return { spendingLimits: random.chance(0.5) ? { currency, ...amounts } : { dailyLimit: amounts.dailyLimit ?? null } };
  return { [parts]: policy[parts as 'permissions'] };
}

/** What no policy can be, whatever it is merged with. */
export function wrongPatch(random: Random, own: string, stranger: string): PolicyPatch {
  const wrong: readonly object[] = [
    {},
    { permissions: ['CREATE_TRANSFERS'] },
    { permissions: ['CREATE_QUOTES', 'CREATE_QUOTES'] },
    { spendingLimits: { currency: 'XXX' } },
    { spendingLimits: { perTransactionLimit: -1 } },
    { spendingLimits: { dailyTransactionLimit: null } },
    { accountRestrictions: { allowedAccountIds: [stranger] }, defaultExecutionMode: 'AUTO' },
    { accountRestrictions: { allowedAccountIds: [own, own] } },
    { accountRestrictions: { accountRules: [{ accountId: stranger }] } },
    { accountRestrictions: { accountRules: [{ accountId: own }, { accountId: own }] } },
  ];
  return random.pick(wrong) as PolicyPatch;
}
