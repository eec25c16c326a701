// All SQL of beneficial owners. Deleted ones stay and are not returned.
import { countMatches } from '../../../db/count.js';
import type { Tx } from '../../../db/pool.js';
import { allOf, isUnset, type Sql, sql } from '../../../db/sql.js';
import { ApiError } from '../../../kernel/errors.js';
import { type CustomerId, idOf, type PlatformId, uuidOf } from '../../../kernel/ids.js';
import { type Page, type PageRequest, pageOf } from '../../../kernel/page.js';
import type { BeneficialOwner, BeneficialOwnerId, OwnerRole, PersonalInfo, VerificationStatus } from '../customers/customer.js';

type Reader = Pick<Tx, 'one' | 'many'>;

type OwnerRow = {
  id: string;
  customer_id: string;
  roles: OwnerRole[];
  ownership_percentage: number;
  personal_info: PersonalInfo;
  identifier_masked: string;
  kyc_status: VerificationStatus;
  created_at: Date;
  updated_at: Date;
};

const toOwner = (row: OwnerRow): BeneficialOwner => ({
  id: idOf('BeneficialOwner', row.id),
  customerId: idOf('Customer', row.customer_id),
  roles: row.roles,
  ownershipPercentage: row.ownership_percentage,
  personalInfo: row.personal_info,
  maskedIdentifier: row.identifier_masked,
  kycStatus: row.kyc_status,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
});

const COLUMNS = sql`id, customer_id, roles, ownership_percentage, personal_info, identifier_masked, kyc_status, created_at, updated_at`;

const notDeleted = (platformId: PlatformId): Sql => sql`platform_id = ${uuidOf(platformId)} and deleted_at is null`;

const byId = (platformId: PlatformId, id: BeneficialOwnerId): Sql =>
  sql`platform_id = ${uuidOf(platformId)} and id = ${uuidOf(id)} and ${isUnset(sql`deleted_at`)}`;

const ofCustomer = (platformId: PlatformId, customerId: CustomerId): Sql =>
  sql`${notDeleted(platformId)} and customer_id = ${uuidOf(customerId)}`;

/** The owner, or 404. An id that cannot name an owner (undefined) gets the same answer. */
export async function getOwner(tx: Reader, platformId: PlatformId, id: BeneficialOwnerId | undefined): Promise<BeneficialOwner> {
  const row = id && (await tx.one<OwnerRow>(sql`select ${COLUMNS} from beneficial_owners where ${byId(platformId, id)}`));
  if (!row) throw new ApiError('NOT_FOUND');
  return toOwner(row);
}

/** Whether the owner exists. A share lock keeps it so until this transaction ends. */
export async function lockOwnerForShare(tx: Tx, platformId: PlatformId, id: BeneficialOwnerId): Promise<boolean> {
  const row = await tx.one(sql`select from beneficial_owners where ${byId(platformId, id)} for share`);
  return row !== undefined;
}

/** The oldest first, as a business shows them. */
export async function findOwnersOf(tx: Reader, platformId: PlatformId, customerId: CustomerId): Promise<BeneficialOwner[]> {
  const rows = await tx.many<OwnerRow>(
    sql`select ${COLUMNS} from beneficial_owners where ${ofCustomer(platformId, customerId)} order by id`,
  );
  return rows.map(toOwner);
}

export async function findSealedIdentifiers(
  tx: Reader,
  platformId: PlatformId,
  customerId: CustomerId,
): Promise<Map<BeneficialOwnerId, Buffer>> {
  const rows = await tx.many<{ id: string; identifier_sealed: Buffer }>(
    sql`select id, identifier_sealed from beneficial_owners where ${ofCustomer(platformId, customerId)}`,
  );
  return new Map(rows.map((row) => [idOf('BeneficialOwner', row.id), row.identifier_sealed]));
}

/** Null for a malformed customer id, which has no owners. */
export async function listOwners(
  tx: Reader,
  platformId: PlatformId,
  customerId: CustomerId | null,
  { limit, after }: PageRequest<string>,
  scope: unknown,
): Promise<Page<BeneficialOwner>> {
  const where = sql`${notDeleted(platformId)} and customer_id = ${customerId && uuidOf(customerId)}`;
  const [rows, totalCount] = await Promise.all([
    tx.many<OwnerRow>(sql`
      select ${COLUMNS} from beneficial_owners where ${allOf(where, after !== undefined && sql`id < ${after}`)}
      order by id desc limit ${limit + 1}`),
    countMatches(tx, sql`beneficial_owners where ${where}`),
  ]);
  return pageOf(rows.map(toOwner), limit, totalCount, ({ id }) => [uuidOf(id)], scope);
}

export function insertOwner(tx: Tx, platformId: PlatformId, owner: BeneficialOwner, identifierSealed: Buffer): void {
  tx.send(sql`
    insert into beneficial_owners (platform_id, id, customer_id, roles, ownership_percentage, personal_info, identifier_sealed,
      identifier_masked, kyc_status, created_at, updated_at)
    values (${uuidOf(platformId)}, ${uuidOf(owner.id)}, ${uuidOf(owner.customerId)}, ${owner.roles}, ${owner.ownershipPercentage},
      ${JSON.stringify(owner.personalInfo)}, ${identifierSealed}, ${owner.maskedIdentifier}, ${owner.kycStatus}, ${owner.createdAt},
      ${owner.updatedAt})`);
}

/** Writes every column that can change. A sealed identifier replaces the old one; null keeps it. */
export function saveOwner(tx: Tx, platformId: PlatformId, owner: BeneficialOwner, identifierSealed: Buffer | null): void {
  tx.send(sql`
    update beneficial_owners set roles = ${owner.roles}, ownership_percentage = ${owner.ownershipPercentage},
      personal_info = ${JSON.stringify(owner.personalInfo)}, identifier_sealed = coalesce(${identifierSealed}, identifier_sealed),
      identifier_masked = ${owner.maskedIdentifier}, kyc_status = ${owner.kycStatus}, updated_at = ${owner.updatedAt}
    where platform_id = ${uuidOf(platformId)} and id = ${uuidOf(owner.id)}`);
}

export function deleteOwner(tx: Tx, platformId: PlatformId, id: BeneficialOwnerId, now: Date): void {
  tx.send(sql`
    update beneficial_owners set deleted_at = ${now}, updated_at = ${now} where ${byId(platformId, id)}`);
}

export function deleteOwnersOf(tx: Tx, platformId: PlatformId, customerId: CustomerId, now: Date): void {
  tx.send(sql`update beneficial_owners set deleted_at = ${now}, updated_at = ${now} where ${ofCustomer(platformId, customerId)}`);
}
