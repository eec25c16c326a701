// Codes of a live installation: random, sent by mail or text message after the commit, refused where the installation has no such channel.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, test } from 'node:test';
import { sql } from '../../../../src/db/sql.js';
import { runDueJobs } from '../../../../src/worker.js';
import { assertRefused, type Client } from '../../../support/client.js';
import { confirmCode, germanCustomer, sendCode } from '../../../support/contacts.js';
import { changesNothing } from '../../../support/fingerprint.js';
import { type MailServer, startMailServer } from '../../../support/mail-server.js';
import { startTestService, type TestService } from '../../../support/service.js';
import { type SmsGateway, startSmsGateway } from '../../../support/sms-gateway.js';

let mail: MailServer;
let gateway: SmsGateway;
let sandbox: TestService;
let service: TestService;
/** The same installation, with a gateway of text messages. */
let texting: TestService;
let platform: Client;
before(async () => {
  mail = await startMailServer();
  const KEY_ENCRYPTION_KEY = randomBytes(32).toString('base64');
  sandbox = await startTestService({ KEY_ENCRYPTION_KEY, ROLE: 'api' });
  const smtp = { SMTP_URL: mail.url, SMTP_FROM: 'codes@switchyard.example' };
  service = await startTestService({ KEY_ENCRYPTION_KEY, DATABASE_URL: sandbox.databaseUrl, MODE: 'live', ROLE: 'api', ...smtp });
  const SMS_GATEWAY_SECRET = randomBytes(32).toString('hex');
  gateway = await startSmsGateway(SMS_GATEWAY_SECRET);
  const sms = { SMS_GATEWAY_URL: gateway.url, SMS_GATEWAY_SECRET };
  texting = await startTestService({ KEY_ENCRYPTION_KEY, DATABASE_URL: sandbox.databaseUrl, MODE: 'live', ROLE: 'api', ...sms });
  platform = service.as(sandbox.platform.tokenId, sandbox.platform.secret);
});
after(async () => {
  await mail?.close();
  await gateway?.close();
  await texting?.stop();
  await service?.stop();
  await sandbox?.stop();
});

/** Accounts are opened in the sandbox; from then on the platform is live. */
async function liveCustomer() {
  await service.db.run(sql`update platforms set mode = 'sandbox'`);
  const customer = await germanCustomer(sandbox.platform);
  await service.db.run(sql`update platforms set mode = 'live'`);
  return customer;
}

const log = { warn: () => {} };
const runJobs = (of = service) => runDueJobs(of.db, 'live', of.service.jobs, log, () => false);

test('a random code is sent by mail, confirms the address, and leaves no text behind', async () => {
  const customer = await liveCustomer();
  assert.equal((await sendCode(platform, customer, 'verify-email')).status, 204);
  assert.equal(mail.received.length, 0, 'nothing is sent inside the transaction');
  await runJobs();
  assert.deepEqual(mail.received[0]?.to, [customer.email]);
  const code = /^(\d{6}) is your .* code\./m.exec(mail.received[0]?.data ?? '')?.[1] ?? '';
  if (code !== '123456')
    assert.equal((await confirmCode(platform, customer, 'verify-email')).status, 400, 'the code of the sandbox is not accepted');
  assert.equal((await confirmCode(platform, customer, 'verify-email', code)).status, 200);
  assert.deepEqual(await service.db.many(sql`select * from messages`), []);
});

test('a message that does not open holds up no other, and is dropped once it has expired', async () => {
  const [broken, other] = [await liveCustomer(), await liveCustomer()];
  await sendCode(platform, broken, 'verify-email');
  await service.db.run(sql`update messages set text_sealed = '\\x00', due_at = created_at - interval '1 second'`);
  await sendCode(platform, other, 'verify-email');
  await runJobs();
  assert.deepEqual(mail.received.at(-1)?.to, [other.email]);
  await service.db.run(sql`update messages set due_at = created_at, expires_at = created_at`);
  await runJobs();
  assert.deepEqual(await service.db.many(sql`select * from messages`), []);
});

test('a mail that cannot be sent stays due; one that has expired is dropped', async () => {
  const customer = await liveCustomer();
  await sendCode(platform, customer, 'verify-email');
  await mail.close();
  await runJobs();
  const rows = () => service.db.many<{ attempts: number }>(sql`select attempts from messages`);
  assert.deepEqual(await rows(), [{ attempts: 1 }]);
  await service.db.run(sql`update messages set due_at = created_at, expires_at = created_at`);
  await runJobs();
  assert.deepEqual(await rows(), []);
});

test('a code goes to the phone through the SMS gateway, signed, and again while the gateway fails', async () => {
  const customer = await liveCustomer();
  const caller = texting.as(sandbox.platform.tokenId, sandbox.platform.secret);
  assert.equal((await sendCode(caller, customer, 'verify-phone')).status, 204);
  gateway.answerWith(503);
  await runJobs(texting);
  gateway.answerWith(202);
  await texting.db.run(sql`update messages set due_at = created_at`);
  await runJobs(texting);
  const [first, second] = gateway.received;
  assert.ok(first?.key && first.isAuthentic);
  assert.deepEqual([gateway.received.length, second], [2, first], 'the same message under the same key');
  assert.equal(first.to, customer.phoneNumber);
  const code = /^(\d{6}) is your .* code\./.exec(first.text)?.[1] ?? '';
  assert.equal((await confirmCode(caller, customer, 'verify-phone', code)).status, 200);
  assert.deepEqual(await texting.db.many(sql`select * from messages`), []);
});

test('400 CHANNEL_UNAVAILABLE: an installation that sends no text messages', async () => {
  const customer = await liveCustomer();
  const refused = await changesNothing(service.db, () => sendCode(platform, customer, 'verify-phone'));
  assertRefused(refused, 400, 'INVALID_INPUT');
  assert.equal(refused.body.details.cause, 'CHANNEL_UNAVAILABLE');
});
