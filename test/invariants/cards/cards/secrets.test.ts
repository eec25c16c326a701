// 3-D Secure passwords, PINs and card numbers are not stored: no row, log line, webhook or response contains one.
import assert from 'node:assert/strict';
import { randomBytes, randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import { type Sql, sql } from '../../../../src/db/sql.js';
import { chooseProgram, givenCard, givenCardholder, idempotent, provisioned } from '../../../support/cards.js';
import { type Client, expectStatus } from '../../../support/client.js';
import { startOwnService, type TestService } from '../../../support/service.js';

let service: TestService;
let platform: Client;
before(async () => {
  service = await startOwnService();
  platform = service.platform;
});
after(() => service.stop());

/** Every row of every table as text. */
async function dump(): Promise<string> {
  const tables = await service.db.many<{ name: string }>(sql`select tablename as name from pg_tables where schemaname = 'public'`);
  assert.ok(tables.length > 10);
  const rows: string[] = [];
  for (const { name } of tables) {
    const query = { text: `select row_to_json(t)::text as row from "${name}" t`, values: [] } as unknown as Sql;
    rows.push(...(await service.db.many<{ row: string }>(query)).map(({ row }) => row));
  }
  return rows.join('\n');
}

/** The secret in plain text and in the encodings that a log or a column might contain. */
const disguises = (secret: string): string[] => [
  secret,
  Buffer.from(secret).toString('base64').replace(/=+$/, ''),
  Buffer.from(secret).toString('base64url'),
  Buffer.from(secret).toString('hex'),
];

test('no 3-D Secure password is stored, logged or answered, whether issued, changed, refused, invalid or repeated', async () => {
  const canary = () => `canary-${randomBytes(12).toString('hex')}`;
  const [issued, patched, refused, wrong, silent] = [canary(), canary(), canary(), canary(), canary()] as const;
  const answers: string[] = [];
  const keep = async (answer: ReturnType<Client['post']>) => {
    const got = await answer;
    answers.push(got.text, JSON.stringify([...got.headers]));
    return got;
  };

  await chooseProgram(platform, 'service_3ds');
  const { customer, usd } = await givenCardholder(platform);
  const request = { customerId: customer.id, form: 'VIRTUAL', fundingSource: usd.id, threeDSecurePassword: issued };
  const key = randomUUID();
  const { body } = await keep(platform.post('/cards', request, idempotent(key)));
  await keep(platform.post('/cards', request, idempotent(key)));
  await keep(platform.post('/cards', { ...request, threeDSecurePassword: wrong }, idempotent(key)));
  await provisioned(platform, body.id);
  await expectStatus(200, keep(platform.patch(`/cards/${body.id}`, { threeDSecurePassword: patched })));
  await expectStatus(400, keep(platform.patch(`/cards/${body.id}`, { threeDSecurePassword: wrong, maxSpendPerDay: 1 })));
  await expectStatus(400, keep(platform.patch(`/cards/${body.id}`, { threeDSecurePassword: [wrong] })));
  for (const [program, secret, status] of [
    ['sandbox_issuer_refuses', refused, 409],
    ['sandbox_issuer_silent', silent, 503],
  ] as const) {
    const { card } = await givenCard(platform, { program });
    await expectStatus(status, keep(platform.patch(`/cards/${card.id}`, { threeDSecurePassword: secret })));
  }
  await keep(platform.get(`/cards/${body.id}`));

  const everything = [await dump(), service.logged.join('\n'), answers.join('\n')].join('\n');
  for (const secret of [issued, patched, refused, wrong, silent]) {
    for (const disguise of disguises(secret)) assert.equal(everything.includes(disguise), false, disguise);
  }
});

test('no PIN, PIN block, card number or link to one is stored or logged', async () => {
  await expectStatus(200, platform.patch('/config', { cardConfigs: { pinTargetOrigin: 'https://app.example.com' } }));
  const { card } = await givenCard(platform);
  const encryptedPinBlock = randomBytes(48).toString('base64');
  await expectStatus(204, platform.post(`/cards/${card.id}/set-pin`, { encryptedPinBlock }));
  const { sessionToken, iframeUrl } = await expectStatus(200, platform.get(`/cards/${card.id}/pin-entry-url`));
  const { panEmbedUrl } = await expectStatus(200, platform.post(`/cards/${card.id}/reveal`));
  const html = await (await fetch(panEmbedUrl)).text();
  const number = (/id="pan">(.*?)<\/div>/.exec(html)?.[1] ?? '').replaceAll(/\D/g, '');
  assert.match(number, /^\d{16}$/);
  await fetch(iframeUrl);

  const everything = [await dump(), service.logged.join('\n')].join('\n');
  const tokens = [panEmbedUrl, iframeUrl].map((url) => new URL(url).searchParams.get('token') as string);
  for (const secret of [encryptedPinBlock, sessionToken, number, ...tokens]) assert.equal(everything.includes(secret), false);
});
