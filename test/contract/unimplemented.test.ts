// Operations of the contract that are not served yet: 501 with the operation's name, and absent from the document.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { CONTRACT_OPERATIONS } from '../../src/http/contract-operations.js';
import { assertRefused } from '../support/client.js';
import { startTestService, type TestService } from '../support/service.js';

type Served = { readonly id: string; readonly method: string; readonly path: string };

const keyOf = ({ method, path }: Pick<Served, 'method' | 'path'>) => `${method} ${path.replaceAll(/\{\w+\}/g, '{}')}`;
const exampleOf = (path: string) => path.replaceAll(/\{\w+\}/g, 'x');

function servedBy({ contract }: TestService): Served[] {
  const paths = contract.document['paths'] as Record<string, Record<string, { operationId: string }>>;
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { operationId }]) => ({ id: operationId, method: method.toUpperCase(), path })),
  );
}

describe('the table of the contract', () => {
  test('holds 168 operations, each id and each method on a path once', () => {
    assert.equal(CONTRACT_OPERATIONS.length, 168);
    assert.equal(new Set(CONTRACT_OPERATIONS.map(({ id }) => id)).size, 168);
    assert.equal(new Set(CONTRACT_OPERATIONS.map(keyOf)).size, 168);
  });
});

describe('in sandbox', () => {
  let service: TestService;
  let missing: Served[];
  before(async () => {
    service = await startTestService();
    const served = new Set(servedBy(service).map(({ id }) => id));
    missing = CONTRACT_OPERATIONS.filter(({ id }) => !served.has(id));
  });
  after(() => service.stop());

  test('every served operation of the contract has the id, the method and the path of the table', () => {
    const byId = new Map(CONTRACT_OPERATIONS.map((op) => [op.id, op]));
    const idOf = new Map(CONTRACT_OPERATIONS.map((op) => [keyOf(op), op.id]));
    const served = servedBy(service);
    for (const op of served) {
      assert.equal(idOf.get(keyOf(op)) ?? op.id, op.id, keyOf(op));
      assert.equal(keyOf(byId.get(op.id) ?? op), keyOf(op), op.id);
    }
    for (const id of ['verifyPlatformExternalAccountOwnership', 'createDelegatedKey', 'updateCardById'])
      assert.ok(
        served.some((op) => op.id === id && byId.has(id)),
        id,
      );
  });

  test('every other one answers 501 NOT_IMPLEMENTED with its operation id, whatever the query and the body', async () => {
    for (const { id, method, path } of missing) {
      const body = method === 'GET' || method === 'DELETE' ? undefined : { anything: true };
      const answer = await service.platform.request(method, `${exampleOf(path)}?limit=0`, body);
      assertRefused(answer, 501, 'NOT_IMPLEMENTED');
      assert.deepEqual(answer.body.details, { operationId: id });
      assert.match(answer.body.reason, new RegExp(`\\b${id}\\b`));
      assert.equal(answer.headers.get('x-should-retry'), 'false');
    }
  });

  test('after authentication, as any operation; only the redemption of a device code is public', async () => {
    const stranger = service.as('nobody', 'nothing-nothing-nothing');
    for (const { id, method, path } of missing) {
      const answer = await stranger.request(method, exampleOf(path));
      if (id === 'redeemAgentDeviceCode') assertRefused(answer, 501, 'NOT_IMPLEMENTED');
      else assertRefused(answer, 401, 'UNAUTHORIZED');
    }
  });

  test('another method on such a path is 405, with the methods of the contract', async () => {
    const served = servedBy(service);
    for (const { path } of missing) {
      const methods = [...served, ...missing].filter((op) => exampleOf(op.path) === exampleOf(path)).map(({ method }) => method);
      const answer = await service.platform.request('OPTIONS', exampleOf(path));
      assertRefused(answer, 405, 'METHOD_NOT_ALLOWED');
      assert.equal(answer.headers.get('allow'), methods.sort().join(', '));
    }
  });

  test('the document declares AgentAuth beside BasicAuth; every operation below /agents/me takes it, and no other', async () => {
    const { components, paths } = service.contract.document as {
      components: { securitySchemes: Record<string, { type: string; scheme?: string }> };
      paths: Record<string, Record<string, { security: object[] }>>;
    };
    const { BasicAuth, AgentAuth } = components.securitySchemes;
    assert.deepEqual([BasicAuth?.type, BasicAuth?.scheme], ['http', 'basic']);
    assert.deepEqual([AgentAuth?.type, AgentAuth?.scheme], ['http', 'bearer']);
    const schemes = new Set(Object.values(paths).flatMap((path) => Object.values(path).flatMap((op) => op.security.flatMap(Object.keys))));
    assert.deepEqual([...schemes].sort(), ['AgentAuth', 'BasicAuth', 'IssuerSignature']);
    for (const [path, methods] of Object.entries(paths)) {
      const isOfAgents = /^\/agents\/me(\/|$)/.test(path);
      for (const { security } of Object.values(methods)) {
        if (isOfAgents) assert.deepEqual(security, [{ AgentAuth: [] }], path);
        else assert.ok(!security.some((scheme) => 'AgentAuth' in scheme), path);
      }
    }
  });

  test('a path that is not of the contract stays 404', async () => {
    assertRefused(await service.platform.get('/quotations'), 404, 'NOT_FOUND');
  });
});

describe('in live mode', () => {
  let service: TestService;
  before(async () => {
    service = await startTestService({
      MODE: 'live',
      KEY_ENCRYPTION_KEY: Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString('base64'),
    });
  });
  after(() => service.stop());

  test('operations of the sandbox are 404, the others 501', async () => {
    const platform = await service.newPlatform();
    const served = new Set(servedBy(service).map(({ id }) => id));
    for (const { method, path } of CONTRACT_OPERATIONS.filter((op) => !served.has(op.id))) {
      const answer = await platform.request(method, exampleOf(path));
      if (path.startsWith('/sandbox/')) assertRefused(answer, 404, 'NOT_FOUND');
      else assertRefused(answer, 501, 'NOT_IMPLEMENTED');
    }
  });
});
