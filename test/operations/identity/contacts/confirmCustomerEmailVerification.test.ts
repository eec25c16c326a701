// Confirming a contact with the code that was sent to it.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { type Answer, assertInvalid, assertRefused, type Client, expectStatus } from '../../../support/client.js';
import { CONTACT_CHANNELS, confirmCode, germanCustomer, sendCode } from '../../../support/contacts.js';
import { given } from '../../../support/given.js';
import { race } from '../../../support/race.js';
import { startTestService, type TestService } from '../../../support/service.js';

const MINUTE_MS = 60_000;
let service: TestService;
let platform: Client;
before(async () => {
  service = await startTestService();
  platform = service.platform;
});
after(() => service.stop());

function assertCause(answer: Answer, cause: string): void {
  assertRefused(answer, 400, 'INVALID_INPUT');
  assert.equal(answer.body.details.cause, cause);
}

for (const { channel, path, other } of CONTACT_CHANNELS) {
  describe(`POST …/${path}/confirm`, () => {
    test('200: the customer with that channel VERIFIED, and the other one unchanged', async () => {
      const customer = await germanCustomer(platform);
      await sendCode(platform, customer, path);
      const confirmed = await expectStatus(200, confirmCode(platform, customer, path));
      assert.deepEqual(confirmed.contactVerification, { email: 'PENDING', phone: 'PENDING', [channel]: 'VERIFIED' });
      assert.deepEqual(await expectStatus(200, platform.get(`/customers/${customer.id}`)), confirmed);
    });

    test('a changed contact is PENDING again, and its code is void', async () => {
      const customer = await germanCustomer(platform);
      await sendCode(platform, customer, path);
      const patch = { customerType: 'INDIVIDUAL', ...other };
      await expectStatus(200, platform.patch(`/customers/${customer.id}`, patch));
      assertCause(await confirmCode(platform, customer, path), 'CODE_EXPIRED');
      await sendCode(platform, customer, path);
      await expectStatus(200, confirmCode(platform, customer, path));
      const same = await expectStatus(200, platform.patch(`/customers/${customer.id}`, patch));
      assert.equal(same.contactVerification[channel], 'VERIFIED', 'the same value changes nothing');
    });

    test('400 CODE_INVALID: a wrong code; the right one is still accepted', async () => {
      const customer = await germanCustomer(platform);
      await sendCode(platform, customer, path);
      for (const wrong of ['000000', '1234567', '12345', ' 123456'])
        assertCause(await confirmCode(platform, customer, path, wrong), 'CODE_INVALID');
      assert.equal((await confirmCode(platform, customer, path)).status, 200);
    });

    test('400 CODE_EXPIRED: none sent, and after five wrong tries', async () => {
      const customer = await germanCustomer(platform);
      assertCause(await confirmCode(platform, customer, path), 'CODE_EXPIRED');
      await sendCode(platform, customer, path);
      for (let i = 0; i < 5; i += 1) assertCause(await confirmCode(platform, customer, path, '000000'), 'CODE_INVALID');
      assertCause(await confirmCode(platform, customer, path), 'CODE_EXPIRED');
    });

    test('400 CODE_EXPIRED: exactly ten minutes after it was sent, and not a moment before', async () => {
      const own = await service.newPlatform();
      await own.clock.freeze('2026-03-01T12:00:00Z');
      const [late, early] = [await germanCustomer(own), await germanCustomer(own)];
      for (const customer of [late, early]) await sendCode(own, customer, path);
      await own.clock.advance(10 * MINUTE_MS - 1);
      assert.equal((await confirmCode(own, early, path)).status, 200);
      await own.clock.advance(1);
      assertCause(await confirmCode(own, late, path), 'CODE_EXPIRED');
    });

    race('64 wrong guesses at once are five tries', async () => {
      const customer = await germanCustomer(platform);
      await sendCode(platform, customer, path);
      const answers = await Promise.all(Array.from({ length: 64 }, (_, i) => confirmCode(platform, customer, path, String(200_000 + i))));
      const causes = answers.map(({ body }) => body.details.cause);
      assert.deepEqual(
        ['CODE_INVALID', 'CODE_EXPIRED'].map((cause) => causes.filter((seen) => seen === cause).length),
        [5, 59],
      );
    });

    race('a right code confirmed 16 times at once is used once', async () => {
      const customer = await germanCustomer(platform);
      await sendCode(platform, customer, path);
      const answers = await Promise.all(Array.from({ length: 16 }, () => confirmCode(platform, customer, path)));
      assert.deepEqual(
        [200, 409].map((status) => answers.filter((answer) => answer.status === status).length),
        [1, 15],
      );
    });

    test('409 CONFLICT before the code is looked at: no requirement, or already verified', async () => {
      const elsewhere = await given(platform).customer({ phoneNumber: '+12025550123' });
      const verified = await germanCustomer(platform);
      await sendCode(platform, verified, path);
      await confirmCode(platform, verified, path);
      for (const customer of [elsewhere, verified])
        for (const code of ['123456', '000000']) assertRefused(await confirmCode(platform, customer, path, code), 409, 'CONFLICT');
    });

    test('404 CUSTOMER_NOT_FOUND, 400 for a code of wrong shape', async () => {
      assertRefused(await confirmCode(platform, { id: `Customer:${randomUUID()}` }, path), 404, 'CUSTOMER_NOT_FOUND');
      const customer = await germanCustomer(platform);
      assertInvalid(await platform.post(`/customers/${customer.id}/${path}/confirm`, {}), 'code');
      assertInvalid(await platform.post(`/customers/${customer.id}/${path}/confirm`, { code: 123456 }), 'code');
    });

    test('no event is sent for a verified contact', async () => {
      const customer = await germanCustomer(platform);
      const events = async () => (await expectStatus(200, platform.get('/webhooks/events'))).totalCount;
      const before = await events();
      await sendCode(platform, customer, path);
      await confirmCode(platform, customer, path);
      assert.equal(await events(), before);
    });
  });
}

test('the code of one channel does not confirm the other', async () => {
  const customer = await germanCustomer(platform);
  await sendCode(platform, customer, 'verify-email');
  assertCause(await confirmCode(platform, customer, 'verify-phone'), 'CODE_EXPIRED');
});
