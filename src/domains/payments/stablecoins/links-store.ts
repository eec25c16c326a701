// All SQL of links to provider accounts, and of the outside accounts that a provider knows.
import { countMatches } from '../../../db/count.js';
import type { Tx } from '../../../db/pool.js';
import { allOf, type Sql, sql } from '../../../db/sql.js';
import { ApiError } from '../../../kernel/errors.js';
import { type ExternalAccountId, idOf, type PlatformId, uuidOf } from '../../../kernel/ids.js';
import { type Page, type PageRequest, pageOf } from '../../../kernel/page.js';
import type { Environment, Link, LinkId, LinkStatus, Provider } from './stablecoin.js';

type Reader = Pick<Tx, 'one' | 'many'>;

type LinkRow = {
  id: string;
  provider: Provider;
  provider_environment: Environment;
  provider_account_id: string;
  status: LinkStatus;
  credentials_sealed: Buffer | null;
  last_verified_at: Date;
  created_at: Date;
  updated_at: Date;
};

const toLink = (row: LinkRow): Link => ({
  id: idOf('StablecoinProviderAccount', row.id),
  provider: row.provider,
  environment: row.provider_environment,
  providerAccountId: row.provider_account_id,
  status: row.status,
  credentialsSealed: row.credentials_sealed,
  lastVerifiedAt: row.last_verified_at,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
});

const byId = (platformId: PlatformId, id: LinkId): Sql => sql`
  select * from stablecoin_provider_accounts where platform_id = ${uuidOf(platformId)} and id = ${uuidOf(id)}`;

const found = (row: LinkRow | undefined): Link => {
  if (!row) throw new ApiError('STABLECOIN_PROVIDER_ACCOUNT_NOT_FOUND');
  return toLink(row);
};

/** The link, or 404. A malformed id (undefined) answers like an unknown one. */
export async function getLink(tx: Reader, platformId: PlatformId, id: LinkId | undefined): Promise<Link> {
  return found(id && (await tx.one<LinkRow>(byId(platformId, id))));
}

/** As `getLink`, with the row locked. */
export async function lockLink(tx: Tx, platformId: PlatformId, id: LinkId | undefined): Promise<Link> {
  return found(id && (await tx.one<LinkRow>(sql`${byId(platformId, id)} for update`)));
}

export async function listActiveLinks(tx: Reader, platformId: PlatformId, provider: Provider, environment: Environment): Promise<Link[]> {
  const rows = await tx.many<LinkRow>(sql`
    select * from stablecoin_provider_accounts
    where platform_id = ${uuidOf(platformId)} and provider = ${provider} and provider_environment = ${environment} and status = 'ACTIVE' limit 2`);
  return rows.map(toLink);
}

export type LinkFilter = { readonly provider?: Provider; readonly status?: LinkStatus };

export async function listLinks(
  tx: Reader,
  platformId: PlatformId,
  { provider, status }: LinkFilter,
  { limit, after }: PageRequest<string>,
  scope: unknown,
): Promise<Page<Link>> {
  const where = allOf(
    sql`platform_id = ${uuidOf(platformId)}`,
    provider !== undefined && sql`provider = ${provider}`,
    status !== undefined && sql`status = ${status}`,
  );
  const [rows, totalCount] = await Promise.all([
    tx.many<LinkRow>(sql`
      select * from stablecoin_provider_accounts where ${allOf(where, after !== undefined && sql`id < ${after}`)} order by id desc limit ${limit + 1}`),
    countMatches(tx, sql`stablecoin_provider_accounts where ${where}`),
  ]);
  return pageOf(rows.map(toLink), limit, totalCount, ({ id }) => [uuidOf(id)], scope);
}

/** False if the provider account is linked already, also by a concurrent request. */
export async function insertLink(tx: Tx, platformId: PlatformId, link: Link): Promise<boolean> {
  const inserted = await tx.run(sql`
    insert into stablecoin_provider_accounts (platform_id, id, provider, provider_environment, provider_account_id, status, credentials_sealed,
      last_verified_at, created_at, updated_at)
    values (${uuidOf(platformId)}, ${uuidOf(link.id)}, ${link.provider}, ${link.environment}, ${link.providerAccountId}, ${link.status},
      ${link.credentialsSealed}, ${link.lastVerifiedAt}, ${link.createdAt}, ${link.updatedAt})
    on conflict on constraint stablecoin_provider_accounts_account do nothing`);
  return inserted === 1;
}

/** The link of a provider account, locked. */
export async function lockLinkOf(
  tx: Tx,
  platformId: PlatformId,
  { provider, environment, providerAccountId }: Pick<Link, 'provider' | 'environment' | 'providerAccountId'>,
): Promise<Link> {
  const row = await tx.one<LinkRow>(sql`
    select * from stablecoin_provider_accounts
    where platform_id = ${uuidOf(platformId)} and provider = ${provider} and provider_environment = ${environment}
      and provider_account_id = ${providerAccountId} for update`);
  return found(row);
}

/** Writes the columns that may change. */
export function saveLink(tx: Tx, platformId: PlatformId, link: Link): void {
  tx.send(sql`
    update stablecoin_provider_accounts set status = ${link.status}, credentials_sealed = ${link.credentialsSealed},
      last_verified_at = ${link.lastVerifiedAt}, updated_at = ${link.updatedAt}
    where platform_id = ${uuidOf(platformId)} and id = ${uuidOf(link.id)}`);
}

// ---- outside accounts that the provider knows

export async function findLinkedAccounts(
  tx: Reader,
  platformId: PlatformId,
  linkId: LinkId,
  ids: readonly ExternalAccountId[],
): Promise<ReadonlySet<ExternalAccountId>> {
  const rows = await tx.many<{ external_account_id: string }>(sql`
    select external_account_id from stablecoin_linked_accounts
    where platform_id = ${uuidOf(platformId)} and link_id = ${uuidOf(linkId)} and external_account_id = any(${ids.map(uuidOf)}::uuid[])`);
  return new Set(rows.map((row) => idOf('ExternalAccount', row.external_account_id)));
}

export function insertLinkedAccount(
  tx: Pick<Tx, 'run'>,
  platformId: PlatformId,
  linkId: LinkId,
  id: ExternalAccountId,
  now: Date,
): Promise<number> {
  return tx.run(sql`
    insert into stablecoin_linked_accounts (platform_id, link_id, external_account_id, linked_at)
    values (${uuidOf(platformId)}, ${uuidOf(linkId)}, ${uuidOf(id)}, ${now}) on conflict do nothing`);
}
