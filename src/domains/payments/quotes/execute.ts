// Executes a quote: once, at its price, with the consent it needs.
import type { Tx } from '../../../db/pool.js';
import { ApiError, assert, invalidField } from '../../../kernel/errors.js';
import type { PlatformId } from '../../../kernel/ids.js';
import { parseId } from '../../../kernel/ids.js';
import { signatureInvalid } from '../../access/signed-requests/actions.js';
import { getPlatform } from '../../core/platform/actions.js';
import type { Platform } from '../../core/platform/platform.js';
import { shareCustomer } from '../../identity/customers/actions.js';
import type { Customer } from '../../identity/customers/customer.js';
import { type Locked, lockAhead } from '../../ledger/actions.js';
import {
  applyOutgoing,
  countVolume,
  type Known,
  lockAsRead,
  movesOf,
  readVolume,
  startCollection,
  type VolumePart,
} from '../payments/actions.js';
import type { OutgoingPayment } from '../payments/payment.js';
import { dailyLimitOf, equivalentOf, SERVICE_TERMS } from '../rates/actions.js';
import type { Market } from '../rates/price.js';
import type { QuoteDeps } from './deps.js';
import { findEnds } from './ends.js';
import { refuseExecution, refuseRealtime } from './execution-rules.js';
import type { Quote, QuoteId, ScaChallenge, ScaFactor, ScaSubject } from './quote.js';
import {
  type DestinationFacts,
  leaves,
  type QuoteFacts,
  refuseAccountStates,
  refuseInactive,
  refuseSender,
  refuseUnproved,
  type SourceFacts,
} from './rules.js';
import { getQuote } from './store.js';

/** The quote afterwards. `challenge` when the payer must authenticate first; `refusal` when the failure itself is the outcome. */
export type Outcome = { readonly quote: Quote; readonly challenge?: ScaChallenge | undefined; readonly refusal?: ApiError };

export type Execution = {
  readonly platformId: PlatformId;
  readonly id: QuoteId | undefined;
  /** The header with the stamp of the wallet's owner. */
  readonly signature: string | undefined;
  readonly factor: ScaFactor | undefined;
  /** The owner's stamp was verified before, for this quote. */
  readonly isOwnerVerified?: true;
  readonly now: Date;
};

type Facts = {
  readonly platform: Platform;
  readonly source: SourceFacts;
  readonly destination: DestinationFacts;
  readonly customer: Customer | null;
  readonly market: Market;
  /** Locked in the same round trip as everything else, where the payment debits an account in the service. */
  readonly debited?: Locked | undefined;
  /** The volume of the corridor that the payment is counted in. */
  readonly volume?: VolumePart | undefined;
};

export async function executeQuote(deps: QuoteDeps, tx: Tx, execution: Execution): Promise<Outcome> {
  const { platformId, now } = execution;
  // What a quote names never changes, so it is read first and locked in the order of locks.
  const named = await getQuote(tx, platformId, execution.id);
  refuseExecution(named, now);
  refuseRealtime(named);
  if (execution.factor === 'TOTP') throw invalidField('scaFactor', 'cannot be bound to a payment', { enum: ['SMS_OTP', 'PASSKEY'] });
  const { quote, facts } = await gather(deps, tx, platformId, named, now);

  refuseExecution(quote, now);
  refuseAccountStates(facts.source, facts.destination);
  if (!execution.isOwnerVerified) await verifyOwner(deps, tx, execution, quote);
  refuseParties(facts, quote.payment);
  const challenge = await authenticate(deps, tx, platformId, quote, facts.customer, execution.factor, now);
  if (challenge) return waitForAuthorization(deps, tx, platformId, quote, challenge, now);
  return run(deps, tx, platformId, quote, facts, now);
}

async function gather(
  { rates }: QuoteDeps,
  tx: Tx,
  platformId: PlatformId,
  named: Quote,
  now: Date,
): Promise<{ quote: Quote; facts: Facts }> {
  const debits = named.funding === 'PREFUNDED' || named.funding === 'EMBEDDED_WALLET';
  const [customer, ends, payment, platform, market, volume, debited] = await Promise.all([
    named.payment.customerId === null ? null : shareCustomer(tx, platformId, named.payment.customerId),
    findEnds(tx, platformId, named, 'LOCK'),
    lockAsRead(tx, platformId, named.payment),
    getPlatform(tx, platformId),
    rates.marketAt(tx, platformId, now),
    readVolume(tx, platformId, named.payment, now),
    debits ? lockAhead(tx, platformId, movesOf(platformId, named.payment, 'DEBIT')) : undefined,
  ]);
  assert(payment?.type === 'OUTGOING', 'the payment of a quote exists');
  return { quote: { ...named, payment }, facts: { platform, customer, market, volume, debited, ...ends } };
}

/** Customer and accounts as they are now: they may have changed since the quote was made. */
function refuseParties(facts: Facts, { sent }: OutgoingPayment): void {
  const { source, destination, market } = facts;
  refuseSender(facts);
  refuseInactive(source, destination);
  if (destination.kind === 'EXTERNAL') refuseUnproved(destination.account, equivalentOf(market, sent, 'EUR'));
}

/** The stamp of a live session of the wallet over exactly the payload of this quote. */
export async function verifyOwner(
  { signer }: Pick<QuoteDeps, 'signer'>,
  tx: Tx,
  { platformId, signature, now }: Pick<Execution, 'platformId' | 'signature' | 'now'>,
  { payloadToSign }: Quote,
): Promise<void> {
  if (payloadToSign === null) return;
  if (signature === undefined || signature === '') throw new ApiError('WALLET_SIGNATURE_MISSING');
  const stamp = signer.readSignature(signature);
  if (!stamp) throw new ApiError('WALLET_SIGNATURE_MALFORMED');
  const [done = 'PAYLOAD_UNKNOWN'] = await signer.authorizeTransfers(tx, platformId, [{ payload: payloadToSign, stamp }], now);
  // Used: an agent has submitted the quote with a stamp before, and it was not executed then. A quote is executed once in any case.
  if (typeof done === 'string' && done !== 'PAYLOAD_USED') throw signatureInvalid(done);
}

// ---- strong customer authentication

export const scaSubjectOf = ({ id, funding, payment }: Quote, status: ScaSubject['status']): ScaSubject => ({
  id,
  customerId: payment.customerId,
  status,
  sent: payment.sent,
  received: payment.received,
  funding,
  destinationAccountId: payment.destination.type === 'ACCOUNT' ? (parseId('ExternalAccount', payment.destination.accountId) ?? null) : null,
});

async function authenticate(
  deps: QuoteDeps,
  tx: Tx,
  platformId: PlatformId,
  quote: Quote,
  customer: Customer | null,
  factor: ScaFactor | undefined,
  now: Date,
): Promise<ScaChallenge | undefined> {
  if (!customer) return undefined;
  return deps.authentication().scaFor(tx, { platformId, customer, quote: scaSubjectOf(quote, 'PENDING'), factor, now });
}

async function waitForAuthorization(
  deps: QuoteDeps,
  tx: Tx,
  platformId: PlatformId,
  quote: Quote,
  challenge: ScaChallenge,
  now: Date,
): Promise<Outcome> {
  const payment = await applyOutgoing(deps, tx, platformId, quote.payment, {
    event: 'CHALLENGED',
    expiresAt: new Date(challenge.expiresAt),
    now,
  });
  assert(payment, 'a quote that can be executed can be challenged');
  return { quote: { ...quote, payment }, challenge };
}

/** The payer has satisfied the last challenge: the payment goes on as if it had just been executed. */
export async function continueAuthorized(
  deps: QuoteDeps,
  tx: Tx,
  platformId: PlatformId,
  id: QuoteId | undefined,
  now: Date,
): Promise<Outcome> {
  const named = await getQuote(tx, platformId, id);
  const { quote, facts } = await gather(deps, tx, platformId, named, now);
  if (quote.payment.state !== 'AWAITING_AUTHORIZATION') throw new ApiError('CONFLICT');
  refuseAccountStates(facts.source, facts.destination);
  refuseParties(facts, quote.payment);
  if (quote.funding !== 'REALTIME') return run(deps, tx, platformId, quote, facts, now);
  const payment = await applyOutgoing(deps, tx, platformId, quote.payment, {
    event: 'AUTHORIZED_UNFUNDED',
    expiresAt: quote.expiresAt,
    now,
  });
  assert(payment, 'a payment that waits for authorization can be authorized');
  return { quote: { ...quote, payment } };
}

// ---- running

/** Debits or collects, and hands the payment to its rail. A rate that is no longer honoured ends the quote. */
async function run(deps: QuoteDeps, tx: Tx, platformId: PlatformId, quote: Quote, facts: Facts, now: Date): Promise<Outcome> {
  if (!isRateHonoured(quote, facts)) {
    const failed = await applyOutgoing(deps, tx, platformId, quote.payment, { event: 'RATE_REFUSED', now });
    if (!failed) throw new ApiError('QUOTE_RATE_UNAVAILABLE');
    return { quote: { ...quote, payment: failed }, refusal: new ApiError('QUOTE_RATE_UNAVAILABLE') };
  }
  const started = quote.funding === 'PULL' ? await startCollection(deps, tx, platformId, quote.payment, now) : quote.payment;
  const event = quote.funding === 'PULL' ? 'COLLECTION_STARTED' : 'EXECUTED';
  const payment = await applyOutgoing(deps, tx, platformId, started, { event, now }, knownOf(facts));
  assert(payment, 'a quote that can be executed is executed');
  if (leaves(facts.destination)) await countPayment(tx, platformId, payment, facts, now);
  return { quote: { ...quote, payment } };
}

export const knownOf = ({ source, destination, debited }: Pick<Facts, 'source' | 'destination' | 'debited'>): Known => ({
  accounts: [source, destination].flatMap((end) => (end.kind === 'INTERNAL' ? [end.account] : [])),
  destination: destination.kind === 'EXTERNAL' ? destination.account : undefined,
  debited,
});

/** Within one currency nothing is converted, but what leaves is counted against limits in US dollars, which need a rate as well. */
const isRateHonoured = ({ rate, payment: { sent, received } }: Quote, { market, destination }: Facts): boolean =>
  rate === null
    ? !leaves(destination) || dailyLimitOf(SERVICE_TERMS, market, sent.currency) !== undefined
    : market.honours({ sending: sent.currency, receiving: received.currency, rate });

/** Last, because it locks rows that other payments of the corridor wait for. */
export async function countPayment(
  tx: Tx,
  platformId: PlatformId,
  payment: OutgoingPayment,
  { market, volume }: Pick<Facts, 'market' | 'volume'>,
  now: Date,
): Promise<void> {
  const limit = dailyLimitOf(SERVICE_TERMS, market, payment.sent.currency);
  if (limit === undefined) throw new ApiError('QUOTE_RATE_UNAVAILABLE');
  const read = volume ?? (await readVolume(tx, platformId, payment, now));
  await countVolume(tx, platformId, { payment, limit, read, now });
}

/** A quote that was made in this transaction: executed at once on request, or challenged when the payer will push the money. */
export async function executeNew(
  deps: QuoteDeps,
  tx: Tx,
  made: {
    readonly platformId: PlatformId;
    readonly quote: Quote;
    readonly facts: QuoteFacts;
    readonly factor: ScaFactor | undefined;
    readonly immediately: boolean;
    readonly now: Date;
  },
): Promise<Outcome> {
  const { platformId, quote, facts, factor, now } = made;
  if (!made.immediately && quote.funding !== 'REALTIME') return { quote };
  const challenge = await authenticate(deps, tx, platformId, quote, facts.customer, factor, now);
  if (challenge) return waitForAuthorization(deps, tx, platformId, quote, challenge, now);
  return made.immediately ? run(deps, tx, platformId, quote, facts, now) : { quote };
}
