// Customers, their accounts, and the accounts of others that they pay.
import type { Item } from '../api.ts';
import { CREATED, CUSTOMER, encoded, ID, is, OF_CUSTOMER, relatedBy, STATUS, text, to } from './shared.ts';
import type { Action, Column, Resource } from './types.ts';

export const nameOf = (customer: Item): string =>
  String(customer['fullName'] ?? (customer['businessInfo'] as Item | undefined)?.['legalName'] ?? 'Customer');

const isWallet = (account: Item): boolean => account['type'] === 'EMBEDDED_WALLET';

const customers: Resource = {
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
    { name: 'currencies', label: 'Currencies' },
    { name: 'platformCustomerId', label: 'Your id', as: 'mono' },
    CREATED,
    ID,
  ],
  filters: [
    { name: 'search', label: 'Name, e-mail or id' },
    { name: 'customerType', label: 'Type', choices: ['INDIVIDUAL', 'BUSINESS'] },
    { name: 'platformCustomerId', label: 'Your id' },
    { name: 'umaAddress', label: 'UMA address' },
  ],
  get: 'getCustomerById',
  titleOf: nameOf,
  machine: (object) => (object['customerType'] === 'BUSINESS' ? 'KybStatus' : 'KycStatus'),
  hasTimeline: true,
  related: [
    ...relatedBy('customerId', 'accounts', 'cards', 'external-accounts', 'transactions', 'verifications'),
    { resource: 'documents', query: (object) => `documentHolder=${encoded(object)}` },
    ...relatedBy('customerId', 'beneficial-owners').map((one) => ({
      ...one,
      when: (object: Item) => object['customerType'] === 'BUSINESS',
    })),
    ...relatedBy('customerId', 'agents', 'factors'),
  ],
  create: {
    operation: 'createCustomer',
    label: 'Create customer',
    first: ['fullName', 'businessInfo', 'businessInfo.legalName', 'email', 'platformCustomerId'],
    next: to('customers'),
  },
  actions: [
    { operation: 'updateCustomerById', label: 'Edit', first: ['fullName', 'email'] },
    { operation: 'sandboxSetVerificationStatus', label: 'Set verification', leads: ['APPROVED', 'REJECTED', 'PENDING'] },
    { operation: 'createCustomerKycLink', label: 'Identity page', ask: [], shows: '*' },
    { operation: 'sendCustomerEmailVerification', label: 'Verify e-mail', when: ({ email }) => email !== undefined },
    { operation: 'confirmCustomerEmailVerification', label: 'Confirm e-mail', when: ({ email }) => email !== undefined },
    { operation: 'sendCustomerPhoneVerification', label: 'Verify phone', when: ({ phoneNumber }) => phoneNumber !== undefined },
    { operation: 'confirmCustomerPhoneVerification', label: 'Confirm phone', when: ({ phoneNumber }) => phoneNumber !== undefined },
    { operation: 'startScaFactorEnrollment', label: 'Add a factor', query: (object) => ({ customerId: text(object, 'id') }), shows: '*' },
    { operation: 'deleteCustomerById', label: 'Delete', isDanger: true, confirm: nameOf, next: () => '/customers' },
  ],
  empty: 'No customers yet.',
};

const ACCOUNT_COLUMNS: readonly Column[] = [
  { name: 'balance', label: 'Available', as: 'money' },
  { name: 'totalBalance', label: 'Total', as: 'money' },
  { name: 'type', label: 'Type' },
  STATUS,
  CUSTOMER,
  CREATED,
  ID,
];

const accounts: Resource = {
  name: 'accounts',
  title: 'Accounts',
  one: 'account',
  group: 'Money',
  kind: 'InternalAccount',
  list: '/customers/internal-accounts',
  columns: ACCOUNT_COLUMNS,
  filters: [
    { name: 'currency', label: 'Currency' },
    { name: 'type', label: 'Type', choices: ['INTERNAL_FIAT', 'INTERNAL_CRYPTO', 'EMBEDDED_WALLET', 'RULE_BASED', 'BULK_SETTLEMENT'] },
    OF_CUSTOMER,
  ],
  get: 'getInternalAccount',
  machine: () => 'InternalAccountStatus',
  hasTimeline: true,
  related: [
    { resource: 'transactions', query: (object) => `accountIdentifier=${encoded(object)}` },
    ...relatedBy('accountId', 'cards'),
    ...relatedBy('accountId', 'credentials', 'sessions', 'keys').map((one) => ({ ...one, when: isWallet })),
  ],
  create: { operation: 'createInternalAccount', label: 'Open account', next: to('accounts') },
  actions: [
    { operation: 'sandboxFundInternalAccount', label: 'Fund', values: () => ({ amount: '10000' }) },
    { operation: 'updateInternalAccount', label: 'Edit' },
    {
      operation: 'createAuthCredential',
      label: 'Add a credential',
      when: isWallet,
      values: (object) => ({ accountId: text(object, 'id') }),
    },
    {
      operation: 'createDelegatedKey',
      label: 'Delegate a key',
      when: isWallet,
      fixed: (object) => ({ internalAccountId: text(object, 'id') }),
      ask: ['cardId', 'nickname'],
      next: to('keys'),
    },
    { operation: 'exportInternalAccount', label: 'Export the wallet', when: isWallet, isDanger: true, shows: '*', isSecret: true },
  ],
  empty: 'No accounts yet. A new customer gets one per currency.',
};

const platformAccounts: Resource = {
  name: 'platform-accounts',
  title: 'Platform accounts',
  one: 'account',
  group: 'Money',
  list: '/platform/internal-accounts',
  columns: ACCOUNT_COLUMNS.filter(({ name }) => name !== 'customerId'),
  filters: [{ name: 'currency', label: 'Currency' }],
  get: 'getInternalAccount',
  actions: accounts.actions ?? [],
  related: accounts.related ?? [],
  empty: 'The platform has no accounts of its own.',
};

const PENDING = is('PENDING_OWNERSHIP_VERIFICATION', 'PENDING', 'UNVERIFIED');
const addressOf = (object: Item): string => text((object['accountInfo'] ?? {}) as Item, 'address');

const ownership = (prefix: 'customer' | 'platform'): readonly Action[] => [
  {
    operation: prefix === 'customer' ? 'createExternalAccountOwnershipChallenge' : 'createPlatformExternalAccountOwnershipChallenge',
    label: 'Ask for proof',
    when: (object) => PENDING(object) && addressOf(object) !== '',
    shows: '*',
  },
  {
    operation: prefix === 'customer' ? 'verifyExternalAccountOwnership' : 'verifyPlatformExternalAccountOwnership',
    label: 'Paste a signature',
    leads: ['ACTIVE'],
    when: (object) => PENDING(object) && addressOf(object) !== '',
  },
];

const externalAccounts: Resource = {
  name: 'external-accounts',
  title: 'External accounts',
  one: 'external account',
  group: 'Money',
  kind: 'ExternalAccount',
  list: '/customers/external-accounts',
  columns: [
    { name: 'accountInfo.accountType', label: 'Type' },
    { name: 'currency', label: 'Currency' },
    STATUS,
    { name: 'accountInfo.address|accountInfo.iban|accountInfo.accountNumber|platformAccountId', label: 'Account', as: 'mono' },
    CUSTOMER,
    ID,
  ],
  filters: [{ name: 'currency', label: 'Currency' }, OF_CUSTOMER],
  get: 'getCustomerExternalAccountById',
  machine: () => 'ExternalAccountStatus',
  hasTimeline: true,
  related: [
    { resource: 'proofs', query: () => '', list: (object) => `/external-accounts/${encoded(object)}/ownership-proofs` },
    { resource: 'transactions', query: (object) => `accountIdentifier=${encoded(object)}` },
  ],
  create: { operation: 'createCustomerExternalAccount', label: 'Add external account', next: to('external-accounts') },
  actions: [
    ...ownership('customer'),
    { operation: 'sandboxConcludeLiveness', label: 'Liveness outcome', when: PENDING, leads: ['ACTIVE', 'UNVERIFIED'] },
    { operation: 'startBeneficiaryTrust', label: 'Trust', when: is('ACTIVE'), shows: '*' },
    { operation: 'confirmBeneficiaryTrust', label: 'Confirm trust', when: is('ACTIVE') },
    { operation: 'startBeneficiaryUntrust', label: 'End trust', when: is('ACTIVE'), shows: '*' },
    { operation: 'confirmBeneficiaryUntrust', label: 'Confirm end of trust', when: is('ACTIVE') },
    {
      operation: 'deleteCustomerExternalAccountById',
      label: 'Delete',
      isDanger: true,
      confirm: (object) => text(object, 'id').slice(-6),
      next: () => '/external-accounts',
    },
  ],
  empty: 'No external accounts yet.',
};

const platformExternalAccounts: Resource = {
  ...externalAccounts,
  name: 'platform-external-accounts',
  title: 'Platform external accounts',
  list: '/platform/external-accounts',
  columns: externalAccounts.columns.filter(({ name }) => name !== 'customerId'),
  filters: [{ name: 'currency', label: 'Currency' }],
  get: 'getPlatformExternalAccountById',
  create: { operation: 'createPlatformExternalAccount', label: 'Add external account', next: to('platform-external-accounts') },
  actions: [
    ...ownership('platform'),
    {
      operation: 'deletePlatformExternalAccountById',
      label: 'Delete',
      isDanger: true,
      confirm: (object) => text(object, 'id').slice(-6),
      next: () => '/platform-external-accounts',
    },
  ],
  empty: 'The platform has no external accounts of its own.',
};

const proofs: Resource = {
  name: 'proofs',
  title: 'Ownership proofs',
  one: 'proof',
  group: 'Money',
  isInner: true,
  columns: [
    { name: 'verdict', label: 'Verdict', as: 'badge' },
    { name: 'method', label: 'Method' },
    { name: 'cause', label: 'Cause', as: 'mono' },
    { name: 'challengedAt', label: 'Asked', as: 'time' },
    { name: 'decidedAt', label: 'Decided', as: 'time' },
  ],
  empty: 'No proof was asked for.',
};

export const MONEY: readonly Resource[] = [customers, accounts, platformAccounts, externalAccounts, platformExternalAccounts, proofs];
