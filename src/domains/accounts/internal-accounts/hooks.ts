// Hooks of internal accounts, answered by later domains.
import type { Tx } from '../../../db/pool.js';
import { defineHook } from '../../../kernel/hook.js';
import type { CustomerId, InternalAccountId, PlatformId, TransactionId } from '../../../kernel/ids.js';
import type { Customer } from '../../identity/customers/customer.js';
import type { CustomerListener } from '../../identity/customers/hooks.js';
import type { OutstandingOn } from '../../ledger/actions.js';
import type { CardCapabilitiesFor, InternalAccount, SweepBounds, SweepRule } from './internal-account.js';

/** Accounts of these customers were opened. */
export const accountsOpened =
  defineHook<(tx: Tx, platformId: PlatformId, customers: readonly Customer[], now: Date) => Promise<void> | void>(
    'internal-accounts.opened',
  );

/** The empty accounts of a deleted customer were closed. */
export const accountsClosed = defineHook<CustomerListener>('internal-accounts.closed');

/** The capabilities of a card funded by the account. */
export const cardCapabilities = defineHook<CardCapabilitiesFor>('internal-accounts.card-capabilities');

/** The money that may still be returned to an account from its cards. A deposit must leave room for it. */
export const amountsToReturn = defineHook<OutstandingOn>('internal-accounts.amounts-to-return');

export type ReceivedDeposit = {
  readonly platformId: PlatformId;
  /** The transaction that the movements of the deposit belong to. */
  readonly transactionId: TransactionId;
  readonly account: InternalAccount;
  /** The holder's own account that the money of a rule-based account passes through. */
  readonly throughId: InternalAccountId | undefined;
  /** What another holder has received of it by the rule of the account, and the transaction that this is to the receiver. */
  readonly forwarded: { readonly transactionId: TransactionId; readonly account: InternalAccount; readonly amount: bigint } | undefined;
  readonly amount: bigint;
  readonly description: string | undefined;
  readonly remittanceInformation: string | undefined;
  /** Why the money was not swept by the rule of the account. */
  readonly unswept: 'SWEEP_AMOUNT_OUT_OF_RANGE' | 'SWEEP_QUOTE_FAILED' | undefined;
  readonly now: Date;
};

/** Money that is to leave a holder's own account by the rule of a rule-based account. */
export type Sweep = {
  readonly platformId: PlatformId;
  readonly rule: SweepRule;
  readonly ruleBasedAccountId: InternalAccountId;
  readonly own: InternalAccount;
  readonly amount: bigint;
  readonly now: Date;
};

/** Sweeps that are payments: to an account outside the service, or in another currency. */
export type OutsideSweeps = {
  /** The amounts that a rule with this destination sweeps. Refuses a destination that the holder cannot pay to. */
  boundsOf(
    tx: Tx,
    rule: {
      readonly platformId: PlatformId;
      readonly holder: CustomerId | null;
      readonly destination: { readonly accountId: string; readonly paymentRail?: string };
      readonly now: Date;
    },
  ): Promise<SweepBounds>;
  /** Pays. Whether it could be priced and paid; if not, nothing has happened. */
  sweep(tx: Tx, sweep: Sweep): Promise<boolean>;
};

export const outsideSweeps = defineHook<OutsideSweeps>('internal-accounts.outside-sweeps');

/** Money from outside has arrived on an account. Called in the transaction that moves it. */
export const depositReceived = defineHook<(tx: Tx, deposit: ReceivedDeposit) => Promise<void>>('internal-accounts.deposit-received');
