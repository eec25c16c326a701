// Agents and the actions that wait for approval; stablecoins.
import { CREATED, CUSTOMER, encoded, ID, is, OF_CUSTOMER, STATUS, text, to } from './shared.ts';
import type { Resource } from './types.ts';

const agents: Resource = {
  name: 'agents',
  title: 'Agents',
  one: 'agent',
  group: 'Agents',
  kind: 'Agent',
  list: '/agents',
  columns: [
    { name: 'name', label: 'Name' },
    { name: 'isConnected', label: 'Connected' },
    { name: 'isPaused', label: 'Paused' },
    { name: 'policy.permissions', label: 'Permissions' },
    CUSTOMER,
    CREATED,
    ID,
  ],
  filters: [
    OF_CUSTOMER,
    { name: 'isConnected', label: 'Connected', choices: ['true', 'false'] },
    { name: 'isPaused', label: 'Paused', choices: ['true', 'false'] },
  ],
  get: 'getAgentById',
  titleOf: (object) => text(object, 'name'),
  hasTimeline: true,
  related: [{ resource: 'approvals', query: (object) => `agentId=${encoded(object)}` }],
  create: { operation: 'createAgent', label: 'Create agent', shows: '*', isSecret: true },
  actions: [
    { operation: 'updateAgent', label: 'Edit' },
    { operation: 'updateAgentPolicy', label: 'Policy' },
    { operation: 'regenerateAgentDeviceCode', label: 'New device code', shows: '*', isSecret: true },
    { operation: 'deleteAgent', label: 'Delete', isDanger: true, confirm: (object) => text(object, 'name'), next: () => '/agents' },
  ],
  empty: 'No agents yet.',
};

const approvals: Resource = {
  name: 'approvals',
  title: 'Approvals',
  one: 'action',
  group: 'Agents',
  kind: 'AgentAction',
  list: '/agents/approvals',
  columns: [
    { name: 'quote.totalSendingAmount', label: 'Amount', as: 'quoted' },
    { name: 'type', label: 'Type' },
    STATUS,
    { name: 'agentId', label: 'Agent', as: 'id' },
    CUSTOMER,
    CREATED,
    ID,
  ],
  filters: [{ name: 'agentId', label: 'Agent' }, OF_CUSTOMER],
  machine: () => 'AgentActionStatus',
  actions: [
    { operation: 'approveAgentAction', label: 'Approve', when: is('PENDING_APPROVAL'), leads: ['APPROVED'] },
    {
      operation: 'rejectAgentAction',
      label: 'Reject',
      when: is('PENDING_APPROVAL'),
      leads: ['REJECTED'],
      isDanger: true,
    },
  ],
  empty: 'Nothing waits for approval.',
};

const stablecoins: Resource = {
  name: 'stablecoins',
  title: 'Stablecoins',
  one: 'stablecoin',
  group: 'Stablecoins',
  kind: 'Stablecoin',
  list: '/stablecoins',
  columns: [
    { name: 'symbol', label: 'Symbol' },
    { name: 'name', label: 'Name' },
    { name: 'network', label: 'Network' },
    { name: 'issuanceStatus', label: 'Issuance', as: 'badge' },
    { name: 'gridOperationsStatus', label: 'Operations', as: 'badge' },
    CREATED,
    ID,
  ],
  filters: [
    { name: 'issuanceStatus', label: 'Issuance', choices: ['PENDING_REVIEW', 'PROVISIONING', 'PROVISIONED', 'REJECTED', 'FAILED'] },
  ],
  get: 'getStablecoin',
  titleOf: (object) => `${text(object, 'symbol')} ${text(object, 'name')}`,
  machine: () => 'StablecoinIssuanceStatus',
  hasTimeline: true,
  related: [{ resource: 'stablecoin-operations', query: () => '', list: (object) => `/stablecoins/${encoded(object)}/operations` }],
  create: { operation: 'registerStablecoin', label: 'Register', next: to('stablecoins') },
  actions: [
    { operation: 'createStablecoinMint', label: 'Mint', next: to('stablecoin-operations') },
    { operation: 'createStablecoinBurn', label: 'Burn', next: to('stablecoin-operations') },
    { operation: 'requestStablecoinGridEnablement', label: 'Ask for operations' },
  ],
  empty: 'No stablecoins yet.',
};

const operations: Resource = {
  name: 'stablecoin-operations',
  title: 'Mints and burns',
  one: 'operation',
  group: 'Stablecoins',
  kind: 'StablecoinOperation',
  isInner: true,
  columns: [{ name: 'operationType', label: 'Type' }, { name: 'amount', label: 'Amount', as: 'mono' }, STATUS, CREATED, ID],
  get: 'getStablecoinOperation',
  machine: () => 'StablecoinOperationStatus',
  hasTimeline: true,
  empty: 'Nothing was minted or burnt.',
};

const providers: Resource = {
  name: 'stablecoin-providers',
  title: 'Provider accounts',
  one: 'provider account',
  group: 'Stablecoins',
  kind: 'StablecoinProviderAccount',
  list: '/stablecoin-provider-accounts',
  columns: [
    { name: 'provider', label: 'Provider' },
    { name: 'providerAccountId', label: 'Account', as: 'mono' },
    { name: 'providerEnvironment', label: 'Environment' },
    STATUS,
    CREATED,
    ID,
  ],
  get: 'getStablecoinProviderAccount',
  machine: () => 'StablecoinProviderAccountStatus',
  create: { operation: 'linkStablecoinProviderAccount', label: 'Link', next: to('stablecoin-providers') },
  actions: [
    {
      operation: 'revokeStablecoinProviderAccount',
      label: 'Revoke',
      when: is('ACTIVE', 'INVALID'),
      leads: ['REVOKED'],
      isDanger: true,
      confirm: (object) => text(object, 'providerAccountId'),
    },
  ],
  empty: 'No account of a provider is linked.',
};

export const AGENTS: readonly Resource[] = [agents, approvals, stablecoins, operations, providers];
