// Which tables hold the data of a platform, and in which order rows can be written back. Pure.
import { afterTheirReferences, type ReferringTable } from '../../db/foreign-keys.js';

export type DataTable = ReferringTable & {
  /** Columns that can be written; generated ones are left out. */
  readonly columns: readonly string[];
  /** Their types as PostgreSQL names them, in the same order. */
  readonly types: readonly string[];
  /** Those of them that hold JSON. */
  readonly jsonColumns: readonly string[];
};

/**
 * What a platform has beside its data: credentials, keys, limits, sessions of people, and the log of its requests. A reset keeps it, and a
 * snapshot does not hold it.
 */
const KEPT: ReadonlySet<string> = new Set([
  'platforms',
  'platform_keys',
  'api_tokens',
  'console_sessions',
  'console_codes',
  'issuer_credentials',
  'webhook_signing_keys',
  'webhook_cursors',
  'uma_keys',
  'uma_nonces',
  'request_log',
  'request_log_objects',
  'rate_limit_buckets',
  'named_locks',
  'emptied_platforms',
  'sandbox_snapshots',
  'sandbox_snapshot_parts',
]);

export const isData = ({ name }: Pick<DataTable, 'name'>): boolean => !KEPT.has(name);

/** Triggers of these tables read other tables, which must be there first. */
const READ_BY_TRIGGERS: Readonly<Record<string, readonly string[]>> = {
  transfers: ['wallet_activities', 'ledger_accounts'],
  holds: ['wallet_activities', 'ledger_accounts'],
  entries: ['ledger_accounts'],
};

/** Each table after the ones whose rows it needs. In reverse, it is the order in which rows can be deleted. */
export const insertionOrder = (tables: readonly DataTable[]): DataTable[] =>
  afterTheirReferences(
    [...tables]
      .sort((a, b) => (a.name < b.name ? -1 : 1))
      .map((table) => ({ ...table, references: [...table.references, ...(READ_BY_TRIGGERS[table.name] ?? [])] })),
  );

/** Rows that writers lock, in the order in which they do. Whoever has locked all of them is alone with the data of the platform. */
export const LOCKED_BY_WRITERS = ['customers', 'internal_accounts', 'cards', 'ledger_accounts'] as const;
