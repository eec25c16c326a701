// Agents, policies and device codes on the wire.
import Type from 'typebox';
import { Closed, Described, Enum, NullableInteger, pageOfSchema, pageQuery, Timestamp, timeFilters } from '../../../http/schemas.js';
import { AGENT_PERMISSIONS } from '../../../kernel/agent.js';
import { toWire } from '../../../kernel/money.js';
import type { Agent, PolicyForm, PolicyPatch } from './agent.js';
import type { NewCode } from './pairing.js';
import { resetsAfter, usageAt } from './rules.js';

const limit = (description: string) => Type.Integer({ format: 'int64', minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description });
const limitOrNull = (description: string) =>
  NullableInteger({ format: 'int64', minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description });
const currency = (description: string) => Type.String({ maxLength: 16, description });
const accountId = (description: string) => Type.String({ maxLength: 255, description });

const Permission = Enum(AGENT_PERMISSIONS, {
  title: 'AgentPermission',
  description:
    '`VIEW_TRANSACTIONS`: reads transactions and balances. `CREATE_QUOTES`: prices payments. `EXECUTE_QUOTES`: executes its own quotes. ' +
    "`MANAGE_EXTERNAL_ACCOUNTS`: reads, adds and deletes the customer's external accounts.",
});

const ExecutionMode = Enum(['AUTO', 'APPROVAL_REQUIRED'], {
  title: 'AgentExecutionMode',
  description: '`AUTO` executes at once, within the limits. `APPROVAL_REQUIRED` waits until the platform approves.',
});

const PERMISSIONS = Type.Array(Permission, {
  uniqueItems: true,
  description: 'What the agent may do. Without any it only reads itself.',
});

const limits = {
  dailyLimit: Type.Optional(limitOrNull('The most that may be spent on one UTC day. Null: no limit.')),
  dailyTransactionLimit: Type.Optional(limit('The most executions on one UTC day. Absent: no limit.')),
  monthlyLimit: Type.Optional(limitOrNull('The most that may be spent in one UTC month. Null: no limit.')),
};
const LIMITS_CURRENCY = 'Currency of all limits, those of account rules included. They count in its smallest unit.';
const PER_TRANSACTION = 'The most that one transaction may send, fees included. 0 lets nothing through.';

const SpendingLimits = Closed(
  { currency: currency(LIMITS_CURRENCY), perTransactionLimit: limit(PER_TRANSACTION), ...limits },
  { title: 'AgentSpendingLimits' },
);

const SpendingLimitsUpdate = Closed(
  {
    currency: Type.Optional(
      currency(`${LIMITS_CURRENCY} A new currency converts the stored amounts at the present rate: limits down, usage up.`),
    ),
    perTransactionLimit: Type.Optional(limit(PER_TRANSACTION)),
    ...limits,
  },
  { title: 'AgentSpendingLimitsUpdate' },
);

const AccountRule = Closed(
  {
    accountId: accountId('An internal account of the customer. It has at most one rule.'),
    executionMode: Type.Optional(Described(ExecutionMode, "Replaces the policy's mode for payments from the account.")),
    perTransactionLimit: Type.Optional(limitOrNull("Replaces the policy's limit for payments from the account. Null: the policy's limit.")),
  },
  { title: 'AgentAccountRule' },
);

const AccountRestrictions = Closed(
  {
    allowedAccountIds: Type.Optional(
      Type.Unsafe<readonly string[] | null>({
        type: ['array', 'null'],
        items: accountId('An internal account of the customer.'),
        maxItems: 100,
        description:
          'The only internal accounts that the agent sees, pays from and pays to; it can then pay the external accounts of the customer and pull from none. Null: all of them. An empty list: none.',
      }),
    ),
    accountRules: Type.Optional(
      Type.Array(AccountRule, { maxItems: 100, description: 'Rules for payments whose source is one of these accounts.' }),
    ),
  },
  { title: 'AgentAccountRestrictions' },
);

const ApprovalThresholds = Closed(
  {
    currency: Type.Optional(currency('Currency of the amount; required with it.')),
    amount: Type.Optional(limitOrNull('Above this amount every payment needs approval, whatever the mode. Null: no threshold.')),
  },
  { title: 'AgentApprovalThresholds' },
);

const DEFAULT_MODE = 'What happens to an execution within the limits, unless an account rule says otherwise.';
const RESTRICTIONS = 'Which accounts the agent uses, and how.';
const THRESHOLDS = 'From which amount on the platform is asked.';

export const AgentPolicy = Type.Unsafe<PolicyForm>(
  Closed(
    {
      permissions: PERMISSIONS,
      defaultExecutionMode: Described(ExecutionMode, DEFAULT_MODE),
      spendingLimits: Described(SpendingLimits, 'How much the agent may spend.'),
      accountRestrictions: Type.Optional(Described(AccountRestrictions, RESTRICTIONS)),
      approvalThresholds: Type.Optional(Described(ApprovalThresholds, THRESHOLDS)),
    },
    { title: 'AgentPolicy' },
  ),
);

export const AgentPolicyUpdateRequest = Type.Unsafe<PolicyPatch>(
  Closed(
    {
      permissions: Type.Optional(PERMISSIONS),
      defaultExecutionMode: Type.Optional(Described(ExecutionMode, DEFAULT_MODE)),
      spendingLimits: Type.Optional(Described(SpendingLimitsUpdate, 'Limits to change; the others stay.')),
      accountRestrictions: Type.Optional(Described(AccountRestrictions, RESTRICTIONS)),
      approvalThresholds: Type.Optional(Described(ApprovalThresholds, THRESHOLDS)),
    },
    { title: 'AgentPolicyUpdateRequest', minProperties: 1 },
  ),
);

const NAME = { minLength: 1, maxLength: 255, description: 'A name for people.' };

export const AgentCreateRequest = Closed(
  {
    name: Type.String(NAME),
    customerId: Type.String({ maxLength: 255, description: 'The customer for whom the agent acts. It never changes.' }),
    policy: Described(AgentPolicy, 'What the agent may do.'),
  },
  { title: 'AgentCreateRequest' },
);

export const AgentUpdateRequest = Closed(
  {
    name: Type.Optional(Type.String(NAME)),
    isPaused: Type.Optional(Type.Boolean({ description: 'A paused agent reads and starts nothing.' })),
  },
  { title: 'AgentUpdateRequest', minProperties: 1 },
);

const AgentUsage = Type.Object(
  {
    dailyTransactionCount: Type.Integer({ minimum: 0, description: 'Executions that began today, in UTC.' }),
    dailySpend: Type.Integer({ format: 'int64', minimum: 0, description: 'What they sent, in the currency of the limits.' }),
    dailyResetDate: Type.Optional(Type.String({ format: 'date', description: 'The day on which the daily counters start again.' })),
    monthlySpend: Type.Integer({ format: 'int64', minimum: 0, description: 'What was sent this month, in the currency of the limits.' }),
    monthlyResetMonth: Type.Optional(Type.String({ description: 'The month, `YYYY-MM`, in which the monthly counter starts again.' })),
  },
  { title: 'AgentUsage' },
);

export const AgentSchema = Type.Object(
  {
    id: Type.String({ description: 'The agent, `Agent:<uuid>`.' }),
    name: Type.String({ description: 'A name for people.' }),
    customerId: Type.String({ description: 'The customer for whom it acts.' }),
    isPaused: Type.Boolean({ description: 'A paused agent reads and starts nothing.' }),
    isConnected: Type.Boolean({ description: 'Whether a device code was redeemed.' }),
    policy: Described(AgentPolicy, 'What the agent may do.'),
    usage: Described(AgentUsage, 'What it has spent.'),
    createdAt: Timestamp({ description: 'When it was created.' }),
    updatedAt: Timestamp({ description: 'When name, pause, policy or pairing last changed.' }),
  },
  { title: 'Agent' },
);

export const AgentListResponse = pageOfSchema(AgentSchema, 'AgentListResponse');

export const AgentQuery = Closed({
  customerId: Type.Optional(Type.String({ maxLength: 255, description: 'Agents of one customer.' })),
  isPaused: Type.Optional(Type.Boolean({ description: 'Paused agents, or the others.' })),
  isConnected: Type.Optional(Type.Boolean({ description: 'Agents that redeemed a device code, or the others.' })),
  ...timeFilters,
  ...pageQuery,
});

const code = () => Type.String({ description: 'The code, `AGENT-XXXX-XXXX-XXXX`.', 'x-secret': true });
const redeemed = () => Type.Boolean({ description: 'Whether the agent has redeemed it.' });

export const AgentDeviceCode = Type.Object(
  {
    code: code(),
    agentId: Type.String({ description: 'The agent that it pairs.' }),
    expiresAt: Timestamp({ description: 'When it can no longer be redeemed: 24 hours after it was made.' }),
    redeemed: redeemed(),
  },
  { title: 'AgentDeviceCode' },
);

export const AgentCreateResponse = Type.Object(
  { agent: Described(AgentSchema, 'The new agent.'), deviceCode: Described(AgentDeviceCode, 'Pairs it; shown this once.') },
  { title: 'AgentCreateResponse' },
);

export const AgentDeviceCodeStatusResponse = Type.Object(
  { code: code(), redeemed: redeemed() },
  { title: 'AgentDeviceCodeStatusResponse' },
);

export const AgentDeviceCodeRedeemResponse = Type.Object(
  {
    agentId: Type.String({ description: 'The agent.' }),
    agentName: Type.String({ description: 'Its name.' }),
    accessToken: Type.String({ description: 'The bearer token of the agent, shown this once. It has no expiry.', 'x-secret': true }),
    policy: Described(AgentPolicy, 'What the agent may do.'),
  },
  { title: 'AgentDeviceCodeRedeemResponse' },
);

export function renderAgent(agent: Agent, now: Date): Record<string, unknown> {
  const usage = usageAt(agent.usage, now);
  const { date, month } = resetsAfter(now);
  return {
    id: agent.id,
    name: agent.name,
    customerId: agent.customerId,
    isPaused: agent.isPaused,
    isConnected: agent.isConnected,
    policy: agent.policy,
    usage: {
      dailyTransactionCount: usage.dayCount,
      dailySpend: toWire(usage.daySpend),
      dailyResetDate: date,
      monthlySpend: toWire(usage.monthSpend),
      monthlyResetMonth: month,
    },
    createdAt: agent.createdAt.toISOString(),
    updatedAt: agent.updatedAt.toISOString(),
  };
}

export const renderCode = ({ code: text, agentId, expiresAt, state }: NewCode): Record<string, unknown> => ({
  code: text,
  agentId,
  expiresAt: expiresAt.toISOString(),
  redeemed: state === 'REDEEMED',
});
