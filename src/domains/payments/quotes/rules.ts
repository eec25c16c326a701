// Which quotes may be made and executed, and what they become. Pure; refusals stand in their order of precedence.
import { ApiError, assert, invalidField } from '../../../kernel/errors.js';
import { type Fraction, fraction } from '../../../kernel/fraction.js';
import type { AgentId, InternalAccountId, PlatformId, TransactionId } from '../../../kernel/ids.js';
import type { CurrencyCode } from '../../../kernel/money.js';
import { MINUTE_MS, plusMs } from '../../../kernel/time.js';
import type { ExternalAccount } from '../../accounts/external-accounts/external-account.js';
import type { InternalAccount, PaymentInstructions } from '../../accounts/internal-accounts/internal-account.js';
import type { CurrencyConfig, Platform } from '../../core/platform/platform.js';
import { requireReadyToPay } from '../../identity/agreements/actions.js';
import type { Customer } from '../../identity/customers/customer.js';
import type { Transfer } from '../../ledger/ledger.js';
import { refuseUnusable, requireDocuments } from '../payment-documents/actions.js';
import type { PaymentDocument } from '../payment-documents/payment-document.js';
import type { OutgoingPayment } from '../payments/payment.js';
import { bandOf, isAbove, priceOf, rateDetailsOf, SERVICE_TERMS, shownRate } from '../rates/actions.js';
import type { FeeTerms, LockedSide, Market, Price, Terms } from '../rates/price.js';
import type { Lookup } from '../receivers/lookup.js';
import type { Funding, NewQuote, QuoteDestination, QuoteId, QuoteSource } from './quote.js';

// ---- the request and its facts

export type QuoteRequest = {
  readonly source: QuoteSource;
  readonly destination: QuoteDestination;
  readonly lockedSide: LockedSide;
  readonly lockedAmount: bigint;
  readonly immediatelyExecute: boolean;
  /** A transfer without a quote, which may be as small as one unit. */
  readonly isTransfer?: true;
  readonly description: string | undefined;
  readonly remittanceInformation: string | undefined;
  readonly purposeOfPayment: string | undefined;
  /** As the caller sent them. */
  readonly documentIds: readonly string[];
  readonly lookupId: string | undefined;
  /** What the caller says of the sender, by the names of fields. */
  readonly senderCustomerInfo: Readonly<Record<string, unknown>>;
  readonly platformFeeOverride:
    | { readonly fixed: { readonly amount: bigint; readonly currency: CurrencyCode }; readonly bps: bigint }
    | undefined;
};

/** The end that provides the money, as found. */
export type SourceFacts =
  | { readonly kind: 'INTERNAL'; readonly account: InternalAccount }
  | { readonly kind: 'EXTERNAL'; readonly account: ExternalAccount; readonly isPullable: boolean }
  | { readonly kind: 'REALTIME'; readonly currency: CurrencyCode; readonly network: string | undefined };

/** The end that receives it. */
export type DestinationFacts =
  | { readonly kind: 'INTERNAL'; readonly account: InternalAccount }
  | {
      readonly kind: 'EXTERNAL';
      readonly account: ExternalAccount;
      /** The default first; empty for wallets and Lightning. */
      readonly rails: readonly string[];
      /** The network of a wallet. */
      readonly network: string | undefined;
    }
  | { readonly kind: 'UMA'; readonly address: string; readonly currency: CurrencyCode };

export type QuoteFacts = {
  readonly platform: Platform;
  readonly request: QuoteRequest;
  readonly source: SourceFacts;
  readonly destination: DestinationFacts;
  /** Whose money it is; null for the platform itself. */
  readonly customer: Customer | null;
  /** Those that the request names. */
  readonly documents: readonly PaymentDocument[];
  /** The look-up that the request names. A payment to a UMA address has one. */
  readonly lookup: Lookup | undefined;
  readonly market: Market;
  readonly now: Date;
};

const currencyOfSource = (source: SourceFacts): CurrencyCode => (source.kind === 'REALTIME' ? source.currency : source.account.currency);

export const currencyOfDestination = (destination: DestinationFacts): CurrencyCode =>
  destination.kind === 'UMA' ? destination.currency : destination.account.currency;

export const fundingOf = (source: SourceFacts): Funding => {
  if (source.kind === 'REALTIME') return 'REALTIME';
  if (source.kind === 'EXTERNAL') return 'PULL';
  return source.account.type === 'EMBEDDED_WALLET' ? 'EMBEDDED_WALLET' : 'PREFUNDED';
};

/** Whether money leaves the service: only then there is a rail, a band and a daily limit. */
export const leaves = ({ kind }: Pick<DestinationFacts, 'kind'>): boolean => kind !== 'INTERNAL';

// ---- refusals

/** States of accounts that refuse a payment for now (409) or for good (404). They come before everything about the customer. */
export function refuseAccountStates(source: SourceFacts, destination: DestinationFacts): void {
  for (const end of [source, destination]) {
    if (end.kind === 'INTERNAL' && end.account.status === 'CLOSED') throw new ApiError('ACCOUNT_NOT_FOUND');
  }
  for (const end of [source, destination]) {
    if (end.kind === 'EXTERNAL' && end.account.status === 'PENDING') throw new ApiError('BANK_ACCOUNT_VALIDATION_PENDING');
  }
}

export type SenderFacts = { readonly platform: Platform; readonly customer: Customer | null };

/** The one place that decides whether a customer may pay. */
export function refuseSender({ platform, customer }: SenderFacts): void {
  if (customer) requireReadyToPay(customer, platform);
}

const REALTIME_CURRENCIES: ReadonlySet<CurrencyCode> = new Set(['USD', 'EUR', 'MXN', 'BRL', 'COP', 'ARS', 'USDC', 'USDT', 'BTC', 'USDB']);

/** The platform's settings of a currency that it may send. */
function sendingConfig({ config }: Pick<Platform, 'config'>, source: SourceFacts): CurrencyConfig {
  const currency = currencyOfSource(source);
  const found = config.supportedCurrencies.find(({ currencyCode }) => currencyCode === currency);
  const isOffered = source.kind !== 'REALTIME' || REALTIME_CURRENCIES.has(currency);
  if (!found || !isOffered || !found.enabledTransactionTypes.includes('OUTGOING')) throw new ApiError('INVALID_CURRENCY');
  return found;
}

/** An account that cannot be paid from or to, whatever the amount. */
function refuseEnds({ source, destination, customer }: QuoteFacts): void {
  if (source.kind === 'INTERNAL') {
    if (source.account.type === 'RULE_BASED') throw invalidField('source.accountId', 'cannot be a RULE_BASED account');
  }
  if (source.kind === 'EXTERNAL') {
    if (!source.isPullable) throw invalidField('source.accountId', 'must be a USD bank account, which money can be pulled from');
    if ((source.account.customerId ?? null) !== (customer?.id ?? null)) throw invalidField('source.accountId', 'must belong to the sender');
  }
  if (destination.kind === 'INTERNAL') {
    if (destination.account.type === 'RULE_BASED') throw invalidField('destination.accountId', 'cannot be a RULE_BASED account');
  }
  const owner = destination.kind === 'EXTERNAL' ? destination.account.customerId : undefined;
  if (owner !== undefined && customer !== null && owner !== customer.id)
    throw invalidField('destination.accountId', 'must belong to the sender or to the platform');
  const isSelf =
    destination.kind === 'UMA'
      ? destination.address === customer?.umaAddress.toLowerCase()
      : source.kind !== 'REALTIME' && source.account.id === destination.account.id;
  if (isSelf) throw new ApiError('SELF_PAYMENT');
  refuseInactive(source, destination);
}

/** Accounts that became unusable after the quote was made. */
export function refuseInactive(source: SourceFacts, destination: DestinationFacts): void {
  if (source.kind === 'INTERNAL' && source.account.status !== 'ACTIVE') throw invalidField('source.accountId', 'is not active');
  if (destination.kind === 'INTERNAL' && destination.account.status !== 'ACTIVE')
    throw invalidField('destination.accountId', 'is not active');
  for (const end of [source, destination]) if (end.kind === 'EXTERNAL') refuseExternal(end.account);
}

function refuseExternal({ status }: ExternalAccount): void {
  if (status === 'INACTIVE') throw new ApiError('INVALID_BANK_ACCOUNT');
  if (status === 'UNDER_REVIEW') throw new ApiError('INVALID_RECEIVER');
}

/** The rail of the request, or the account's default. Null where no rail carries the payment. */
function chooseRail({ request, destination }: QuoteFacts): Pick<OutgoingPayment, 'paymentRail' | 'railSelection'> {
  const asked = request.destination.destinationType === 'ACCOUNT' ? request.destination.paymentRail : undefined;
  const rails = destination.kind === 'EXTERNAL' ? destination.rails : [];
  if (asked !== undefined) {
    if (!rails.includes(asked)) throw invalidField('destination.paymentRail', 'is not a rail of the account', { enum: rails });
    return { paymentRail: asked, railSelection: 'MANUAL' };
  }
  const [preferred] = rails;
  return preferred === undefined ? { paymentRail: null, railSelection: null } : { paymentRail: preferred, railSelection: 'AUTO' };
}

/** A business bank payout in China names a purpose and is documented. */
const needsDocuments = ({ accountInfo }: Pick<ExternalAccount, 'accountInfo'>): boolean =>
  accountInfo.accountType === 'CNY_ACCOUNT' &&
  accountInfo.accountNumber !== undefined &&
  accountInfo.beneficiary?.beneficiaryType === 'BUSINESS';

const needsPurpose = (account: ExternalAccount): boolean => account.currency === 'INR' || needsDocuments(account);

/** The purpose of the payment, and the documents that prove it where the destination asks for them. */
function refusePurpose({ request: { purposeOfPayment }, destination, documents }: QuoteFacts): void {
  const account = destination.kind === 'EXTERNAL' ? destination.account : undefined;
  if (account && purposeOfPayment === undefined && needsPurpose(account))
    throw invalidField('purposeOfPayment', 'is required for this destination');
  if (account && purposeOfPayment !== undefined && needsDocuments(account))
    requireDocuments(
      purposeOfPayment,
      documents.map(({ documentType }) => documentType),
    );
  else if (documents.length > 0) throw invalidField('documentIds', 'are not taken by this destination');
}

/** The currency must be one that the receiver takes. */
function refuseReceivingCurrency({ destination, lookup }: QuoteFacts): void {
  if (destination.kind === 'UMA' && !lookup?.found?.currencies.some(({ code }) => code === destination.currency))
    throw new ApiError('INVALID_CURRENCY');
}

/** Up to this equivalent money may go to a wallet whose ownership is not proved. */
const UNPROVED_EUR = fraction(1_000n);

export function refuseUnproved(account: Pick<ExternalAccount, 'status'>, eur: Fraction | undefined): void {
  if (account.status !== 'PENDING_OWNERSHIP_VERIFICATION' && account.status !== 'UNVERIFIED') return;
  if (!eur || isAbove(eur, UNPROVED_EUR)) throw new ApiError('EXTERNAL_ACCOUNT_VERIFICATION_REQUIRED');
}

/** What refuses a transfer before the checks that it shares with quotes. `needsConsent`: whether the payer must authenticate. */
export function refuseTransfer(facts: QuoteFacts, needsConsent: (currency: CurrencyCode) => boolean): void {
  const { source, destination } = facts;
  // A transfer names an account in the service and one outside.
  if (source.kind !== 'INTERNAL' || destination.kind !== 'EXTERNAL') throw new ApiError('ACCOUNT_NOT_FOUND');
  refuseAccountStates(source, destination);
  if (needsConsent(source.account.currency))
    throw new ApiError('CONFLICT', undefined, { reason: 'The payer must authenticate, which takes a quote.' });
  refuseSender(facts);
  if (source.account.type === 'EMBEDDED_WALLET') throw invalidField('source.accountId', 'is an embedded wallet, which pays with a quote');
  if (source.account.currency !== destination.account.currency) throw new ApiError('INVALID_CURRENCY');
}

// ---- price

/** Fees of the platform on this payment: the override of the request, else its settings. Its own payments carry none. */
export function platformFeesFor(
  { request, customer }: Pick<QuoteFacts, 'request' | 'customer'>,
  sending: CurrencyCode,
  configured: Pick<FeeTerms, 'platformFixed' | 'platformBps'>,
): Pick<FeeTerms, 'platformFixed' | 'platformBps'> {
  const override = request.platformFeeOverride;
  const none = { platformFixed: 0n, platformBps: 0n };
  if (!override) return customer ? configured : none;
  const isZero = override.fixed.amount === 0n && override.bps === 0n;
  if (!customer && !isZero) throw invalidField('platformFeeOverride', 'does not apply to payments of the platform itself');
  if (sending !== 'USD') throw invalidField('platformFeeOverride', 'applies to payments in USD only');
  if (override.fixed.currency !== sending)
    throw invalidField('platformFeeOverride.platformFixedFee.currency', 'must be the sending currency', { enum: [sending] });
  return { platformFixed: override.fixed.amount, platformBps: override.bps };
}

function refuseAmount(
  { source, destination, lookup, market, request }: QuoteFacts,
  { sent, received }: Price,
  config: CurrencyConfig,
): void {
  if (sent < BigInt(config.minAmount) || sent > BigInt(config.maxAmount)) throw new ApiError('AMOUNT_OUT_OF_RANGE');
  if (!leaves(destination)) return;
  const band = bandOf(SERVICE_TERMS, market, currencyOfSource(source));
  if (!band) throw new ApiError('QUOTE_REQUEST_FAILED');
  if (sent < band.least && !request.isTransfer) throw new ApiError('AMOUNT_OUT_OF_RANGE');
  if (sent > band.most) throw new ApiError('TRANSACTION_SIZE_LIMIT_EXCEEDED');
  if (destination.kind !== 'UMA') return;
  const bounds = lookup?.found?.currencies.find(({ code }) => code === destination.currency);
  if (bounds && (received < bounds.min || received > bounds.max)) throw new ApiError('AMOUNT_OUT_OF_RANGE');
}

// ---- making a quote

export type Rail = Pick<OutgoingPayment, 'paymentRail' | 'railSelection'>;

/** Everything about the request but its price. Returns the rail, which the price depends on. */
export function checkRequest(facts: QuoteFacts): { readonly rail: Rail; readonly config: CurrencyConfig } {
  const { request, source, destination } = facts;
  refuseAccountStates(source, destination);
  refuseUnusable(facts.documents, facts.now);
  refuseSender(facts);
  refuseEnds(facts);
  if (request.immediatelyExecute && source.kind !== 'EXTERNAL' && fundingOf(source) !== 'PREFUNDED')
    throw invalidField('immediatelyExecute', 'is not possible for this source');
  const rail = chooseRail(facts);
  const config = sendingConfig(facts.platform, source);
  refuseReceivingCurrency(facts);
  refusePurpose(facts);
  return { rail, config };
}

export type PricedQuote = { readonly terms: Terms; readonly price: Price };

/** The price of the request, within the limits of platform and corridor. */
export function priceQuote(
  facts: QuoteFacts,
  terms: Terms,
  config: CurrencyConfig,
  eurOf: (sent: bigint) => Fraction | undefined,
): PricedQuote {
  const { request, destination } = facts;
  const price = priceOf(terms, request.lockedSide, request.lockedAmount);
  refuseAmount(facts, price, config);
  if (destination.kind === 'EXTERNAL') refuseUnproved(destination.account, eurOf(price.sent));
  return { terms, price };
}

const LIFE_MS = 5 * MINUTE_MS;
/** The payer pushes the money, which takes longer than a call. */
const REALTIME_LIFE_MS = 15 * MINUTE_MS;

export type NewQuoteFacts = QuoteFacts & {
  readonly ids: { readonly quote: QuoteId; readonly payment: TransactionId };
  readonly agentId: AgentId | null;
  readonly platformId: PlatformId;
  readonly rail: Rail;
  readonly priced: PricedQuote;
  readonly table: Pick<Market, 'rateOf'>;
  readonly feeAccountId: InternalAccountId | null;
  readonly instructions: readonly PaymentInstructions[] | null;
};

export type MadeQuote = { readonly quote: NewQuote; readonly payment: OutgoingPayment };

export function newQuote(facts: NewQuoteFacts): MadeQuote {
  const { ids, request, source, destination, customer, platformId, rail, table, now } = facts;
  const { terms, price } = facts.priced;
  const funding = fundingOf(source);
  const expiresAt = plusMs(now, funding === 'REALTIME' ? REALTIME_LIFE_MS : LIFE_MS);
  const payment: OutgoingPayment = {
    type: 'OUTGOING',
    state: 'QUOTED',
    id: ids.payment,
    customerId: customer?.id ?? null,
    platformCustomerId: customer?.platformCustomerId ?? platformId,
    quoteId: ids.quote,
    source: source.kind === 'REALTIME' ? { type: 'REALTIME_FUNDING' } : { type: 'ACCOUNT', accountId: source.account.id },
    destination:
      destination.kind === 'UMA'
        ? { type: 'UMA_ADDRESS', umaAddress: destination.address }
        : { type: 'ACCOUNT', accountId: destination.account.id },
    sent: { amount: price.sent, currency: terms.sending },
    received: { amount: price.received, currency: terms.receiving },
    fees: price.fees,
    platformFees: price.platformFees,
    exchangeRate: shownRate(terms),
    rateDetails: rateDetailsOf(terms, price, table),
    fundedAmount: null,
    ...rail,
    failureReason: null,
    pendingReason: null,
    refund: null,
    description: request.description ?? null,
    remittanceInformation: request.remittanceInformation ?? null,
    purposeOfPayment: request.purposeOfPayment ?? null,
    counterpartyInformation: counterpartyInformation(facts),
    feeAccountId: facts.feeAccountId,
    counterpartId: null,
    creditTo: null,
    requestedFields: [],
    borne: 0n,
    ruleBasedAccountId: null,
    agentId: facts.agentId,
    settledAt: null,
    expectedSettlementAt: null,
    settlementSeconds: null,
    receiptConfirmedAt: null,
    expiresAt,
    createdAt: now,
    updatedAt: now,
  };
  const quote: NewQuote = {
    id: ids.quote,
    funding,
    source: request.source,
    destination: request.destination,
    documentIds: facts.documents.map(({ id }) => id),
    rate: terms.sending === terms.receiving ? null : terms.rate,
    paymentInstructions: facts.instructions,
    payloadToSign: null,
    createdAt: now,
    expiresAt,
  };
  return { quote, payment };
}

/** The fields of a beneficiary by the names of the platform's configuration. */
const BENEFICIARY_FIELDS: Readonly<Record<string, keyof NonNullable<ExternalAccount['accountInfo']['beneficiary']>>> = {
  FULL_NAME: 'fullName',
  COMPANY_LEGAL_NAME: 'legalName',
  BIRTH_DATE: 'birthDate',
  NATIONALITY: 'nationality',
  EMAIL: 'email',
  PHONE_NUMBER: 'phoneNumber',
  REGISTRATION_NUMBER: 'registrationNumber',
  TAX_ID: 'taxId',
  COUNTRY_OF_RESIDENCE: 'countryOfResidence',
  POSTAL_ADDRESS: 'address',
  ID_TYPE: 'documentType',
};

/** What the platform's configuration asks for of the beneficiary, as far as it is known. */
function counterpartyInformation({ platform, source, destination }: QuoteFacts): OutgoingPayment['counterpartyInformation'] {
  const beneficiary = destination.kind === 'EXTERNAL' ? destination.account.accountInfo.beneficiary : undefined;
  const asked = platform.config.supportedCurrencies.find(({ currencyCode }) => currencyCode === currencyOfSource(source));
  const known = (asked?.requiredCounterpartyFields ?? []).flatMap(({ name }) => {
    const field = BENEFICIARY_FIELDS[name];
    const value = field && beneficiary?.[field];
    return value === undefined ? [] : [[name, value] as const];
  });
  return known.length > 0 ? Object.fromEntries(known) : null;
}

/** What the owner of an embedded wallet signs: the payment in full, so that the signature of one quote fits no other. */
export function signedTransaction({ quote, payment }: MadeQuote, debit: Transfer): string {
  assert(payment.source.type === 'ACCOUNT', 'a wallet is an account');
  const { destination } = payment;
  const text = JSON.stringify({
    quoteId: quote.id,
    source: payment.source.accountId,
    destination: destination.type === 'ACCOUNT' ? destination.accountId : destination.umaAddress,
    sendingAmount: payment.sent.amount.toString(),
    sendingCurrency: payment.sent.currency,
    receivingAmount: payment.received.amount.toString(),
    receivingCurrency: payment.received.currency,
    expiresAt: quote.expiresAt.toISOString(),
    // The one movement that the signature allows; the ledger takes no other out of a wallet.
    transfer: { transferId: debit.id, to: debit.to, amount: debit.amount.toString(), currency: debit.currency, cause: debit.cause },
  });
  return Buffer.from(text).toString('hex');
}
