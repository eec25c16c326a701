// Challenges of payments. A proof is bound to the amounts and the payee (dynamic linking), so it authorizes no other payment.
import type { Tx } from '../../../db/pool.js';
import { ApiError } from '../../../kernel/errors.js';
import type { CustomerId, Id, PlatformId } from '../../../kernel/ids.js';
import { formatAmount } from '../../../kernel/money.js';
import { getPlatform } from '../../core/platform/actions.js';
import type { Customer } from '../../identity/customers/customer.js';
import { findChallenge } from './challenge-store.js';
import {
  countWrong,
  judgeProof,
  openChallenge,
  type PasskeyRequest,
  type Presented,
  passkeyRequestOf,
  resendCode,
  spendProof,
} from './challenges.js';
import type { ScaDeps } from './deps.js';
import { appName } from './enrollment.js';
import type { Outcome } from './outcome.js';
import { conflict, countFailure, hasSession, isOpen, paymentFactor, paymentFactors, refuseLocked, wrongProof } from './rules.js';
import type { Challenge, Factors, PaymentStep, Proof, ScaFactor } from './sca.js';
import { findFactors, findSecurity, saveSecurity } from './store.js';

type Amount = { readonly amount: bigint; readonly currency: string };

/** The payment that is authorized. If anything here changes, earlier proofs are void. */
export type Subject = {
  readonly id: Id<'Quote'>;
  readonly sent: Amount;
  readonly received: Amount;
  /** Who is paid, as the payer knows it. */
  readonly payee: string;
};

export type PaymentChallenge = {
  readonly challenge: Challenge;
  readonly availableFactors: readonly ScaFactor[];
  readonly passkey: PasskeyRequest | undefined;
};

export const authorizesOf = ({ id, sent, received, payee }: Subject): string =>
  JSON.stringify([id, String(sent.amount), sent.currency, String(received.amount), received.currency, payee]);

const keyOf = (customerId: CustomerId, { id }: Subject) => ({ customerId, purpose: 'PAYMENT', targetId: id }) as const;

/** The payer reads what the code authorizes before typing it anywhere. */
const textFor =
  (app: string, { sent, payee }: Subject) =>
  (code: string): string =>
    `${code} is your ${app} code to pay ${formatAmount(sent.amount, sent.currency)} ${sent.currency} to ${payee}. Do not share it with anyone.`;

export const nothingToAuthorize = (): ApiError => conflict('NOTHING_TO_AUTHORIZE', 'The quote is not waiting for an authorization.');

export type PaymentCall = {
  readonly platformId: PlatformId;
  /** Locked by the caller. */
  readonly customer: Customer;
  readonly subject: Subject;
  readonly now: Date;
};

export async function openPaymentChallenge(
  tx: Tx,
  deps: ScaDeps,
  { platformId, customer, subject, now }: PaymentCall,
  { step, factor: requested }: { readonly step: PaymentStep; readonly factor: ScaFactor | undefined },
): Promise<PaymentChallenge> {
  const platform = await getPlatform(tx, platformId);
  const factors = await findFactors(tx, platformId, customer);
  const factor = paymentFactor(factors, requested);
  const authorizes = authorizesOf(subject);
  const message = textFor(appName(platform), subject);
  const key = keyOf(customer.id, subject);
  const challenge = await openChallenge(tx, deps, { ...key, platform, factors, factor, step, authorizes, message, now });
  return withOptions(await passkeyRequestOf(platform, factors, challenge, authorizes), factors, challenge);
}

const withOptions = (passkey: PasskeyRequest | undefined, factors: Factors, challenge: Challenge): PaymentChallenge => ({
  challenge,
  availableFactors: paymentFactors(factors),
  passkey,
});

/** The open challenge of a payment, for its reader. */
export async function readPaymentChallenge(
  tx: Pick<Tx, 'one' | 'many'>,
  platformId: PlatformId,
  customer: Customer,
  subject: Subject,
): Promise<PaymentChallenge | undefined> {
  const challenge = await findChallenge(tx, platformId, keyOf(customer.id, subject));
  if (!challenge) return undefined;
  const factors = await findFactors(tx, platformId, customer);
  const passkey = await passkeyRequestOf(await getPlatform(tx, platformId), factors, challenge, authorizesOf(subject));
  return withOptions(passkey, factors, challenge);
}

/** The satisfied challenge; or the refusal, and whether it was the last try. A wrong proof counts as a failed login. */
export async function satisfyPaymentChallenge(
  tx: Tx,
  deps: ScaDeps,
  { platformId, customer, subject, now }: PaymentCall,
  { proof, isWaiting }: { readonly proof: Proof; readonly isWaiting: boolean },
): Promise<Outcome<Challenge> & { readonly isVoid?: boolean }> {
  const challenge = await findChallenge(tx, platformId, keyOf(customer.id, subject));
  if (!challenge) throw nothingToAuthorize();
  const security = await findSecurity(tx, platformId, customer.id);
  if (!hasSession(security, now)) throw new ApiError('SCA_SESSION_REQUIRED');
  refuseLocked(security, now);
  if (!isOpen(challenge, now)) throw wrongProof('CHALLENGE_EXPIRED');
  if (!isWaiting) throw nothingToAuthorize();

  const presented: Presented = {
    platform: await getPlatform(tx, platformId),
    challenge,
    factors: await findFactors(tx, platformId, customer),
    security,
    proof,
    authorizes: authorizesOf(subject),
    accepts: { totp: false, recoveryCodes: false },
    now,
  };
  const verdict = await judgeProof(deps, presented);
  if ('wrong' in verdict) {
    saveSecurity(tx, platformId, customer.id, countFailure(security, now));
    return { ...countWrong(tx, platformId, challenge, verdict.wrong), isVoid: challenge.triesLeft === 1 };
  }
  spendProof(tx, platformId, presented, verdict.accepted);
  return { result: challenge };
}

/** Sends the code again. Only text messages are sent. */
export async function resendPaymentCode(tx: Tx, deps: ScaDeps, { platformId, customer, subject, now }: PaymentCall): Promise<void> {
  const challenge = await findChallenge(tx, platformId, keyOf(customer.id, subject));
  if (!isOpen(challenge, now)) throw nothingToAuthorize();
  const factors = await findFactors(tx, platformId, customer);
  if (challenge.factor !== 'SMS_OTP' || !factors.phone) throw conflict('NOT_A_TEXT_MESSAGE', 'The challenge has no code to send.');
  const platform = await getPlatform(tx, platformId);
  const message = textFor(appName(platform), subject);
  await resendCode(tx, deps, challenge, { platform, factors, authorizes: authorizesOf(subject), message, now });
}
