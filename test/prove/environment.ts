// A service with several sandbox platforms and a webhook receiver, for a reliability test.
import { randomBytes } from 'node:crypto';
import type { Env } from '../../src/config.js';
import type { Client } from '../support/client.js';
import { startTestService, type TestService } from '../support/service.js';
import { envelopeOf } from '../support/webhooks/platform.js';
import { type Receiver, type ReceiverOptions, type Reply, startReceiver } from '../support/webhooks/receiver.js';
import { type ApiDocument, readDocument } from './document.js';

export type Environment = {
  readonly service: TestService;
  readonly document: ApiDocument;
  readonly platforms: readonly Client[];
  /** The webhook receiver. */
  readonly receiver: Receiver;
  stop(): Promise<void>;
};

/** Payments that wait for the platform are decided by calls. */
const deferring: ReceiverOptions = {
  reply: (received): Reply => (envelopeOf(received).type === 'INCOMING_PAYMENT.PENDING' ? 202 : 200),
};

export async function startEnvironment(platforms: number, env: Env = {}, webhooks: ReceiverOptions = deferring): Promise<Environment> {
  const credentials = Array.from({ length: platforms }, () => ({
    id: `p${randomBytes(6).toString('hex')}`,
    secret: randomBytes(24).toString('base64url'),
  }));
  const service = await startTestService({
    BOOTSTRAP_TOKEN: credentials.map(({ id, secret }) => `${id}:${secret}`).join(','),
    ...env,
  });
  const receiver = await startReceiver(webhooks);
  return {
    service,
    receiver,
    document: readDocument(service.contract.document),
    platforms: credentials.map(({ id, secret }) => service.as(id, secret)),
    async stop() {
      await service.stop();
      await receiver.close();
    },
  };
}
