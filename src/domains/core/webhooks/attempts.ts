// One attempt: sign the event, post it, decide the consequence, hand the outcome to the recorder.
import { plusMs } from '../../../kernel/time.js';
import type { Claim, DeliveryQueue, SignedRequest } from './delivery-queue.js';
import type { Attempt, ClaimedDelivery } from './event.js';
import type { DeliveryMetrics } from './metrics.js';
import type { Outbound, OutboundResult } from './outbound.js';
import type { Recorder } from './outcomes.js';
import { concurrencyAfter, decideAttempt, type FinishedAttempt, stateAfter, stateForNewEndpoint } from './rules.js';
import { renderEnvelope } from './schemas.js';
import { createSigner, type Headers } from './signer.js';
import type { SignatureForm } from './signing.js';

export type SenderDeps = {
  readonly outbound: Outbound;
  readonly metrics: DeliveryMetrics;
  readonly concurrency: number;
  readonly freshMs: number;
  readonly signatureForm?: SignatureForm | undefined;
};

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

export function createSender({ outbound, metrics, concurrency, freshMs, signatureForm }: SenderDeps): Sender {
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

  return {
    sign,
    async attempt(queue, claim, delivery, record, signed) {
      const startedAt = platformTime(claim);
      const request = signed && performance.now() - signed.at < freshMs ? signed : sign(claim, delivery);
      const headers = { 'content-type': 'application/json', 'user-agent': USER_AGENT, ...(await request.headers) };
      const result = await outbound.post(claim.url, headers, request.body);
      queue.limit = concurrencyAfter(queue.limit, { answered: result.kind === 'ANSWERED', most: concurrency });

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
