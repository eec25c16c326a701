// All SQL of registered stablecoins.
import { countMatches } from '../../../db/count.js';
import type { PlatformCondition } from '../../../db/job.js';
import { type Tx, violatedConstraint } from '../../../db/pool.js';
import { allOf, type Sql, sql } from '../../../db/sql.js';
import { ApiError } from '../../../kernel/errors.js';
import { idOf, type PlatformId, uuidOf } from '../../../kernel/ids.js';
import { type Page, type PageRequest, pageOf } from '../../../kernel/page.js';
import type { GridStatus, IssuanceStatus, Stablecoin, StablecoinId } from './stablecoin.js';

type Reader = Pick<Tx, 'one' | 'many'>;

type StablecoinRow = {
  id: string;
  link_id: string;
  provider_token_identifier: string;
  network_token_identifier: string;
  network: 'SPARK';
  name: string;
  symbol: string;
  base_currency: string;
  decimals: number;
  issuance_status: IssuanceStatus;
  grid_operations_status: GridStatus;
  issuance_due_at: Date | null;
  enablement_due_at: Date | null;
  created_at: Date;
  updated_at: Date;
};

const toStablecoin = (row: StablecoinRow): Stablecoin => ({
  id: idOf('Stablecoin', row.id),
  linkId: idOf('StablecoinProviderAccount', row.link_id),
  providerTokenIdentifier: row.provider_token_identifier,
  networkTokenIdentifier: row.network_token_identifier,
  network: row.network,
  name: row.name,
  symbol: row.symbol,
  baseCurrency: row.base_currency,
  decimals: row.decimals,
  issuanceStatus: row.issuance_status,
  gridStatus: row.grid_operations_status,
  issuanceDueAt: row.issuance_due_at,
  enablementDueAt: row.enablement_due_at,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
});

const byId = (platformId: PlatformId, id: StablecoinId): Sql => sql`
  select * from stablecoins where platform_id = ${uuidOf(platformId)} and id = ${uuidOf(id)}`;

const found = (row: StablecoinRow | undefined): Stablecoin => {
  if (!row) throw new ApiError('STABLECOIN_NOT_FOUND');
  return toStablecoin(row);
};

/** The stablecoin, or 404. A malformed id (undefined) answers like an unknown one. */
export async function getStablecoin(tx: Reader, platformId: PlatformId, id: StablecoinId | undefined): Promise<Stablecoin> {
  return found(id && (await tx.one<StablecoinRow>(byId(platformId, id))));
}

/** As `getStablecoin`, with the row locked. */
export async function lockStablecoin(tx: Tx, platformId: PlatformId, id: StablecoinId | undefined): Promise<Stablecoin> {
  return found(id && (await tx.one<StablecoinRow>(sql`${byId(platformId, id)} for update`)));
}

/** The platform of a stablecoin that the operator names. */
export async function findPlatformOfStablecoin(tx: Reader, id: StablecoinId): Promise<PlatformId | undefined> {
  const row = await tx.one<{ platform_id: string }>(sql`select platform_id from stablecoins where id = ${uuidOf(id)}`);
  return row && idOf('Platform', row.platform_id);
}

export type WaitingStablecoin = Pick<Stablecoin, 'id' | 'symbol' | 'gridStatus' | 'updatedAt'> & { readonly platformId: PlatformId };

/** Enablements of all platforms that wait for the operator. */
export async function findWaitingStablecoins(tx: Reader): Promise<WaitingStablecoin[]> {
  const rows = await tx.many<Pick<StablecoinRow, 'id' | 'symbol' | 'grid_operations_status' | 'updated_at'> & { platform_id: string }>(sql`
    select platform_id, id, symbol, grid_operations_status, updated_at from stablecoins
    where grid_operations_status in ('PENDING_APPROVAL', 'ENABLING') order by updated_at`);
  return rows.map((row) => ({
    platformId: idOf('Platform', row.platform_id),
    id: idOf('Stablecoin', row.id),
    symbol: row.symbol,
    gridStatus: row.grid_operations_status,
    updatedAt: row.updated_at,
  }));
}

export const hasToken = async (tx: Reader, platformId: PlatformId, networkTokenIdentifier: string): Promise<boolean> =>
  (await tx.one(sql`
    select from stablecoins where platform_id = ${uuidOf(platformId)} and network_token_identifier = ${networkTokenIdentifier}`)) !==
  undefined;

export type StablecoinFilter = { readonly issuanceStatus?: IssuanceStatus; readonly gridOperationsStatus?: GridStatus };

export async function listStablecoins(
  tx: Reader,
  platformId: PlatformId,
  { issuanceStatus, gridOperationsStatus }: StablecoinFilter,
  { limit, after }: PageRequest<string>,
  scope: unknown,
): Promise<Page<Stablecoin>> {
  const where = allOf(
    sql`platform_id = ${uuidOf(platformId)}`,
    issuanceStatus !== undefined && sql`issuance_status = ${issuanceStatus}`,
    gridOperationsStatus !== undefined && sql`grid_operations_status = ${gridOperationsStatus}`,
  );
  const [rows, totalCount] = await Promise.all([
    tx.many<StablecoinRow>(sql`
      select * from stablecoins where ${allOf(where, after !== undefined && sql`id < ${after}`)} order by id desc limit ${limit + 1}`),
    countMatches(tx, sql`stablecoins where ${where}`),
  ]);
  return pageOf(rows.map(toStablecoin), limit, totalCount, ({ id }) => [uuidOf(id)], scope);
}

/** Unique indexes decide between concurrent registrations. */
const TAKEN: Readonly<Record<string, () => ApiError>> = {
  stablecoins_token: () => new ApiError('STABLECOIN_TOKEN_IDENTIFIER_ALREADY_EXISTS'),
  stablecoins_symbol: () => new ApiError('STABLECOIN_SYMBOL_ALREADY_EXISTS'),
};

export function insertStablecoin(tx: Tx, platformId: PlatformId, stablecoin: Stablecoin): void {
  tx.send(
    sql`
    insert into stablecoins (platform_id, id, link_id, provider_token_identifier, network_token_identifier, network, name, symbol, base_currency,
      decimals, issuance_status, grid_operations_status, issuance_due_at, enablement_due_at, created_at, updated_at)
    values (${uuidOf(platformId)}, ${uuidOf(stablecoin.id)}, ${uuidOf(stablecoin.linkId)}, ${stablecoin.providerTokenIdentifier},
      ${stablecoin.networkTokenIdentifier}, ${stablecoin.network}, ${stablecoin.name}, ${stablecoin.symbol}, ${stablecoin.baseCurrency},
      ${stablecoin.decimals}, ${stablecoin.issuanceStatus}, ${stablecoin.gridStatus}, ${stablecoin.issuanceDueAt}, ${stablecoin.enablementDueAt},
      ${stablecoin.createdAt}, ${stablecoin.updatedAt})`,
    (error) => TAKEN[violatedConstraint(error) ?? '']?.(),
  );
}

/** Writes the columns that may change. */
export function saveStablecoin(tx: Tx, platformId: PlatformId, stablecoin: Stablecoin): void {
  tx.send(sql`
    update stablecoins set issuance_status = ${stablecoin.issuanceStatus}, grid_operations_status = ${stablecoin.gridStatus},
      issuance_due_at = ${stablecoin.issuanceDueAt}, enablement_due_at = ${stablecoin.enablementDueAt}, updated_at = ${stablecoin.updatedAt}
    where platform_id = ${uuidOf(platformId)} and id = ${uuidOf(stablecoin.id)}`);
}

// ---- due work

/** What is due for a stablecoin: a question to the provider, or the next step of the sandbox. */
export type DueStep = 'ISSUANCE' | 'ENABLEMENT';
const dueColumn = (step: DueStep): Sql => (step === 'ISSUANCE' ? sql`issuance_due_at` : sql`enablement_due_at`);

export const firstDueStablecoin = (condition: PlatformCondition, step: DueStep): Sql => sql`
  select platform_id, ${dueColumn(step)} as at from stablecoins
  where ${condition(sql`platform_id`)} and ${dueColumn(step)} is not null order by platform_id, ${dueColumn(step)} limit 1`;

export async function findDueStablecoins(
  tx: Reader,
  platformId: PlatformId,
  step: DueStep,
  now: Date,
  limit: number,
): Promise<StablecoinId[]> {
  const rows = await tx.many<{ id: string }>(sql`
    select id from stablecoins where platform_id = ${uuidOf(platformId)} and ${dueColumn(step)} <= ${now}
    order by ${dueColumn(step)} limit ${limit}`);
  return rows.map(({ id }) => idOf('Stablecoin', id));
}
