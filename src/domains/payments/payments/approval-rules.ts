// What the platform's answer means for a payment that waits for its decision. Pure.
import { ApiError } from '../../../kernel/errors.js';
import { plusMs } from '../../../kernel/time.js';
import type { IncomingPayment, RequestedField } from './payment.js';

export type CustomerInfo = Readonly<Record<string, unknown>>;

export type Decision =
  | { readonly event: 'APPROVED'; readonly receiverCustomerInfo: CustomerInfo }
  /** The platform has received the question and decides later. */
  | { readonly event: 'DEFERRED' }
  | { readonly event: 'REJECTED' }
  | { readonly event: 'REFUSED'; readonly reason: string };

/** By the platform's clock: the question has to be sent, and its receiver has as long again to answer it. */
const ANSWERED_WITHIN_MS = 10_000;
/** How long the platform may take after it has deferred its decision, by its clock. */
const DEFERRED_MS = 5_000;

export const undecidedUntil = (now: Date): Date => plusMs(now, ANSWERED_WITHIN_MS);
export const deferredUntil = (now: Date): Date => plusMs(now, DEFERRED_MS);

const refused = (reason: string): Decision => ({ event: 'REFUSED', reason });
export const TIMED_OUT: Decision = refused('PAYMENT_APPROVAL_TIMED_OUT');

export type WebhookAnswer = { readonly status: number; readonly body: string } | { readonly failure: string };

/** The decision that a receiver's answer to the question is. */
export function decisionOf(answer: WebhookAnswer, requested: readonly RequestedField[]): Decision {
  if ('failure' in answer) return answer.failure === 'TIMEOUT' ? TIMED_OUT : refused('PAYMENT_APPROVAL_WEBHOOK_ERROR');
  const { status } = answer;
  if (status === 202) return { event: 'DEFERRED' };
  if (status === 403) return { event: 'REJECTED' };
  // The sender cannot be asked for more in the middle of a payment.
  if (status === 422) return refused('PAY_REQUEST_FAILED');
  if (status < 200 || status >= 300) return refused('PAYMENT_APPROVAL_WEBHOOK_ERROR');
  const receiverCustomerInfo = infoOf(answer.body);
  return missingFields(requested, receiverCustomerInfo).length > 0
    ? refused('MISSING_MANDATORY_PAYEE_DATA')
    : { event: 'APPROVED', receiverCustomerInfo };
}

const isObject = (value: unknown): value is CustomerInfo => typeof value === 'object' && value !== null && !Array.isArray(value);

/** Receivers answer with any body, most with none. */
function infoOf(body: string): CustomerInfo {
  try {
    const parsed: unknown = JSON.parse(body);
    return isObject(parsed) && isObject(parsed.receiverCustomerInfo) ? parsed.receiverCustomerInfo : {};
  } catch {
    return {};
  }
}

const isGiven = (value: unknown): boolean => value !== undefined && value !== null && value !== '';

const missingFields = (requested: readonly RequestedField[], info: CustomerInfo): string[] =>
  requested.filter(({ name, mandatory }) => mandatory && !(Object.hasOwn(info, name) && isGiven(info[name]))).map(({ name }) => name);

/** The approval by a call. Unlike an answer it can be corrected, so the payment keeps waiting. */
export function approvalOf({ requestedFields }: Pick<IncomingPayment, 'requestedFields'>, info: CustomerInfo): Decision {
  const missing = missingFields(requestedFields, info);
  if (missing.length > 0) throw new ApiError('MISSING_MANDATORY_USER_INFO', { missingFields: missing });
  return { event: 'APPROVED', receiverCustomerInfo: info };
}

/** Whether the payment waits for the platform at this moment. One whose time is over does not, whether or not the job has run. */
export const isUndecided = ({ state, expiresAt }: Pick<IncomingPayment, 'state' | 'expiresAt'>, now: Date): boolean =>
  state === 'ANNOUNCED' && (expiresAt === null || expiresAt > now);
