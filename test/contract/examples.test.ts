// Every example of the document is real: each request is built anew and sent to a service, which must accept it with the answer that the
// example shows. `npm run examples` records the examples of docs/reference/examples again.
import assert from 'node:assert/strict';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { type Example, readExamples } from '../../src/http/words.js';
import { projectRoot } from '../../src/root.js';
import type { DocumentedOperation } from '../prove/document.js';
import { type Environment, startEnvironment } from '../prove/environment.js';
import { type ExampleRequest, exampleOf, targetOf } from '../prove/examples.js';
import { REPLACES_RECORDS, worldOf } from '../prove/objects.js';
import { sendExample } from '../prove/send-example.js';
import type { Client } from '../support/client.js';
import type { Challenged } from '../support/wallet.js';
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

async function exchange(operation: DocumentedOperation): Promise<{ readonly example: Example; readonly now: number }> {
  // The records of other examples must stay.
  const client = REPLACES_RECORDS.has(operation.id) ? await environment.service.newPlatform() : shared;
  const request = short(operation, await exampleOf(environment.document, operation, worldOf(client, environment)));
  const now = (await client.clock.now()).getTime();
  const { first, signed } = await sendExample(environment.service.url, client, operation, request);
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
