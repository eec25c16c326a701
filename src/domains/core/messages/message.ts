// A mail or text message to an end user.
import type { Id } from '../../../kernel/ids.js';
import type { Message } from '../../../providers/messages.js';

export type MessageId = Id<'Message'>;

export type NewMessage = Pick<Message, 'channel' | 'to' | 'subject' | 'text'> & {
  /** When sending it has become pointless. */
  readonly expiresAt: Date;
};

export type QueuedMessage = NewMessage & { readonly id: MessageId; readonly attempts: number; readonly createdAt: Date };
