// The pages of the console as data: lists with their columns, objects with their related lists, and actions with their fields.
import type { Item, Json } from './api.ts';

export type Column = { readonly name: string; readonly label: string; readonly as?: 'id' | 'money' | 'badge' | 'time' | 'ms' | 'mono' };

export type Field = {
  /** In dots for a nested member. */
  readonly name: string;
  readonly label: string;
  readonly as?: 'text' | 'integer' | 'choice' | 'choices' | 'check' | 'null-integer';
  readonly choices?: readonly string[];
  readonly value?: string;
  readonly required?: boolean;
  readonly hint?: string;
};

export type Action = {
  readonly label: string;
  readonly method: 'POST' | 'PATCH' | 'PUT' | 'DELETE';
  readonly path: (object: Item) => string;
  readonly permission: 'TRANSACT' | 'MANAGE';
  readonly fields?: readonly Field[];
  /** Members of the body that nobody is asked for. */
  readonly fixed?: (object: Item) => { readonly [name: string]: Json };
  readonly when?: (object: Item) => boolean;
  readonly isDanger?: boolean;
  readonly isSandbox?: boolean;
  /** Where the page goes with what was answered. */
  readonly next?: (answer: Item) => string;
  /** The answer holds something that is shown once. */
  readonly shows?: string;
};

export type Filter = { readonly name: string; readonly label: string; readonly choices?: readonly string[] };

export type Resource = {
  /** The segment of the console's path. */
  readonly name: string;
  readonly title: string;
  readonly one: string;
  readonly group: 'Money' | 'Cards' | 'Identity' | 'Developers';
  readonly list: string;
  readonly columns: readonly Column[];
  readonly filters?: readonly Filter[];
  /** The prefix of its ids; absent: its ids are bare. */
  readonly kind?: string;
  readonly get?: (id: string) => string;
  readonly titleOf?: (object: Item) => string;
  readonly related?: readonly { readonly resource: string; readonly query: (object: Item) => string }[];
  readonly create?: Action;
  readonly actions?: readonly Action[];
  readonly empty: string;
  /** The stream that adds rows on top. */
  readonly stream?: string;
  /** Members of the object page that are shown as JSON text. */
  readonly texts?: readonly string[];
};

const id = (object: Item): string => encodeURIComponent(String(object['id'] ?? object['cardTransactionId'] ?? ''));
const is =
  (...statuses: string[]) =>
  (object: Item) =>
    statuses.includes(String(object['status']));
const AMOUNT: Field = { name: 'amount', label: 'Amount in minor units', as: 'integer', value: '1000', required: true };
const REASON: readonly Field[] = [
  {
    name: 'substatus',
    label: 'Why',
    as: 'choice',
    choices: ['END_USER_REQUEST', 'LOST', 'COMPROMISED', 'DAMAGED', 'SUSPICIOUS_ACTIVITY', 'OTHER'],
    required: true,
  },
  { name: 'reason', label: 'Reason in words', value: 'From the console', required: true },
];
const cardOf = (object: Item): string => encodeURIComponent(String(object['cardId'] ?? ''));
const ofTransaction = (object: Item) => ({ cardTransactionId: object['id'] ?? '' });
const isCard = (object: Item): boolean => object['type'] === 'CARD' || object['cardId'] !== undefined;

const simulate = (label: string, kind: string, statuses: readonly string[], fields: readonly Field[] = [AMOUNT]): Action => ({
  label,
  method: 'POST',
  path: (object) => `/sandbox/cards/${cardOf(object)}/simulate/${kind}`,
  permission: 'TRANSACT',
  isSandbox: true,
  fields,
  fixed: ofTransaction,
  when: (object) => isCard(object) && is(...statuses)(object),
});

export const RESOURCES: readonly Resource[] = [
  {
    name: 'customers',
    title: 'Customers',
    one: 'customer',
    group: 'Money',
    kind: 'Customer',
    list: '/customers',
    columns: [
      { name: 'fullName|businessInfo.legalName', label: 'Name' },
      { name: 'customerType', label: 'Type' },
      { name: 'kycStatus|kybStatus', label: 'Verification', as: 'badge' },
      { name: 'platformCustomerId', label: 'Your id', as: 'mono' },
      { name: 'createdAt', label: 'Created', as: 'time' },
      { name: 'id', label: 'Id', as: 'id' },
    ],
    filters: [
      { name: 'customerType', label: 'Type', choices: ['INDIVIDUAL', 'BUSINESS'] },
      { name: 'platformCustomerId', label: 'Your id' },
    ],
    get: (one) => `/customers/${one}`,
    titleOf: (object) => String(object['fullName'] ?? (object['businessInfo'] as Item | undefined)?.['legalName'] ?? 'Customer'),
    related: [
      { resource: 'accounts', query: (object) => `customerId=${id(object)}` },
      { resource: 'cards', query: (object) => `customerId=${id(object)}` },
      { resource: 'external-accounts', query: (object) => `customerId=${id(object)}` },
      { resource: 'transactions', query: (object) => `customerId=${id(object)}` },
      { resource: 'verifications', query: (object) => `customerId=${id(object)}` },
    ],
    create: {
      label: 'Create customer',
      method: 'POST',
      path: () => '/customers',
      permission: 'MANAGE',
      fields: [
        { name: 'fullName', label: 'Full name', required: true },
        { name: 'platformCustomerId', label: 'Your id', hint: 'Left empty, one is made.' },
        { name: 'email', label: 'E-mail' },
      ],
      fixed: () => ({ customerType: 'INDIVIDUAL' }),
      next: (answer) => `/customers/${answer['id']}`,
    },
    actions: [
      {
        label: 'Rename',
        method: 'PATCH',
        path: (object) => `/customers/${id(object)}`,
        permission: 'MANAGE',
        when: (object) => object['customerType'] === 'INDIVIDUAL',
        fields: [{ name: 'fullName', label: 'Full name', required: true }],
        fixed: () => ({ customerType: 'INDIVIDUAL' }),
      },
      {
        label: 'Set verification',
        method: 'PUT',
        path: (object) => `/sandbox/customers/${id(object)}/verification-status`,
        permission: 'MANAGE',
        isSandbox: true,
        fields: [
          {
            name: 'status',
            label: 'Status',
            as: 'choice',
            choices: ['UNVERIFIED', 'PENDING', 'APPROVED', 'REJECTED', 'HOLD'],
            required: true,
          },
        ],
      },
      {
        label: 'Delete',
        method: 'DELETE',
        path: (object) => `/customers/${id(object)}`,
        permission: 'MANAGE',
        isDanger: true,
        next: () => '/customers',
      },
    ],
    empty: 'No customers yet.',
  },
  {
    name: 'accounts',
    title: 'Accounts',
    one: 'account',
    group: 'Money',
    kind: 'InternalAccount',
    list: '/customers/internal-accounts',
    columns: [
      { name: 'balance', label: 'Balance', as: 'money' },
      { name: 'type', label: 'Type' },
      { name: 'customerId', label: 'Customer', as: 'id' },
      { name: 'createdAt', label: 'Created', as: 'time' },
      { name: 'id', label: 'Id', as: 'id' },
    ],
    filters: [
      { name: 'currency', label: 'Currency' },
      { name: 'customerId', label: 'Customer' },
    ],
    get: (one) => `/internal-accounts/${one}`,
    related: [
      { resource: 'transactions', query: (object) => `accountIdentifier=${id(object)}` },
      { resource: 'cards', query: (object) => `accountId=${id(object)}` },
    ],
    actions: [
      {
        label: 'Fund',
        method: 'POST',
        path: (object) => `/sandbox/internal-accounts/${id(object)}/fund`,
        permission: 'TRANSACT',
        isSandbox: true,
        fields: [{ ...AMOUNT, value: '10000' }],
      },
    ],
    empty: 'No accounts yet. A new customer gets one per currency.',
  },
  {
    name: 'external-accounts',
    title: 'External accounts',
    one: 'external account',
    group: 'Money',
    kind: 'ExternalAccount',
    list: '/customers/external-accounts',
    columns: [
      { name: 'accountInfo.accountType', label: 'Type' },
      { name: 'currency', label: 'Currency' },
      { name: 'status', label: 'Status', as: 'badge' },
      { name: 'customerId', label: 'Customer', as: 'id' },
      { name: 'createdAt', label: 'Created', as: 'time' },
      { name: 'id', label: 'Id', as: 'id' },
    ],
    filters: [
      { name: 'currency', label: 'Currency' },
      { name: 'customerId', label: 'Customer' },
    ],
    get: (one) => `/customers/external-accounts/${one}`,
    actions: [
      {
        label: 'Ask for proof',
        method: 'POST',
        path: (object) => `/customers/external-accounts/${id(object)}/challenge`,
        permission: 'MANAGE',
        when: is('PENDING_OWNERSHIP_VERIFICATION'),
        shows: 'messageToSign',
      },
      {
        label: 'Verify with a signature',
        method: 'POST',
        path: (object) => `/customers/external-accounts/${id(object)}/verify`,
        permission: 'MANAGE',
        when: is('PENDING_OWNERSHIP_VERIFICATION'),
        fields: [{ name: 'signature', label: 'Signature of the message', required: true }],
      },
      {
        label: 'Liveness outcome',
        method: 'POST',
        path: (object) => `/sandbox/external-accounts/${id(object)}/liveness`,
        permission: 'TRANSACT',
        isSandbox: true,
        when: is('PENDING_OWNERSHIP_VERIFICATION'),
        fields: [{ name: 'outcome', label: 'Outcome', as: 'choice', choices: ['PASS', 'FAIL'], required: true }],
      },
      {
        label: 'Delete',
        method: 'DELETE',
        path: (object) => `/customers/external-accounts/${id(object)}`,
        permission: 'MANAGE',
        isDanger: true,
        next: () => '/external-accounts',
      },
    ],
    empty: 'No external accounts yet.',
  },
  {
    name: 'transactions',
    title: 'Transactions',
    one: 'transaction',
    group: 'Money',
    kind: 'Transaction',
    list: '/transactions',
    columns: [
      { name: 'sentAmount|receivedAmount|authorizedAmount', label: 'Amount', as: 'money' },
      { name: 'type', label: 'Type' },
      { name: 'status', label: 'Status', as: 'badge' },
      { name: 'merchant.descriptor|description', label: 'What' },
      { name: 'createdAt', label: 'Created', as: 'time' },
      { name: 'id', label: 'Id', as: 'id' },
    ],
    filters: [
      { name: 'type', label: 'Type', choices: ['INCOMING', 'OUTGOING', 'CARD'] },
      { name: 'customerId', label: 'Customer' },
      { name: 'cardId', label: 'Card' },
    ],
    get: (one) => `/transactions/${one}`,
    actions: [
      simulate('Clear', 'clearing', ['AUTHORIZED', 'PARTIALLY_SETTLED']),
      simulate('Reverse', 'authorization_reversal', ['AUTHORIZED', 'PARTIALLY_SETTLED']),
      simulate('Expire', 'authorization_expiry', ['AUTHORIZED', 'PARTIALLY_SETTLED'], []),
      simulate('Return', 'return', ['SETTLED', 'PARTIALLY_SETTLED']),
    ],
    empty: 'Nothing has moved.',
  },
  {
    name: 'cards',
    title: 'Cards',
    one: 'card',
    group: 'Cards',
    kind: 'Card',
    list: '/cards',
    columns: [
      { name: 'last4', label: 'Number', as: 'mono' },
      { name: 'brand', label: 'Brand' },
      { name: 'form', label: 'Form' },
      { name: 'status', label: 'Status', as: 'badge' },
      { name: 'customerId', label: 'Customer', as: 'id' },
      { name: 'createdAt', label: 'Created', as: 'time' },
      { name: 'id', label: 'Id', as: 'id' },
    ],
    filters: [
      { name: 'status', label: 'Status', choices: ['PENDING_KYC', 'PROCESSING', 'PENDING', 'ACTIVE', 'FROZEN', 'CLOSED'] },
      { name: 'customerId', label: 'Customer' },
    ],
    get: (one) => `/cards/${one}`,
    titleOf: (object) => `Card ${object['last4'] === undefined ? '' : `•••• ${object['last4']}`}`,
    related: [{ resource: 'transactions', query: (object) => `cardId=${id(object)}` }],
    create: {
      label: 'Issue card',
      method: 'POST',
      path: () => '/cards',
      permission: 'MANAGE',
      fields: [
        { name: 'customerId', label: 'Customer id', required: true },
        { name: 'fundingSource', label: 'Account id', required: true, hint: 'An account of the customer.' },
        { name: 'form', label: 'Form', as: 'choice', choices: ['VIRTUAL'], required: true },
        { name: 'maxSpendPerDay', label: 'Most per day, in minor units', as: 'integer' },
      ],
      next: (answer) => `/cards/${answer['id']}`,
    },
    actions: [
      {
        label: 'Authorize a purchase',
        method: 'POST',
        path: (object) => `/sandbox/cards/${id(object)}/simulate/authorization`,
        permission: 'TRANSACT',
        isSandbox: true,
        when: is('ACTIVE', 'FROZEN', 'CLOSED'),
        fields: [
          AMOUNT,
          { name: 'currency.code', label: 'Currency', value: 'USD', required: true },
          { name: 'merchant.descriptor', label: 'Merchant', value: 'CORNER SHOP', required: true },
        ],
      },
      {
        label: 'Freeze',
        method: 'PATCH',
        path: (object) => `/cards/${id(object)}`,
        permission: 'MANAGE',
        when: is('ACTIVE'),
        fields: REASON,
        fixed: () => ({ status: 'FROZEN' }),
      },
      {
        label: 'Unfreeze',
        method: 'PATCH',
        path: (object) => `/cards/${id(object)}`,
        permission: 'MANAGE',
        when: is('FROZEN'),
        fields: REASON,
        fixed: () => ({ status: 'ACTIVE' }),
      },
      {
        label: 'Limits',
        method: 'PATCH',
        path: (object) => `/cards/${id(object)}`,
        permission: 'MANAGE',
        when: is('ACTIVE', 'FROZEN'),
        fields: [
          { name: 'maxSpendPerTransaction', label: 'Most per transaction', as: 'null-integer', hint: 'Minor units; empty for no limit.' },
          { name: 'maxSpendPerDay', label: 'Most per day', as: 'null-integer', hint: 'Minor units; empty for no limit.' },
        ],
      },
      {
        label: 'Close',
        method: 'PATCH',
        path: (object) => `/cards/${id(object)}`,
        permission: 'MANAGE',
        when: is('ACTIVE', 'FROZEN'),
        fields: REASON,
        fixed: () => ({ status: 'CLOSED' }),
        isDanger: true,
      },
    ],
    empty: 'No cards yet.',
  },
  {
    name: 'verifications',
    title: 'Verifications',
    one: 'verification',
    group: 'Identity',
    kind: 'Verification',
    list: '/verifications',
    columns: [
      { name: 'verificationStatus', label: 'Status', as: 'badge' },
      { name: 'customerId', label: 'Customer', as: 'id' },
      { name: 'createdAt', label: 'Created', as: 'time' },
      { name: 'id', label: 'Id', as: 'id' },
    ],
    filters: [{ name: 'customerId', label: 'Customer' }],
    get: (one) => `/verifications/${one}`,
    create: {
      label: 'Submit a customer',
      method: 'POST',
      path: () => '/verifications',
      permission: 'MANAGE',
      fields: [{ name: 'customerId', label: 'Customer id', required: true }],
      next: (answer) => `/verifications/${answer['id']}`,
    },
    actions: [
      {
        label: 'Decide',
        method: 'POST',
        path: (object) => `/sandbox/verifications/${id(object)}/decision`,
        permission: 'MANAGE',
        isSandbox: true,
        fields: [
          {
            name: 'outcome',
            label: 'Outcome',
            as: 'choice',
            choices: ['APPROVED', 'REJECTED', 'RESOLVE_ERRORS', 'PENDING_MANUAL_REVIEW'],
            required: true,
          },
        ],
      },
    ],
    empty: 'No verifications yet.',
  },
  {
    name: 'events',
    title: 'Events',
    one: 'event',
    group: 'Developers',
    kind: 'Webhook',
    list: '/webhooks/events',
    stream: '/webhooks/stream',
    columns: [
      { name: 'type', label: 'Type', as: 'mono' },
      { name: 'objectId', label: 'Object', as: 'id' },
      { name: 'deliveryStatus', label: 'Delivery', as: 'badge' },
      { name: 'attemptCount', label: 'Attempts' },
      { name: 'timestamp', label: 'Time', as: 'time' },
      { name: 'id', label: 'Id', as: 'id' },
    ],
    filters: [
      { name: 'deliveryStatus', label: 'Delivery', choices: ['PENDING', 'DELIVERED', 'FAILED'] },
      { name: 'objectId', label: 'Object' },
    ],
    get: (one) => `/webhooks/events/${one}`,
    titleOf: (object) => String(object['type']),
    actions: [{ label: 'Send again', method: 'POST', path: (object) => `/webhooks/events/${id(object)}/resend`, permission: 'MANAGE' }],
    empty: 'Nothing has happened.',
  },
  {
    name: 'requests',
    title: 'Requests',
    one: 'request',
    group: 'Developers',
    list: '/requests',
    stream: '/requests/stream',
    columns: [
      { name: 'status', label: 'Status', as: 'badge' },
      { name: 'operation', label: 'Operation', as: 'mono' },
      { name: 'path', label: 'Path', as: 'mono' },
      { name: 'code', label: 'Code' },
      { name: 'durationMs', label: 'Time taken', as: 'ms' },
      { name: 'timestamp', label: 'Time', as: 'time' },
      { name: 'id', label: 'Id', as: 'id' },
    ],
    filters: [
      { name: 'status', label: 'Status', choices: ['2xx', '4xx', '5xx'] },
      { name: 'operation', label: 'Operation' },
      { name: 'objectId', label: 'Object' },
    ],
    get: (one) => `/requests/${one}`,
    titleOf: (object) => `${object['method']} ${object['path']}`,
    texts: ['requestBody', 'responseBody'],
    empty: 'No calls in the last 7 days.',
  },
  {
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
      { name: 'createdAt', label: 'Created', as: 'time' },
      { name: 'id', label: 'Id', as: 'id' },
    ],
    filters: [{ name: 'name', label: 'Name' }],
    get: (one) => `/tokens/${one}`,
    titleOf: (object) => String(object['name']),
    create: {
      label: 'Create token',
      method: 'POST',
      path: () => '/tokens',
      permission: 'MANAGE',
      fields: [
        { name: 'name', label: 'Name', required: true },
        {
          name: 'permissions',
          label: 'Permissions',
          as: 'choices',
          choices: ['VIEW', 'TRANSACT', 'MANAGE'],
          value: 'VIEW',
          required: true,
        },
      ],
      shows: 'clientSecret',
    },
    actions: [
      {
        label: 'Delete',
        method: 'DELETE',
        path: (object) => `/tokens/${id(object)}`,
        permission: 'MANAGE',
        isDanger: true,
        next: () => '/tokens',
      },
    ],
    empty: 'No tokens.',
  },
];

export const resourceOf = (name: string): Resource | undefined => RESOURCES.find((resource) => resource.name === name);

/** The page of an id: ids name their kind, and a bare uuid is a request. */
export function pageOf(text: string): string | undefined {
  const [, kind] = /^([A-Z][A-Za-z]+):[0-9a-f-]{36}$/.exec(text) ?? [];
  if (kind === undefined) return /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text) ? `/requests/${text}` : undefined;
  const resource = RESOURCES.find((one) => one.kind === kind);
  return resource && `/${resource.name}/${text}`;
}

/** The value of a column: the first of its alternatives that the object has. */
export function valueIn(object: Item, name: string): Json | undefined {
  for (const path of name.split('|')) {
    let value: Json | undefined = object;
    for (const part of path.split('.')) value = (value as Item | undefined)?.[part];
    if (value !== undefined && value !== null) return value;
  }
  return undefined;
}
