// The messages that the sandbox would have sent.
import Type from 'typebox';
import type { Db } from '../../../db/pool.js';
import { type Operation, ok, operation } from '../../../http/operation.js';
import { Closed, Enum, pageOfSchema, pageQuery, Timestamp } from '../../../http/schemas.js';
import { decodeCursor, renderPage, UUID_KEY } from '../../../kernel/page.js';
import type { KeyCustody } from '../../../providers/key-custody.js';
import { openMessage } from './actions.js';
import type { QueuedMessage } from './message.js';
import { listMessages } from './store.js';

const Channel = Enum(['EMAIL', 'SMS'], { title: 'MessageChannel' });

const SandboxMessage = Type.Object(
  {
    id: Type.String(),
    channel: Channel,
    to: Type.String({ description: 'The e-mail address or phone number.' }),
    subject: Type.Optional(Type.String({ description: 'Of a mail.' })),
    text: Type.String({ 'x-secret': true, description: 'With the code, where the message carries one.' }),
    createdAt: Timestamp(),
  },
  { title: 'SandboxMessage' },
);

const renderMessage = ({ id, channel, to, subject, text, createdAt }: QueuedMessage) => ({
  id,
  channel,
  to,
  ...(channel === 'EMAIL' && { subject }),
  text,
  createdAt: createdAt.toISOString(),
});

export const messageRoutes = ({ db, custody }: { readonly db: Db; readonly custody: KeyCustody }): Operation[] => [
  operation({
    id: 'listSandboxMessages',
    method: 'GET',
    path: '/sandbox/messages',
    tag: 'Sandbox',
    summary: 'List the messages to end users of the last 24 hours; the sandbox sends none',
    permission: 'VIEW',
    sandbox: true,
    query: Closed({ to: Type.Optional(Type.String({ maxLength: 320 })), channel: Type.Optional(Channel), ...pageQuery }),
    success: { 200: pageOfSchema(SandboxMessage, 'SandboxMessageListResponse') },
    handle: async ({ platformId, query: { limit = 20, cursor, ...filter } }) => {
      const scope = ['listSandboxMessages', platformId, filter];
      const [after] = cursor === undefined ? [] : decodeCursor(cursor, scope, [UUID_KEY]);
      const page = await listMessages(db, platformId, filter, { limit, after }, scope);
      return ok(renderPage(page, (message) => renderMessage(openMessage(custody, platformId, message))));
    },
  }),
];
