// An agent: a program outside the service that acts for one customer within a policy.
import type { AgentPermission } from '../../../kernel/agent.js';
import type { AgentId, CustomerId, InternalAccountId } from '../../../kernel/ids.js';
import type { CurrencyCode } from '../../../kernel/money.js';

export type ExecutionMode = 'AUTO' | 'APPROVAL_REQUIRED';

/** A policy in the form of the API, which is also stored. Null and absent mean the same. */
export type PolicyForm = {
  readonly permissions: readonly AgentPermission[];
  readonly defaultExecutionMode: ExecutionMode;
  readonly spendingLimits: {
    readonly currency: CurrencyCode;
    readonly perTransactionLimit: number;
    readonly dailyLimit?: number | null;
    readonly dailyTransactionLimit?: number;
    readonly monthlyLimit?: number | null;
  };
  readonly accountRestrictions?: {
    readonly allowedAccountIds?: readonly string[] | null;
    readonly accountRules?: readonly AccountRuleForm[];
  };
  readonly approvalThresholds?: { readonly currency?: CurrencyCode; readonly amount?: number | null };
};

export type AccountRuleForm = {
  readonly accountId: string;
  readonly executionMode?: ExecutionMode;
  readonly perTransactionLimit?: number | null;
};

/** A change of a policy: what is absent stays. */
export type PolicyPatch = Partial<Omit<PolicyForm, 'spendingLimits'>> & {
  readonly spendingLimits?: Partial<PolicyForm['spendingLimits']>;
};

/** A valid policy as decisions read it. */
export type Policy = {
  readonly permissions: readonly AgentPermission[];
  readonly mode: ExecutionMode;
  /** The currency of every limit, those of account rules included. */
  readonly currency: CurrencyCode;
  readonly perTransaction: bigint;
  readonly daily: bigint | null;
  readonly dailyCount: number | null;
  readonly monthly: bigint | null;
  /** Null: every account of the customer. */
  readonly allowed: ReadonlySet<string> | null;
  readonly rules: ReadonlyMap<string, AccountRule>;
  readonly threshold: { readonly amount: bigint; readonly currency: CurrencyCode } | null;
};

/** Null: as for accounts without a rule. */
export type AccountRule = { readonly mode: ExecutionMode | null; readonly perTransaction: bigint | null };

/** What was executed on a UTC day and in its month, in the currency of the limits. */
export type Usage = {
  /** `YYYY-MM-DD`; null before the first execution. */
  readonly day: string | null;
  readonly dayCount: number;
  readonly daySpend: bigint;
  readonly monthSpend: bigint;
};

export type Agent = {
  readonly id: AgentId;
  readonly customerId: CustomerId;
  readonly name: string;
  readonly isPaused: boolean;
  /** Whether a device code was redeemed. */
  readonly isConnected: boolean;
  readonly policy: PolicyForm;
  readonly usage: Usage;
  readonly createdAt: Date;
  readonly updatedAt: Date;
};

export type DeviceCodeState = 'OPEN' | 'REDEEMED' | 'REPLACED';

export type DeviceCode = { readonly agentId: AgentId; readonly state: DeviceCodeState; readonly expiresAt: Date };

/** The agent's accounts that a policy names. */
export type OwnAccounts = ReadonlySet<InternalAccountId>;
