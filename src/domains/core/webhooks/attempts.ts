// One attempt: sign the event, post it, decide the consequence, hand the outcome to the recorder.
import type { PlatformId } from '../../../kernel/ids.js';
import { plusMs } from '../../../kernel/time.js';
import type { Claim, DeliveryQueue, SignedRequest } from './delivery-queue.js';
import type { Attempt, ClaimedDelivery } from './event.js';
import type { DeliveryFault, ReceiverAnswer } from './hooks.js';
import type { DeliveryMetrics } from './metrics.js';
import { type Outbound, type OutboundResult, READ_BYTES } from './outbound.js';
import type { Recorder } from './outcomes.js';
import {
  concurrencyAfter,
  decideAttempt,
  type FinishedAttempt,
  isDelivered,
  isQuestion,
  QUESTION_MS,
  stateAfter,
  stateForNewEndpoint,
} from './rules.js';
import { renderEnvelope } from './schemas.js';
import { createSigner, type Headers } from './signer.js';
import type { SignatureForm } from './signing.js';

export type SenderDeps = {
  readonly outbound: Outbound;
  readonly metrics: DeliveryMetrics;
  readonly concurrency: number;
  readonly freshMs: number;
  readonly signatureForm?: SignatureForm | undefined;
  /** Takes the answer to a question. */
  readonly onAnswer: (answer: ReceiverAnswer) => Promise<void>;
  /** Of a sandbox: what goes wrong on purpose. */
  readonly faultOf?: FaultOf | undefined;
};

export type FaultOf = (platformId: PlatformId, event: ClaimedDelivery) => Promise<DeliveryFault | undefined>;

export type Sender = {
  /** Signs ahead of the attempt. */
  sign(claim: Claim, delivery: ClaimedDelivery): SignedRequest;
  /** Sends one request. The outcome is written while the caller goes on; `recorded` resolves then. */
  attempt(
    queue: DeliveryQueue,
    claim: Claim,
    delivery: ClaimedDelivery,
    record: Recorder,
    signed?: SignedRequest,
  ): Promise<{ readonly result: OutboundResult; readonly recorded: Promise<undefined> }>;
  close(): Promise<void>;
};

const USER_AGENT = 'Switchyard-Webhooks/1';

export function createSender({ outbound, metrics, concurrency, freshMs, signatureForm, onAnswer, faultOf }: SenderDeps): Sender {
  const signer = createSigner(signatureForm);

  const sign: Sender['sign'] = (claim, delivery) => {
    const body = Buffer.from(renderEnvelope(delivery));
    // The real time, not the sandbox clock: receivers compare the timestamp with their own clock.
    const timestamp = plusMs(claim.clock.realNow, elapsedSince(claim));
    const headers = signer.sign(claim.keys, { id: delivery.id, timestamp, body });
    // The attempt awaits the signature and sees its failure. Before that a rejection must not count as unhandled.
    headers.catch(() => {});
    return { body, headers, at: performance.now() };
  };

  /** The answer to the first attempt is handed on before its outcome is recorded: a process that ends between the two asks again. */
  const ask = async (
    { platformId }: DeliveryQueue,
    { url }: Claim,
    { type, objectId, attempts }: ClaimedDelivery,
    headers: Headers,
    body: Buffer,
  ): Promise<OutboundResult> => {
    const result = await outbound.post(url, headers, body, { timeoutMs: QUESTION_MS, keptBytes: READ_BYTES });
    const answer = result.kind === 'ANSWERED' ? { status: result.status, body: result.body } : { failure: result.failure };
    if (attempts === 0) await onAnswer({ platformId, type, objectId, result: answer });
    // An answer that approves may carry data of the receiver, which belongs to the payment and not to the attempts.
    return result.kind === 'ANSWERED' && isDelivered(result.status) ? { ...result, body: '' } : keepStart(result);
  };

  /** A question that is lost is answered by nobody. Of one that is sent twice the second answer counts. */
  const post = async (queue: DeliveryQueue, claim: Claim, delivery: ClaimedDelivery, headers: Headers, body: Buffer) => {
    const fault = await faultOf?.(queue.platformId, delivery);
    if (fault === 'LOST') return LOST;
    const isAsked = isQuestion(delivery);
    if (fault === 'DUPLICATE') await outbound.post(claim.url, headers, body, isAsked ? { timeoutMs: QUESTION_MS } : {});
    return isAsked ? ask(queue, claim, delivery, headers, body) : outbound.post(claim.url, headers, body);
  };

  return {
    sign,
    async attempt(queue, claim, delivery, record, signed) {
      const startedAt = platformTime(claim);
      const request = signed && performance.now() - signed.at < freshMs ? signed : sign(claim, delivery);
      const headers = { 'content-type': 'application/json', 'user-agent': USER_AGENT, ...(await request.headers) };
      const result = await post(queue, claim, delivery, headers, request.body);
      // A platform that thinks about a question is not an endpoint that is down.
      if (!isQuestion(delivery)) queue.limit = concurrencyAfter(queue.limit, { answered: result.kind === 'ANSWERED', most: concurrency });

      const { verdict, ...finished } = finish(claim, delivery, attemptOf(delivery, claim.url, headers, startedAt, result), result);
      metrics.attempted(verdict.next, result.durationMs);
      const recorded = record(finished);
      if (finished.gone) queue.gone = { at: performance.now(), recorded };
      return { result, recorded };
    },
    async close() {
      outbound.close();
      await signer.close();
    },
  };
}

/** The service takes it for delivered, as it would if the receiver had answered and then forgotten it. */
const LOST: OutboundResult = { kind: 'ANSWERED', status: 200, body: 'Not sent: a fault of the sandbox.', durationMs: 0 };

/** Attempts store the start of an answer only. */
const STORED_CHARACTERS = 2_048;
const keepStart = (result: OutboundResult): OutboundResult =>
  result.kind === 'ANSWERED' ? { ...result, body: result.body.slice(0, STORED_CHARACTERS) } : result;

const elapsedSince = (claim: Claim): number => performance.now() - claim.claimedAt;

/** The platform's clock, carried on from the moment of the claim. */
const platformTime = (claim: Claim): Date =>
  claim.clock.frozen ? claim.clock.now : plusMs(claim.clock.now, Math.round(elapsedSince(claim)));

function finish(claim: Claim, delivery: ClaimedDelivery, attempt: Attempt, result: OutboundResult) {
  const now = platformTime(claim);
  const verdict = decideAttempt({
    type: delivery.type,
    failures: delivery.failures + 1,
    retryUntil: delivery.retryUntil,
    outcome: result.kind === 'ANSWERED' ? { status: result.status } : { failure: result.failure },
    now,
    jitter: claim.clock.frozen ? 'ALIGNED' : Math.random(),
  });
  const { id, objectId, sequence, retryUntil, fromLog } = delivery;
  const made = { id, objectId, sequence, retryUntil, fromLog, attempt };
  const gone: FinishedAttempt['gone'] =
    verdict.next === 'STOP' ? { url: claim.url, at: now, otherwise: { ...made, ...stateForNewEndpoint(delivery, now) } } : undefined;
  return { verdict, type: delivery.type, outcome: { ...made, ...stateAfter(delivery, verdict, now) }, gone };
}

const attemptOf = (
  { attempts }: ClaimedDelivery,
  url: string,
  requestHeaders: Headers,
  startedAt: Date,
  result: OutboundResult,
): Attempt => ({
  number: attempts + 1,
  url,
  requestHeaders,
  startedAt,
  durationMs: result.durationMs,
  ...(result.kind === 'ANSWERED'
    ? { responseStatus: result.status, responseBody: result.body, failure: null }
    : { responseStatus: null, responseBody: null, failure: result.failure }),
});
