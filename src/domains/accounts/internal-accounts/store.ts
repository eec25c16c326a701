// All SQL of internal accounts. Balances belong to the ledger: they are read here and never changed.
import { countMatches } from '../../../db/count.js';
import type { Tx } from '../../../db/pool.js';
import { records } from '../../../db/records.js';
import { allOf, type Sql, sql } from '../../../db/sql.js';
import { ApiError } from '../../../kernel/errors.js';
import { type CustomerId, type InternalAccountId, idOf, type PlatformId, parseId, uuidOf } from '../../../kernel/ids.js';
import type { CurrencyCode } from '../../../kernel/money.js';
import { type Page, type PageRequest, pageOf } from '../../../kernel/page.js';
import type {
  InternalAccount,
  InternalAccountStatus,
  InternalAccountType,
  NewInternalAccount,
  PaymentInstructions,
  SweepRule,
} from './internal-account.js';

type Reader = Pick<Tx, 'one' | 'many'>;

/** Amounts as text: JSON has no bigint. */
type StoredSweepRule = Omit<SweepRule, 'minimumAmount' | 'maximumAmount'> & { minimumAmount: string; maximumAmount: string };

type InternalAccountRow = {
  id: string;
  customer_id: string | null;
  type: InternalAccountType;
  status: InternalAccountStatus;
  currency: string;
  available: bigint;
  total: bigint;
  owed: bigint;
  on_behalf_of_customer_id: string | null;
  label: string | null;
  sweep_rule: StoredSweepRule | null;
  private_enabled: boolean | null;
  funding_instructions: PaymentInstructions[];
  card_program: string;
  created_at: Date;
  updated_at: Date;
};

const toInternalAccount = (row: InternalAccountRow): InternalAccount => ({
  id: idOf('InternalAccount', row.id),
  customerId: row.customer_id === null ? null : idOf('Customer', row.customer_id),
  type: row.type,
  status: row.status,
  currency: row.currency,
  available: row.available,
  total: row.total,
  owed: row.owed,
  onBehalfOfCustomerId: row.on_behalf_of_customer_id === null ? null : idOf('Customer', row.on_behalf_of_customer_id),
  label: row.label,
  sweepRule: row.sweep_rule && {
    ...row.sweep_rule,
    minimumAmount: BigInt(row.sweep_rule.minimumAmount),
    maximumAmount: BigInt(row.sweep_rule.maximumAmount),
  },
  privateEnabled: row.private_enabled,
  fundingInstructions: row.funding_instructions,
  cardProgram: row.card_program,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
});

const toStoredRule = (rule: SweepRule): StoredSweepRule => ({
  ...rule,
  minimumAmount: String(rule.minimumAmount),
  maximumAmount: String(rule.maximumAmount),
});

/** The limit keeps the look-up of the balance by its id: without statistics, a plain join may read every balance of the platform. */
const select = (platformId: PlatformId, where: Sql): Sql => sql`
  select a.*, l.available, l.total, l.owed, p.card_program
  from internal_accounts a
  cross join lateral (
    select available, total, owed from ledger_accounts where platform_id = ${uuidOf(platformId)} and id = a.id limit 1) l
  join platforms p on p.id = ${uuidOf(platformId)}
  where ${where}`;

const isOfPlatform = (platformId: PlatformId): Sql => sql`a.platform_id = ${uuidOf(platformId)}`;

export async function findInternalAccounts(
  tx: Reader,
  platformId: PlatformId,
  ids: readonly InternalAccountId[],
): Promise<InternalAccount[]> {
  const rows = await tx.many<InternalAccountRow>(select(platformId, sql`${isOfPlatform(platformId)} and ${isAmong(ids)}`));
  return rows.map(toInternalAccount);
}

/** One account is the most frequent case. PostgreSQL would plan a list of unknown length anew each time. */
function isAmong(ids: readonly InternalAccountId[]): Sql {
  const [only, ...more] = ids;
  return only !== undefined && more.length === 0 ? sql`a.id = ${uuidOf(only)}` : sql`a.id = any(${ids.map(uuidOf)}::uuid[])`;
}

const found = (row: InternalAccountRow | undefined): InternalAccount => {
  if (!row) throw new ApiError('ACCOUNT_NOT_FOUND');
  return toInternalAccount(row);
};

/** The account, or 404. A malformed id (undefined) answers like an unknown one. */
export async function getInternalAccount(tx: Reader, platformId: PlatformId, id: InternalAccountId | undefined): Promise<InternalAccount> {
  return found(id && (await tx.one<InternalAccountRow>(select(platformId, sql`${isOfPlatform(platformId)} and a.id = ${uuidOf(id)}`))));
}

/** As `getInternalAccount`, with the account's row locked. Only the ledger locks its balance. */
export async function lockInternalAccount(tx: Tx, platformId: PlatformId, id: InternalAccountId | undefined): Promise<InternalAccount> {
  return found(
    id &&
      (await tx.one<InternalAccountRow>(
        sql`${select(platformId, sql`${isOfPlatform(platformId)} and a.id = ${uuidOf(id)}`)} for no key update of a`,
      )),
  );
}

/** The accounts among `ids`, locked in order of id against being closed until this transaction ends. */
export async function lockAgainstClosing(
  tx: Tx,
  platformId: PlatformId,
  ids: readonly InternalAccountId[],
): Promise<Map<InternalAccountId, InternalAccount>> {
  const rows = await tx.many<InternalAccountRow>(sql`
    ${select(platformId, sql`${isOfPlatform(platformId)} and ${isAmong(ids)}`)} order by a.id for share of a`);
  return new Map(rows.map(toInternalAccount).map((account) => [account.id, account]));
}

/** Finds the id of the customer who holds an account, for use in another statement. */
export const holderOf = (platformId: PlatformId, id: InternalAccountId): Sql => sql`
  select a.customer_id from internal_accounts a where ${isOfPlatform(platformId)} and a.id = ${uuidOf(id)}`;

/** The holder's own accounts, neither rule-based nor for settlement: one per currency. A null holder is the platform. */
export async function findOwnAccounts(tx: Reader, platformId: PlatformId, holder: CustomerId | null): Promise<InternalAccount[]> {
  const rows = await tx.many<InternalAccountRow>(
    select(
      platformId,
      sql`${isOfPlatform(platformId)} and ${holder === null ? sql`a.customer_id is null` : sql`a.customer_id = ${uuidOf(holder)}`}
      and a.type not in ('RULE_BASED', 'BULK_SETTLEMENT') order by a.id`,
    ),
  );
  return rows.map(toInternalAccount);
}

/** The open accounts of a customer, locked. */
export async function lockOpenAccounts(tx: Tx, platformId: PlatformId, customerId: CustomerId): Promise<InternalAccount[]> {
  const rows = await tx.many<InternalAccountRow>(sql`
    ${select(platformId, sql`${isOfPlatform(platformId)} and a.customer_id = ${uuidOf(customerId)} and a.status <> 'CLOSED'`)} order by a.id for no key update of a`);
  return rows.map(toInternalAccount);
}

export type AccountFilter = { readonly currency?: CurrencyCode; readonly type?: InternalAccountType };

const matches = ({ currency, type }: AccountFilter): (Sql | false)[] => [
  currency !== undefined && sql`a.currency = ${currency}`,
  type !== undefined && sql`a.type = ${type}`,
];

/** The platform's own accounts, oldest first. Not paged, because they are few: one per currency and the rule-based ones. */
export async function listPlatformAccounts(tx: Reader, platformId: PlatformId, filter: AccountFilter): Promise<InternalAccount[]> {
  const where = allOf(isOfPlatform(platformId), sql`a.customer_id is null`, ...matches(filter));
  return (await tx.many<InternalAccountRow>(sql`${select(platformId, where)} order by a.id`)).map(toInternalAccount);
}

/** `customerId` is as the caller sent it: a malformed one has no accounts, like an unknown one. `ids`: only accounts among these. */
export async function listCustomerAccounts(
  tx: Reader,
  platformId: PlatformId,
  { customerId, ids, ...filter }: AccountFilter & { readonly customerId?: string; readonly ids?: readonly InternalAccountId[] },
  { limit, after }: PageRequest<string>,
  scope: unknown,
): Promise<Page<InternalAccount>> {
  const holder = customerId === undefined ? undefined : parseId('Customer', customerId);
  const where = allOf(
    isOfPlatform(platformId),
    customerId === undefined ? sql`a.customer_id is not null` : holder ? sql`a.customer_id = ${uuidOf(holder)}` : sql`false`,
    ids !== undefined && sql`a.id = any(${ids.map(uuidOf)}::uuid[])`,
    ...matches(filter),
  );
  const [rows, totalCount] = await Promise.all([
    tx.many<InternalAccountRow>(
      sql`${select(platformId, allOf(where, after !== undefined && sql`a.id < ${after}`))} order by a.id desc limit ${limit + 1}`,
    ),
    countMatches(tx, sql`internal_accounts a where ${where}`),
  ]);
  return pageOf(rows.map(toInternalAccount), limit, totalCount, ({ id }) => [uuidOf(id)], scope);
}

const NEW_ACCOUNT_COLUMNS = {
  id: 'uuid',
  customer_id: 'uuid',
  type: 'text',
  status: 'text',
  currency: 'text',
  on_behalf_of: 'uuid',
  label: 'text',
  sweep_rule: 'json',
  private_enabled: 'boolean',
  funding_instructions: 'json',
  created_at: 'timestamptz',
} as const;

/** Inserts new accounts in one statement. Their ledger accounts are inserted before. */
export function insertInternalAccounts(tx: Tx, platformId: PlatformId, accounts: readonly NewInternalAccount[]): void {
  const rows = accounts.map((account) => ({
    id: uuidOf(account.id),
    customer_id: account.customerId && uuidOf(account.customerId),
    type: account.type,
    status: account.status,
    currency: account.currency,
    on_behalf_of: account.onBehalfOfCustomerId && uuidOf(account.onBehalfOfCustomerId),
    label: account.label,
    sweep_rule: account.sweepRule && toStoredRule(account.sweepRule),
    private_enabled: account.privateEnabled,
    funding_instructions: account.fundingInstructions,
    created_at: account.createdAt,
  }));
  tx.send(sql`
    insert into internal_accounts (platform_id, id, customer_id, type, status, currency, on_behalf_of_customer_id, label, sweep_rule,
                                   private_enabled, funding_instructions, created_at, updated_at)
    select p.id, t.id, t.customer_id, t.type, t.status, t.currency, t.on_behalf_of, t.label, t.sweep_rule,
           t.private_enabled, t.funding_instructions, t.created_at, t.created_at
    from platforms p, ${records(NEW_ACCOUNT_COLUMNS, rows)} where p.id = ${uuidOf(platformId)}`);
}

/** Writes the columns that may change. */
export function saveInternalAccount(tx: Tx, platformId: PlatformId, account: InternalAccount): void {
  tx.send(sql`
    update internal_accounts set status = ${account.status}, private_enabled = ${account.privateEnabled}, updated_at = ${account.updatedAt}
    where platform_id = ${uuidOf(platformId)} and id = ${uuidOf(account.id)}`);
}

/** The accounts that fund a card or have funded one. */
export async function findCardFunders(
  tx: Reader,
  platformId: PlatformId,
  ids: readonly InternalAccountId[],
): Promise<Set<InternalAccountId>> {
  const rows = await tx.many<{ account_id: string }>(sql`
    select f.account_id from unnest(${ids.map(uuidOf)}::uuid[]) a (id) cross join lateral (
      select account_id from card_funding_sources where platform_id = ${uuidOf(platformId)} and account_id = a.id limit 1) f`);
  return new Set(rows.map((row) => idOf('InternalAccount', row.account_id)));
}
