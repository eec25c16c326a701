// Rails of a payment: which one carries it, what the API shows of it, and the data of the travel rule. Pure.
import { createHash } from 'node:crypto';
import { compare, type Fraction, fraction } from '../../../kernel/fraction.js';
import { type TransactionId, uuidOf } from '../../../kernel/ids.js';
import type { CurrencyCode } from '../../../kernel/money.js';
import type { DebitKind, OrderKind, TravelRuleData } from '../../../providers/rails.js';
import type { AccountInfo, AccountType, ExternalAccount } from '../../accounts/external-accounts/external-account.js';
import type { Platform } from '../../core/platform/platform.js';
import type { Customer } from '../../identity/customers/customer.js';
import type { BankRailDetails, OutgoingPayment, Payment, RailDetails, RailMessageKind } from './payment.js';
import { INCOMING, type IncomingEvent, OUTGOING, type OutgoingEvent } from './rules.js';

// ---- choice

/** Rails that come after the others of an account: SEPA_INSTANT and FAST carry the same payments faster. */
const LAST: ReadonlySet<string> = new Set(['SEPA', 'PAYNOW']);

/** The rails that reach an account, the default first. `rails` are in the order of the account type. */
export function railsByPreference(rails: readonly string[], { rail }: Pick<AccountInfo, 'rail'>): string[] {
  if (rail !== undefined && rails.includes(rail)) return [rail, ...rails.filter((other) => other !== rail)];
  return [...rails.filter((name) => !LAST.has(name)), ...rails.filter((name) => LAST.has(name))];
}

const INSTANT: ReadonlySet<string> = new Set([
  'RTP',
  'FEDNOW',
  'SEPA_INSTANT',
  'FASTER_PAYMENTS',
  'SPEI',
  'PIX',
  'UPI',
  'FAST',
  'PAYNOW',
  'MOBILE_MONEY',
]);

export const isInstant = (rail: string): boolean => INSTANT.has(rail);

// ---- details

const NETWORKS: { readonly [type in AccountType]?: string } = {
  BASE_WALLET: 'BASE',
  ETHEREUM_WALLET: 'ETHEREUM',
  POLYGON_WALLET: 'POLYGON',
  PLASMA_WALLET: 'PLASMA',
  ARBITRUM_WALLET: 'ARBITRUM',
  SOLANA_WALLET: 'SOLANA',
  TRON_WALLET: 'TRON',
  SPARK_WALLET: 'SPARK',
};

export const networkOf = (type: AccountType): string | undefined => NETWORKS[type];

/** The network that carries a payment to the account; undefined for bank accounts. */
export const carrierOf = ({ accountType }: Pick<AccountInfo, 'accountType'>): string | undefined =>
  accountType === 'LIGHTNING' || accountType === 'LIGHTNING_ACCOUNT' ? 'LIGHTNING' : networkOf(accountType);

const digest = (id: TransactionId, what: string): string =>
  createHash('sha256')
    .update(`${what} ${uuidOf(id)}`)
    .digest('hex');
const digits = (id: TransactionId, what: string, length: number): string =>
  (BigInt(`0x${digest(id, what)}`) % 10n ** BigInt(length)).toString().padStart(length, '0');

/** References as each rail forms them, derived from the payment. */
const REFERENCES: { readonly [rail in BankRailDetails['paymentRail']]: (id: TransactionId) => string } = {
  ACH: (id) => digits(id, 'trace', 15),
  ACH_SAME_DAY: (id) => digits(id, 'trace', 15),
  WIRE: (id) => `${digits(id, 'imad date', 8)}SYDBUS33${digits(id, 'imad', 6)}`,
  RTP: (id) => digest(id, 'end to end').slice(0, 35).toUpperCase(),
  FEDNOW: (id) => digest(id, 'end to end').slice(0, 35).toUpperCase(),
};

const isDetailed = (rail: string): rail is BankRailDetails['paymentRail'] => Object.hasOwn(REFERENCES, rail);

const maskToLastFour = (text: string): string => `${'*'.repeat(Math.max(0, text.length - 4))}${text.slice(-4)}`;

/** What the API shows of the rail at the outside end; undefined for rails without details. */
export function railDetailsFor(
  id: TransactionId,
  rail: string | null,
  { accountInfo }: Pick<ExternalAccount, 'accountInfo'>,
): RailDetails | undefined {
  const network = networkOf(accountInfo.accountType);
  const isLightning = accountInfo.accountType === 'LIGHTNING' || accountInfo.accountType === 'LIGHTNING_ACCOUNT';
  if (network !== undefined || isLightning)
    return { paymentRail: 'ONCHAIN', transactionHash: digest(id, 'transaction'), ...(network !== undefined && { network }) };
  if (rail === null || !isDetailed(rail)) return undefined;
  const { beneficiary, routingNumber, accountNumber, bankName } = accountInfo;
  const accountHolderName = beneficiary?.fullName ?? beneficiary?.legalName;
  return {
    paymentRail: rail,
    status: 'PENDING',
    reference: REFERENCES[rail](id),
    bankAccount: {
      ...(accountHolderName !== undefined && { accountHolderName }),
      ...(routingNumber !== undefined && { routingNumber }),
      ...(accountNumber !== undefined && { accountNumber: maskToLastFour(accountNumber) }),
      ...(rail === 'WIRE' && bankName !== undefined && { bankName }),
    },
  };
}

/** The chain on which the sandbox receives each asset. */
const DEPOSIT_NETWORKS: Readonly<Record<string, string>> = { USDB: 'SPARK', BTC: 'SPARK', USDC: 'BASE', USDT: 'TRON' };

/** The rail that brought a deposit: ACH for US dollars, the chain for assets on one. Other deposits show none. */
export function depositRail(id: TransactionId, currency: CurrencyCode, now: Date): RailDetails | undefined {
  const network = DEPOSIT_NETWORKS[currency];
  if (network !== undefined) return { paymentRail: 'ONCHAIN', transactionHash: digest(id, 'transaction'), network };
  if (currency !== 'USD') return undefined;
  return { paymentRail: 'ACH', status: 'SETTLED', reference: REFERENCES.ACH(id), settledAt: now.toISOString() };
}

// ---- travel rule

/** From this equivalent on, where the platform is not under counterparty rules anyway. */
const TRAVEL_RULE_USD = fraction(3_000n);

/** `usd` is the equivalent of the sent amount. Without a rate the parties are named as well. */
export const needsTravelRule = ({ counterpartyRules }: Pick<Platform, 'counterpartyRules'>, usd: Fraction | undefined): boolean =>
  counterpartyRules || usd === undefined || compare(usd, TRAVEL_RULE_USD) >= 0;

export type TravelRuleFacts = {
  readonly platform: Pick<Platform, 'name'>;
  readonly customer: Customer | undefined;
  readonly payment: OutgoingPayment;
  readonly account: ExternalAccount;
};

export function travelRuleOf({ platform, customer, payment, account }: TravelRuleFacts): TravelRuleData {
  const { beneficiary, vaspName } = account.accountInfo;
  // A first-party wallet belongs to the sender.
  const ownName = account.ownershipType === 'FIRST_PARTY' ? originatorName(platform, customer) : undefined;
  const name = beneficiary?.fullName ?? beneficiary?.legalName ?? ownName;
  const country = beneficiary?.countryOfResidence ?? beneficiary?.address?.country;
  return {
    originator: {
      name: originatorName(platform, customer),
      accountId: payment.source.type === 'ACCOUNT' ? payment.source.accountId : payment.id,
      ...originatorDetails(customer),
    },
    beneficiary: {
      ...(name !== undefined && { name }),
      ...(country !== undefined && { country }),
      ...(vaspName !== undefined && { vaspName }),
    },
  };
}

const originatorName = (platform: Pick<Platform, 'name'>, customer: Customer | undefined): string => {
  if (!customer) return platform.name;
  return customer.customerType === 'INDIVIDUAL' ? (customer.profile.fullName ?? '') : customer.profile.businessInfo.legalName;
};

function originatorDetails(customer: Customer | undefined): Partial<TravelRuleData['originator']> {
  if (!customer) return {};
  const { address } = customer.profile;
  const own = address ? { address: { ...address } } : {};
  if (customer.customerType === 'INDIVIDUAL') {
    const { birthDate } = customer.profile;
    return { ...own, ...(birthDate !== undefined && { birthDate }) };
  }
  const { registrationNumber } = customer.profile.businessInfo;
  return { ...own, ...(registrationNumber !== undefined && { registrationNumber }) };
}

// ---- messages of rails

const OUTGOING_MESSAGES: ReadonlySet<string> = new Set(Object.values(OUTGOING).flatMap((events) => Object.keys(events)));
const INCOMING_MESSAGES: ReadonlySet<string> = new Set(Object.values(INCOMING).flatMap((events) => Object.keys(events)));

// ---- orders

/** A sweep has no quote and is settled like one. */
export const orderKindOf = ({ quoteId, ruleBasedAccountId }: Pick<Payment, 'quoteId' | 'ruleBasedAccountId'>): DebitKind =>
  quoteId === null && ruleBasedAccountId === null ? 'TRANSFER' : 'QUOTE';

/** The order that a refund undoes. Money that came in was on its way to an account of its receiver. */
export const refundedKindOf = (payment: Pick<Payment, 'type' | 'quoteId' | 'ruleBasedAccountId'>): OrderKind =>
  payment.type === 'INCOMING' ? 'FORWARD' : orderKindOf(payment);

/** Funds of another amount were never paid out: they go back to the payer, whoever was to be paid. */
export const wasPaidOut = ({ failureReason }: Pick<Payment, 'failureReason'>): boolean => failureReason !== 'FUNDING_AMOUNT_MISMATCH';

/** Whether a message of a rail can happen to payments of the direction in some state. */
export const isOutgoingEvent = (kind: RailMessageKind): kind is RailMessageKind & OutgoingEvent => OUTGOING_MESSAGES.has(kind);
export const isIncomingEvent = (kind: RailMessageKind): kind is RailMessageKind & IncomingEvent => INCOMING_MESSAGES.has(kind);
