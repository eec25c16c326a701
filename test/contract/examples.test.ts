// Every example of the document is real: each request is built anew and sent to a service, which must accept it with the answer that the
// example shows. `npm run examples` records the examples of docs/reference/examples again.
import assert from 'node:assert/strict';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { BASE_PATH } from '../../src/http/server.js';
import { type Example, readExamples } from '../../src/http/words.js';
import { projectRoot } from '../../src/root.js';
import type { DocumentedOperation } from '../prove/document.js';
import { type Environment, startEnvironment } from '../prove/environment.js';
import { type ExampleRequest, exampleOf, targetOf, wireBody } from '../prove/examples.js';
import { worldOf } from '../prove/objects.js';
import { agentOf } from '../support/agents.js';
import type { Client } from '../support/client.js';
import { issuerHeaders, issuerKeyOf } from '../support/issuer.js';
import { type Challenged, type Keys, signatureHeaders, stamp } from '../support/wallet.js';
import { fieldsOf, presentable, shapeOf } from './presentable.js';

const IS_RECORDING = process.env['RECORD_EXAMPLES'] === '1';
const FOLDER = join(projectRoot, 'docs/reference/examples');

let environment: Environment;
let shared: Client;
before(async () => {
  environment = await startEnvironment(1, { LOG_LEVEL: 'error' });
  shared = environment.platforms[0] as Client;
});
after(() => environment.stop());

/** Lists of one row: an example is to be read. */
const short = (operation: DocumentedOperation, request: ExampleRequest): ExampleRequest =>
  operation.parameters.some(({ name, in: place }) => name === 'limit' && place === 'query')
    ? { ...request, query: { ...request.query, limit: '1' } }
    : request;

/** Operations that replace everything a platform has. The records of other examples must stay. */
const SWEEPING: ReadonlySet<string> = new Set(['resetSandbox', 'restoreSandboxSnapshot']);

async function exchange(operation: DocumentedOperation): Promise<{ readonly example: Example; readonly now: number }> {
  const client = SWEEPING.has(operation.id) ? await environment.service.newPlatform() : shared;
  const request = short(operation, await exampleOf(environment.document, operation, worldOf(client, environment)));
  const body = request.body === undefined ? undefined : wireBody(request.body);
  const { authorization } = operation.permission === 'AGENT' ? (await agentOf(client)).client : client;
  const credentials = operation.permission === 'ISSUER' ? issuerHeaders(await issuerKeyOf(client), body ?? '') : { authorization };
  const now = (await client.clock.now()).getTime();
  const send = async (signature: Record<string, string> = {}): Promise<Answered> => {
    const ending = new AbortController();
    const type = body === undefined ? {} : { 'content-type': 'application/json' };
    const response = await fetch(environment.service.url + BASE_PATH + targetOf(operation, request), {
      method: operation.method,
      headers: { ...credentials, ...type, ...request.headers, ...signature },
      ...(body === undefined ? {} : { body }),
      redirect: 'manual',
      signal: ending.signal,
    });
    const media = (response.headers.get('content-type') ?? '').split(';')[0];
    // A stream has no end.
    const text = media === 'text/event-stream' ? '' : await response.text();
    if (media === 'text/event-stream') ending.abort();
    assert.ok(response.status < 400, `${operation.id}: the example is refused: ${response.status} ${text.slice(0, 500)}`);
    return { status: response.status, ...(media === 'application/json' && text !== '' && { answer: JSON.parse(text) }) };
  };
  const first = await send();
  const signed = request.signer && first.status === 202 ? await lastRetry(send, first, request.signer) : undefined;
  const sent = typeof request.body === 'string' ? fieldsOf(request.body) : request.body;
  return {
    now,
    example: {
      ...(Object.keys(request.params).length > 0 && { path: request.params }),
      ...(Object.keys(request.query).length > 0 && { query: request.query }),
      ...(sent !== undefined && { body: sent }),
      ...first,
      ...(signed && { signed }),
    },
  };
}

type Answered = { readonly status: number; readonly answer?: Challenged };

/** Signs what each answer asks for, as the app of the end user does. */
async function lastRetry(send: (signature: Record<string, string>) => Promise<Answered>, first: Answered, keys: Keys): Promise<Answered> {
  let answered = first;
  while (answered.status === 202 && answered.answer) {
    const { payloadToSign, requestId } = answered.answer;
    answered = await send(signatureHeaders(await stamp(keys, payloadToSign), requestId));
  }
  return answered;
}

const fileOf = (tag: string) => `${tag.toLowerCase().replaceAll(/[^a-z]+/g, '-')}.json`;

if (IS_RECORDING) {
  test('records an example of every operation', async () => {
    const groups = new Map<string, Record<string, Example>>();
    const known = readExamples();
    const paths = environment.service.contract.document['paths'] as Record<string, Record<string, { operationId: string; tags: string[] }>>;
    const tags = new Map(Object.values(paths).flatMap((methods) => Object.values(methods).map((op) => [op.operationId, op.tags[0] ?? ''])));
    for (const operation of environment.document.operations) {
      const { example, now } = await exchange(operation);
      const file = fileOf(tags.get(operation.id) ?? '');
      // A record that still shows what the service does stays, so that a new recording changes only what has changed.
      const [before, made] = [known.get(operation.id), presentable(example, now)];
      const isSame = isDeepStrictEqual(before && shapeOf(before), shapeOf(made)) && before?.status === made.status;
      groups.set(file, { ...groups.get(file), [operation.id]: before && isSame ? before : made });
    }
    rmSync(FOLDER, { recursive: true, force: true });
    mkdirSync(FOLDER, { recursive: true });
    for (const [file, examples] of groups) writeFileSync(join(FOLDER, file), `${JSON.stringify(examples, null, 2)}\n`);
  });
} else {
  describe('examples', () => {
    const recorded = readExamples();
    const again = 'run `npm run examples` and commit docs/reference/examples';

    test('every operation has one, and no example is left of one that is gone', () => {
      const served = environment.document.operations.map(({ id }) => id);
      assert.deepEqual([...recorded.keys()].sort(), served.sort(), again);
    });

    test('the service accepts a request of the same shape, with the status of the example', async () => {
      for (const operation of environment.document.operations) {
        const known = recorded.get(operation.id);
        assert.ok(known, `${operation.id} has no example: ${again}`);
        const { example } = await exchange(operation);
        assert.deepEqual([known.status, known.signed?.status], [example.status, example.signed?.status], `${operation.id}: ${again}`);
        assert.deepEqual(shapeOf(known.body), shapeOf(example.body), `${operation.id}: ${again}`);
      }
    });

    test('every request and every answer fits its schema', () => {
      for (const operation of environment.document.operations) {
        const { path = {}, query = {}, body, signed, ...first } = recorded.get(operation.id) as Example;
        if (body !== undefined && operation.body)
          assert.ok(environment.document.fits(operation, body), `the body of ${operation.id} does not fit: ${again}`);
        const target = targetOf(operation, { params: path, query });
        for (const { status, answer } of [first, ...(signed ? [signed] : [])])
          if (answer !== undefined)
            environment.service.contract.check(operation.method, target, status, 'application/json', JSON.stringify(answer));
      }
    });

    test('an operation that the end user signs also shows the end of its signed retries', () => {
      const asked = [...recorded].filter(
        ([, { status, answer }]) => status === 202 && typeof (answer as Partial<Challenged> | undefined)?.payloadToSign === 'string',
      );
      assert.ok(asked.length >= 8, `${asked.length} examples ask for a signature`);
      for (const [id, { signed }] of asked) assert.ok(signed !== undefined && signed.status !== 202, `${id}: ${again}`);
    });

    test('nothing in them is a secret', () => {
      const text = JSON.stringify([...recorded.values()]);
      for (const pattern of [/whsec_(?!example)/, /"clientSecret":"(?!example)/, /127\.0\.0\.1/, /[?&]token=(?!example)/])
        assert.doesNotMatch(text, pattern);
    });
  });
}
