// Sending a code to a contact, by mail and by text message.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { sql } from '../../../../src/db/sql.js';
import { assertRefused, type Client, expectStatus } from '../../../support/client.js';
import { CONTACT_CHANNELS, confirmCode, germanCustomer, sendCode } from '../../../support/contacts.js';
import { changesNothing } from '../../../support/fingerprint.js';
import { given } from '../../../support/given.js';
import { startOwnService, type TestService } from '../../../support/service.js';

const MINUTE_MS = 60_000;
let service: TestService;
let platform: Client;
before(async () => {
  service = await startOwnService({ ROLE: 'api' });
  platform = service.platform;
});
after(() => service.stop());

const outbox = async (query: string) => (await expectStatus(200, platform.get(`/sandbox/messages?${query}`))).data;

for (const { channel, path, message, member } of CONTACT_CHANNELS) {
  describe(`POST …/${path}`, () => {
    test('204: a code goes to the contact, and to no other', async () => {
      const customer = await germanCustomer(platform);
      assert.equal((await sendCode(platform, customer, path)).status, 204);
      const sent = await outbox(`to=${encodeURIComponent(customer[member])}`);
      assert.equal(sent.length, 1);
      assert.deepEqual([sent[0].channel, sent[0].to], [message, customer[member]]);
      assert.match(sent[0].text, /^123456 is your .* code\./);
      assert.equal((await expectStatus(200, platform.get(`/customers/${customer.id}`))).contactVerification[channel], 'PENDING');
    });

    test('again is a resend: the older code is void and its wrong tries are forgotten', async () => {
      const customer = await germanCustomer(platform);
      await sendCode(platform, customer, path);
      for (let i = 0; i < 5; i += 1) await confirmCode(platform, customer, path, '000000');
      assert.equal((await confirmCode(platform, customer, path)).body.details.cause, 'CODE_EXPIRED');
      assert.equal((await sendCode(platform, customer, path)).status, 204);
      assert.equal((await confirmCode(platform, customer, path)).status, 200);
    });

    test('429 RATE_LIMITED: at most five codes per customer and channel in any ten minutes', async () => {
      const own = await service.newPlatform();
      await own.clock.freeze('2026-03-01T12:00:00Z');
      const customer = await germanCustomer(own);
      for (let i = 0; i < 5; i += 1) {
        assert.equal((await sendCode(own, customer, path)).status, 204);
        await own.clock.advance(MINUTE_MS);
      }
      const refused = await changesNothing(service.db, () => sendCode(own, customer, path));
      assertRefused(refused, 429, 'RATE_LIMITED');
      assert.equal(refused.headers.get('retry-after'), '300', 'until the first of the five is ten minutes old');
      await own.clock.advance(5 * MINUTE_MS - 1);
      assertRefused(await sendCode(own, customer, path), 429, 'RATE_LIMITED');
      await own.clock.advance(1);
      assert.equal((await sendCode(own, customer, path)).status, 204);
      assertRefused(await sendCode(own, customer, path), 429, 'RATE_LIMITED');
      const other = await germanCustomer(own);
      assert.equal((await sendCode(own, other, path)).status, 204, 'another customer is not affected');
    });

    test('16 sends at once: five codes, eleven refusals', async () => {
      const customer = await germanCustomer(platform);
      const answers = await Promise.all(Array.from({ length: 16 }, () => sendCode(platform, customer, path)));
      assert.deepEqual(
        [204, 429].map((status) => answers.filter((answer) => answer.status === status).length),
        [5, 11],
      );
    });

    test('409 CONFLICT: no such requirement, or already verified', async () => {
      const elsewhere = await given(platform).customer({ phoneNumber: '+12025550123' });
      const verified = await germanCustomer(platform);
      await sendCode(platform, verified, path);
      await confirmCode(platform, verified, path);
      for (const customer of [elsewhere, verified])
        assertRefused(await changesNothing(service.db, () => sendCode(platform, customer, path)), 409, 'CONFLICT');
    });

    test('404 CUSTOMER_NOT_FOUND: unknown, malformed, deleted and foreign ids answer the same', async () => {
      const deleted = await germanCustomer(platform);
      await sendCode(platform, deleted, path);
      await platform.delete(`/customers/${deleted.id}`);
      const foreign = await germanCustomer(await service.newPlatform());
      const answers = [];
      for (const id of [`Customer:${randomUUID()}`, 'Customer:x', deleted.id, foreign.id]) {
        const answer = await sendCode(platform, { id }, path);
        assertRefused(answer, 404, 'CUSTOMER_NOT_FOUND');
        answers.push(answer.text);
      }
      assert.equal(new Set(answers).size, 1);
      const left = await service.db.one<{ count: bigint }>(
        sql`select count(*) from contact_codes where customer_id = ${deleted.id.slice('Customer:'.length)}`,
      );
      assert.equal(left?.count, 0n, 'the codes of a deleted customer are gone');
    });

    test('403 FORBIDDEN: a token that may only view', async () => {
      const customer = await germanCustomer(platform);
      const { clientId, clientSecret } = await expectStatus(201, platform.post('/tokens', { name: 'v', permissions: ['VIEW'] }));
      assertRefused(await sendCode(service.as(clientId, clientSecret), customer, path), 403, 'FORBIDDEN');
    });
  });
}

test('codes are in no plain column and in no log', async () => {
  const customer = await germanCustomer(platform);
  await sendCode(platform, customer, 'verify-email');
  const rows = await service.db.many(sql`select t::text as row from contact_codes t union all select m::text from messages m`);
  assert.ok(rows.length > 1);
  assert.ok(!JSON.stringify(rows).includes('123456'));
  assert.ok(!service.logged.join('\n').includes('123456'));
});
