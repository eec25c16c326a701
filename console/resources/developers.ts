// Events, requests, tokens, and the desk of the sandbox: messages, snapshots, card programs, issuers.
import { CREATED, encoded, ID, text } from './shared.ts';
import type { Resource } from './types.ts';

const events: Resource = {
  name: 'events',
  title: 'Events',
  one: 'event',
  group: 'Developers',
  kind: 'Webhook',
  list: '/webhooks/events',
  stream: 'event',
  columns: [
    { name: 'type', label: 'Type', as: 'mono' },
    { name: 'objectId', label: 'Object', as: 'id' },
    { name: 'deliveryStatus', label: 'Delivery', as: 'badge' },
    { name: 'attemptCount', label: 'Attempts' },
    { name: 'timestamp', label: 'Time', as: 'time' },
    ID,
  ],
  filters: [
    { name: 'deliveryStatus', label: 'Delivery', choices: ['PENDING', 'DELIVERED', 'FAILED', 'NOT_QUEUED'] },
    { name: 'type', label: 'Type' },
    { name: 'objectId', label: 'Object' },
  ],
  get: 'getWebhookEvent',
  titleOf: (object) => text(object, 'type'),
  hides: ['attempts', 'nextAttemptAt'],
  create: { operation: 'replayWebhookEvents', label: 'Replay since …', shows: '*' },
  actions: [{ operation: 'resendWebhookEvent', label: 'Send again' }],
  empty: 'Nothing has happened.',
  begin: { operation: 'sendTestWebhook', label: 'Send a test' },
};

const requests: Resource = {
  name: 'requests',
  title: 'Requests',
  one: 'request',
  group: 'Developers',
  list: '/requests',
  stream: 'request',
  columns: [
    { name: 'status', label: 'Status', as: 'badge' },
    { name: 'operation', label: 'Operation', as: 'mono' },
    { name: 'path', label: 'Path', as: 'mono' },
    { name: 'code', label: 'Code' },
    { name: 'durationMs', label: 'Time taken', as: 'ms' },
    { name: 'timestamp', label: 'Time', as: 'time' },
    ID,
  ],
  filters: [
    { name: 'status', label: 'Status', choices: ['2xx', '4xx', '5xx'] },
    { name: 'operation', label: 'Operation' },
    { name: 'objectId', label: 'Object' },
    { name: 'tokenId', label: 'Token' },
  ],
  get: 'getRequest',
  titleOf: (object) => `${object['method']} ${object['path']}`,
  texts: ['requestBody', 'responseBody'],
  hasErrors: true,
  empty: 'No calls in the last 7 days.',
};

const tokens: Resource = {
  name: 'tokens',
  title: 'API tokens',
  one: 'token',
  group: 'Developers',
  kind: 'Token',
  list: '/tokens',
  columns: [
    { name: 'name', label: 'Name' },
    { name: 'permissions', label: 'Permissions' },
    { name: 'clientId', label: 'Token id', as: 'mono' },
    { name: 'id', label: 'Last use', as: 'last-use' },
    { name: 'expiresAt', label: 'Until', as: 'time' },
    CREATED,
    ID,
  ],
  filters: [{ name: 'name', label: 'Name' }],
  get: 'getTokenById',
  titleOf: (object) => text(object, 'name'),
  related: [{ resource: 'requests', query: (object) => `tokenId=${encoded(object)}` }],
  create: {
    operation: 'createToken',
    label: 'Create token',
    values: () => ({ permissions: 'VIEW' }),
    shows: 'clientSecret',
    isSecret: true,
  },
  actions: [
    { operation: 'deleteTokenById', label: 'Delete', isDanger: true, confirm: (object) => text(object, 'name'), next: () => '/tokens' },
  ],
  empty: 'No tokens.',
};

const messages: Resource = {
  name: 'messages',
  title: 'Messages',
  one: 'message',
  group: 'Sandbox',
  list: '/sandbox/messages',
  columns: [
    { name: 'channel', label: 'Channel' },
    { name: 'to', label: 'To', as: 'mono' },
    { name: 'subject|text', label: 'Message' },
    CREATED,
  ],
  filters: [
    { name: 'channel', label: 'Channel', choices: ['EMAIL', 'SMS'] },
    { name: 'to', label: 'To' },
  ],
  empty: 'Nobody was written to. E-mails and texts of the sandbox appear here instead of being sent.',
};

const snapshots: Resource = {
  name: 'snapshots',
  title: 'Snapshots',
  one: 'snapshot',
  group: 'Sandbox',
  key: 'name',
  list: '/sandbox/snapshots',
  columns: [{ name: 'name', label: 'Name' }, { name: 'rows', label: 'Rows' }, { name: 'now', label: 'Clock', as: 'time' }, CREATED],
  create: { operation: 'createSandboxSnapshot', label: 'Take a snapshot' },
  actions: [
    { operation: 'restoreSandboxSnapshot', label: 'Restore', isDanger: true, confirm: (object) => text(object, 'name') },
    {
      operation: 'deleteSandboxSnapshot',
      label: 'Delete',
      isDanger: true,
      confirm: (object) => text(object, 'name'),
      next: () => '/snapshots',
    },
  ],
  empty: 'No snapshots. One keeps all data of the platform, to go back to.',
};

const programs: Resource = {
  name: 'card-programs',
  title: 'Card programs',
  one: 'card program',
  group: 'Sandbox',
  list: '/sandbox/card-programs',
  columns: [
    { name: 'id', label: 'Program', as: 'mono' },
    { name: 'summary', label: 'What' },
    { name: 'selected', label: 'Selected' },
    { name: 'decides', label: 'Decides' },
    { name: 'brand', label: 'Brand' },
  ],
  create: { operation: 'selectSandboxCardProgram', label: 'Select a program' },
  empty: 'No card programs.',
};

const issuers: Resource = {
  name: 'issuer-credentials',
  title: 'Issuer credentials',
  one: 'issuer credential',
  group: 'Sandbox',
  kind: 'IssuerCredential',
  list: '/sandbox/issuer-credentials',
  columns: [{ name: 'keyId', label: 'Key', as: 'mono' }, { name: 'program', label: 'Program', as: 'mono' }, CREATED, ID],
  create: { operation: 'createSandboxIssuerCredential', label: 'Create credential', shows: '*', isSecret: true },
  actions: [
    {
      operation: 'deleteSandboxIssuerCredentialById',
      label: 'Delete',
      isDanger: true,
      confirm: (object) => text(object, 'keyId'),
      next: () => '/issuer-credentials',
    },
  ],
  empty: 'No issuer may call in.',
};

export const DEVELOPERS: readonly Resource[] = [events, requests, tokens, messages, snapshots, programs, issuers];
