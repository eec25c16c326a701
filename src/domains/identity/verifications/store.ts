// All SQL of verifications. Those of deleted customers stay and are not returned.
import { countMatches } from '../../../db/count.js';
import type { PlatformCondition } from '../../../db/job.js';
import type { Tx } from '../../../db/pool.js';
import { allOf, isUnset, type Sql, sql } from '../../../db/sql.js';
import { type CustomerId, idOf, type PlatformId, uuidOf } from '../../../kernel/ids.js';
import { type Page, type PageRequest, pageOf } from '../../../kernel/page.js';
import type { KycDecision, KycError } from '../../../providers/kyc.js';
import type { RecordStatus, Verification, VerificationId } from './verification.js';

type Reader = Pick<Tx, 'one' | 'many'>;

type VerificationRow = {
  id: string;
  customer_id: string;
  status: RecordStatus;
  errors: KycError[];
  submissions: number;
  planned_decision: KycDecision | null;
  planned_at: Date | null;
  send_at: Date | null;
  send_failures: number;
  created_at: Date;
  updated_at: Date;
};

const toVerification = (row: VerificationRow): Verification => ({
  id: idOf('Verification', row.id),
  customerId: idOf('Customer', row.customer_id),
  status: row.status,
  errors: row.errors,
  submissions: row.submissions,
  planned: row.planned_decision === null || row.planned_at === null ? null : { at: row.planned_at, decision: row.planned_decision },
  sendAt: row.send_at,
  sendFailures: row.send_failures,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
});

const COLUMNS = sql`id, customer_id, status, errors, submissions, planned_decision, planned_at, send_at, send_failures, created_at, updated_at`;

const notDeleted = (platformId: PlatformId): Sql => sql`platform_id = ${uuidOf(platformId)} and deleted_at is null`;
const ofCustomer = (platformId: PlatformId, customerId: CustomerId | null): Sql =>
  sql`platform_id = ${uuidOf(platformId)} and customer_id = ${customerId && uuidOf(customerId)} and ${isUnset(sql`deleted_at`)}`;

/** By the primary key alone: on a table without statistics a condition on deleted_at makes the planner take a partial index instead. */
export async function findVerification(
  tx: Reader,
  platformId: PlatformId,
  id: VerificationId | undefined,
): Promise<Verification | undefined> {
  const row =
    id &&
    (await tx.one<VerificationRow & { deleted_at: Date | null }>(sql`
      select ${COLUMNS}, deleted_at from verifications where platform_id = ${uuidOf(platformId)} and id = ${uuidOf(id)}`));
  return row?.deleted_at === null ? toVerification(row) : undefined;
}

/** The caller has locked the customer, so nobody else changes or adds a verification of it. */
export async function findOpenVerification(tx: Reader, platformId: PlatformId, customerId: CustomerId): Promise<Verification | undefined> {
  const row = await tx.one<VerificationRow>(sql`
    select ${COLUMNS} from verifications
    where ${ofCustomer(platformId, customerId)}
      and status in ('RESOLVE_ERRORS', 'PENDING_MANUAL_REVIEW', 'IN_PROGRESS')`);
  return row && toVerification(row);
}

export type VerificationFilter = {
  /** Null for a malformed id, which names no customer. */
  readonly customerId: CustomerId | null | undefined;
  readonly status: string | undefined;
};

export async function listVerifications(
  tx: Reader,
  platformId: PlatformId,
  filter: VerificationFilter,
  { limit, after }: PageRequest<string>,
  scope: unknown,
): Promise<Page<Verification>> {
  const { customerId, status } = filter;
  const where = allOf(
    customerId !== undefined
      ? ofCustomer(platformId, customerId)
      : status !== undefined
        ? notDeleted(platformId)
        : sql`platform_id = ${uuidOf(platformId)} and ${isUnset(sql`deleted_at`)}`,
    status !== undefined && sql`status = ${status}`,
  );
  const [rows, totalCount] = await Promise.all([
    tx.many<VerificationRow>(sql`
      select ${COLUMNS} from verifications where ${allOf(where, after !== undefined && sql`id < ${after}`)} order by id desc limit ${limit + 1}`),
    countMatches(tx, sql`verifications where ${where}`),
  ]);
  return pageOf(rows.map(toVerification), limit, totalCount, ({ id }) => [uuidOf(id)], scope);
}

export function insertVerification(tx: Tx, platformId: PlatformId, verification: Verification): void {
  const { planned } = verification;
  tx.send(sql`
    insert into verifications (platform_id, id, customer_id, status, errors, submissions, planned_decision, planned_at, send_at, send_failures,
      created_at, updated_at)
    values (${uuidOf(platformId)}, ${uuidOf(verification.id)}, ${uuidOf(verification.customerId)}, ${verification.status},
      ${JSON.stringify(verification.errors)}, ${verification.submissions}, ${planned && JSON.stringify(planned.decision)}, ${planned?.at ?? null},
      ${verification.sendAt}, ${verification.sendFailures}, ${verification.createdAt}, ${verification.updatedAt})`);
}

export function saveVerification(tx: Tx, platformId: PlatformId, verification: Verification): void {
  const { planned } = verification;
  tx.send(sql`
    update verifications set status = ${verification.status}, errors = ${JSON.stringify(verification.errors)},
      submissions = ${verification.submissions}, planned_decision = ${planned && JSON.stringify(planned.decision)},
      planned_at = ${planned?.at ?? null}, send_at = ${verification.sendAt}, send_failures = ${verification.sendFailures},
      updated_at = ${verification.updatedAt}
    where platform_id = ${uuidOf(platformId)} and id = ${uuidOf(verification.id)}`);
}

/** The verifications of a deleted customer end: no answer of a provider reaches them. */
export function endVerificationsOf(tx: Tx, platformId: PlatformId, customerId: CustomerId, now: Date): void {
  tx.send(sql`
    update verifications set deleted_at = ${now}, planned_decision = null, planned_at = null, send_at = null
    where ${ofCustomer(platformId, customerId)}`);
}

// ---- due work

export type DueWork = 'PLANNED_DECISION' | 'SEND';

const DUE: { readonly [work in DueWork]: Sql } = { PLANNED_DECISION: sql`planned_at`, SEND: sql`send_at` };

// `excluded`: verifications to skip.
export const firstDue = (condition: PlatformCondition, work: DueWork, excluded: readonly string[]): Sql => sql`
  select platform_id, ${DUE[work]} as at from verifications
  where ${condition(sql`platform_id`)} and ${DUE[work]} is not null and deleted_at is null and id <> all(${excluded}::uuid[])
  order by platform_id, ${DUE[work]} limit 1`;

/** Verifications with due work, the earliest first. Nothing is locked: the customer's row is locked before the verification is changed. */
export async function findDue(
  tx: Reader,
  work: DueWork,
  platformId: PlatformId,
  now: Date,
  excluded: readonly string[],
  limit: number,
): Promise<Verification[]> {
  const rows = await tx.many<VerificationRow>(sql`
    select ${COLUMNS} from verifications
    where ${notDeleted(platformId)} and ${DUE[work]} is not null and ${DUE[work]} <= ${now} and id <> all(${excluded}::uuid[])
    order by ${DUE[work]}, id limit ${limit}`);
  return rows.map(toVerification);
}

/** Verifications of a platform that people have to decide, the oldest first. For the operator's tool. */
export async function findWaiting(tx: Reader, platformId: PlatformId): Promise<Verification[]> {
  const rows = await tx.many<VerificationRow>(sql`
    select ${COLUMNS} from verifications where ${notDeleted(platformId)} and status = 'PENDING_MANUAL_REVIEW' order by id limit 1000`);
  return rows.map(toVerification);
}
