// Cards, and the keys, credentials and sessions of the wallets behind them.
import { CREATED, CUSTOMER, encoded, ID, is, OF_CUSTOMER, relatedBy, STATUS, text, to } from './shared.ts';
import type { Action, Resource } from './types.ts';

const setStatus = (label: string, status: string, from: readonly string[]): Action => ({
  operation: 'updateCardById',
  label,
  fixed: () => ({ status }),
  ask: ['substatus', 'reason'],
  values: () => ({ substatus: 'OTHER', reason: 'From the console' }),
  when: is(...from),
});

const PURCHASE = { amount: '1000', 'currency.code': 'USD', 'merchant.descriptor': 'CORNER SHOP' };

const purchase = (label: string, operation: string): Action => ({
  operation,
  label,
  values: (object) => ({ ...PURCHASE, 'currency.code': String((object['currency'] as { code?: string } | undefined)?.code ?? 'USD') }),
  when: is('ACTIVE', 'FROZEN', 'CLOSED'),
});

const cards: Resource = {
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
    STATUS,
    CUSTOMER,
    CREATED,
    ID,
  ],
  filters: [
    { name: 'status', label: 'Status', choices: ['PENDING_KYC', 'PROCESSING', 'PENDING', 'ACTIVE', 'FROZEN', 'CLOSED'] },
    OF_CUSTOMER,
    { name: 'platformCardId', label: 'Your id' },
  ],
  get: 'getCardById',
  titleOf: (object) => `Card ${object['last4'] === undefined ? '' : `•••• ${object['last4']}`}`,
  machine: () => 'CardStatus',
  hasTimeline: true,
  related: [
    {
      resource: 'keys',
      title: 'Key that signs',
      query: (object) => `accountId=${encoded(object, 'fundingSource')}`,
      only: (row, object) => row['cardId'] === object['id'],
      when: is('PENDING', 'ACTIVE', 'FROZEN'),
    },
    ...relatedBy('cardId', 'transactions'),
  ],
  create: { operation: 'createCard', label: 'Issue card', next: to('cards') },
  actions: [
    purchase('Authorize a purchase', 'sandboxSimulateCardAuthorization'),
    setStatus('Freeze', 'FROZEN', ['ACTIVE']),
    setStatus('Unfreeze', 'ACTIVE', ['FROZEN']),
    {
      operation: 'updateCardById',
      label: 'Limits',
      ask: ['maxSpendPerTransaction', 'maxSpendPerDay', 'maxTransactionsPerDay'],
      when: is('ACTIVE', 'FROZEN'),
    },
    purchase('Purchase in one message', 'sandboxSimulateCardFinancialAuthorization'),
    purchase('Authorize a credit', 'sandboxSimulateCardCreditAuthorization'),
    purchase('Credit in one message', 'sandboxSimulateCardFinancialCreditAuthorization'),
    purchase('Advise of a credit', 'sandboxSimulateCardCreditAuthorizationAdvice'),
    { operation: 'sandboxSimulateCardBalanceInquiry', label: 'Ask the balance', when: is('ACTIVE'), shows: '*' },
    { operation: 'sandboxSimulateCardPinBlocked', label: 'Block the PIN', when: is('ACTIVE') },
    { operation: 'unblockCardPin', label: 'Unblock the PIN', when: ({ pinStatus }) => pinStatus === 'BLOCKED' },
    { operation: 'revealCard', label: 'Reveal', ask: [], when: is('ACTIVE', 'FROZEN'), shows: 'panEmbedUrl', isSecret: true },
    { operation: 'updateCardById', label: 'Funding', ask: ['fundingSource'], when: is('PENDING', 'ACTIVE', 'FROZEN') },
    {
      ...setStatus('Close', 'CLOSED', ['ACTIVE', 'FROZEN']),
      isDanger: true,
      confirm: (object) => text(object, 'last4'),
    },
  ],
  empty: 'No cards yet.',
};

const keys: Resource = {
  name: 'keys',
  title: 'Delegated keys',
  one: 'delegated key',
  group: 'Cards',
  kind: 'DelegatedKey',
  list: '/auth/delegated-keys',
  needs: 'accountId',
  columns: [
    { name: 'nickname', label: 'Name' },
    STATUS,
    { name: 'cardId', label: 'Card', as: 'id' },
    { name: 'accountId', label: 'Wallet', as: 'id' },
    CREATED,
    ID,
  ],
  filters: [{ name: 'accountId', label: 'Wallet' }],
  get: 'getDelegatedKeyById',
  titleOf: (object) => text(object, 'nickname'),
  machine: () => 'DelegatedKeyStatus',
  hasTimeline: true,
  related: [
    {
      resource: 'transactions',
      title: 'Pulls signed',
      query: (object) => `cardId=${encoded(object, 'cardId')}&accountIdentifier=${encoded(object, 'accountId')}`,
      only: (row) => !is('DECLINED')(row),
    },
  ],
  create: { operation: 'createDelegatedKey', label: 'Delegate a key', next: to('keys') },
  actions: [
    {
      operation: 'revokeDelegatedKey',
      label: 'Revoke',
      when: is('PENDING', 'ACTIVE'),
      leads: ['REVOKED'],
      isDanger: true,
      confirm: (object) => text(object, 'nickname'),
    },
  ],
  empty: 'A card that is funded by a wallet asks for a key.',
};

const ofAccount = { list: '', needs: 'accountId', filters: [{ name: 'accountId', label: 'Wallet' }], group: 'Cards' } as const;

const credentials: Resource = {
  ...ofAccount,
  name: 'credentials',
  title: 'Credentials',
  one: 'credential',
  kind: 'AuthMethod',
  list: '/auth/credentials',
  columns: [
    { name: 'nickname', label: 'Name' },
    { name: 'type', label: 'Type' },
    { name: 'accountId', label: 'Wallet', as: 'id' },
    CREATED,
    ID,
  ],
  create: { operation: 'createAuthCredential', label: 'Add a credential' },
  actions: [
    { operation: 'challengeAuthCredential', label: 'Challenge', shows: '*' },
    { operation: 'revokeAuthCredential', label: 'Revoke', isDanger: true },
  ],
  empty: 'This wallet has no credential.',
};

const sessions: Resource = {
  ...ofAccount,
  name: 'sessions',
  title: 'Sessions',
  one: 'session',
  kind: 'Session',
  list: '/auth/sessions',
  columns: [
    { name: 'nickname', label: 'Credential' },
    { name: 'type', label: 'Type' },
    CREATED,
    { name: 'expiresAt', label: 'Until', as: 'time' },
    ID,
  ],
  actions: [{ operation: 'revokeAuthSession', label: 'End', isDanger: true }],
  empty: 'Nobody is signed in to this wallet.',
};

const signedRequests: Resource = {
  name: 'signed-requests',
  title: 'Signatures',
  one: 'signature',
  group: 'Cards',
  list: '/signed-requests',
  columns: [
    { name: 'operation', label: 'Operation', as: 'mono' },
    STATUS,
    { name: 'leg', label: 'Signature' },
    { name: 'internalAccountId', label: 'Wallet', as: 'id' },
    CREATED,
    { name: 'expiresAt', label: 'Until', as: 'countdown' },
  ],
  filters: [{ name: 'status', label: 'Status', choices: ['OPEN', 'USED', 'EXPIRED'] }],
  get: 'getSignedRequest',
  kind: 'Request',
  titleOf: (object) => `${text(object, 'operation')}, signature ${text(object, 'leg')}`,
  hides: ['payloadToSign', 'leg'],
  related: [{ resource: 'requests', title: 'Calls with it', query: (object) => `objectId=${encoded(object)}` }],
  empty: 'Nothing waits for a signature.',
};

export const CARDS: readonly Resource[] = [cards, keys, credentials, sessions, signedRequests];
