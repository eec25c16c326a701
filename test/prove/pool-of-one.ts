// With a pool of one database connection, code that needs a second connection inside a transaction would wait for itself.
// Every operation is called, many at once, while the worker runs. All must be answered within the timeout.
import { BASE_PATH } from '../../src/http/server.js';
import { agentOf } from '../support/agents.js';
import type { Client } from '../support/client.js';
import { issuerHeaders, issuerKeyOf } from '../support/issuer.js';
import { Connection, requestBytes } from '../support/wire.js';
import type { DocumentedOperation } from './document.js';
import { type Environment, startEnvironment } from './environment.js';
import { type ExampleRequest, exampleOf, targetOf } from './examples.js';
import { worldOf } from './objects.js';
import type { Outcome } from './report.js';

/** A wait for a connection ends after ten seconds with a 503, so a request without a response after this time hangs. */
const RESPONSE_TIMEOUT_MS = 60_000;
const CALLERS = 12;

export async function poolOfOne(): Promise<Outcome[]> {
  const environment = await startEnvironment(1, { DATABASE_POOL_SIZE: '1', LOG_LEVEL: 'error' });
  const client = environment.platforms[0] as Client;
  try {
    const world = worldOf(client, environment);
    const waiting: [DocumentedOperation, ExampleRequest][] = [];
    for (const operation of environment.document.operations)
      waiting.push([operation, await exampleOf(environment.document, operation, world)]);
    const trials = waiting.length;
    const failures: string[] = [];
    const caller = async () => {
      for (let next = waiting.pop(); next; next = waiting.pop()) {
        const problem = await problemOf(environment, client, ...next);
        if (problem) failures.push(`${next[0].id}: ${problem}`);
      }
    };
    await Promise.all(Array.from({ length: CALLERS }, caller));
    failures.push(
      ...environment.service.logged.filter((line) => line.includes('"msg":"failed"')).map((line) => `logged: ${line.slice(0, 600)}`),
    );
    return [{ goal: 'pool of one: every operation is answered', trials, failures, note: `${CALLERS} callers at once` }];
  } finally {
    await environment.stop();
  }
}

/** A request may be refused because of a conflict with another. It must not hang or fail for lack of a connection. */
async function problemOf(
  environment: Environment,
  client: Client,
  operation: DocumentedOperation,
  example: ExampleRequest,
): Promise<string | undefined> {
  const body = example.body === undefined ? undefined : JSON.stringify(example.body);
  const credentials =
    operation.permission === 'ISSUER'
      ? issuerHeaders(await issuerKeyOf(client), body ?? '')
      : { authorization: operation.permission === 'AGENT' ? (await agentOf(client)).client.authorization : client.authorization };
  const headers = { ...credentials, 'content-type': 'application/json', ...example.headers };
  const connection = await Connection.open(environment.service.url);
  try {
    const bytes = requestBytes(operation.method, BASE_PATH + targetOf(operation, example), headers, body);
    const { status, ms } = await connection.exchange(bytes, { timeoutMs: RESPONSE_TIMEOUT_MS });
    return status >= 500 ? `answered ${status} after ${Math.round(ms)} ms` : undefined;
  } catch (error) {
    return (error as Error).message;
  } finally {
    connection.close();
  }
}
