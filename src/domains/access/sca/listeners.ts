// What changes of a customer mean for strong authentication.
import type { Tx } from '../../../db/pool.js';
import type { PlatformId } from '../../../kernel/ids.js';
import type { ContactChannel } from '../../identity/customers/actions.js';
import type { Customer } from '../../identity/customers/customer.js';
import { voidChallengesOfFactor } from './challenge-store.js';
import { deleteAllOf, endSession } from './store.js';

type Change = { readonly platformId: PlatformId; readonly customer: Customer; readonly channels: readonly ContactChannel[] };

/** A new phone number is not verified: codes sent to the old one are void, and the customer has to log in again. */
export function forgetPhone(tx: Tx, { platformId, customer, channels }: Change): void {
  if (!channels.includes('PHONE')) return;
  voidChallengesOfFactor(tx, platformId, customer.id, 'SMS_OTP');
  endSession(tx, platformId, customer.id);
}

export const forgetCustomer = (tx: Tx, platformId: PlatformId, { id }: Customer): void => deleteAllOf(tx, platformId, id);
