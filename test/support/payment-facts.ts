// The parties of a payment without a database, for tests of rules: a platform, its customers and their accounts.
import type { ExternalAccount } from '../../src/domains/accounts/external-accounts/external-account.js';
import type { InternalAccount } from '../../src/domains/accounts/internal-accounts/internal-account.js';
import type { CurrencyConfig, Platform, PlatformConfig } from '../../src/domains/core/platform/platform.js';
import type { BusinessCustomer, IndividualCustomer } from '../../src/domains/identity/customers/customer.js';
import { idOf, newId, newUuid } from '../../src/kernel/ids.js';

const AT = new Date('2026-03-04T05:00:00.000Z');

export const currencyConfig = (currencyCode: string, fields: Partial<CurrencyConfig> = {}): CurrencyConfig => ({
  currencyCode,
  minAmount: 1,
  maxAmount: 9_000_000_000_000_000,
  requiredCounterpartyFields: [],
  enabledTransactionTypes: ['INCOMING', 'OUTGOING'],
  ...fields,
});

/** A sandbox platform that takes USD and EUR both ways and asks for no terms. */
export const platformWith = ({
  config,
  ...fields
}: Partial<Omit<Platform, 'config'>> & { config?: Partial<PlatformConfig> } = {}): Platform => ({
  id: newId('Platform'),
  name: 'Platform',
  mode: 'sandbox',
  counterpartyRules: false,
  maxLiveCards: null,
  maxCardsPerCardholder: null,
  cardProgram: 'default',
  ruleBasedAccounts: false,
  endUserTermsRequired: false,
  scaOrigins: null,
  webhookEndpoint: null,
  createdAt: AT,
  updatedAt: AT,
  ...fields,
  config: {
    umaDomain: 'uma.example',
    supportedCurrencies: [currencyConfig('USD'), currencyConfig('EUR')],
    isRegulatedFinancialInstitution: false,
    ...config,
  },
});

const customer = () => ({
  id: newId('Customer'),
  platformCustomerId: 'ada',
  umaAddress: '$ada@uma.example',
  verificationStatus: 'APPROVED' as const,
  region: null,
  currencies: ['USD'],
  email: null,
  phoneNumber: null,
  emailVerifiedAt: null,
  phoneVerifiedAt: null,
  consents: [],
  createdAt: AT,
  updatedAt: AT,
  deletedAt: null,
});

export const individualCustomer = (fields: Partial<IndividualCustomer> = {}): IndividualCustomer => ({
  ...customer(),
  customerType: 'INDIVIDUAL',
  profile: { fullName: 'Ada Lovelace' },
  ...fields,
});

export const businessCustomer = (fields: Partial<BusinessCustomer> = {}): BusinessCustomer => ({
  ...customer(),
  customerType: 'BUSINESS',
  profile: { businessInfo: { legalName: 'Acme' } },
  beneficialOwners: [],
  ...fields,
});

/** An active USD account of the platform itself. */
export const internalAccount = (fields: Partial<InternalAccount> = {}): InternalAccount => ({
  id: idOf('InternalAccount', newUuid()),
  customerId: null,
  type: 'INTERNAL_FIAT',
  status: 'ACTIVE',
  currency: 'USD',
  available: 0n,
  total: 0n,
  owed: 0n,
  onBehalfOfCustomerId: null,
  label: null,
  sweepRule: null,
  privateEnabled: null,
  fundingInstructions: [],
  cardProgram: 'default',
  createdAt: AT,
  updatedAt: AT,
  ...fields,
});

/** An active USD bank account of the platform itself. */
export const externalAccount = (fields: Partial<ExternalAccount> = {}): ExternalAccount => ({
  id: idOf('ExternalAccount', newUuid()),
  customerId: undefined,
  currency: 'USD',
  platformAccountId: undefined,
  ownershipType: undefined,
  defaultUmaDepositAccount: false,
  accountInfo: { accountType: 'USD_ACCOUNT' },
  status: 'ACTIVE',
  beneficiaryCheck: undefined,
  isTrusted: false,
  challenge: undefined,
  createdAt: AT,
  updatedAt: AT,
  ...fields,
});
