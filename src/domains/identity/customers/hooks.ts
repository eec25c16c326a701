// Hooks of customers.
import type { Tx } from '../../../db/pool.js';
import type { SignedCall } from '../../../http/operation.js';
import { defineHook } from '../../../kernel/hook.js';
import type { PlatformId } from '../../../kernel/ids.js';
import type { CurrencyCode } from '../../../kernel/money.js';
import type { Customer } from './customer.js';
import type { ContactChannel } from './regions.js';

export type AccountsRequired = {
  readonly platformId: PlatformId;
  readonly customer: Customer;
  readonly currencies: readonly CurrencyCode[];
  /** The customer was created in this transaction and has no accounts. */
  readonly isNew: boolean;
  readonly now: Date;
};

/** Customers of one platform need an account in each of the currencies. */
export const accountsRequired = defineHook<(tx: Tx, required: readonly AccountsRequired[]) => Promise<void>>('customers.accounts-required');

/** The payload that the wallet's owner must sign before a change is made, as the API renders it. */
export type Challenge = { readonly payloadToSign: string; readonly requestId: string; readonly expiresAt: string };

export type ContactChange = {
  readonly platformId: PlatformId;
  /** As it is before the change. */
  readonly customer: Customer;
  /** Contacts that the request names, also those that the customer has already. */
  readonly email?: string | undefined;
  readonly phoneNumber?: string | undefined;
  readonly signed: SignedCall;
  /** The request body as sent: a signed retry is bound to it. */
  readonly body: unknown;
  readonly now: Date;
};

/**
 * A request names a contact of the customer. The answer is the payload to sign first, or undefined when the change may proceed.
 * Every signed retry of the update is checked here, whatever it changes.
 */
export const contactChanging = defineHook<(tx: Tx, change: ContactChange) => Promise<Challenge | undefined>>('customers.contact-changing');

/** Contacts of the customer were changed and have to be verified again: codes that were sent to the old ones are void. */
export const contactChanged =
  defineHook<
    (
      tx: Tx,
      change: {
        readonly platformId: PlatformId;
        readonly customer: Customer;
        readonly channels: readonly ContactChannel[];
        readonly now: Date;
      },
    ) => Promise<void> | void
  >('customers.contact-changed');

export type CustomerListener = (tx: Tx, platformId: PlatformId, customer: Customer, now: Date) => Promise<void> | void;

/** The customer is locked and will be deleted: listeners lock what the lock order puts before cards. */
export const customerDeleting = defineHook<CustomerListener>('customers.deleting');

/** The customer was deleted. The last module listens first, so that cards end before the accounts they spend from. */
export const customerDeleted = defineHook<CustomerListener>('customers.deleted');
