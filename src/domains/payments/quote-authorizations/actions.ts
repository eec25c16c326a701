// Authorization of payments by the payer: a challenge per step, bound to amounts and payee.
import type { Tx } from '../../../db/pool.js';
import type { ApiError } from '../../../kernel/errors.js';
import { type PlatformId, parseId } from '../../../kernel/ids.js';
import {
  describeBeneficiary,
  needsAuthorization,
  nothingToAuthorize,
  openPaymentChallenge,
  type PaymentCall,
  readPaymentChallenge,
  requireLockedSession,
  resendPaymentCode,
  type ScaDeps,
  type Subject,
  satisfyPaymentChallenge,
} from '../../access/sca/actions.js';
import type { Proof } from '../../access/sca/sca.js';
import { renderPaymentChallenge } from '../../access/sca/schemas.js';
import { findExternalAccount, identifierOf } from '../../accounts/external-accounts/actions.js';
import type { ExternalAccount } from '../../accounts/external-accounts/external-account.js';
import { findCustomer, lockCustomer } from '../../identity/customers/actions.js';
import { challengeAgain, continueAuthorized, failAuthentication, getQuote, lockQuote, type QuoteDeps } from '../quotes/actions.js';
import type { ScaRequest, StrongAuthentication } from '../quotes/hooks.js';
import type { Quote, QuoteId, ScaChallenge } from '../quotes/quote.js';
import { firstStep, isTrusted, nextStep, payeeOf } from './rules.js';

type Reader = Pick<Tx, 'one' | 'many'>;

async function findPayee(tx: Reader, platformId: PlatformId, { destination }: Quote): Promise<ExternalAccount | undefined> {
  const id = destination.destinationType === 'ACCOUNT' ? parseId('ExternalAccount', destination.accountId) : undefined;
  return id && (await findExternalAccount(tx, platformId, id))?.account;
}

const subjectOf = (quote: Quote, payee: ExternalAccount | undefined): Subject => ({
  id: quote.id,
  sent: quote.payment.sent,
  received: quote.payment.received,
  payee: payeeOf(quote, payee && describeBeneficiary(payee, identifierOf(payee.accountInfo))),
});

// ---- asked by quotes

export const createStrongAuthentication = (deps: ScaDeps): StrongAuthentication => ({
  scaFor: (tx, request) => challengeFor(deps, tx, request),
  async challengesOf(tx, platformId, ids) {
    const found = await Promise.all(ids.map(async (id) => [id, await readChallenge(tx, platformId, id)] as const));
    return new Map(found.flatMap(([id, challenge]) => (challenge ? [[id, challenge]] : [])));
  },
});

async function challengeFor(
  deps: ScaDeps,
  tx: Tx,
  { platformId, customer, quote: named, factor, now }: ScaRequest,
): Promise<ScaChallenge | undefined> {
  if (!needsAuthorization(customer, named.sent.currency)) return undefined;
  await requireLockedSession(tx, platformId, customer, now);
  const quote = await getQuote(tx, platformId, named.id);
  const payee = await findPayee(tx, platformId, quote);
  if (isTrusted(payee, customer)) return undefined;
  const call: PaymentCall = { platformId, customer, subject: subjectOf(quote, payee), now };
  return renderPaymentChallenge(await openPaymentChallenge(tx, deps, call, { step: firstStep(named), factor }));
}

async function readChallenge(tx: Reader, platformId: PlatformId, id: QuoteId): Promise<ScaChallenge | undefined> {
  const quote = await getQuote(tx, platformId, id);
  const { customerId } = quote.payment;
  const customer = customerId && (await findCustomer(tx, platformId, customerId));
  if (!customer) return undefined;
  const opened = await readPaymentChallenge(tx, platformId, customer, subjectOf(quote, await findPayee(tx, platformId, quote)));
  return opened && renderPaymentChallenge(opened);
}

// ---- asked by the payer

/** Locks the payer before the quote, in the order of every other lock. */
async function gather(tx: Tx, platformId: PlatformId, id: QuoteId | undefined, now: Date): Promise<{ call: PaymentCall; quote: Quote }> {
  const named = await getQuote(tx, platformId, id);
  const { customerId } = named.payment;
  if (!customerId) throw nothingToAuthorize();
  const customer = await lockCustomer(tx, platformId, customerId);
  const quote = await lockQuote(tx, platformId, named.id);
  return { quote, call: { platformId, customer, subject: subjectOf(quote, await findPayee(tx, platformId, quote)), now } };
}

const isWaiting = ({ payment }: Quote): boolean => payment.state === 'AWAITING_AUTHORIZATION';

export type Authorization = {
  readonly platformId: PlatformId;
  readonly id: QuoteId | undefined;
  readonly proof: Proof;
  readonly now: Date;
};

/** The quote afterwards, with the next challenge if one follows; or the refusal, which is remembered. */
export type Authorized = { readonly quote: Quote; readonly challenge?: ScaChallenge } | { readonly refusal: ApiError };

export async function authorizeQuote(deps: QuoteDeps & ScaDeps, tx: Tx, request: Authorization): Promise<Authorized> {
  const { platformId, proof, now } = request;
  const { quote, call } = await gather(tx, platformId, request.id, now);
  const satisfied = await satisfyPaymentChallenge(tx, deps, call, { proof, isWaiting: isWaiting(quote) });
  if ('refusal' in satisfied) {
    // Without tries the challenge is void, and the payment can never be authorized.
    if (satisfied.isVoid) await failAuthentication(deps, tx, platformId, quote.id, now);
    return { refusal: satisfied.refusal };
  }
  const { step: done, factor } = satisfied.result;
  const step = nextStep(done);
  if (!step) {
    const continued = await continueAuthorized(deps, tx, platformId, quote.id, now);
    return continued.refusal ? { refusal: continued.refusal } : { quote: continued.quote };
  }
  const next = await openPaymentChallenge(tx, deps, call, { step, factor });
  await challengeAgain(deps, tx, platformId, quote.id, next.challenge.expiresAt, now);
  return { quote: await getQuote(tx, platformId, quote.id), challenge: renderPaymentChallenge(next) };
}

export async function resendCode(deps: ScaDeps, tx: Tx, platformId: PlatformId, id: QuoteId | undefined, now: Date): Promise<void> {
  const { quote, call } = await gather(tx, platformId, id, now);
  if (!isWaiting(quote)) throw nothingToAuthorize();
  await resendPaymentCode(tx, deps, call);
}
