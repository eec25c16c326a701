// All SQL of platforms, tokens and secrets of the installation.
import { countMatches } from '../../../db/count.js';
import { platformTime } from '../../../db/platform-time.js';
import { type Tx, violatedConstraint } from '../../../db/pool.js';
import { allOf, changedBetween, Sql, sql, type TimeFilter } from '../../../db/sql.js';
import type { Permission } from '../../../http/operation.js';
import { assert, invalidField } from '../../../kernel/errors.js';
import { idOf, type PlatformId, type TokenId, uuidOf } from '../../../kernel/ids.js';
import { type Page, type PageRequest, pageOf } from '../../../kernel/page.js';
import { deleteKey, findPlatformOfKey, insertKey } from './keys-store.js';
import type { ApiToken, Mode, Platform, PlatformConfig } from './platform.js';

type Reader = Pick<Tx, 'one' | 'many'>;

type PlatformRow = {
  id: string;
  name: string;
  mode: Mode;
  counterparty_rules: boolean;
  max_live_cards: number | null;
  max_cards_per_cardholder: number | null;
  card_program: string;
  rule_based_accounts: boolean;
  end_user_terms_required: boolean;
  sca_origins: string[] | null;
  config: PlatformConfig;
  webhook_endpoint: string | null;
  created_at: Date;
  updated_at: Date;
};

const toPlatform = (row: PlatformRow): Platform => ({
  id: idOf('Platform', row.id),
  name: row.name,
  mode: row.mode,
  counterpartyRules: row.counterparty_rules,
  maxLiveCards: row.max_live_cards,
  maxCardsPerCardholder: row.max_cards_per_cardholder,
  cardProgram: row.card_program,
  ruleBasedAccounts: row.rule_based_accounts,
  endUserTermsRequired: row.end_user_terms_required,
  scaOrigins: row.sca_origins,
  config: row.config,
  webhookEndpoint: row.webhook_endpoint,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
});

const found = (row: PlatformRow | undefined): Platform => {
  assert(row, 'the platform of a credential exists');
  return toPlatform(row);
};

export const getPlatform = async (tx: Reader, id: PlatformId): Promise<Platform> =>
  found(await tx.one<PlatformRow>(sql`select * from platforms where id = ${uuidOf(id)}`));

/** `no key update`, so that inserts of rows that refer to the platform are not blocked. */
export const lockPlatform = async (tx: Tx, id: PlatformId): Promise<Platform> =>
  found(await tx.one<PlatformRow>(sql`select * from platforms where id = ${uuidOf(id)} for no key update`));

export const listPlatforms = async (tx: Reader): Promise<Platform[]> =>
  (await tx.many<PlatformRow>(sql`select * from platforms order by id`)).map(toPlatform);

/** The platform whose UMA addresses are at the domain, with its time. */
export async function findPlatformByDomain(tx: Reader, mode: Mode, domain: string): Promise<{ platform: Platform; now: Date } | undefined> {
  const id = domain === '' ? undefined : await findPlatformOfKey(tx, 'UMA_DOMAIN', domain);
  if (!id) return undefined;
  const row = await tx.one<PlatformRow & { now: Date }>(sql`
    select p.*, ${platformTime} as now from platforms p where p.id = ${uuidOf(id)} and p.mode = ${mode}`);
  return row && { platform: toPlatform(row), now: row.now };
}

/** A page of the ids of all platforms, in their order. */
export const listPlatformIds = async (tx: Reader, after?: PlatformId, limit = 500): Promise<PlatformId[]> => {
  const rows = await tx.many<{ id: string }>(
    after === undefined
      ? sql`select id from platforms order by id limit ${limit}`
      : sql`select id from platforms where id > ${uuidOf(after)} order by id limit ${limit}`,
  );
  return rows.map(({ id }) => idOf('Platform', id));
};

export function insertPlatform(tx: Tx, platform: Platform): void {
  tx.send(sql`
    insert into platforms (id, name, mode, counterparty_rules, max_live_cards, max_cards_per_cardholder, card_program, rule_based_accounts,
      end_user_terms_required, sca_origins, config, webhook_endpoint, created_at, updated_at)
    values (${uuidOf(platform.id)}, ${platform.name}, ${platform.mode}, ${platform.counterpartyRules}, ${platform.maxLiveCards},
            ${platform.maxCardsPerCardholder}, ${platform.cardProgram}, ${platform.ruleBasedAccounts}, ${platform.endUserTermsRequired},
            ${platform.scaOrigins}, ${platform.config}, ${platform.webhookEndpoint}, ${platform.createdAt}, ${platform.updatedAt})`);
  moveDomain(tx, platform.id, { from: '', to: domainOf(platform) });
}

/** `before`: the locked platform as it was. */
export function savePlatform(tx: Tx, before: Platform, platform: Platform): void {
  tx.send(sql`
    update platforms set counterparty_rules = ${platform.counterpartyRules}, max_live_cards = ${platform.maxLiveCards},
      max_cards_per_cardholder = ${platform.maxCardsPerCardholder}, card_program = ${platform.cardProgram}, rule_based_accounts = ${platform.ruleBasedAccounts},
      end_user_terms_required = ${platform.endUserTermsRequired}, sca_origins = ${platform.scaOrigins}, config = ${platform.config},
      webhook_endpoint = ${platform.webhookEndpoint}, updated_at = ${platform.updatedAt}
    where id = ${uuidOf(platform.id)}`);
  moveDomain(tx, platform.id, { from: domainOf(before), to: domainOf(platform) });
}

/** The columns of a platform that a snapshot of a sandbox brings back: all but its identity and its clock. */
const RESTORED = new Sql(
  'name, counterparty_rules, max_live_cards, max_cards_per_cardholder, card_program, rule_based_accounts, end_user_terms_required, sca_origins, config, webhook_endpoint, updated_at',
  [],
);

/** `row`: the platform's row as JSON, as it was. */
export async function restorePlatformRow(tx: Tx, id: PlatformId, row: string): Promise<void> {
  const before = await lockPlatform(tx, id);
  tx.send(sql`
    update platforms set (${RESTORED}) = (select ${RESTORED} from json_populate_record(null::platforms, ${row}::json)) where id = ${uuidOf(id)}`);
  moveDomain(tx, id, { from: domainOf(before), to: domainOf(await getPlatform(tx, id)) });
}

/** In lower case; empty if the platform has none. */
const domainOf = ({ config }: Platform): string => config.umaDomain.toLowerCase();

/** The UMA domain of a platform is the key that its messages are found by. No two platforms have the same. */
function moveDomain(tx: Tx, id: PlatformId, { from, to }: { readonly from: string; readonly to: string }): void {
  if (from === to) return;
  if (from !== '') deleteKey(tx, id, 'UMA_DOMAIN', from);
  if (to !== '')
    insertKey(tx, id, 'UMA_DOMAIN', to, (error) =>
      violatedConstraint(error) === 'platform_keys_pkey' ? invalidField('umaDomain', 'is used by another platform') : undefined,
    );
}

// ---- tokens

type TokenRow = {
  id: string;
  name: string;
  client_id: string;
  permissions: Permission[];
  expires_at: Date | null;
  created_at: Date;
  updated_at: Date;
};

const toToken = (row: TokenRow): ApiToken => ({
  id: idOf('Token', row.id),
  name: row.name,
  clientId: row.client_id,
  permissions: row.permissions,
  expiresAt: row.expires_at,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
});

export type Credential = { client_id: string; id: string; secret_hash: Buffer; permissions: Permission[]; now: Date };

/** The usable tokens of the platform among the given client ids, with the platform's time. Leaves out expired and deleted ones. */
export const findCredentials = (
  db: Pick<Tx, 'many'>,
  mode: Mode,
  platformId: PlatformId,
  clientIds: readonly string[],
): Promise<Credential[]> =>
  db.many<Credential>(sql`
    select * from (
      select t.*, ${platformTime} as now
      from platforms p cross join unnest(${clientIds}::text[]) k (client_id)
      -- Without the limit the planner may read all tokens of the platform.
      cross join lateral (
        select client_id, id, secret_hash, permissions, expires_at from api_tokens
        where platform_id = ${uuidOf(platformId)} and client_id = k.client_id and deleted_at is null limit 1) t
      where p.id = ${uuidOf(platformId)} and p.mode = ${mode}
    ) t where expires_at is null or expires_at > now`);

/** Of a token `t` of the platform `p`. */
const isUsable = sql`t.deleted_at is null and (t.expires_at is null or t.expires_at > ${platformTime})`;

/** The platform and token of a client id, also of a deleted token. */
export type TokenHolder = { readonly platformId: PlatformId; readonly id: TokenId; readonly isUsable: boolean };

export async function findTokenHolder(tx: Reader, clientId: string): Promise<TokenHolder | undefined> {
  const platformId = await findPlatformOfKey(tx, 'API_CLIENT', clientId);
  if (!platformId) return undefined;
  const row = await tx.one<{ id: string; is_usable: boolean }>(sql`
    select t.id, ${isUsable} as is_usable from api_tokens t join platforms p on p.id = t.platform_id
    where t.platform_id = ${uuidOf(platformId)} and t.client_id = ${clientId}`);
  return row && { platformId, id: idOf('Token', row.id), isUsable: row.is_usable };
}

/** The name of the token that is created with a sandbox. */
export const BOOTSTRAP_NAME = 'bootstrap';

/** The platform that was created with the sandbox; the first, if there are several. */
export async function findBootstrapPlatform(tx: Reader): Promise<PlatformId | undefined> {
  const row = await tx.one<{ platform_id: string }>(sql`
    select t.platform_id from api_tokens t join platforms p on p.id = t.platform_id and p.mode = 'sandbox'
    where t.name = ${BOOTSTRAP_NAME} order by t.id limit 1`);
  return row && idOf('Platform', row.platform_id);
}

/** Whether a token is neither deleted nor expired. */
export const isTokenUsable = async (tx: Reader, platformId: PlatformId, id: TokenId): Promise<boolean> =>
  (await tx.one(sql`
    select 1 from api_tokens t join platforms p on p.id = t.platform_id
    where t.platform_id = ${uuidOf(platformId)} and t.id = ${uuidOf(id)} and ${isUsable}`)) !== undefined;

export function insertToken(tx: Tx, platformId: PlatformId, token: ApiToken, secretHash: Buffer): void {
  insertKey(tx, platformId, 'API_CLIENT', token.clientId);
  tx.send(sql`
    insert into api_tokens (platform_id, id, client_id, secret_hash, name, permissions, expires_at, created_at, updated_at)
    values (${uuidOf(platformId)}, ${uuidOf(token.id)}, ${token.clientId}, ${secretHash}, ${token.name}, ${token.permissions}, ${token.expiresAt},
            ${token.createdAt}, ${token.updatedAt})`);
}

export function saveRestoredToken(tx: Tx, platformId: PlatformId, id: TokenId, secretHash: Buffer): void {
  tx.send(sql`
    update api_tokens set secret_hash = ${secretHash}, deleted_at = null, expires_at = null
    where platform_id = ${uuidOf(platformId)} and id = ${uuidOf(id)}`);
}

export async function findToken(tx: Reader, platformId: PlatformId, id: TokenId): Promise<ApiToken | undefined> {
  const row = await tx.one<TokenRow>(sql`
    select * from api_tokens where platform_id = ${uuidOf(platformId)} and id = ${uuidOf(id)} and deleted_at is null`);
  return row && toToken(row);
}

/** All tokens of the platform that are not deleted, locked: two concurrent deletions must not remove the last one. */
export const lockTokens = async (tx: Tx, platformId: PlatformId): Promise<ApiToken[]> =>
  (
    await tx.many<TokenRow>(
      sql`select * from api_tokens where platform_id = ${uuidOf(platformId)} and deleted_at is null order by id for update`,
    )
  ).map(toToken);

export function deleteToken(tx: Tx, platformId: PlatformId, id: TokenId, now: Date): void {
  tx.send(
    sql`update api_tokens set deleted_at = ${now}, updated_at = ${now} where platform_id = ${uuidOf(platformId)} and id = ${uuidOf(id)}`,
  );
}

/** Never extends a token: an earlier expiry is kept. */
export function expireToken(tx: Tx, platformId: PlatformId, id: TokenId, at: Date, now: Date): void {
  tx.send(sql`
    update api_tokens set expires_at = least(expires_at, ${at}), updated_at = ${now}
    where platform_id = ${uuidOf(platformId)} and id = ${uuidOf(id)}`);
}

export type TokenFilter = { name?: string } & TimeFilter;

export async function listTokens(
  tx: Reader,
  platformId: PlatformId,
  filter: TokenFilter,
  { limit, after }: PageRequest<string>,
  scope: unknown,
): Promise<Page<ApiToken>> {
  const where = allOf(
    sql`platform_id = ${uuidOf(platformId)} and deleted_at is null`,
    filter.name !== undefined && sql`name = ${filter.name}`,
    ...changedBetween(filter),
  );
  const rows = await tx.many<TokenRow>(sql`
    select * from api_tokens where ${allOf(where, after !== undefined && sql`id < ${after}`)} order by id desc limit ${limit + 1}`);
  const totalCount = await countMatches(tx, sql`api_tokens where ${where}`);
  return pageOf(rows.map(toToken), limit, totalCount, ({ id }) => [uuidOf(id)], scope);
}

// ---- secrets of the installation

/** Only one transaction at a time has the installation locked. Its secrets are there since the start. */
export async function lockInstallation(tx: Pick<Tx, 'run'>): Promise<void> {
  assert((await tx.run(sql`select from service_secrets order by name for update`)) > 0, 'an installation has secrets');
}

export async function findOrInsertSecret(tx: Tx, name: string, sealed: Buffer): Promise<Buffer> {
  await tx.run(sql`insert into service_secrets (name, sealed) values (${name}, ${sealed}) on conflict (name) do nothing`);
  const row = await tx.one<{ sealed: Buffer }>(sql`select sealed from service_secrets where name = ${name}`);
  assert(row, 'a secret of the installation exists once it was inserted');
  return row.sealed;
}
