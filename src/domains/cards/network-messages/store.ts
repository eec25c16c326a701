// SQL of network messages, and of the work that is due for card transactions.
import type { PlatformCondition } from '../../../db/job.js';
import type { Tx } from '../../../db/pool.js';
import { records } from '../../../db/records.js';
import { type Sql, sql } from '../../../db/sql.js';
import { type CardId, idOf, type PlatformId, type TransactionId, uuidOf } from '../../../kernel/ids.js';
import { MAX_AMOUNT } from '../../../kernel/money.js';
import type { NetworkHistory } from '../authorizations/card-transaction.js';
import type { ScheduledKind } from './network-message.js';

type Reader = Pick<Tx, 'one' | 'many'>;

export type StoredMessage = {
  readonly token: string;
  readonly kind: ScheduledKind;
  readonly transactionId: TransactionId;
  readonly amount: bigint | undefined;
  readonly dueAt: Date | undefined;
};

/** Returns whether the message is new. A concurrent duplicate waits for the first. */
export async function insertMessage(tx: Tx, platformId: PlatformId, message: StoredMessage, now: Date): Promise<boolean> {
  return (
    (await tx.run(sql`
      insert into card_messages (platform_id, token, kind, transaction_id, amount, due_at, received_at)
      values (${uuidOf(platformId)}, ${message.token}, ${message.kind}, ${uuidOf(message.transactionId)}, ${message.amount ?? null},
              ${message.dueAt ?? null}, ${now})
      on conflict do nothing`)) === 1
  );
}

/** A message that is carried out at once. */
export type NewMessage = Omit<StoredMessage, 'dueAt'>;

const MESSAGE_COLUMNS = { token: 'text', kind: 'text', transaction_id: 'uuid', amount: 'bigint' } as const;

/** Fails if one of the messages is known. */
export function insertMessages(tx: Tx, platformId: PlatformId, messages: readonly NewMessage[], now: Date): void {
  const rows = messages.map(({ token, kind, transactionId, amount = null }) => ({
    token,
    kind,
    transaction_id: uuidOf(transactionId),
    amount,
  }));
  tx.send(sql`
    insert into card_messages (platform_id, token, kind, transaction_id, amount, received_at)
    select p.id, t.*, ${now} from platforms p, ${records(MESSAGE_COLUMNS, rows)} where p.id = ${uuidOf(platformId)}`);
}

/** What the network messages about a transaction amount to; undefined when there are none. Reversals may add up to more than any amount. */
export async function findNetworkHistory(tx: Reader, platformId: PlatformId, id: TransactionId): Promise<NetworkHistory | undefined> {
  const row = await tx.one<{ advices: bigint; advised: bigint; ended: boolean; reversed: bigint }>(sql`
    select count(*) filter (where kind = 'AUTHORIZATION_ADVICE') as advices,
      coalesce(max(amount) filter (where kind = 'AUTHORIZATION_ADVICE'), 0) as advised,
      bool_or(kind = 'AUTHORIZATION_EXPIRY' or kind = 'CLEARING' and amount = 0 or kind = 'AUTHORIZATION_REVERSAL' and amount is null) as ended,
      least(coalesce(sum(amount) filter (where kind = 'AUTHORIZATION_REVERSAL'), 0), ${MAX_AMOUNT})::bigint as reversed
    from card_messages where platform_id = ${uuidOf(platformId)} and transaction_id = ${uuidOf(id)} having count(*) > 0`);
  return row && { ...row, advices: Number(row.advices) };
}

type MessageName = Pick<StoredMessage, 'token' | 'kind'>;

export const messageKey = ({ token, kind }: MessageName): string => `${kind} ${token}`;

/** The transactions of the messages that are known, by `messageKey`. */
export async function findMessageTransactions(
  tx: Reader,
  platformId: PlatformId,
  messages: readonly MessageName[],
): Promise<Map<string, TransactionId>> {
  const rows = await tx.many<MessageName & { transaction_id: string }>(sql`
    select m.* from unnest(${messages.map(({ token }) => token)}::text[], ${messages.map(({ kind }) => kind)}::text[]) k (token, kind), lateral (
      select token, kind, transaction_id from card_messages
      where platform_id = ${uuidOf(platformId)} and token = k.token and kind = k.kind limit 1) m`);
  return new Map(rows.map((row) => [messageKey(row), idOf('Transaction', row.transaction_id)]));
}

/** The sum of a transaction's clearings that wait for a delayed pull. */
export async function findWaitingClearings(tx: Reader, platformId: PlatformId, id: TransactionId): Promise<bigint> {
  const row = await tx.one<{ waiting: bigint }>(sql`
    select coalesce(sum(amount), 0)::bigint as waiting from card_messages
    where platform_id = ${uuidOf(platformId)} and transaction_id = ${uuidOf(id)} and kind = 'CLEARING' and due_at is not null`);
  return row?.waiting ?? 0n;
}

/** Messages that are due, with the card to lock for each. */
export async function findDueMessages(
  tx: Reader,
  platformId: PlatformId,
  now: Date,
  excluded: readonly string[],
  limit: number,
): Promise<(Due & { token: string; kind: ScheduledKind })[]> {
  const rows = await tx.many<DueRow & { token: string; kind: ScheduledKind }>(sql`
    select t.id, t.card_id, m.token, m.kind from card_messages m
    join card_transactions t on t.platform_id = m.platform_id and t.id = m.transaction_id
    where m.platform_id = ${uuidOf(platformId)} and m.due_at <= ${now} and m.transaction_id <> all(${excluded}::uuid[])
    order by m.due_at, m.received_at, m.kind desc limit ${limit}`);
  return rows.map(({ token, kind, ...row }) => ({ token, kind, ...toDue(row) }));
}

/** Marks a due message as applied; undefined when another worker was first. The card is locked. */
export async function takeDueMessage(
  tx: Tx,
  platformId: PlatformId,
  token: string,
  kind: ScheduledKind,
): Promise<StoredMessage | undefined> {
  const row = await tx.one<{ transaction_id: string; amount: bigint | null }>(sql`
    update card_messages set due_at = null where platform_id = ${uuidOf(platformId)} and token = ${token} and kind = ${kind} and due_at is not null
    returning transaction_id, amount`);
  return row && { token, kind, transactionId: idOf('Transaction', row.transaction_id), amount: row.amount ?? undefined, dueAt: undefined };
}

// ---- due work

// `excluded`: transactions to skip.
export const firstExpiry = (condition: PlatformCondition, excluded: readonly string[]): Sql => sql`
  select h.platform_id, h.expires_at as at from holds h
  where ${condition(sql`h.platform_id`)} and h.expires_at is not null and h.transaction_id <> all(${excluded}::uuid[])
  order by h.platform_id, h.expires_at limit 1`;

export const firstMessage = (condition: PlatformCondition, excluded: readonly string[]): Sql => sql`
  select m.platform_id, m.due_at as at from card_messages m
  where ${condition(sql`m.platform_id`)} and m.due_at is not null and m.transaction_id <> all(${excluded}::uuid[])
  order by m.platform_id, m.due_at limit 1`;

/** A transaction with due work, and the card to lock for it. */
export type Due = { readonly id: TransactionId; readonly cardId: CardId };

type DueRow = { id: string; card_id: string };

const toDue = ({ id, card_id }: DueRow): Due => ({ id: idOf('Transaction', id), cardId: idOf('Card', card_id) });

export const findExpired = async (
  tx: Reader,
  platformId: PlatformId,
  now: Date,
  excluded: readonly string[],
  limit: number,
): Promise<Due[]> =>
  (
    await tx.many<DueRow>(sql`
      select transaction_id as id, owner_id as card_id from holds
      where platform_id = ${uuidOf(platformId)} and expires_at <= ${now} and transaction_id <> all(${excluded}::uuid[])
      order by expires_at limit ${limit}`)
  ).map(toDue);
