// The outside world of the histories: a provider of UMA addresses on the network, and the endpoint of the platforms.
import assert from 'node:assert/strict';
import type { Env } from '../../../src/config.js';
import { PROVIDER_DOMAIN, startUmaProvider, type UmaProvider } from '../../support/uma-provider.js';
import { envelopeOf } from '../../support/webhooks/platform.js';
import { type Receiver, type Reply, startReceiver } from '../../support/webhooks/receiver.js';

export type Outside = {
  readonly provider: UmaProvider;
  readonly endpoint: Receiver;
  /** The answer to the next payments that wait for the platform. */
  question: Reply;
};

let outside: Outside | undefined;

/** Histories run one after the other, so they share it. */
export function theOutside(): Outside {
  assert.ok(outside, 'the service was started with the settings of `withOutside`');
  return outside;
}

/** The service must be started with these settings: it calls only counterparties that its operator has named. */
export async function withOutside<Result>(work: (settings: Env) => Promise<Result>): Promise<Result> {
  const provider = await startUmaProvider();
  const endpoint = await startReceiver({
    reply: (received) => (envelopeOf(received).type === 'INCOMING_PAYMENT.PENDING' ? (outside?.question ?? 202) : 200),
  });
  outside = { provider, endpoint, question: 202 };
  try {
    return await work({ UMA_COUNTERPARTIES: `${PROVIDER_DOMAIN}=http://127.0.0.1:${provider.port}` });
  } finally {
    outside = undefined;
    await endpoint.close();
    await provider.close();
  }
}
