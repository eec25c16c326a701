// Hooks of internal accounts, answered by later domains.
import type { Tx } from '../../../db/pool.js';
import { defineHook } from '../../../kernel/hook.js';
import type { PlatformId, TransactionId } from '../../../kernel/ids.js';
import type { Customer } from '../../identity/customers/customer.js';
import type { CustomerListener } from '../../identity/customers/hooks.js';
import type { OutstandingOn } from '../../ledger/actions.js';
import type { CardCapabilitiesFor, InternalAccount } from './internal-account.js';

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
  readonly amount: bigint;
  readonly description: string | undefined;
  readonly remittanceInformation: string | undefined;
  /** Why the money was not swept by the rule of the account. */
  readonly unswept: 'SWEEP_AMOUNT_OUT_OF_RANGE' | 'SWEEP_QUOTE_FAILED' | undefined;
  readonly now: Date;
};

/** Money from outside has arrived on an account. Called in the transaction that moves it. */
export const depositReceived = defineHook<(tx: Tx, deposit: ReceivedDeposit) => Promise<void>>('internal-accounts.deposit-received');
