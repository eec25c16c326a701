// All SQL of customers. The row of a deleted customer stays; most functions do not return it.
import { countMatches } from '../../../db/count.js';
import { type Tx, violatedConstraint } from '../../../db/pool.js';
import { allOf, changedBetween, type Sql, sql, type TimeFilter } from '../../../db/sql.js';
import { ApiError } from '../../../kernel/errors.js';
import { type CustomerId, idOf, type PlatformId, uuidOf } from '../../../kernel/ids.js';
import { type Page, pageOf } from '../../../kernel/page.js';
import type { AgreementConsent, BusinessProfile, Customer, CustomerType, IndividualProfile, VerificationStatus } from './customer.js';

type Reader = Pick<Tx, 'one' | 'many'>;

type CustomerRow = {
  id: string;
  platform_customer_id: string;
  uma_address: string;
  verification_status: VerificationStatus;
  region: string | null;
  currencies: string[];
  email: string | null;
  phone_number: string | null;
  consents: AgreementConsent[];
  created_at: Date;
  updated_at: Date;
  deleted_at: Date | null;
} & ({ customer_type: 'INDIVIDUAL'; profile: IndividualProfile } | { customer_type: 'BUSINESS'; profile: BusinessProfile });

// The sealed identifier is not read: no reader of customers needs it.
const COLUMNS = sql`id, platform_customer_id, customer_type, uma_address, verification_status, region, currencies, email, phone_number,
  profile, consents, created_at, updated_at, deleted_at`;

const toCustomer = (row: CustomerRow): Customer => ({
  id: idOf('Customer', row.id),
  platformCustomerId: row.platform_customer_id,
  umaAddress: row.uma_address,
  verificationStatus: row.verification_status,
  region: row.region,
  currencies: row.currencies,
  email: row.email,
  phoneNumber: row.phone_number,
  consents: row.consents,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
  deletedAt: row.deleted_at,
  ...(row.customer_type === 'INDIVIDUAL'
    ? { customerType: row.customer_type, profile: row.profile }
    : { customerType: row.customer_type, profile: row.profile }),
});

const byId = (platformId: PlatformId, id: CustomerId): Sql => sql`
  select ${COLUMNS} from customers where platform_id = ${uuidOf(platformId)} and id = ${uuidOf(id)}`;

/** The customer, deleted or not. */
export async function findCustomer(tx: Reader, platformId: PlatformId, id: CustomerId): Promise<Customer | undefined> {
  const row = await tx.one<CustomerRow>(byId(platformId, id));
  return row && toCustomer(row);
}

const undeleted = (row: CustomerRow | undefined): Customer => {
  if (!row || row.deleted_at !== null) throw new ApiError('CUSTOMER_NOT_FOUND');
  return toCustomer(row);
};

/** The customer, or 404 if it does not exist or was deleted. An id that cannot name a customer (undefined) gets the same answer. */
export async function getCustomer(tx: Reader, platformId: PlatformId, id: CustomerId | undefined): Promise<Customer> {
  return undeleted(id && (await tx.one<CustomerRow>(byId(platformId, id))));
}

/** As `getCustomer`, with the row locked. */
export async function lockCustomer(tx: Tx, platformId: PlatformId, id: CustomerId | undefined): Promise<Customer> {
  return undeleted(id && (await tx.one<CustomerRow>(sql`${byId(platformId, id)} for no key update`)));
}

/** As `lockCustomer`, deleted customers included: a deletion distinguishes unknown and deleted. */
export async function lockCustomerRow(tx: Tx, platformId: PlatformId, id: CustomerId): Promise<Customer | undefined> {
  const row = await tx.one<CustomerRow>(sql`${byId(platformId, id)} for no key update`);
  return row && toCustomer(row);
}

export type CustomerFilter = {
  platformCustomerId?: string;
  customerType?: CustomerType;
  region?: string;
  currency?: string;
  umaAddress?: string;
  isIncludingDeleted?: boolean;
} & TimeFilter;

export async function listCustomers(
  tx: Reader,
  platformId: PlatformId,
  filter: CustomerFilter,
  { limit, after }: { limit: number; after: string | undefined },
  scope: unknown,
): Promise<Page<Customer>> {
  const where = allOf(
    sql`platform_id = ${uuidOf(platformId)}`,
    filter.isIncludingDeleted !== true && sql`deleted_at is null`,
    filter.platformCustomerId !== undefined && sql`platform_customer_id = ${filter.platformCustomerId}`,
    filter.customerType !== undefined && sql`customer_type = ${filter.customerType}`,
    filter.region !== undefined && sql`region = ${filter.region}`,
    filter.currency !== undefined && sql`${filter.currency} = any(currencies)`,
    filter.umaAddress !== undefined && sql`lower(uma_address) = lower(${filter.umaAddress})`,
    ...changedBetween(filter),
  );
  const [rows, totalCount] = await Promise.all([
    tx.many<CustomerRow>(
      sql`select ${COLUMNS} from customers where ${allOf(where, after !== undefined && sql`id < ${after}`)} order by id desc limit ${limit + 1}`,
    ),
    countMatches(tx, sql`customers where ${where}`),
  ]);
  return pageOf(rows.map(toCustomer), limit, totalCount, ({ id }) => [uuidOf(id)], scope);
}

/** Unique indexes decide between concurrent requests. A `platformCustomerId` never changes after the creation. */
const refuseConflict = (error: unknown): never => {
  throw violatedConstraint(error) === 'customers_uma_address' ? new ApiError('UMA_ADDRESS_EXISTS') : error;
};

/** Returns false if another customer has the `platformCustomerId` or the UMA address, also if it was inserted concurrently. */
export async function insertCustomer(
  tx: Tx,
  platformId: PlatformId,
  customer: Customer,
  identifierSealed: Buffer | null,
): Promise<boolean> {
  const inserted = await tx.run(sql`
    insert into customers (platform_id, id, platform_customer_id, customer_type, uma_address, verification_status, region, currencies, email,
                           phone_number, profile, identifier_sealed, consents, created_at, updated_at)
    values (${uuidOf(platformId)}, ${uuidOf(customer.id)}, ${customer.platformCustomerId}, ${customer.customerType}, ${customer.umaAddress},
            ${customer.verificationStatus}, ${customer.region}, ${customer.currencies}, ${customer.email}, ${customer.phoneNumber},
            ${JSON.stringify(customer.profile)}, ${identifierSealed}, ${JSON.stringify(customer.consents)}, ${customer.createdAt}, ${customer.updatedAt})
    on conflict do nothing`);
  return inserted === 1;
}

/** The customer that an insert conflicts with, the one with the same `platformCustomerId` first. */
export async function findConflicting(
  tx: Reader,
  platformId: PlatformId,
  { platformCustomerId, umaAddress }: Customer,
): Promise<Customer | undefined> {
  const row = await tx.one<CustomerRow>(sql`
    select ${COLUMNS} from customers
    where platform_id = ${uuidOf(platformId)} and deleted_at is null
      and (platform_customer_id = ${platformCustomerId} or lower(uma_address) = lower(${umaAddress}))
    order by platform_customer_id = ${platformCustomerId} desc limit 1`);
  return row && toCustomer(row);
}

/** Writes every column that can change. A sealed identifier replaces the old one; null keeps it. */
export async function saveCustomer(tx: Tx, platformId: PlatformId, customer: Customer, identifierSealed: Buffer | null): Promise<void> {
  await tx
    .run(
      sql`
    update customers set uma_address = ${customer.umaAddress}, verification_status = ${customer.verificationStatus},
      currencies = ${customer.currencies}, email = ${customer.email}, phone_number = ${customer.phoneNumber},
      profile = ${JSON.stringify(customer.profile)}, identifier_sealed = coalesce(${identifierSealed}, identifier_sealed),
      consents = ${JSON.stringify(customer.consents)}, updated_at = ${customer.updatedAt}, deleted_at = ${customer.deletedAt}
    where platform_id = ${uuidOf(platformId)} and id = ${uuidOf(customer.id)}`,
    )
    .catch(refuseConflict);
}

/** As `getCustomer`, locked against deletion and change until this transaction ends. Other readers are not blocked. */
export async function shareCustomer(tx: Tx, platformId: PlatformId, id: CustomerId | undefined): Promise<Customer> {
  return undeleted(id && (await tx.one<CustomerRow>(sql`${byId(platformId, id)} for share`)));
}

/** Whether the customer exists and is not deleted. A share lock keeps it so until this transaction ends. */
export async function lockCustomerForShare(tx: Tx, platformId: PlatformId, id: CustomerId): Promise<boolean> {
  const row = await tx.one(sql`
    select from customers where platform_id = ${uuidOf(platformId)} and id = ${uuidOf(id)} and deleted_at is null for share`);
  return row !== undefined;
}
