// Hooks of internal accounts, answered by later domains.
import type { Tx } from '../../../db/pool.js';
import { defineHook } from '../../../kernel/hook.js';
import type { PlatformId } from '../../../kernel/ids.js';
import type { Customer } from '../../identity/customers/customer.js';
import type { CustomerListener } from '../../identity/customers/hooks.js';
import type { OutstandingOn } from '../../ledger/actions.js';
import type { CardCapabilitiesFor } from './internal-account.js';

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
