// SQL of the timeline: one statement for each kind of item, newest first, by an index of its table.
import type { Tx } from '../../../db/pool.js';
import { allOf, type Sql, sql } from '../../../db/sql.js';
import { idOf, madeAt, type PlatformId, parseId, uuidOf } from '../../../kernel/ids.js';
import { CURRENCIES } from '../../../kernel/money.js';
import { NUMBER_KEY, UUID_KEY } from '../../../kernel/page.js';
import { findRequestsOf } from './store.js';
import type { TimelineItem, TimelineKind } from './timeline.js';

type Reader = Pick<Tx, 'many' | 'one'>;

type Source = {
  /** The shape of a key among the items of the object. */
  readonly key: (objectId: string) => RegExp;
  /** The items of the object after `after`. A kind that an object of its type cannot have is empty. */
  list(tx: Reader, platformId: PlatformId, objectId: string, after: string | undefined, limit: number): Promise<TimelineItem[]>;
};

type CauseRow = { request_id: string | null; job: string | null };
const causeOf = ({ request_id, job }: CauseRow): TimelineItem['cause'] =>
  request_id === null && job === null ? null : { ...(request_id !== null && { requestId: request_id }), ...(job !== null && { job }) };

/** Members without a value are left out. */
const given = (facts: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== null && value !== undefined));

const before = (column: Sql, after: string | undefined): Sql | false => after !== undefined && sql`${column} < ${after}`;

const REQUEST: Source = {
  key: () => UUID_KEY,
  list: async (tx, platformId, objectId, after, limit) =>
    (await findRequestsOf(tx, platformId, objectId, after, limit)).map(
      ({ position, id, at, operation, method, path, status, code, durationMs }) => ({
        kind: 'REQUEST',
        key: position,
        at: madeAt(id) ?? at.getTime(),
        timestamp: at,
        cause: null,
        facts: given({ requestId: id, operation, method, path, status, code, durationMs }),
      }),
    ),
};

type SignatureRow = { id: string; operation: string; leg: number; created_at: Date; expires_at: Date; used_at: Date | null };
const SIGNATURE: Source = {
  key: () => UUID_KEY,
  list: async (tx, platformId, objectId, after, limit) => {
    const account = parseId('InternalAccount', objectId);
    if (!account) return [];
    const rows = await tx.many<SignatureRow>(sql`
      select id, operation, leg, created_at, expires_at, used_at from signed_requests
      where ${allOf(sql`platform_id = ${uuidOf(platformId)} and account_id = ${uuidOf(account)}`, before(sql`id`, after))}
      order by id desc limit ${limit}`);
    return rows.map(({ id, operation, leg, created_at, expires_at, used_at }) => ({
      kind: 'SIGNATURE',
      key: id,
      at: madeAt(id) ?? created_at.getTime(),
      timestamp: created_at,
      cause: null,
      facts: given({ signedRequestId: idOf('Request', id), operation, leg, expiresAt: expires_at, usedAt: used_at }),
    }));
  },
};

type ProofRow = { id: string; method: string; verdict: string; cause: string | null; decided_at: Date };
const PROOF: Source = {
  key: () => UUID_KEY,
  list: async (tx, platformId, objectId, after, limit) => {
    const account = parseId('ExternalAccount', objectId);
    if (!account) return [];
    const rows = await tx.many<ProofRow>(sql`
      select id, method, verdict, cause, decided_at from ownership_proofs
      where ${allOf(sql`platform_id = ${uuidOf(platformId)} and account_id = ${uuidOf(account)}`, before(sql`id`, after))}
      order by id desc limit ${limit}`);
    return rows.map(({ id, method, verdict, cause, decided_at }) => ({
      kind: 'PROOF',
      key: id,
      at: madeAt(id) ?? decided_at.getTime(),
      timestamp: decided_at,
      cause: null,
      facts: given({ proofId: idOf('OwnershipProof', id), method, verdict, reason: cause }),
    }));
  },
};

type ChangeRow = CauseRow & {
  version: number;
  cause: string;
  from_status: string | null;
  to_status: string;
  substatus: string | null;
  reason: string | null;
  at: Date;
  recorded_at: Date;
};
const CHANGE: Source = {
  // A version is an integer of four bytes.
  key: () => /^\d{1,9}$/,
  list: async (tx, platformId, objectId, after, limit) => {
    const card = parseId('Card', objectId);
    if (!card) return [];
    const rows = await tx.many<ChangeRow>(sql`
      select version, cause, from_status, to_status, substatus, reason, at, recorded_at, request_id, job from card_history
      where ${allOf(sql`platform_id = ${uuidOf(platformId)} and card_id = ${uuidOf(card)}`, before(sql`version`, after))}
      order by version desc limit ${limit}`);
    return rows.map(({ version, cause, from_status, to_status, substatus, reason, at, recorded_at, ...row }) => ({
      kind: 'CHANGE',
      key: String(version),
      // Changes from before the real time was kept.
      at: recorded_at.getTime() || at.getTime(),
      timestamp: at,
      cause: causeOf(row),
      facts: given({ change: cause, fromStatus: from_status, toStatus: to_status, substatus, reason }),
    }));
  },
};

type EntryRow = {
  transfer_id: string;
  account_id: string;
  number: bigint;
  amount: bigint;
  balance_after: bigint;
  currency: string;
  transaction_id: string | null;
  effective_at: Date;
  recorded_at: Date;
  recorded_us: bigint;
  cause: string;
};

const RECORDED_US = sql`(extract(epoch from e.recorded_at) * 1000000)::bigint`;

/**
 * The entries of an account by their number; those of a transaction, which may be on several accounts, by the time at which they were
 * written. Not by the transfer: its id is made with the payment or the hold, and the money moves later.
 */
function entriesOf(
  platformId: PlatformId,
  objectId: string,
  after: string | undefined,
): { readonly where: Sql; readonly order: Sql } | undefined {
  const [account, transaction] = [parseId('InternalAccount', objectId), parseId('Transaction', objectId)];
  const owned = sql`e.platform_id = ${uuidOf(platformId)} and e.number is not null`;
  if (account)
    return {
      where: allOf(owned, sql`e.account_id = ${uuidOf(account)}`, before(sql`e.number`, after)),
      order: sql`e.number desc`,
    };
  if (!transaction) return undefined;
  const [recorded, number, transferId, accountId] = after?.split('.') ?? [];
  return {
    where: allOf(
      owned,
      sql`e.transaction_id = ${uuidOf(transaction)}`,
      accountId !== undefined &&
        sql`(${RECORDED_US}, e.number, e.transfer_id, e.account_id) < (${recorded}::bigint, ${number}::bigint, ${transferId}::uuid, ${accountId}::uuid)`,
    ),
    order: sql`${RECORDED_US} desc, e.number desc, e.transfer_id desc, e.account_id desc`,
  };
}

const UUID = UUID_KEY.source.slice(1, -1);
const NUMBER = NUMBER_KEY.source.slice(1, -1);
const ENTRY_KEY = new RegExp(`^${NUMBER}\\.${NUMBER}\\.${UUID}\\.${UUID}$`);

const LEDGER_ENTRY: Source = {
  key: (objectId) => (parseId('InternalAccount', objectId) ? NUMBER_KEY : ENTRY_KEY),
  list: async (tx, platformId, objectId, after, limit) => {
    const wanted = entriesOf(platformId, objectId, after);
    if (!wanted) return [];
    const rows = await tx.many<EntryRow>(sql`
      select e.transfer_id, e.account_id, e.number, e.amount, e.balance_after, e.currency, e.transaction_id, e.effective_at, e.recorded_at,
        ${RECORDED_US} as recorded_us,
        (select cause from transfers t where t.platform_id = ${uuidOf(platformId)} and t.id = e.transfer_id) as cause
      from entries e where ${wanted.where} order by ${wanted.order} limit ${limit}`);
    const isOfAccount = parseId('InternalAccount', objectId) !== undefined;
    return rows.map((row) => ({
      kind: 'LEDGER_ENTRY',
      key: isOfAccount ? String(row.number) : `${row.recorded_us}.${row.number}.${row.transfer_id}.${row.account_id}`,
      // Entries from before the real time was kept.
      at: row.recorded_at.getTime() || (madeAt(row.transfer_id) ?? row.effective_at.getTime()),
      timestamp: row.effective_at,
      cause: null,
      facts: given({
        reason: row.cause,
        amount: Number(row.amount),
        balanceAfter: Number(row.balance_after),
        currency: row.currency,
        decimals: CURRENCIES.get(row.currency)?.decimals ?? 0,
        accountId: idOf('InternalAccount', row.account_id),
        transactionId: row.transaction_id && idOf('Transaction', row.transaction_id),
      }),
    }));
  },
};

type EventRow = CauseRow & { id: string; type: string; sequence: bigint; created_at: Date };
const EVENT: Source = {
  key: () => NUMBER_KEY,
  list: async (tx, platformId, objectId, after, limit) => {
    const rows = await tx.many<EventRow>(sql`
      select id, type, sequence, created_at, request_id, job from webhook_events
      where ${allOf(sql`platform_id = ${uuidOf(platformId)} and object_id = ${objectId}`, before(sql`sequence`, after))}
      order by sequence desc limit ${limit}`);
    const attempts = await attemptsOf(tx, platformId, rows);
    return rows.map(({ id, type, sequence, created_at, ...row }) => ({
      kind: 'EVENT',
      key: String(sequence),
      at: madeAt(id) ?? created_at.getTime(),
      timestamp: created_at,
      cause: causeOf(row),
      facts: { eventId: idOf('Webhook', id), type, sequence: Number(sequence), attempts: attempts.get(id) ?? [] },
    }));
  },
};

type AttemptRow = {
  event_id: string;
  number: number;
  started_at: Date;
  duration_ms: number;
  response_status: number | null;
  failure: string | null;
};
/** An event that is tried for days has some hundred attempts. The event itself shows them all. */
const SHOWN_ATTEMPTS = 10;

async function attemptsOf(tx: Reader, platformId: PlatformId, events: readonly EventRow[]): Promise<Map<string, unknown[]>> {
  const found = new Map<string, unknown[]>();
  if (events.length === 0) return found;
  const rows = await tx.many<AttemptRow>(sql`
    select a.event_id, a.number, a.started_at, a.duration_ms, a.response_status, a.failure
    from unnest(${events.map(({ id }) => id)}::uuid[]) as w (id) cross join lateral (
      select * from webhook_attempts where platform_id = ${uuidOf(platformId)} and event_id = w.id order by number desc limit ${SHOWN_ATTEMPTS}) a
    order by a.event_id, a.number`);
  for (const { event_id, number, started_at, duration_ms, response_status, failure } of rows) {
    const attempt = given({ number, startedAt: started_at, durationMs: duration_ms, responseStatus: response_status, failure });
    found.set(event_id, [...(found.get(event_id) ?? []), attempt]);
  }
  return found;
}

export const SOURCES: Readonly<Record<TimelineKind, Source>> = { REQUEST, SIGNATURE, PROOF, CHANGE, LEDGER_ENTRY, EVENT };
