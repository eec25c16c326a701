// Makes a quote: find both ends, decide, price, and write the quote with its payment.
import type { Db, Tx } from '../../../db/pool.js';
import { ApiError, assert, invalidField } from '../../../kernel/errors.js';
import { type AgentId, newId, type PlatformId, type TransactionId, uuidOf } from '../../../kernel/ids.js';
import { ACTIVITY_TYPES, describeActivity } from '../../../providers/wallet-signer/activity.js';
import { findOwnAccounts } from '../../accounts/internal-accounts/actions.js';
import type { PaymentInstructions } from '../../accounts/internal-accounts/internal-account.js';
import { getPlatform } from '../../core/platform/actions.js';
import { enqueueEvents } from '../../core/webhooks/actions.js';
import { openServiceAccounts } from '../../ledger/actions.js';
import { attachDocuments, lockDocumentsOf } from '../payment-documents/actions.js';
import { insertPayment, movesOf, paymentEvents } from '../payments/actions.js';
import type { OutgoingPayment } from '../payments/payment.js';
import { conversionFee, equivalentOf, networkFeeIn, platformFee, rateBetween, SERVICE_TERMS } from '../rates/actions.js';
import type { FeeTerms, Terms } from '../rates/price.js';
import { getLookup } from '../receivers/actions.js';
import type { Lookup } from '../receivers/lookup.js';
import {
  domainOf,
  insertPayout,
  knownOf,
  type PaymentRequest,
  parseUmaAddress,
  payerDataFor,
  requestPayment,
  senderAddress,
  umaDomainOf,
} from '../uma/actions.js';
import type { Agreement } from '../uma/uma.js';
import type { QuoteDeps } from './deps.js';
import { findEnds, findPayer, shareHolder } from './ends.js';
import { executeNew, type Outcome } from './execute.js';
import { instructionsFor } from './instructions.js';
import type { Quote, ScaFactor } from './quote.js';
import {
  checkRequest,
  currencyOfDestination,
  type MadeQuote,
  newQuote,
  type PricedQuote,
  platformFeesFor,
  priceQuote,
  type QuoteFacts,
  type QuoteRequest,
  type Rail,
  signedTransaction,
} from './rules.js';
import { insertQuote } from './store.js';

export type Creation = {
  readonly platformId: PlatformId;
  readonly request: QuoteRequest;
  readonly factor: ScaFactor | undefined;
  /** The agent that asks for the quote, and shows on its transaction. */
  readonly agentId?: AgentId | undefined;
  /** What the receiver's provider has agreed to, where it was asked over the network. */
  readonly agreed?: Agreed | undefined;
  readonly now: Date;
};

/** The payment that was agreed, which is made next. */
export type Agreed = { readonly paymentId: TransactionId; readonly agreement: Agreement };

export async function createQuote(deps: QuoteDeps, tx: Tx, creation: Creation): Promise<Outcome> {
  const { platformId, request, factor, now } = creation;
  const facts = await gather(deps, tx, creation);

  const { rail, terms, priced } = priceOf(deps, facts);

  const ids = { quote: newId('Quote'), payment: creation.agreed?.paymentId ?? newId('Transaction') };
  const agreement = await agree(deps, tx, facts, priced, ids.payment, creation.agreed);
  const made = withPayload(
    platformId,
    newQuote({
      ...facts,
      ids,
      agentId: creation.agentId ?? null,
      platformId,
      rail,
      priced,
      table: deps.rates.table,
      feeAccountId: await feeAccountFor(tx, platformId, terms, priced),
      instructions: instructionsOf(deps, facts, ids.quote),
    }),
    now,
  );

  // Currencies that the platform does not hold itself have no service-side accounts yet.
  if (!facts.platform.config.supportedCurrencies.some(({ currencyCode }) => currencyCode === terms.receiving))
    openServiceAccounts(tx, platformId, [terms.receiving]);
  await attachDocuments(deps, tx, platformId, facts.documents, ids.quote);
  insertPayment(tx, platformId, made.payment);
  if (agreement) insertPayout(tx, platformId, ids.payment, agreement, now);
  insertQuote(tx, platformId, made.quote, made.payment.id);
  const opened = paymentEvents(platformId, made.payment, ['PENDING']).map((event) => ({ ...event, isFirst: true }));
  enqueueEvents(tx, platformId, now, opened);
  const quote: Quote = { ...made.quote, payment: made.payment };
  return executeNew(deps, tx, { platformId, quote, facts, factor, immediately: request.immediatelyExecute, now });
}

export async function gather({ rates }: QuoteDeps, tx: Tx, { platformId, request, now }: Omit<Creation, 'factor'>): Promise<QuoteFacts> {
  const [platform, market, ends, holder] = await Promise.all([
    getPlatform(tx, platformId),
    rates.marketAt(tx, platformId, now),
    findEnds(tx, platformId, request, 'READ'),
    shareHolder(tx, platformId, request.source),
  ]);
  const customer = await findPayer(tx, platformId, request.source, ends.source, holder);
  // The customer is locked before the accounts are, so they are read again where money moves at once.
  const { source, destination } = request.immediatelyExecute ? await findEnds(tx, platformId, request, 'LOCK') : ends;
  const documents = await lockDocumentsOf(tx, platformId, request.documentIds, customer?.id ?? null);
  const lookup = await findLookup(tx, platformId, request, now);
  return { platform, market, source, destination, customer, documents, lookup, request, now };
}

/** The look-up that the request names. A UMA address has to be looked up first. */
async function findLookup(tx: Tx, platformId: PlatformId, { lookupId, destination }: QuoteRequest, now: Date): Promise<Lookup | undefined> {
  if (destination.destinationType === 'UMA_ADDRESS' && lookupId === undefined)
    throw invalidField('lookupId', 'is required for a UMA address');
  if (lookupId === undefined) return undefined;
  const receiver = destination.destinationType === 'UMA_ADDRESS' ? parseUmaAddress(destination.umaAddress).address : destination.accountId;
  return getLookup(tx, platformId, { lookupId, receiver, now });
}

/** What the provider of a UMA address is asked for; undefined for another destination. */
function paymentRequestOf(
  { platform, customer, lookup, destination, request, now }: QuoteFacts,
  { price }: PricedQuote,
  paymentId: TransactionId,
): PaymentRequest | undefined {
  const receiver = lookup?.found;
  if (destination.kind !== 'UMA' || !receiver) return undefined;
  return {
    platform,
    sender: senderAddress(platform, customer),
    receiver,
    amount: price.received,
    currency: destination.currency,
    senderData: payerDataFor(receiver.payerFields, knownOf(platform, customer), request.senderCustomerInfo),
    paymentId,
    now,
  };
}

/** Asks a provider in this process, or takes what a provider on the network has agreed to before. */
async function agree(
  deps: QuoteDeps,
  tx: Tx,
  facts: QuoteFacts,
  priced: PricedQuote,
  paymentId: TransactionId,
  agreed: Agreed | undefined,
): Promise<Agreement | undefined> {
  const asked = paymentRequestOf(facts, priced, paymentId);
  if (!asked) return undefined;
  if (!agreed) return requestPayment(deps, tx, asked);
  const { sender, receiver, amount, currency } = agreed.agreement;
  const isSame = sender === asked.sender && receiver === asked.receiver.address && amount === asked.amount && currency === asked.currency;
  // The price has changed since. A later request gets the new one.
  if (!isSame) throw new ApiError('QUOTE_REQUEST_FAILED');
  return agreed.agreement;
}

/**
 * Asks a provider on the network for the payment of a quote that is then made. No transaction is open while it answers. Undefined where no
 * network is needed: then making the quote asks.
 */
export async function agreeBefore(deps: QuoteDeps & { readonly db: Db }, creation: Creation): Promise<Agreed | undefined> {
  const { destination } = creation.request;
  if (destination.destinationType !== 'UMA_ADDRESS') return undefined;
  const domain = domainOf(destination.umaAddress);
  if (deps.umaPeers.find(domain)?.isInProcess !== false) return undefined;
  const paymentId = newId('Transaction');
  const asked = await deps.db.transaction(async (tx) => {
    const facts = await gather(deps, tx, creation);
    if (domain === umaDomainOf(facts.platform)) return undefined;
    return paymentRequestOf(facts, priceOf(deps, facts).priced, paymentId);
  });
  return asked && { paymentId, agreement: await requestPayment(deps, deps.db, asked) };
}

/** Decides whether the payment can be made, and at what price. */
export function priceOf(deps: QuoteDeps, facts: QuoteFacts): { rail: Rail; terms: Terms; priced: PricedQuote } {
  const { rail, config } = checkRequest(facts);
  const terms = termsOf(deps, facts, rail);
  const priced = priceQuote(facts, terms, config, (amount) => equivalentOf(facts.market, { amount, currency: terms.sending }, 'EUR'));
  return { rail, terms, priced };
}

/** A payment that is made without a quote: nobody asked for one. */
export async function unquotedPayment(deps: QuoteDeps, tx: Tx, platformId: PlatformId, facts: QuoteFacts): Promise<OutgoingPayment> {
  const { rail, terms, priced } = priceOf(deps, facts);
  const { payment } = newQuote({
    ...facts,
    ids: { quote: newId('Quote'), payment: newId('Transaction') },
    agentId: null,
    platformId,
    rail,
    priced,
    table: deps.rates.table,
    feeAccountId: await feeAccountFor(tx, platformId, terms, priced),
    instructions: null,
  });
  return { ...payment, quoteId: null, expiresAt: null };
}

/** Currencies, rate and fees. Without a rate no quote can be made. */
function termsOf({ rates, rails }: QuoteDeps, facts: QuoteFacts, { paymentRail }: Rail): Terms {
  const { source, destination, platform, market } = facts;
  const sending = source.kind === 'REALTIME' ? source.currency : source.account.currency;
  const receiving = currencyOfDestination(destination);
  const rate = rateBetween(market, sending, receiving);
  if (!rate) throw new ApiError('QUOTE_REQUEST_FAILED');
  const { serviceFixed, serviceBps } = conversionFee(SERVICE_TERMS, rates.table, sending, receiving);
  const network = destination.kind === 'EXTERNAL' && destination.network !== undefined ? rails.networkFee(destination.network) : undefined;
  const configured = platformFee(platform.config.feeConfigs ?? [], { sending, receiving, paymentRail });
  const fees: FeeTerms = {
    ...platformFeesFor(facts, sending, configured),
    serviceFixed: serviceFixed + (network ? networkFeeIn(network, rates.table, sending) : 0n),
    serviceBps,
  };
  return { sending, receiving, rate, fees };
}

/** The account of the platform that takes its fees; null where it takes none. */
async function feeAccountFor(tx: Tx, platformId: PlatformId, { sending }: Terms, { price }: PricedQuote) {
  if (price.platformFees <= 0n) return null;
  const own = (await findOwnAccounts(tx, platformId, null)).find((account) => account.currency === sending && account.status === 'ACTIVE');
  if (!own) throw new ApiError('INVALID_CURRENCY', undefined, { reason: 'The platform has no account that could take its fees.' });
  return own.id;
}

function instructionsOf({ deposits }: QuoteDeps, { source }: QuoteFacts, quoteId: Quote['id']): readonly PaymentInstructions[] | null {
  return source.kind === 'REALTIME' ? instructionsFor(deposits, uuidOf(quoteId), source) : null;
}

/** The activity that the owner of an embedded wallet signs. */
function withPayload(platformId: PlatformId, made: MadeQuote, now: Date): MadeQuote {
  const { source } = made.payment;
  if (made.quote.funding !== 'EMBEDDED_WALLET' || source.type !== 'ACCOUNT' || !source.accountId.startsWith('InternalAccount:'))
    return made;
  const [debit] = movesOf(platformId, made.payment, 'DEBIT');
  assert(debit?.kind === 'POST', 'a payment from a wallet debits it once');
  const payloadToSign = describeActivity({
    type: ACTIVITY_TYPES.signTransaction,
    accountId: `InternalAccount:${uuidOf(source.accountId)}`,
    parameters: { unsignedTransaction: signedTransaction(made, debit.transfer) },
    at: now,
  });
  return { ...made, quote: { ...made.quote, payloadToSign } };
}
