import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { Webhook, WebhookVerificationError } from 'standardwebhooks';
import { sql } from '../../../../src/db/sql.js';
import { assertInvalid, assertRefused, type Client, expectStatus } from '../../../support/client.js';
import { race } from '../../../support/race.js';
import { startOwnService, type TestService } from '../../../support/service.js';
import { givenEndpoint } from '../../../support/webhooks/platform.js';
import type { Receiver } from '../../../support/webhooks/receiver.js';
import { verifyServiceSignature, verifyStandardSignature } from '../../../support/webhooks/verify.js';

let service: TestService;
let platform: Client;
let receiver: Receiver;
before(async () => {
  service = await startOwnService();
  platform = service.platform;
  await platform.clock.freeze();
  receiver = await givenEndpoint(platform);
});
after(async () => {
  await receiver.close();
  await service.stop();
});

type Keys = { id: string; publicKeyPem: string; standardWebhooksPublicKey: string; retiresAt?: string };
const keysOf = async (client = platform): Promise<Keys[]> => (await expectStatus(200, client.get('/webhooks/signing-keys'))).data;
const secretsOf = async (): Promise<{ keyId: string; secret: string }[]> =>
  (await expectStatus(200, platform.get('/webhooks/signing-secrets'))).data;

/** The keys that verify the next delivery, for each of the three signatures. */
async function proofs(keys: readonly Keys[], secrets: readonly { secret: string }[]) {
  receiver.received.length = 0;
  await expectStatus(200, platform.post('/webhooks/test'));
  const [received] = receiver.received;
  assert.ok(received);
  const { headers, body } = received;
  const library = (secret: string) => {
    try {
      new Webhook(secret).verify(body, headers as Record<string, string>);
      return true;
    } catch (error) {
      assert.ok(error instanceof WebhookVerificationError);
      return false;
    }
  };
  return {
    service: keys.map(({ publicKeyPem }) => verifyServiceSignature(publicKeyPem, headers, body)),
    standard: keys.map(({ standardWebhooksPublicKey }) => verifyStandardSignature(standardWebhooksPublicKey, headers, body)),
    shared: secrets.map(({ secret }) => library(secret)),
  };
}
const both = [true, true];

describe('200', () => {
  test('"rotation signs with both keys during an overlap", and with the new one alone after it', async () => {
    const [old] = await keysOf();
    assert.ok(old);
    const secrets = await secretsOf();
    const now = await platform.clock.now();
    const { data } = await expectStatus(200, platform.post('/webhooks/signing-keys/rotate', { overlapSeconds: 3_600 }));
    assert.equal(data.length, 2);
    assert.equal(data[0].id, old.id);
    assert.equal(data[0].retiresAt, new Date(now.getTime() + 3_600_000).toISOString());
    assert.equal(data[1].retiresAt, undefined);
    assert.deepEqual(await keysOf(), data);
    const pair = await secretsOf();
    assert.deepEqual(pair[0], secrets[0]);
    assert.deepEqual(await proofs(data, pair), { service: both, standard: both, shared: both });

    await platform.clock.advance(3_600_000 - 1);
    assert.deepEqual(await proofs(data, pair), { service: both, standard: both, shared: both });
    await platform.clock.advance(1);
    const late = [false, true];
    assert.deepEqual(await proofs(data, pair), { service: late, standard: late, shared: late });
    assert.deepEqual(
      (await keysOf()).map(({ id }) => id),
      [data[1].id],
    );
  });

  test('the default overlap is a day; without an overlap the old key retires at once', async () => {
    const now = await platform.clock.now();
    const { data } = await expectStatus(200, platform.post('/webhooks/signing-keys/rotate'));
    assert.equal(data[0].retiresAt, new Date(now.getTime() + 86_400_000).toISOString());
    const emergency = await expectStatus(200, platform.post('/webhooks/signing-keys/rotate', { overlapSeconds: 0 }));
    assert.equal(emergency.data.length, 1);
    assert.ok(!data.some(({ id }: Keys) => id === emergency.data[0].id));
    assert.deepEqual(await proofs(emergency.data, await secretsOf()), { service: [true], standard: [true], shared: [true] });
  });

  test('a key that a rotation found retired signs no more, also after the clock is set back', async () => {
    const other = await service.newPlatform();
    await other.clock.freeze('2026-03-01T00:00:00Z');
    const rotate = async (overlapSeconds: number): Promise<Keys[]> =>
      (await expectStatus(200, other.post('/webhooks/signing-keys/rotate', { overlapSeconds }))).data;
    const idsAt = async (now: string) => {
      await other.clock.freeze(now);
      return (await keysOf(other)).map(({ id }) => id);
    };
    await rotate(60);
    await other.clock.advance(60_000);
    const pair = (await rotate(60)).map(({ id }) => id);
    assert.deepEqual(await idsAt('2026-03-01T00:00:00Z'), pair);
    // A compromised key is replaced at once.
    const [emergency] = await rotate(0);
    assert.deepEqual(await idsAt('2026-02-01T00:00:00Z'), [emergency?.id]);
  });

  test('two platforms have different keys', async () => {
    const other = await service.newPlatform();
    assert.notEqual((await keysOf(other))[0]?.publicKeyPem, (await keysOf()).at(-1)?.publicKeyPem);
  });

  race('concurrent first requests make one key', async () => {
    const other = await service.newPlatform();
    const answers = await Promise.all(Array.from({ length: 8 }, () => keysOf(other)));
    for (const answer of answers) assert.deepEqual(answer, answers[0]);
  });
});

describe('409 CONFLICT', () => {
  test('one overlap at a time', async () => {
    const other = await service.newPlatform();
    await expectStatus(200, other.post('/webhooks/signing-keys/rotate'));
    const before = await keysOf(other);
    assertRefused(await other.post('/webhooks/signing-keys/rotate', { overlapSeconds: 1 }), 409, 'CONFLICT');
    assert.deepEqual(await keysOf(other), before);
  });
});

describe('400 INVALID_INPUT', () => {
  test('an overlap is a whole number of seconds, at most a week', async () => {
    for (const overlapSeconds of [-1, 604_801, 1.5, '60']) {
      assertInvalid(await platform.post('/webhooks/signing-keys/rotate', { overlapSeconds }), 'overlapSeconds');
    }
  });
});

describe('custody', () => {
  test('no private key and no shared secret is stored in the clear or logged', async () => {
    const secrets = await secretsOf();
    const rows = await service.db.many<{ text: string }>(sql`select to_jsonb(k)::text as text from webhook_signing_keys k`);
    for (const { secret } of secrets) {
      const raw = secret.slice('whsec_'.length);
      const hex = Buffer.from(raw, 'base64').toString('hex');
      for (const { text } of rows) assert.ok(!text.includes(raw) && !text.includes(hex) && !text.includes('PRIVATE'));
      for (const line of service.logged) assert.ok(!line.includes(raw));
    }
  });
});
