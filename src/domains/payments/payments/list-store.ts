// SQL of lists of payments. Each filter has an index that begins with it and ends with the id, which lists are ordered by.
import type { Tx } from '../../../db/pool.js';
import { allOf, type Sql, sql } from '../../../db/sql.js';
import { type CustomerId, type PlatformId, type TransactionId, uuidOf } from '../../../kernel/ids.js';
import type { PageRequest } from '../../../kernel/page.js';
import type { Payment, PaymentStatus } from './payment.js';
import { type PaymentRow, toPayment } from './store.js';

type Reader = Pick<Tx, 'one' | 'many'>;

export type PaymentFilter = {
  readonly id?: TransactionId | undefined;
  readonly type?: Payment['type'] | undefined;
  /** As shown at `now`: a quote that nobody executed is over at its end, whether or not the job has run. */
  readonly status?: PaymentStatus | undefined;
  readonly now?: Date | undefined;
  /** Null for the payments of the platform itself. */
  readonly customerId?: CustomerId | null | undefined;
  readonly platformCustomerId?: string | undefined;
  /** Account ids and UMA addresses as a payment shows them. `account`: at either end. */
  readonly account?: string | undefined;
  readonly sender?: string | undefined;
  readonly receiver?: string | undefined;
  /** Only payments with one of these accounts at either end, or credited to it. Beside a customer, whose payments are few. */
  readonly among?: readonly string[] | undefined;
  readonly from?: Date | undefined;
  readonly to?: Date | undefined;
  /** Bounds of the id, where the times bound it. */
  readonly idFrom?: string | undefined;
  readonly idBefore?: string | undefined;
};

export type SortOrder = 'asc' | 'desc';

const TYPES: readonly Payment['type'][] = ['INCOMING', 'OUTGOING'];
const STATUSES: readonly PaymentStatus[] = ['PENDING', 'PENDING_AUTHORIZATION', 'PROCESSING', 'COMPLETED', 'REJECTED', 'FAILED', 'EXPIRED'];

const matches = (platformId: PlatformId, filter: PaymentFilter): Sql =>
  allOf(
    sql`p.platform_id = ${uuidOf(platformId)}`,
    filter.id !== undefined && sql`p.id = ${uuidOf(filter.id)}`,
    filter.customerId !== undefined && filter.customerId !== null && sql`p.customer_id = ${uuidOf(filter.customerId)}`,
    // The platform's own payments carry its id, so that one index serves both.
    filter.customerId === null && sql`p.platform_customer_id = ${platformId} and p.customer_id is null`,
    filter.platformCustomerId !== undefined && sql`p.platform_customer_id = ${filter.platformCustomerId}`,
    filter.sender !== undefined && sql`p.source_identifier = ${filter.sender}`,
    filter.receiver !== undefined && sql`p.destination_identifier = ${filter.receiver}`,
    filter.among !== undefined &&
      sql`(p.source_identifier = any(${filter.among}::text[]) or p.destination_identifier = any(${filter.among}::text[])
        or p.credit_to = any(${filter.among}::text[]))`,
    filter.from !== undefined && sql`p.created_at >= ${filter.from}`,
    filter.to !== undefined && sql`p.created_at <= ${filter.to}`,
    filter.idFrom !== undefined && sql`p.id >= ${filter.idFrom}`,
    filter.idBefore !== undefined && sql`p.id < ${filter.idBefore}`,
  );

/** A quote that is over and not yet stored as EXPIRED. */
const isLapsed = (now: Date): Sql => sql`p.state = 'QUOTED' and p.expires_at <= ${now}`;

/** What is stored under a status and shown under it. */
const isShown = ({ status, now }: PaymentFilter): Sql | false =>
  status === 'PENDING' && now !== undefined && sql`(p.state <> 'QUOTED' or p.expires_at is null or p.expires_at > ${now})`;

function hasStatus({ status, now }: PaymentFilter): Sql | false {
  if (status === undefined) return false;
  if (status === 'EXPIRED' && now !== undefined)
    return sql`p.status in ('EXPIRED', 'PENDING') and (p.status = 'EXPIRED' or ${isLapsed(now)})`;
  return allOf(sql`p.status = ${status}`, isShown({ status, now }));
}

const isSelective = ({ id, customerId, platformCustomerId, sender, receiver }: PaymentFilter): boolean =>
  [id, customerId, platformCustomerId, sender, receiver].some((named) => named !== undefined);

/**
 * The ids that match, `limit` at most. Where two ends or several statuses match, each is read in its own index and cut before they are
 * merged: no plan reads more rows than the list shows times the number of parts, however large the table is.
 */
function matchingIds(
  platformId: PlatformId,
  filter: PaymentFilter,
  { next, order, limit }: { next: Sql | false; order: Sql; limit: number },
): Sql {
  const where = allOf(matches(platformId, filter), next);
  const kind = allOf(filter.type !== undefined && sql`p.type = ${filter.type}`, hasStatus(filter), sql`true`);
  if (filter.account !== undefined)
    return sql`
      (select p.id from payments p where ${where} and ${kind} and p.source_identifier = ${filter.account} ${order} limit ${limit})
      union all
      (select p.id from payments p where ${where} and ${kind} and p.destination_identifier = ${filter.account}
         and p.source_identifier is distinct from ${filter.account} ${order} limit ${limit})`;
  if (isSelective(filter) || (filter.type === undefined && filter.status === undefined))
    return sql`select p.id from payments p where ${where} and ${kind} ${order} limit ${limit}`;
  const types = filter.type === undefined ? TYPES : [filter.type];
  const statuses = filter.status === undefined ? STATUSES : [filter.status];
  const stored = sql`
    select m.id from unnest(${types}::text[]) t (type), unnest(${statuses}::text[]) s (status), lateral (
      select p.id from payments p where ${allOf(where, isShown(filter))} and p.type = t.type and p.status = s.status ${order} limit ${limit}) m`;
  if (filter.status !== 'EXPIRED' || filter.now === undefined || filter.type === 'INCOMING') return stored;
  // Few at any time, by the index that the job reads.
  return sql`
    (${stored}) union all
    (select p.id from (
       select * from payments where platform_id = ${uuidOf(platformId)} and expires_at <= ${filter.now} order by expires_at offset 0) p
     where ${where} and ${isLapsed(filter.now)} ${order} limit ${limit})`;
}

/** The payments after a key, `limit` at most. */
export async function listPayments(
  tx: Reader,
  platformId: PlatformId,
  filter: PaymentFilter,
  { limit, after }: PageRequest<string>,
  sortOrder: SortOrder,
): Promise<Payment[]> {
  const next = after !== undefined && (sortOrder === 'desc' ? sql`p.id < ${after}` : sql`p.id > ${after}`);
  const order = sortOrder === 'desc' ? sql`order by p.id desc` : sql`order by p.id`;
  const rows = await tx.many<PaymentRow>(sql`
    select p.* from (
      select p.id from (${matchingIds(platformId, filter, { next, order, limit })}) p ${order} limit ${limit}) f
    cross join lateral (select * from payments where platform_id = ${uuidOf(platformId)} and id = f.id limit 1) p
    ${order}`);
  return rows.map(toPayment);
}

/** The number of matches; `most` if there are as many or more. */
export async function countPayments(tx: Reader, platformId: PlatformId, filter: PaymentFilter, most: number): Promise<number> {
  const row = await tx.one<{ count: bigint }>(sql`
    select count(*) from (select from (${matchingIds(platformId, filter, { next: false, order: sql``, limit: most })}) m limit ${most}) matches`);
  return Number(row?.count ?? 0n);
}
