// `startSandbox()` as an integrator uses it, without the test harness of this repository.
import '../support/own-process.js';
import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { type Sandbox, startSandbox } from '../../src/testing.js';

let sandbox: Sandbox;
before(async () => {
  sandbox = await startSandbox();
});
after(() => sandbox.stop());

test('answers requests with the returned token', async () => {
  const { status } = await sandbox.request('GET', '/config');
  assert.equal(status, 200);
  const plain = await fetch(`${sandbox.baseUrl}/config`, { headers: { authorization: sandbox.authorization } });
  assert.equal(plain.status, 200);
});

test('the clock can be frozen, advanced and resumed', async () => {
  const at = await sandbox.clock.freeze(new Date('2030-01-01T00:00:00Z'));
  assert.equal(at.toISOString(), '2030-01-01T00:00:00.000Z');
  assert.equal((await sandbox.clock.advance(1_000)).toISOString(), '2030-01-01T00:00:01.000Z');
  assert.ok((await sandbox.clock.resume()) >= new Date('2030-01-01T00:00:01Z'));
});

test('a clock that the service does not move is an error, not a time', async () => {
  await assert.rejects(sandbox.clock.advance(-1), /the clock was not changed: 400 /);
});

test('receives webhooks', async () => {
  const { id } = await sandbox.client.customers.create({ customerType: 'INDIVIDUAL', fullName: 'Ada Lovelace' });
  const event = await sandbox.event(({ type, data }) => type === 'CUSTOMER.KYC_APPROVED' && data['id'] === id);
  assert.match(event.id, /^Webhook:/);
  assert.ok(event.headers['x-service-signature']);
  assert.ok(
    sandbox.events.some(({ type }) => type === 'TEST'),
    'setting the endpoint sends a TEST event',
  );
});

test('a start that fails leaves no data behind', async (t) => {
  const place = mkdtempSync(join(tmpdir(), 'switchyard-place-'));
  const earlier = process.env['TMPDIR'];
  t.after(() => {
    if (earlier === undefined) delete process.env['TMPDIR'];
    else process.env['TMPDIR'] = earlier;
    rmSync(place, { recursive: true, force: true });
  });
  process.env['TMPDIR'] = place;
  await assert.rejects(startSandbox({ env: { LOG_LEVEL: 'loud' } }), /LOG_LEVEL/);
  await assert.rejects(startSandbox({ databaseUrl: 'postgres://127.0.0.1:1/none' }), /DATABASE_URL/);
  assert.deepEqual(readdirSync(place), []);
});

test('the error of a missing event lists the received events', async () => {
  await assert.rejects(sandbox.event('INVITATION.CLAIMED', 20), /no such webhook within 20 ms; received: .*TEST/);
});
