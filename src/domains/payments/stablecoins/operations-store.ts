// All SQL of operations that mint and burn.
import { countMatches } from '../../../db/count.js';
import type { PlatformCondition } from '../../../db/job.js';
import type { Tx } from '../../../db/pool.js';
import { allOf, type Sql, sql } from '../../../db/sql.js';
import { ApiError } from '../../../kernel/errors.js';
import { idOf, type PlatformId, uuidOf } from '../../../kernel/ids.js';
import { type Page, type PageRequest, pageOf } from '../../../kernel/page.js';
import type {
  FailureReason,
  FundingInstructions,
  LinkId,
  OperationDestination,
  OperationId,
  OperationSource,
  OperationStatus,
  OperationType,
  ProviderStatus,
  StablecoinId,
  StablecoinOperation,
} from './stablecoin.js';

type Reader = Pick<Tx, 'one' | 'many'>;

type OperationRow = {
  id: string;
  stablecoin_id: string;
  link_id: string;
  operation_type: OperationType;
  status: OperationStatus;
  amount: string;
  cents: bigint;
  source: OperationSource;
  destination: OperationDestination;
  description: string | null;
  funding_instructions: FundingInstructions | null;
  provider_status: ProviderStatus | null;
  failure_reason: FailureReason | null;
  expires_at: Date | null;
  due_at: Date | null;
  is_abandoned: boolean;
  created_at: Date;
  updated_at: Date;
};

const toOperation = (row: OperationRow): StablecoinOperation => ({
  id: idOf('StablecoinOperation', row.id),
  stablecoinId: idOf('Stablecoin', row.stablecoin_id),
  linkId: idOf('StablecoinProviderAccount', row.link_id),
  type: row.operation_type,
  status: row.status,
  amount: BigInt(row.amount),
  cents: row.cents,
  source: row.source,
  destination: row.destination,
  description: row.description,
  fundingInstructions: row.funding_instructions,
  providerStatus: row.provider_status,
  failureReason: row.failure_reason,
  expiresAt: row.expires_at,
  dueAt: row.due_at,
  isAbandoned: row.is_abandoned,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
});

const byId = (platformId: PlatformId, id: OperationId): Sql => sql`
  select * from stablecoin_operations where platform_id = ${uuidOf(platformId)} and id = ${uuidOf(id)}`;

/** The operation, or 404. A malformed id (undefined) answers like an unknown one, and so does one whose caller was refused. */
export async function getOperation(tx: Reader, platformId: PlatformId, id: OperationId | undefined): Promise<StablecoinOperation> {
  const row = id && (await tx.one<OperationRow>(byId(platformId, id)));
  if (!row || row.is_abandoned) throw new ApiError('STABLECOIN_OPERATION_NOT_FOUND');
  return toOperation(row);
}

export async function lockOperation(tx: Tx, platformId: PlatformId, id: OperationId): Promise<StablecoinOperation | undefined> {
  const row = await tx.one<OperationRow>(sql`${byId(platformId, id)} for update`);
  return row && toOperation(row);
}

export async function listOperations(
  tx: Reader,
  platformId: PlatformId,
  { stablecoinId, operationType }: { readonly stablecoinId: StablecoinId; readonly operationType?: OperationType | undefined },
  { limit, after }: PageRequest<string>,
  scope: unknown,
): Promise<Page<StablecoinOperation>> {
  const where = allOf(
    sql`stablecoin_id = ${uuidOf(stablecoinId)} and platform_id = ${uuidOf(platformId)} and not is_abandoned`,
    operationType !== undefined && sql`operation_type = ${operationType}`,
  );
  const [rows, totalCount] = await Promise.all([
    tx.many<OperationRow>(sql`
      select * from stablecoin_operations where ${allOf(where, after !== undefined && sql`id < ${after}`)} order by id desc limit ${limit + 1}`),
    countMatches(tx, sql`stablecoin_operations where ${where}`),
  ]);
  return pageOf(rows.map(toOperation), limit, totalCount, ({ id }) => [uuidOf(id)], scope);
}

/** The request that an operation is made for. */
export type AttemptName = { readonly key: string; readonly hash: Buffer };

/** False if an unanswered request with the same key has an operation already, also one that was inserted concurrently. */
export async function insertOperation(
  tx: Tx,
  platformId: PlatformId,
  operation: StablecoinOperation,
  attempt: AttemptName,
): Promise<boolean> {
  const inserted = await tx.run(sql`
    insert into stablecoin_operations (platform_id, id, stablecoin_id, link_id, operation_type, status, amount, cents, source, destination,
      description, due_at, attempt_key, attempt_hash, created_at, updated_at)
    values (${uuidOf(platformId)}, ${uuidOf(operation.id)}, ${uuidOf(operation.stablecoinId)}, ${uuidOf(operation.linkId)}, ${operation.type},
      ${operation.status}, ${operation.amount.toString()}, ${operation.cents}, ${JSON.stringify(operation.source)},
      ${JSON.stringify(operation.destination)}, ${operation.description}, ${operation.dueAt}, ${attempt.key}, ${attempt.hash},
      ${operation.createdAt}, ${operation.updatedAt})
    on conflict (platform_id, attempt_key) where attempt_key is not null do nothing`);
  return inserted === 1;
}

/** The operation of an unanswered request with this key, and the hash of the request. */
export async function lockAttempt(
  tx: Tx,
  platformId: PlatformId,
  key: string,
): Promise<{ readonly operation: StablecoinOperation; readonly hash: Buffer } | undefined> {
  const row = await tx.one<OperationRow & { attempt_hash: Buffer }>(sql`
    select * from stablecoin_operations where platform_id = ${uuidOf(platformId)} and attempt_key = ${key} for update`);
  return row && { operation: toOperation(row), hash: row.attempt_hash };
}

/** The request was answered, or its key is free for another one. */
export function endAttempt(tx: Tx, platformId: PlatformId, id: OperationId): void {
  tx.send(sql`
    update stablecoin_operations set attempt_key = null, attempt_hash = null where platform_id = ${uuidOf(platformId)} and id = ${uuidOf(id)}`);
}

/** Writes the columns that may change. */
export function saveOperation(tx: Tx, platformId: PlatformId, operation: StablecoinOperation): void {
  tx.send(sql`
    update stablecoin_operations set status = ${operation.status},
      funding_instructions = ${operation.fundingInstructions && JSON.stringify(operation.fundingInstructions)},
      provider_status = ${operation.providerStatus}, failure_reason = ${operation.failureReason}, expires_at = ${operation.expiresAt},
      due_at = ${operation.dueAt}, is_abandoned = ${operation.isAbandoned}, updated_at = ${operation.updatedAt}
    where platform_id = ${uuidOf(platformId)} and id = ${uuidOf(operation.id)}`);
}

/** Deletes an operation that the provider never took. */
export const deleteCreated = async (tx: Tx, platformId: PlatformId, id: OperationId): Promise<boolean> =>
  (await tx.run(sql`
    delete from stablecoin_operations where platform_id = ${uuidOf(platformId)} and id = ${uuidOf(id)} and status = 'CREATED'`)) === 1;

/** Whether a link has operations that have not ended. */
export const hasOpenOperations = async (tx: Reader, platformId: PlatformId, linkId: LinkId): Promise<boolean> =>
  (await tx.one(sql`
    select from stablecoin_operations
    where link_id = ${uuidOf(linkId)} and platform_id = ${uuidOf(platformId)} and due_at is not null limit 1`)) !== undefined;

// ---- due work

export const firstDueOperation = (condition: PlatformCondition): Sql => sql`
  select platform_id, due_at as at from stablecoin_operations
  where ${condition(sql`platform_id`)} and due_at is not null order by platform_id, due_at limit 1`;

export async function findDueOperations(tx: Reader, platformId: PlatformId, now: Date, limit: number): Promise<OperationId[]> {
  const rows = await tx.many<{ id: string }>(sql`
    select id from stablecoin_operations where platform_id = ${uuidOf(platformId)} and due_at <= ${now} order by due_at, id limit ${limit}`);
  return rows.map(({ id }) => idOf('StablecoinOperation', id));
}
