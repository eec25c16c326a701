// All SQL of the request log.
import { countMatches } from '../../../db/count.js';
import type { Tx } from '../../../db/pool.js';
import { records } from '../../../db/records.js';
import { allOf, type Sql, sql } from '../../../db/sql.js';
import { idOf, type PlatformId, type TokenId, uuidOf } from '../../../kernel/ids.js';
import { type Page, type PageRequest, pageOf } from '../../../kernel/page.js';
import type { KeptBody, LoggedRequest, SignedLeg } from './request.js';

type Reader = Pick<Tx, 'many' | 'one'>;

const COLUMNS = {
  position: 'uuid',
  id: 'uuid',
  operation: 'text',
  method: 'text',
  path: 'text',
  query: 'text',
  status: 'smallint',
  code: 'text',
  duration_ms: 'float8',
  token_id: 'uuid',
  program: 'text',
  idempotency_key: 'text',
  signed_leg: 'text',
  is_console: 'boolean',
  at: 'timestamptz',
  unrecorded_before: 'int',
  request_body: 'text',
  request_body_cut: 'boolean',
  response_body: 'text',
  response_body_cut: 'boolean',
  object_ids: 'json',
};
const OBJECT_COLUMNS = { object_id: 'text', position: 'uuid' };

/** Writes requests of one platform and the ids they name, in one statement each. A platform that is gone gets none. */
export function insertRequests(tx: Pick<Tx, 'send'>, platformId: PlatformId, requests: readonly LoggedRequest[]): void {
  const platform = uuidOf(platformId);
  const objects = requests.flatMap(({ position, objectIds }) => objectIds.map((object_id) => ({ object_id, position })));
  if (objects.length > 0)
    tx.send(sql`
      insert into request_log_objects (platform_id, object_id, position)
      select p.id, t.* from platforms p, ${records(OBJECT_COLUMNS, objects)} where p.id = ${platform}`);
  tx.send(sql`
    insert into request_log (platform_id, position, id, operation, method, path, query, status, code, duration_ms, token_id, program,
      idempotency_key, signed_leg, is_console, at, unrecorded_before, request_body, request_body_cut, response_body, response_body_cut, object_ids)
    select p.id, t.* from platforms p, ${records(COLUMNS, requests.map(toRow))} where p.id = ${platform}`);
}

const toRow = (request: LoggedRequest) => ({
  position: request.position,
  id: request.id,
  operation: request.operation,
  method: request.method,
  path: request.path,
  query: request.query,
  status: request.status,
  code: request.code,
  duration_ms: request.durationMs,
  token_id: request.tokenId && uuidOf(request.tokenId),
  program: request.program,
  idempotency_key: request.idempotencyKey,
  signed_leg: request.signedLeg,
  is_console: request.isConsole,
  at: request.at,
  unrecorded_before: request.unrecordedBefore,
  request_body: request.requestBody?.text ?? null,
  request_body_cut: request.requestBody?.isCut ?? false,
  response_body: request.responseBody?.text ?? null,
  response_body_cut: request.responseBody?.isCut ?? false,
  object_ids: request.objectIds,
});

// ---- reading

type RequestRow = {
  position: string;
  id: string;
  operation: string;
  method: string;
  path: string;
  query: string | null;
  status: number;
  code: string | null;
  duration_ms: number;
  token_id: string | null;
  program: string | null;
  idempotency_key: string | null;
  signed_leg: SignedLeg | null;
  is_console: boolean;
  at: Date;
  unrecorded_before: number;
  object_ids: readonly string[];
};
type WholeRow = RequestRow & {
  request_body: string | null;
  request_body_cut: boolean;
  response_body: string | null;
  response_body_cut: boolean;
};

const bodyOf = (text: string | null, isCut: boolean): KeptBody | null => (text === null ? null : { text, isCut });

const toRequest = (platformId: PlatformId, row: RequestRow): LoggedRequest => ({
  position: row.position,
  id: row.id,
  platformId,
  operation: row.operation,
  method: row.method,
  path: row.path,
  query: row.query,
  status: row.status,
  code: row.code,
  durationMs: row.duration_ms,
  tokenId: row.token_id === null ? null : idOf('Token', row.token_id),
  program: row.program,
  idempotencyKey: row.idempotency_key,
  signedLeg: row.signed_leg,
  isConsole: row.is_console,
  objectIds: row.object_ids,
  at: row.at,
  unrecordedBefore: row.unrecorded_before,
  requestBody: null,
  responseBody: null,
});

const LISTED = sql`r.position, r.id, r.operation, r.method, r.path, r.query, r.status, r.code, r.duration_ms, r.token_id, r.program,
  r.idempotency_key, r.signed_leg, r.is_console, r.at, r.unrecorded_before, r.object_ids`;

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
      select ${LISTED} from ${from} where ${allOf(where, after !== undefined && sql`${position} < ${after}`)}
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
    sql`select ${LISTED} from ${from} where ${where} and r.position > ${after} order by r.position limit ${limit}`,
  );
  return rows.map((row) => toRequest(platformId, row));
}

export async function findRequest(tx: Reader, platformId: PlatformId, id: string): Promise<LoggedRequest | undefined> {
  const row = await tx.one<WholeRow>(sql`select * from request_log r where r.platform_id = ${uuidOf(platformId)} and r.id = ${id}`);
  return (
    row && {
      ...toRequest(platformId, row),
      requestBody: bodyOf(row.request_body, row.request_body_cut),
      responseBody: bodyOf(row.response_body, row.response_body_cut),
    }
  );
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
