// All SQL of the request log.
import { countMatches } from '../../../db/count.js';
import type { Tx } from '../../../db/pool.js';
import { records } from '../../../db/records.js';
import { allOf, type Sql, sql } from '../../../db/sql.js';
import { idOf, type PlatformId, type TokenId, uuidOf } from '../../../kernel/ids.js';
import { type Page, type PageRequest, pageOf } from '../../../kernel/page.js';
import type { LoggedRequest } from './request.js';

type Reader = Pick<Tx, 'many' | 'one'>;

const COLUMNS = {
  position: 'uuid',
  id: 'uuid',
  operation: 'text',
  status: 'smallint',
  token_id: 'uuid',
  at: 'timestamptz',
  entry: 'json',
} as const;
const OBJECT_COLUMNS = { object_id: 'text', position: 'uuid' } as const;

/** Writes requests of one platform and the ids they name, in one statement each. A platform that is gone gets none. */
export function insertRequests(tx: Pick<Tx, 'send'>, platformId: PlatformId, requests: readonly LoggedRequest[]): void {
  const platform = uuidOf(platformId);
  const objects = requests.flatMap(({ position, objectIds }) => objectIds.map((object_id) => ({ object_id, position })));
  if (objects.length > 0)
    tx.send(sql`
      insert into request_log_objects (platform_id, object_id, position)
      select p.id, t.* from platforms p, ${records(OBJECT_COLUMNS, objects)} where p.id = ${platform}`);
  tx.send(sql`
    insert into request_log (platform_id, position, id, operation, status, token_id, at, entry)
    select p.id, t.* from platforms p, ${records(COLUMNS, requests.map(toRow))} where p.id = ${platform}`);
}

const toRow = ({ position, id, operation, status, tokenId, at, platformId: _, requestBody, responseBody, ...entry }: LoggedRequest) => ({
  position,
  id,
  operation,
  status,
  token_id: tokenId && uuidOf(tokenId),
  at,
  entry: { ...entry, requestBody, responseBody },
});

// ---- reading

/** Members of a request that nothing searches for. */
type Entry = Omit<LoggedRequest, 'position' | 'id' | 'operation' | 'status' | 'tokenId' | 'at' | 'platformId'>;

type RequestRow = {
  position: string;
  id: string;
  operation: string;
  status: number;
  token_id: string | null;
  at: Date;
  entry: Entry;
};

const toRequest = (platformId: PlatformId, { position, id, operation, status, token_id, at, entry }: RequestRow): LoggedRequest => ({
  ...entry,
  position,
  id,
  platformId,
  operation,
  status,
  tokenId: token_id === null ? null : idOf('Token', token_id),
  at,
});

export type RequestFilter = {
  readonly operation?: string;
  /** Both bounds belong to it. */
  readonly statuses?: { readonly from: number; readonly to: number };
  readonly tokenId?: TokenId;
  readonly objectId?: string;
};

/** Requests of an object are found by its entries; all others by the index that the filter has. */
const matching = (platformId: PlatformId, { operation, statuses, tokenId, objectId }: RequestFilter): { from: Sql; where: Sql } => {
  const platform = uuidOf(platformId);
  const conditions = allOf(
    sql`r.platform_id = ${platform}`,
    operation !== undefined && sql`r.operation = ${operation}`,
    statuses !== undefined && sql`r.status between ${statuses.from} and ${statuses.to}`,
    // Says the condition of the index of refusals.
    statuses !== undefined && statuses.from >= 400 && sql`r.status >= 400`,
    tokenId !== undefined && sql`r.token_id = ${uuidOf(tokenId)}`,
  );
  return objectId === undefined
    ? { from: sql`request_log r`, where: conditions }
    : {
        from: sql`request_log_objects o join request_log r on r.platform_id = ${platform} and r.position = o.position`,
        where: sql`o.platform_id = ${platform} and o.object_id = ${objectId} and ${conditions}`,
      };
};

/** Newest first. */
export async function listRequests(
  tx: Reader,
  platformId: PlatformId,
  filter: RequestFilter,
  { limit, after }: PageRequest<string>,
  scope: unknown,
): Promise<Page<LoggedRequest>> {
  const { from, where } = matching(platformId, filter);
  const position = filter.objectId === undefined ? sql`r.position` : sql`o.position`;
  const [rows, totalCount] = await Promise.all([
    tx.many<RequestRow>(sql`
      select r.* from ${from} where ${allOf(where, after !== undefined && sql`${position} < ${after}`)}
      order by ${position} desc limit ${limit + 1}`),
    countMatches(tx, sql`${from} where ${where}`),
  ]);
  return pageOf(
    rows.map((row) => toRequest(platformId, row)),
    limit,
    totalCount,
    ({ position: key }) => [key],
    scope,
  );
}

/** The requests that name an object, the one that ended last first. */
export async function findRequestsOf(
  tx: Reader,
  platformId: PlatformId,
  objectId: string,
  after: string | undefined,
  limit: number,
): Promise<LoggedRequest[]> {
  const { from, where } = matching(platformId, { objectId });
  const rows = await tx.many<RequestRow>(sql`
    select r.* from ${from} where ${allOf(where, after !== undefined && sql`o.position < ${after}`)} order by o.position desc limit ${limit}`);
  return rows.map((row) => toRequest(platformId, row));
}

/** The requests that ended after a position, oldest first. */
export async function listRequestsAfter(
  tx: Reader,
  platformId: PlatformId,
  filter: Omit<RequestFilter, 'objectId'>,
  after: string,
  limit: number,
): Promise<LoggedRequest[]> {
  const { from, where } = matching(platformId, filter);
  const rows = await tx.many<RequestRow>(
    sql`select r.* from ${from} where ${where} and r.position > ${after} order by r.position limit ${limit}`,
  );
  return rows.map((row) => toRequest(platformId, row));
}

export async function findRequest(tx: Reader, platformId: PlatformId, id: string): Promise<LoggedRequest | undefined> {
  const row = await tx.one<RequestRow>(sql`select * from request_log r where r.platform_id = ${uuidOf(platformId)} and r.id = ${id}`);
  return row && toRequest(platformId, row);
}

// ---- retention

/** The position of the last request that is kept by number; undefined if there are fewer. */
export async function findLastKept(tx: Reader, platformId: PlatformId, kept: number): Promise<string | undefined> {
  const row = await tx.one<{ position: string }>(sql`
    select position from request_log where platform_id = ${uuidOf(platformId)} order by position desc offset ${kept - 1} limit 1`);
  return row?.position;
}

export const deleteRequestsBefore = (tx: Pick<Tx, 'run'>, platformId: PlatformId, before: string, limit: number): Promise<number> =>
  tx.run(sql`
    delete from request_log where platform_id = ${uuidOf(platformId)} and position = any(array(
      select position from request_log where platform_id = ${uuidOf(platformId)} and position < ${before} order by position limit ${limit}))`);

export const deleteObjectsBefore = (tx: Pick<Tx, 'run'>, platformId: PlatformId, before: string, limit: number): Promise<number> =>
  tx.run(sql`
    delete from request_log_objects where platform_id = ${uuidOf(platformId)} and (position, object_id) in (
      select position, object_id from request_log_objects
      where platform_id = ${uuidOf(platformId)} and position < ${before} order by position limit ${limit})`);
