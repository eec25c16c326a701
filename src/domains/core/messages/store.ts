// All SQL of messages.
import { countMatches } from '../../../db/count.js';
import type { PlatformCondition } from '../../../db/job.js';
import type { Tx } from '../../../db/pool.js';
import { allOf, type Sql, sql } from '../../../db/sql.js';
import { idOf, type PlatformId, uuidOf } from '../../../kernel/ids.js';
import { type Page, type PageRequest, pageOf } from '../../../kernel/page.js';
import type { MessageId, NewMessage, QueuedMessage } from './message.js';

/** A message whose text is sealed. */
export type StoredMessage = Omit<QueuedMessage, 'text'> & { readonly textSealed: Buffer };

type MessageRow = {
  id: string;
  channel: NewMessage['channel'];
  recipient: string;
  subject: string;
  text_sealed: Buffer;
  created_at: Date;
  expires_at: Date;
  attempts: number;
};

const toMessage = (row: MessageRow): StoredMessage => ({
  id: idOf('Message', row.id),
  channel: row.channel,
  to: row.recipient,
  subject: row.subject,
  textSealed: row.text_sealed,
  createdAt: row.created_at,
  expiresAt: row.expires_at,
  attempts: row.attempts,
});

export type MessageTimes = { readonly isSandbox: boolean; readonly dueAt: Date };

export function insertMessage(
  tx: Tx,
  platformId: PlatformId,
  message: Omit<StoredMessage, 'attempts'>,
  { isSandbox, dueAt }: MessageTimes,
): void {
  tx.send(sql`
    insert into messages (platform_id, id, is_sandbox, channel, recipient, subject, text_sealed, created_at, expires_at, due_at)
    values (${uuidOf(platformId)}, ${uuidOf(message.id)}, ${isSandbox}, ${message.channel}, ${message.to}, ${message.subject},
            ${message.textSealed}, ${message.createdAt}, ${message.expiresAt}, ${dueAt})`);
}

export type MessageFilter = { readonly to?: string; readonly channel?: NewMessage['channel'] };

/** The messages of a sandbox platform, newest first. */
export async function listMessages(
  tx: Pick<Tx, 'one' | 'many'>,
  platformId: PlatformId,
  { to, channel }: MessageFilter,
  { limit, after }: PageRequest<string>,
  scope: unknown,
): Promise<Page<StoredMessage>> {
  const where = allOf(
    // Not the condition of the index of due times, which is in another order.
    sql`platform_id = ${uuidOf(platformId)} and is_sandbox::int = 1`,
    to !== undefined && sql`recipient = ${to}`,
    channel !== undefined && sql`channel = ${channel}`,
  );
  const [rows, totalCount] = await Promise.all([
    tx.many<MessageRow>(sql`
      select * from messages where ${allOf(where, after !== undefined && sql`id < ${after}`)} order by id desc limit ${limit + 1}`),
    countMatches(tx, sql`messages where ${where}`),
  ]);
  return pageOf(rows.map(toMessage), limit, totalCount, ({ id }) => [uuidOf(id)], scope);
}

/** Each kind has a partial index of its own. */
const ofKind = (isSandbox: boolean): Sql => (isSandbox ? sql`is_sandbox` : sql`not is_sandbox`);

export const firstDueMessage = (condition: PlatformCondition, isSandbox: boolean): Sql => sql`
  select platform_id, due_at as at from messages where ${condition(sql`platform_id`)} and ${ofKind(isSandbox)}
  order by platform_id, due_at limit 1`;

/** Takes the next due message until `leaseUntil`, so that no other process sends it as well. */
export async function claimMessage(
  tx: Tx,
  platformId: PlatformId,
  now: Date,
  leaseUntil: (attempts: number) => Date,
): Promise<StoredMessage | undefined> {
  const row = await tx.one<MessageRow>(sql`
    select * from messages where platform_id = ${uuidOf(platformId)} and not is_sandbox and due_at <= ${now}
    order by due_at limit 1 for update skip locked`);
  if (!row) return undefined;
  const claimed = toMessage({ ...row, attempts: row.attempts + 1 });
  tx.send(sql`
    update messages set attempts = ${claimed.attempts}, due_at = ${leaseUntil(claimed.attempts)}
    where platform_id = ${uuidOf(platformId)} and id = ${row.id}`);
  return claimed;
}

export async function deleteMessage(tx: Pick<Tx, 'run'>, platformId: PlatformId, id: MessageId): Promise<void> {
  await tx.run(sql`delete from messages where platform_id = ${uuidOf(platformId)} and id = ${uuidOf(id)}`);
}

/** Deletes messages of the sandbox that were kept long enough. */
export const deleteDueMessages = (tx: Pick<Tx, 'run'>, platformId: PlatformId, now: Date): Promise<number> =>
  tx.run(sql`delete from messages where platform_id = ${uuidOf(platformId)} and is_sandbox and due_at <= ${now}`);
