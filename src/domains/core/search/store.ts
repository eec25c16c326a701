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
type Place = { readonly type: string; readonly from: Sql; readonly ended?: Sql };

const PLACES: readonly Place[] = [
  { type: 'Customer', from: sql`from customers`, ended: sql`deleted_at` },
  { type: 'BeneficialOwner', from: sql`from beneficial_owners`, ended: sql`deleted_at` },
  { type: 'Verification', from: sql`from verifications`, ended: sql`deleted_at` },
  { type: 'Document', from: sql`from documents` },
  { type: 'Job', from: sql`from import_jobs` },
  { type: 'InternalAccount', from: sql`from internal_accounts` },
  { type: 'ExternalAccount', from: sql`from external_accounts`, ended: sql`deleted_at` },
  { type: 'Card', from: sql`from cards` },
  { type: 'CardDispute', from: sql`from card_disputes` },
  { type: 'Transaction', from: sql`from payments` },
  { type: 'Transaction', from: sql`from card_transactions` },
  { type: 'Quote', from: sql`from quotes` },
  { type: 'PaymentDocument', from: sql`from payment_documents` },
  { type: 'Stablecoin', from: sql`from stablecoins` },
  { type: 'StablecoinOperation', from: sql`from stablecoin_operations` },
  { type: 'Agent', from: sql`from agents`, ended: sql`deleted_at` },
  { type: 'AgentAction', from: sql`from agent_actions` },
  { type: 'DelegatedKey', from: sql`from delegated_keys` },
  { type: 'AuthMethod', from: sql`from auth_credentials`, ended: sql`revoked_at` },
  { type: 'Session', from: sql`from auth_sessions`, ended: sql`revoked_at` },
  { type: 'Request', from: sql`from signed_requests` },
  { type: 'Token', from: sql`from api_tokens`, ended: sql`deleted_at` },
  { type: 'Webhook', from: sql`from webhook_events` },
];

export const OBJECT_TYPES: readonly string[] = [...new Set(PLACES.map(({ type }) => type))];

/** The types of objects that have the uuid, of one type or of all. */
export async function findObjects(tx: Reader, platformId: PlatformId, type: string | undefined, uuid: string): Promise<string[]> {
  const places = PLACES.filter((place) => type === undefined || place.type === type);
  const [first, ...others] = places.map(
    // By the primary key alone: on a table without statistics a partial index for what exists would seem as good, whatever its columns.
    ({ type: found, from, ended = sql`null` }) => sql`
      select ${found}::text as type from (
        select ${ended} as ended ${from} where platform_id = ${uuidOf(platformId)} and id = ${uuid} offset 0) o where ended is null`,
  );
  if (!first) return [];
  const all = others.reduce((union, place) => sql`${union} union all ${place}`, first);
  return (await tx.many<{ type: string }>(all)).map((row) => row.type);
}

export async function isLoggedRequest(tx: Reader, platformId: PlatformId, uuid: string): Promise<boolean> {
  const rows = await tx.many(sql`select from request_log where platform_id = ${uuidOf(platformId)} and id = ${uuid}`);
  return rows.length > 0;
}
