// What internal accounts ask of later domains.
import { defineHook } from '../../../kernel/hook.js';
import type { CustomerListener } from '../../identity/customers/hooks.js';
import type { OutstandingOn } from '../../ledger/actions.js';
import type { CardCapabilitiesFor } from './internal-account.js';

/** A customer's accounts were opened. */
export const accountsOpened = defineHook<CustomerListener>('internal-accounts.opened');

/** The empty accounts of a deleted customer were closed. */
export const accountsClosed = defineHook<CustomerListener>('internal-accounts.closed');

/** What a card funded by the account could do. */
export const cardCapabilities = defineHook<CardCapabilitiesFor>('internal-accounts.card-capabilities');

/** How much money may still come back to an account from its cards: a deposit must leave room for it. */
export const amountsToReturn = defineHook<OutstandingOn>('internal-accounts.amounts-to-return');
