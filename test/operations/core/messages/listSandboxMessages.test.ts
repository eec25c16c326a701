// The sandbox sends no messages; they can be read for a day.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { assertInvalid, type Client, expectStatus } from '../../../support/client.js';
import { germanCustomer, sendCode } from '../../../support/contacts.js';
import { startTestService, type TestService } from '../../../support/service.js';

const DAY_MS = 86_400_000;
let service: TestService;
let platform: Client;
before(async () => {
  service = await startTestService();
  platform = service.platform;
});
after(() => service.stop());

const list = (query = '', from: Client = platform) => expectStatus(200, from.get(`/sandbox/messages${query}`));

test('200: newest first, by recipient and channel, in pages; only a mail has a subject', async () => {
  const customer = await germanCustomer(platform);
  await sendCode(platform, customer, 'verify-email');
  await sendCode(platform, customer, 'verify-phone');
  const { data, totalCount } = await list();
  assert.equal(totalCount, 2);
  assert.deepEqual(
    data.map(({ channel, to }: { channel: string; to: string }) => [channel, to]),
    [
      ['SMS', customer.phoneNumber],
      ['EMAIL', customer.email],
    ],
  );
  assert.deepEqual([typeof data[0].subject, typeof data[1].subject], ['undefined', 'string']);
  assert.deepEqual((await list('?channel=SMS')).data, [data[0]]);
  assert.deepEqual((await list(`?to=${encodeURIComponent(customer.email)}`)).data, [data[1]]);
  assert.deepEqual((await list('?to=nobody@example.com')).data, []);
  const first = await list('?limit=1');
  assert.deepEqual([first.hasMore, first.data], [true, [data[0]]]);
  assert.deepEqual((await list(`?limit=1&cursor=${first.nextCursor}`)).data, [data[1]]);
  assertInvalid(await platform.get('/sandbox/messages?channel=FAX'), 'channel');
});

test('messages are gone after 24 hours of the platform clock, and invisible to other platforms', async () => {
  const own = await service.newPlatform();
  await own.clock.freeze('2026-03-01T12:00:00Z');
  await sendCode(own, await germanCustomer(own), 'verify-email');
  await own.clock.advance(DAY_MS - 1);
  assert.equal((await list('', own)).totalCount, 1);
  assert.equal((await list('', await service.newPlatform())).totalCount, 0);
  await own.clock.advance(1);
  assert.equal((await list('', own)).totalCount, 0);
});
