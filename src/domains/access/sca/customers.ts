// The customers that strong authentication applies to, and what it knows of them.
import type { Tx } from '../../../db/pool.js';
import type { CustomerId, PlatformId } from '../../../kernel/ids.js';
import { getCustomer, isInRegulatedRegion, lockCustomer } from '../../identity/customers/actions.js';
import type { Customer } from '../../identity/customers/customer.js';
import { conflict } from './rules.js';

/** A call about one customer, at the time of the platform's clock. */
export type Call = { readonly platformId: PlatformId; readonly customerId: CustomerId | undefined; readonly now: Date };

function requireRegulated(customer: Customer): Customer {
  if (isInRegulatedRegion(customer)) return customer;
  throw conflict('NOT_IN_REGULATED_REGION', 'Strong customer authentication does not apply to this customer.');
}

export const getRegulatedCustomer = async (
  tx: Pick<Tx, 'one' | 'many'>,
  platformId: PlatformId,
  id: CustomerId | undefined,
): Promise<Customer> => requireRegulated(await getCustomer(tx, platformId, id));

/** Everything of strong authentication changes under this lock, so that attempts at the same time are counted one by one. */
export const lockRegulatedCustomer = async (tx: Tx, platformId: PlatformId, id: CustomerId | undefined): Promise<Customer> =>
  requireRegulated(await lockCustomer(tx, platformId, id));
