// With one database connection for everything, whoever asks for a second one inside a transaction waits for itself for ever.
// Every operation is asked, many at once, while the worker works: all must be answered, and soon.
import { BASE_PATH } from '../../src/http/server.js';
import type { Client } from '../support/client.js';
import { issuerHeaders, issuerKeyOf } from '../support/issuer.js';
import { Line, requestBytes } from '../support/wire.js';
import type { DocumentedOperation } from './document.js';
import { type ExampleRequest, exampleOf, targetOf } from './examples.js';
import { type Ground, startGround } from './ground.js';
import { worldOf } from './objects.js';
import type { Outcome } from './report.js';

/** A wait for a connection is given up after ten seconds with a 503; silence for this long is a hang. */
const ADVANCE_TIMEOUT_MS = 60_000;
const AT_ONCE = 12;

export async function poolOfOne(): Promise<Outcome[]> {
  const ground = await startGround(1, { DATABASE_POOL_SIZE: '1', LOG_LEVEL: 'error' });
  const client = ground.platforms[0] as Client;
  try {
    const world = worldOf(client, ground.receiver.url);
    const waiting: [DocumentedOperation, ExampleRequest][] = [];
    for (const operation of ground.document.operations) waiting.push([operation, await exampleOf(ground.document, operation, world)]);
    const trials = waiting.length;
    const failures: string[] = [];
    const caller = async () => {
      for (let next = waiting.pop(); next; next = waiting.pop()) {
        const problem = await problemOf(ground, client, ...next);
        if (problem) failures.push(`${next[0].id}: ${problem}`);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, caller));
    return [{ goal: 'pool of one: every operation is answered', trials, failures, note: `${AT_ONCE} callers at once` }];
  } finally {
    await ground.stop();
  }
}

/** One may stand in another's way and be refused; nobody may wait for ever or be turned away for want of a connection. */
async function problemOf(
  ground: Ground,
  client: Client,
  operation: DocumentedOperation,
  example: ExampleRequest,
): Promise<string | undefined> {
  const body = example.body === undefined ? undefined : JSON.stringify(example.body);
  const credentials =
    operation.permission === 'ISSUER' ? issuerHeaders(await issuerKeyOf(client), body ?? '') : { authorization: client.authorization };
  const headers = { ...credentials, 'content-type': 'application/json', ...example.headers };
  const line = await Line.open(ground.service.url);
  try {
    const bytes = requestBytes(operation.method, BASE_PATH + targetOf(operation, example), headers, body);
    const { status, ms } = await line.exchange(bytes, { timeoutMs: ADVANCE_TIMEOUT_MS });
    return status >= 500 ? `answered ${status} after ${Math.round(ms)} ms` : undefined;
  } catch (error) {
    return (error as Error).message;
  } finally {
    line.close();
  }
}
