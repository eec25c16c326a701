// Queues messages to end users in the transaction that causes them, and sends them after it has committed.
import type { Db, Tx } from '../../../db/pool.js';
import { ApiError } from '../../../kernel/errors.js';
import { newId, type PlatformId } from '../../../kernel/ids.js';
import { DAY_MS, MINUTE_MS, plusMs } from '../../../kernel/time.js';
import type { KeyCustody } from '../../../providers/key-custody.js';
import type { Message, Messenger } from '../../../providers/messages.js';
import type { MessageId, NewMessage, QueuedMessage } from './message.js';
import { claimMessage, deleteMessage, insertMessage, type StoredMessage } from './store.js';

export type MessageDeps = { readonly custody: KeyCustody; readonly isSandbox: boolean };

/** Binds a sealed text to platform and message. */
export const messageContext = (platformId: PlatformId, id: MessageId): string => `message ${platformId} ${id}`;

const SANDBOX_LIFE_MS = DAY_MS;

/** Refuses a channel that the installation does not serve. To be called before anything is written. */
export function requireChannel(messenger: Messenger, channel: Message['channel']): void {
  if (!messenger.canSend(channel))
    throw new ApiError('INVALID_INPUT', { cause: 'CHANNEL_UNAVAILABLE' }, { reason: 'This installation sends no such messages.' });
}

export function enqueueMessage(tx: Tx, { custody, isSandbox }: MessageDeps, platformId: PlatformId, now: Date, message: NewMessage): void {
  const { text, ...rest } = message;
  const id = newId('Message');
  const textSealed = custody.seal(Buffer.from(text, 'utf8'), messageContext(platformId, id));
  insertMessage(
    tx,
    platformId,
    { ...rest, id, textSealed, createdAt: now },
    { isSandbox, dueAt: isSandbox ? plusMs(now, SANDBOX_LIFE_MS) : now },
  );
}

export const openMessage = (custody: KeyCustody, platformId: PlatformId, { textSealed, ...message }: StoredMessage): QueuedMessage => ({
  ...message,
  text: custody.open(textSealed, messageContext(platformId, message.id)).toString('utf8'),
});

export type SendingDeps = { readonly custody: KeyCustody; readonly messenger: Messenger };

/** While a message is being sent, and after a failed attempt, it waits this long; each attempt waits longer. */
const RETRY_MS = MINUTE_MS / 2;

/** Sends what is due, one message after the other. A message that fails stays due until it expires. Returns how many were sent. */
export async function sendDueMessages(
  db: Db,
  { custody, messenger }: SendingDeps,
  platformId: PlatformId,
  now: Date,
  isOver: () => boolean,
): Promise<number> {
  let sent = 0;
  let failed = 0;
  while (!isOver()) {
    const claimed = await db.transaction((tx) => claimMessage(tx, platformId, now, (attempts) => plusMs(now, attempts * RETRY_MS)));
    if (!claimed) break;
    try {
      if (now < claimed.expiresAt) await messenger.send(openMessage(custody, platformId, claimed));
      await deleteMessage(db, platformId, claimed.id);
      sent += 1;
    } catch {
      // The text of the error may name the recipient.
      failed += 1;
    }
  }
  if (failed > 0) throw new Error(`${failed} messages could not be sent; ${sent} were`);
  return sent;
}
