// All SQL of customers. The row of a deleted customer stays; most functions do not return it.
import { countMatches } from '../../../db/count.js';
import { type Tx, violatedConstraint } from '../../../db/pool.js';
import { allOf, changedBetween, isUnset, type Sql, sql, type TimeFilter } from '../../../db/sql.js';
import { ApiError } from '../../../kernel/errors.js';
import { type CustomerId, idOf, type PlatformId, uuidOf } from '../../../kernel/ids.js';
import { type Page, pageOf } from '../../../kernel/page.js';
import type {
  AgreementConsent,
  BeneficialOwner,
  BusinessProfile,
  Customer,
  CustomerType,
  IndividualProfile,
  OwnerRole,
  PersonalInfo,
  VerificationStatus,
} from './customer.js';

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
  email_verified_at: Date | null;
  phone_verified_at: Date | null;
  consents: AgreementConsent[];
  created_at: Date;
  updated_at: Date;
  deleted_at: Date | null;
} & (
  | { customer_type: 'INDIVIDUAL'; profile: IndividualProfile }
  | { customer_type: 'BUSINESS'; profile: BusinessProfile; owners: readonly OwnerJson[] | null }
);

/** A beneficial owner inside the row of its business: JSON holds times as texts. */
type OwnerJson = {
  id: string;
  roles: OwnerRole[];
  ownership_percentage: number;
  personal_info: PersonalInfo;
  identifier_masked: string;
  kyc_status: VerificationStatus;
  created_at: string;
  updated_at: string;
};

// The sealed identifier is not read with the customer: only a verification needs it.
const columns = (
  platformId: PlatformId,
): Sql => sql`id, platform_customer_id, customer_type, uma_address, verification_status, region, currencies, email, phone_number,
  email_verified_at, phone_verified_at, profile, consents, created_at, updated_at, deleted_at,
  case customer_type when 'BUSINESS' then (
    select json_agg(json_build_object('id', o.id, 'roles', o.roles, 'ownership_percentage', o.ownership_percentage,
      'personal_info', o.personal_info, 'identifier_masked', o.identifier_masked, 'kyc_status', o.kyc_status, 'created_at', o.created_at,
      'updated_at', o.updated_at) order by o.id)
    from beneficial_owners o
    where o.customer_id = customers.id and o.platform_id = ${uuidOf(platformId)} and o.deleted_at is null) end as owners`;

const toCustomer = (row: CustomerRow): Customer => ({
  id: idOf('Customer', row.id),
  platformCustomerId: row.platform_customer_id,
  umaAddress: row.uma_address,
  verificationStatus: row.verification_status,
  region: row.region,
  currencies: row.currencies,
  email: row.email,
  phoneNumber: row.phone_number,
  emailVerifiedAt: row.email_verified_at,
  phoneVerifiedAt: row.phone_verified_at,
  consents: row.consents,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
  deletedAt: row.deleted_at,
  ...(row.customer_type === 'INDIVIDUAL'
    ? { customerType: row.customer_type, profile: row.profile }
    : {
        customerType: row.customer_type,
        profile: row.profile,
        beneficialOwners: (row.owners ?? []).map((owner) => toOwner(row.id, owner)),
      }),
});

const toOwner = (customerId: string, owner: OwnerJson): BeneficialOwner => ({
  id: idOf('BeneficialOwner', owner.id),
  customerId: idOf('Customer', customerId),
  roles: owner.roles,
  ownershipPercentage: owner.ownership_percentage,
  personalInfo: owner.personal_info,
  maskedIdentifier: owner.identifier_masked,
  kycStatus: owner.kyc_status,
  createdAt: new Date(owner.created_at),
  updatedAt: new Date(owner.updated_at),
});

const byId = (platformId: PlatformId, id: CustomerId): Sql => sql`
  select ${columns(platformId)} from customers where platform_id = ${uuidOf(platformId)} and id = ${uuidOf(id)}`;

/** The customer, deleted or not. */
export async function findCustomer(tx: Reader, platformId: PlatformId, id: CustomerId): Promise<Customer | undefined> {
  const row = await tx.one<CustomerRow>(byId(platformId, id));
  return row && toCustomer(row);
}

/** As `shareCustomer`, of an id that a statement finds, so that finding it takes no round trip. Undefined where there is none, deleted or not. */
export async function shareCustomerFound(tx: Tx, platformId: PlatformId, id: Sql): Promise<Customer | undefined> {
  const row = await tx.one<CustomerRow>(sql`
    select ${columns(platformId)} from customers where platform_id = ${uuidOf(platformId)} and id = (${id}) for share`);
  return row && toCustomer(row);
}

/** The live customer of the platform with a UMA address, in whatever case it is written. */
export async function findCustomerByUma(tx: Reader, platformId: PlatformId, umaAddress: string): Promise<Customer | undefined> {
  const row = await tx.one<CustomerRow>(sql`
    select ${columns(platformId)} from customers
    where platform_id = ${uuidOf(platformId)} and lower(uma_address) = lower(${umaAddress}) and deleted_at is null`);
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

/** By the index of the search, which holds deleted customers as well. */
const hasPlatformCustomerId = (text: string): Sql => sql`
  lower(platform_customer_id) collate "C" = lower(${text}) collate "C" and created_at > '-infinity' and platform_customer_id = ${text}`;

export async function listCustomers(
  tx: Reader,
  platformId: PlatformId,
  filter: CustomerFilter,
  { limit, after }: { limit: number; after: string | undefined },
  scope: unknown,
): Promise<Page<Customer>> {
  const where = allOf(
    sql`platform_id = ${uuidOf(platformId)}`,
    // Beside an address the condition names the index of the live customers' addresses.
    filter.isIncludingDeleted !== true && (filter.umaAddress === undefined ? isUnset(sql`deleted_at`) : sql`deleted_at is null`),
    filter.platformCustomerId !== undefined && hasPlatformCustomerId(filter.platformCustomerId),
    filter.customerType !== undefined && sql`customer_type = ${filter.customerType}`,
    filter.region !== undefined && sql`region = ${filter.region}`,
    filter.currency !== undefined && sql`${filter.currency} = any(currencies)`,
    filter.umaAddress !== undefined && sql`lower(uma_address) = lower(${filter.umaAddress})`,
    ...changedBetween(filter),
  );
  const [rows, totalCount] = await Promise.all([
    tx.many<CustomerRow>(
      sql`select ${columns(platformId)} from customers where ${allOf(where, after !== undefined && sql`id < ${after}`)} order by id desc limit ${limit + 1}`,
    ),
    countMatches(tx, sql`customers where ${where}`),
  ]);
  return pageOf(rows.map(toCustomer), limit, totalCount, ({ id }) => [uuidOf(id)], scope);
}

/** Unique indexes decide between concurrent requests. A `platformCustomerId` never changes after the creation. */
const refuseConflict = (error: unknown): never => {
  throw violatedConstraint(error) === 'customers_uma_address' ? new ApiError('UMA_ADDRESS_EXISTS') : error;
};

export type NewRow = { readonly customer: Customer; readonly identifierSealed: Buffer | null };

/** Returns the ids that were inserted. The others conflict with a `platformCustomerId` or UMA address, also of a row before them. */
export async function insertCustomers(
  tx: Tx,
  platformId: PlatformId,
  rows: readonly NewRow[],
  now: Date,
): Promise<ReadonlySet<CustomerId>> {
  const inserted = await tx.many<{ id: string }>(sql`
    insert into customers (platform_id, id, platform_customer_id, customer_type, uma_address, verification_status, region, currencies, email,
                           phone_number, profile, identifier_sealed, consents, created_at, updated_at)
    select p.id, n.*, ${now}, ${now} from platforms p, json_to_recordset(${JSON.stringify(rows.map(toJsonRow))}) as n (
      id uuid, platform_customer_id text, customer_type text, uma_address text, verification_status text, region text, currencies text[],
      email text, phone_number text, profile json, identifier_sealed bytea, consents json)
    where p.id = ${uuidOf(platformId)}
    on conflict do nothing returning id`);
  return new Set(inserted.map((row) => idOf('Customer', row.id)));
}

const toJsonRow = ({ customer, identifierSealed }: NewRow) => ({
  id: uuidOf(customer.id),
  platform_customer_id: customer.platformCustomerId,
  customer_type: customer.customerType,
  uma_address: customer.umaAddress,
  verification_status: customer.verificationStatus,
  region: customer.region,
  currencies: customer.currencies,
  email: customer.email,
  phone_number: customer.phoneNumber,
  profile: customer.profile,
  identifier_sealed: identifierSealed && `\\x${identifierSealed.toString('hex')}`,
  consents: customer.consents,
});

/** The customer that an insert conflicts with, the one with the same `platformCustomerId` first. */
export async function findConflicting(
  tx: Reader,
  platformId: PlatformId,
  { platformCustomerId, umaAddress }: Customer,
): Promise<Customer | undefined> {
  const ofPlatform = sql`select id from customers where platform_id = ${uuidOf(platformId)}`;
  const row = await tx.one<CustomerRow>(sql`
    select ${columns(platformId)} from customers where platform_id = ${uuidOf(platformId)} and id = coalesce(
      (${ofPlatform} and ${hasPlatformCustomerId(platformCustomerId)} and ${isUnset(sql`deleted_at`)} limit 1),
      (${ofPlatform} and lower(uma_address) = lower(${umaAddress}) and deleted_at is null limit 1))`);
  return row && toCustomer(row);
}

/** Writes every column that can change. A sealed identifier replaces the old one; null keeps it. */
export async function saveCustomer(tx: Tx, platformId: PlatformId, customer: Customer, identifierSealed: Buffer | null): Promise<void> {
  await tx
    .run(
      sql`
    update customers set uma_address = ${customer.umaAddress}, verification_status = ${customer.verificationStatus},
      currencies = ${customer.currencies}, email = ${customer.email}, phone_number = ${customer.phoneNumber},
      email_verified_at = ${customer.emailVerifiedAt}, phone_verified_at = ${customer.phoneVerifiedAt},
      profile = ${JSON.stringify(customer.profile)}, identifier_sealed = coalesce(${identifierSealed}, identifier_sealed),
      consents = ${JSON.stringify(customer.consents)}, updated_at = ${customer.updatedAt}, deleted_at = ${customer.deletedAt}
    where platform_id = ${uuidOf(platformId)} and id = ${uuidOf(customer.id)}`,
    )
    .catch(refuseConflict);
}

export async function findSealedIdentifier(tx: Reader, platformId: PlatformId, id: CustomerId): Promise<Buffer | undefined> {
  const row = await tx.one<{ identifier_sealed: Buffer | null }>(sql`
    select identifier_sealed from customers where platform_id = ${uuidOf(platformId)} and id = ${uuidOf(id)}`);
  return row?.identifier_sealed ?? undefined;
}

/** As `getCustomer`, locked against deletion and change until this transaction ends. Other readers are not blocked. */
export async function shareCustomer(tx: Tx, platformId: PlatformId, id: CustomerId | undefined): Promise<Customer> {
  return undeleted(id && (await tx.one<CustomerRow>(sql`${byId(platformId, id)} for share`)));
}

/** The live customer of the platform with a UMA address, in whatever case it is written. Locked as by `shareCustomer`. */
export async function shareCustomerByUma(tx: Tx, platformId: PlatformId, umaAddress: string): Promise<Customer | undefined> {
  const row = await tx.one<CustomerRow>(sql`
    select ${columns(platformId)} from customers
    where platform_id = ${uuidOf(platformId)} and lower(uma_address) = lower(${umaAddress}) and deleted_at is null for share`);
  return row && toCustomer(row);
}

/**
 * Whether the customer exists and is not deleted. A share lock keeps it so until this transaction ends. By the primary key alone: on a table
 * without statistics a condition on deleted_at makes the planner take a partial index, and read every customer of the platform.
 */
export async function lockCustomerForShare(tx: Tx, platformId: PlatformId, id: CustomerId): Promise<boolean> {
  const row = await tx.one<{ deleted_at: Date | null }>(sql`
    select deleted_at from customers where platform_id = ${uuidOf(platformId)} and id = ${uuidOf(id)} for share`);
  return row?.deleted_at === null;
}
