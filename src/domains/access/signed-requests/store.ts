// All SQL of signed requests.

import { countMatches } from '../../../db/count.js';
import type { Job } from '../../../db/job.js';
import type { Tx } from '../../../db/pool.js';
import { allOf, sql } from '../../../db/sql.js';
import { type InternalAccountId, idOf, type PlatformId, uuidOf } from '../../../kernel/ids.js';
import { type Page, type PageRequest, pageOf } from '../../../kernel/page.js';
import type { Facts, SignedRequest, SignedRequestId, SignedRequestStatus } from './signed-request.js';

type Reader = Pick<Tx, 'one' | 'many'>;

type SignedRequestRow = {
  id: string;
  operation: string;
  target: string;
  body_hash: Buffer | null;
  account_id: string;
  leg: number;
  payload: string;
  expected_key: string | null;
  facts: Facts;
  secret_sealed: Buffer | null;
  created_at: Date;
  expires_at: Date;
  used_at: Date | null;
};

export function insertSignedRequest(tx: Tx, platformId: PlatformId, request: SignedRequest): void {
  tx.send(sql`
    insert into signed_requests (platform_id, id, operation, target, body_hash, account_id, leg, payload, expected_key, facts, secret_sealed, created_at, expires_at)
    values (${uuidOf(platformId)}, ${uuidOf(request.id)}, ${request.operation}, ${request.target}, ${request.bodyHash ?? null}, ${uuidOf(request.accountId)},
            ${request.leg}, ${request.payload}, ${request.expectedKey ?? null}, ${JSON.stringify(request.facts)}, ${request.secretSealed ?? null},
            ${request.createdAt}, ${request.expiresAt})`);
}

export async function lockSignedRequest(tx: Tx, platformId: PlatformId, id: SignedRequestId): Promise<SignedRequest | undefined> {
  const row = await tx.one<SignedRequestRow>(sql`
    select * from signed_requests where platform_id = ${uuidOf(platformId)} and id = ${uuidOf(id)} for update`);
  return row && toSignedRequest(row);
}

const toSignedRequest = (row: SignedRequestRow): SignedRequest => ({
  id: idOf('Request', row.id),
  operation: row.operation,
  target: row.target,
  bodyHash: row.body_hash ?? undefined,
  accountId: idOf('InternalAccount', row.account_id),
  leg: row.leg,
  payload: row.payload,
  expectedKey: row.expected_key ?? undefined,
  facts: row.facts,
  secretSealed: row.secret_sealed ?? undefined,
  createdAt: row.created_at,
  expiresAt: row.expires_at,
  usedAt: row.used_at ?? undefined,
});

export async function findSignedRequest(tx: Reader, platformId: PlatformId, id: SignedRequestId): Promise<SignedRequest | undefined> {
  const row = await tx.one<SignedRequestRow>(sql`
    select * from signed_requests where platform_id = ${uuidOf(platformId)} and id = ${uuidOf(id)}`);
  return row && toSignedRequest(row);
}

/** The request after which a page begins. */
export type AfterRequest = { readonly at: Date; readonly id: string };

/** The latest to expire first. All requests live equally long, so this is the order in which they were made. */
export async function listSignedRequests(
  tx: Reader,
  platformId: PlatformId,
  status: SignedRequestStatus | undefined,
  now: Date,
  { limit, after }: PageRequest<AfterRequest>,
  scope: unknown,
): Promise<Page<SignedRequest>> {
  const where = allOf(
    // The condition on the time names the partial index of expiries.
    sql`platform_id = ${uuidOf(platformId)} and expires_at > '-infinity'`,
    status === 'OPEN' && sql`expires_at > ${now} and used_at is null`,
    status === 'USED' && sql`used_at is not null`,
    status === 'EXPIRED' && sql`expires_at <= ${now} and used_at is null`,
  );
  const [rows, totalCount] = await Promise.all([
    tx.many<SignedRequestRow>(sql`
      select * from signed_requests
      where ${allOf(where, after !== undefined && sql`expires_at <= ${after.at} and (expires_at, id) < (${after.at}, ${after.id})`)}
      order by expires_at desc, id desc limit ${limit + 1}`),
    countMatches(tx, sql`signed_requests where ${where}`),
  ]);
  return pageOf(rows.map(toSignedRequest), limit, totalCount, ({ expiresAt, id }) => [expiresAt.toISOString(), uuidOf(id)], scope);
}

export function markRequestUsed(tx: Tx, platformId: PlatformId, id: SignedRequestId, now: Date): void {
  tx.send(sql`
    update signed_requests set used_at = ${now}, secret_sealed = null where platform_id = ${uuidOf(platformId)} and id = ${uuidOf(id)}`);
}

/** The latest payloads that the account's owner was asked to sign, newest first. */
export async function findRecentPayloads(
  tx: Reader,
  platformId: PlatformId,
  accountId: InternalAccountId,
  limit: number,
): Promise<string[]> {
  const rows = await tx.many<{ payload: string }>(sql`
    select payload from signed_requests where platform_id = ${uuidOf(platformId)} and account_id = ${uuidOf(accountId)}
    order by created_at desc limit ${limit}`);
  return rows.map((row) => row.payload);
}

/**
 * The next request that is to be deleted. Expired requests are kept for a while, so that a late or repeated retry gets the precise refusal.
 * The condition on the time names the partial index of expiries.
 */
export const firstRemoval =
  (retentionMs: number): Job['firstDue'] =>
  (condition) =>
    sql`
    select platform_id, expires_at + ${retentionMs}::float8 * interval '1 millisecond' as at from signed_requests
    where ${condition(sql`platform_id`)} and expires_at > '-infinity'
    order by platform_id, expires_at limit 1`;

/** Deletes some of the requests that expired at `before` or earlier; returns how many. */
export const deleteExpired = (tx: Pick<Tx, 'run'>, platformId: PlatformId, before: Date, limit: number): Promise<number> =>
  tx.run(sql`
    delete from signed_requests where platform_id = ${uuidOf(platformId)} and id = any(array(
      select id from signed_requests
      where platform_id = ${uuidOf(platformId)} and expires_at > '-infinity' and expires_at <= ${before}
      order by expires_at limit ${limit} for update skip locked))`);
