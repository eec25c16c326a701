// SQL of the search: customers by the beginning of a text, and any object by its id. Every statement is served by an index.
import type { Tx } from '../../../db/pool.js';
import { type Sql, sql } from '../../../db/sql.js';
import { type PlatformId, uuidOf } from '../../../kernel/ids.js';

type Reader = Pick<Tx, 'many'>;

// ---- customers

const NAME = sql`coalesce(profile ->> 'fullName', profile -> 'businessInfo' ->> 'legalName')`;

/** As the indexes `customers_search_…` spell them; the condition on `created_at` names these partial indexes. */
const SEARCHED: readonly Sql[] = [
  sql`lower(coalesce(profile ->> 'fullName', profile -> 'businessInfo' ->> 'legalName')) collate "C"`,
  sql`lower(substring(coalesce(profile ->> 'fullName', profile -> 'businessInfo' ->> 'legalName') from '[^ ]+ *$')) collate "C"`,
  sql`lower(email) collate "C"`,
  sql`lower(platform_customer_id) collate "C"`,
];

export type FoundCustomer = {
  readonly id: string;
  readonly name: string | null;
  readonly email: string | null;
  readonly platform_customer_id: string;
};

/** No text sorts after it among those with the same beginning. */
const LAST = '\u{10ffff}';

/** Customers whose name, last word of the name, email address or platform id begins with the text, each once, in this order. */
export async function findCustomers(tx: Reader, platformId: PlatformId, text: string, limit: number): Promise<FoundCustomer[]> {
  const lists = await Promise.all(
    SEARCHED.map((searched) =>
      tx.many<FoundCustomer>(sql`
        select id, ${NAME} as name, email, platform_customer_id from customers
        where platform_id = ${uuidOf(platformId)} and created_at > '-infinity' and deleted_at is null
          and ${searched} >= lower(${text}) and ${searched} < lower(${text}) || ${LAST}
        order by platform_id, ${searched} limit ${limit}`),
    ),
  );
  const found = new Map(lists.flat().map((customer) => [customer.id, customer]));
  return [...found.values()].slice(0, limit);
}

// ---- objects by id

/** `ended`: the column that is set once the object no longer exists. */
type Place = { readonly type: string; readonly table: Sql; readonly ended?: Sql };

const PLACES: readonly Place[] = [
  { type: 'Customer', table: sql`customers`, ended: sql`deleted_at` },
  { type: 'BeneficialOwner', table: sql`beneficial_owners`, ended: sql`deleted_at` },
  { type: 'Verification', table: sql`verifications`, ended: sql`deleted_at` },
  { type: 'Document', table: sql`documents` },
  { type: 'Job', table: sql`import_jobs` },
  { type: 'InternalAccount', table: sql`internal_accounts` },
  { type: 'ExternalAccount', table: sql`external_accounts`, ended: sql`deleted_at` },
  { type: 'Card', table: sql`cards` },
  { type: 'CardDispute', table: sql`card_disputes` },
  { type: 'Transaction', table: sql`payments` },
  { type: 'Transaction', table: sql`card_transactions` },
  { type: 'Quote', table: sql`quotes` },
  { type: 'PaymentDocument', table: sql`payment_documents` },
  { type: 'Stablecoin', table: sql`stablecoins` },
  { type: 'StablecoinOperation', table: sql`stablecoin_operations` },
  { type: 'Agent', table: sql`agents`, ended: sql`deleted_at` },
  { type: 'AgentAction', table: sql`agent_actions` },
  { type: 'DelegatedKey', table: sql`delegated_keys` },
  { type: 'AuthMethod', table: sql`auth_credentials`, ended: sql`revoked_at` },
  { type: 'Session', table: sql`auth_sessions`, ended: sql`revoked_at` },
  { type: 'Request', table: sql`signed_requests` },
  { type: 'Token', table: sql`api_tokens`, ended: sql`deleted_at` },
  { type: 'Webhook', table: sql`webhook_events` },
];

export const OBJECT_TYPES: readonly string[] = [...new Set(PLACES.map(({ type }) => type))];

/** The types of objects that have the uuid, of one type or of all. */
export async function findObjects(tx: Reader, platformId: PlatformId, type: string | undefined, uuid: string): Promise<string[]> {
  const places = PLACES.filter((place) => type === undefined || place.type === type);
  const [first, ...others] = places.map(
    // By the primary key alone: on a table without statistics a partial index for what exists would seem as good, whatever its columns.
    ({ type: found, table, ended = sql`null` }) => sql`
      select ${found}::text as type from (
        select ${ended} as ended from ${table} where platform_id = ${uuidOf(platformId)} and id = ${uuid} offset 0) o where ended is null`,
  );
  if (!first) return [];
  const all = others.reduce((union, place) => sql`${union} union all ${place}`, first);
  return (await tx.many<{ type: string }>(all)).map((row) => row.type);
}

export async function isLoggedRequest(tx: Reader, platformId: PlatformId, uuid: string): Promise<boolean> {
  const rows = await tx.many(sql`select from request_log where platform_id = ${uuidOf(platformId)} and id = ${uuid}`);
  return rows.length > 0;
}
