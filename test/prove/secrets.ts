// Secrets of each kind are submitted through the API. Then every column of every table, the log, the metrics, the webhooks and the error
// responses are searched for them, in plain text and in the usual encodings.
import { createDecipheriv, createHash, randomBytes } from 'node:crypto';
import { decryptCredentialBundle } from '@turnkey/crypto';
import { Sql, sql } from '../../src/db/sql.js';
import { agentClient, OPEN_POLICY, redeem } from '../support/agents.js';
import { softwareAuthenticator } from '../support/authenticator.js';
import { chooseProgram, givenCard, givenCardholder, requestCard } from '../support/cards.js';
import { type Client, expectStatus, watched } from '../support/client.js';
import { given } from '../support/given.js';
import { regulatedCustomer, scaOf } from '../support/sca.js';
import { stablecoins } from '../support/stablecoins.js';
import {
  addCredential,
  delegate,
  encryptOtp,
  newKeys,
  nonceOf,
  oidcToken,
  openExport,
  passkeyAssertion,
  passkeyBody,
  signed,
  stamp,
  unprovisionedWallet,
  wallet,
} from '../support/wallet.js';
import { type Environment, startEnvironment } from './environment.js';
import { givenWalletCard } from './objects.js';
import type { Outcome } from './report.js';
import { walkSecretFields } from './secret-fields.js';

type Stage = { readonly client: Client; readonly environment: Environment };
/** Submits secrets of one kind and returns them, as text or as bytes. */
type Plant = (stage: Stage) => Promise<readonly (string | Buffer)[]>;

const canary = (): string => `Canary${randomBytes(15).toString('hex')}`;

/** One entry per kind of secret. */
const PLANTS: Readonly<Record<string, Plant>> = {
  'API secret': async ({ client }) => {
    const { id, clientId, clientSecret } = await expectStatus(
      201,
      client.post('/tokens', { name: 'canary', permissions: ['VIEW'] }, { headers: { 'idempotency-key': 'canary' } }),
    );
    await client.post('/tokens', { name: 'canary', permissions: ['VIEW'] }, { headers: { 'idempotency-key': 'canary' } });
    await client.get('/config', { headers: { authorization: `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}` } });
    await expectStatus(204, client.delete(`/tokens/${id}`));
    return [clientSecret, client.secret];
  },
  'wrong API secret': async ({ client }) => {
    const [wrong, odd] = [canary(), canary()];
    const basic = (text: string) => ({ headers: { authorization: `Basic ${Buffer.from(text).toString('base64')}` } });
    await client.get('/config', basic(`${client.tokenId}:${wrong}`));
    await client.get('/config', { headers: { authorization: `Bearer ${odd}` } });
    return [wrong, odd];
  },
  'credentials at the stablecoin issuer': async ({ client }) => {
    const [id, first, second, rejected, refused] = [canary(), canary(), canary(), `${canary()}005`, `${canary()}002`];
    const build = stablecoins(client);
    const providerAccountId = randomBytes(8).toString('hex');
    const fields = (apiClientSecret: unknown) => ({ apiClientId: id, apiClientSecret, providerAccountId });
    const link = await build.link(fields(first));
    const coin = await build.stablecoin(link);
    await expectStatus(201, build.burn(coin, '1000000'));
    // A conflict, a relink with others, credentials that the provider rejects later, and refusals.
    await build.linking(fields(second));
    await expectStatus(204, client.delete(`/stablecoin-provider-accounts/${link.id}`));
    await build.link(fields(second));
    await expectStatus(204, client.delete(`/stablecoin-provider-accounts/${link.id}`));
    await build.link(fields(rejected));
    await build.burn(coin, '1000000');
    await build.linking(fields(refused));
    await build.linking(fields([refused]));
    await client.get(`/stablecoin-provider-accounts/${link.id}`);
    return [id, first, second, rejected, refused];
  },
  'device codes and access tokens of agents': async ({ client }) => {
    const customer = await given(client).customer();
    const key = { headers: { 'idempotency-key': 'canary agent' } };
    const body = { name: 'canary', customerId: customer.id, policy: OPEN_POLICY };
    const { agent, deviceCode } = await expectStatus(201, client.post('/agents', body, key));
    await client.post('/agents', body, key);
    const replaced = await expectStatus(201, client.post(`/agents/${agent.id}/device-codes`));
    await client.get(`/agents/device-codes/${deviceCode.code}/status`);
    await client.post(`/agents/device-codes/${deviceCode.code}/redeem`);
    const { accessToken } = await redeem(client, replaced);
    await client.post(`/agents/device-codes/${replaced.code}/redeem`);
    const wrong = `gat_${randomBytes(32).toString('hex')}`;
    for (const token of [accessToken, wrong]) await agentClient(client, token).get('/agents/me');
    await agentClient(client, accessToken).post('/agents/me/quotes', { nope: accessToken });
    return [deviceCode.code, replaced.code, accessToken, wrong];
  },
  'government identifier': async ({ client }) => {
    const [kept, changed, refused] = [canary(), canary(), `${canary()}${'x'.repeat(100)}`];
    const customer = await given(client).customer({ idType: 'SSN', identifier: kept });
    await client.patch(`/customers/${customer.id}`, { customerType: 'INDIVIDUAL', idType: 'ITIN', identifier: changed });
    await client.post('/customers', { customerType: 'INDIVIDUAL', identifier: refused });
    await client.post('/customers', { customerType: 'INDIVIDUAL', identifier: { value: kept } });
    return [kept, changed, refused];
  },
  '3-D Secure password': async ({ client }) => {
    const [first, second, refused] = [canary(), canary(), canary()];
    await chooseProgram(client, 'service_3ds');
    const { customer, usd } = await givenCardholder(client);
    const request = { customerId: customer.id, fundingSource: usd.id, threeDSecurePassword: first };
    const card = await expectStatus(201, requestCard(client, request, 'canary card'));
    await requestCard(client, request, 'canary card');
    await client.patch(`/cards/${card.id}`, { threeDSecurePassword: second });
    await client.patch(`/cards/${card.id}`, { threeDSecurePassword: refused, maxSpendPerDay: 1 });
    await client.patch(`/cards/${card.id}`, { threeDSecurePassword: [refused] });
    await chooseProgram(client, 'service_full');
    return [first, second, refused];
  },
  'PIN block': async ({ client }) => {
    const block = randomBytes(48).toString('base64');
    const { card } = await givenCard(client);
    await expectStatus(204, client.post(`/cards/${card.id}/set-pin`, { encryptedPinBlock: block }));
    await client.post(`/cards/${card.id}/set-pin`, { encryptedPinBlock: `${block}!` });
    return [block];
  },
  'reveal link and card number': async ({ client }) => {
    await expectStatus(200, client.patch('/config', { cardConfigs: { pinTargetOrigin: 'https://app.example' } }));
    const { card } = await givenCard(client);
    const { panEmbedUrl } = await expectStatus(200, client.post(`/cards/${card.id}/reveal`));
    const { sessionToken } = await expectStatus(200, client.get(`/cards/${card.id}/pin-entry-url`));
    const page = await (await fetch(panEmbedUrl)).text();
    const number = (/<div id="pan">(.*?)<\/div>/.exec(page)?.[1] ?? '').replaceAll(/\D/g, '');
    await expectStatus(204, client.post('/sandbox/card-pages/pin', { sessionToken, pin: '8391' }));
    const forged = canary();
    await client.get(`/sandbox/card-pages/details?token=${forged}`);
    return [new URL(panEmbedUrl).searchParams.get('token') ?? '', sessionToken, number, forged];
  },
  'one-time password': async ({ client }) => {
    const wrong = canary();
    const { credential } = await unprovisionedWallet(client);
    const keys = newKeys();
    const { otpEncryptionTargetBundle } = await expectStatus(200, client.post(`/auth/credentials/${credential.id}/challenge`));
    const bundle = await encryptOtp(otpEncryptionTargetBundle, keys, wrong);
    await client.post(`/auth/credentials/${credential.id}/verify`, { type: credential.type, encryptedOtpBundle: bundle });
    return [wrong, keys.privateKey, Buffer.from(keys.privateKey, 'hex')];
  },
  'codes and secrets of strong authentication': async ({ client }) => {
    const sca = scaOf(client, await regulatedCustomer(client));
    const { secret, secretBase32Encoded, recoveryCodes } = await sca.withTotp();
    const wrong = canary();
    const { challengeId } = await expectStatus(200, sca.start('SMS_OTP'));
    await sca.complete({ factor: 'SMS_OTP', challengeId, code: wrong });
    await sca.complete({ factor: 'SMS_OTP', challengeId, code: [wrong] });
    const open = await expectStatus(200, scaOf(client, await regulatedCustomer(client)).enroll('TOTP'));
    const { livenessAccessToken } = await expectStatus(201, sca.startReset('TOTP'));
    await client.get(`/sandbox/sca/liveness?token=${livenessAccessToken}`);
    const secrets = [secret, open.secret].flatMap((hex) => [hex, Buffer.from(hex, 'hex')]);
    return [...secrets, secretBase32Encoded, ...recoveryCodes, wrong, livenessAccessToken];
  },
  'recovery phrase, session and delegated keys': async ({ client }) => {
    const { owner, card } = await givenWalletCard(client);
    await delegate(owner, card);
    const reader = newKeys();
    const answer = await signed(owner, 'POST', `/internal-accounts/${owner.account.id}/export`, {
      clientPublicKey: reader.publicKeyUncompressed,
    });
    const { recoveryPhrase } = openExport(answer.body.encryptedWalletCredentials, reader);
    const authenticator = softwareAuthenticator();
    const credential = await addCredential(owner, passkeyBody(authenticator));
    const { body, headers } = await passkeyAssertion(client, credential, authenticator, reader.publicKeyUncompressed);
    const session = await expectStatus(200, client.post(`/auth/credentials/${credential.id}/verify`, body, { headers }));
    const sessionKey = decryptCredentialBundle(session.encryptedSessionSigningKey, reader.privateKey);
    return [recoveryPhrase, sessionKey, Buffer.from(sessionKey, 'hex'), session.encryptedSessionSigningKey, owner.keys.privateKey];
  },
  'stamp of a signed retry': async ({ client }) => {
    const owner = await wallet(client);
    const path = `/internal-accounts/${owner.account.id}`;
    const challenge = await expectStatus(202, client.patch(path, { privateEnabled: true }));
    const right = await stamp(owner.keys, challenge.payloadToSign);
    const wrong = Buffer.from(canary()).toString('base64url');
    const headers = (text: string) => ({ headers: { 'Service-Wallet-Signature': text, 'Request-Id': challenge.requestId } });
    await client.patch(path, { privateEnabled: true }, headers(wrong));
    await expectStatus(200, client.patch(path, { privateEnabled: true }, headers(right)));
    return [right, wrong];
  },
  'OIDC token': async ({ client }) => {
    const owner = await wallet(client);
    const first = await oidcToken(client, { subject: 'canary' });
    const credential = await addCredential(owner, { type: 'OAUTH', oidcToken: first });
    const keys = newKeys();
    const second = await oidcToken(client, { subject: 'canary', nonce: nonceOf(keys.publicKey) });
    await client.post(`/auth/credentials/${credential.id}/verify`, { type: 'OAUTH', oidcToken: second, clientPublicKey: keys.publicKey });
    // The claims are not secret; the signature is.
    return [first, second].map((token) => token.split('.')[2] as string);
  },
  'webhook signing secret': async ({ client }) => {
    const secrets = (await expectStatus(200, client.get('/webhooks/signing-secrets'))).data.map(({ secret }: { secret: string }) => secret);
    await expectStatus(200, client.post('/webhooks/signing-keys/rotate', { overlapSeconds: 60 }));
    const more = (await expectStatus(200, client.get('/webhooks/signing-secrets'))).data.map(({ secret }: { secret: string }) => secret);
    return [...secrets, ...more].flatMap((secret: string) => [secret, Buffer.from(secret.replace(/^whsec_/, ''), 'base64')]);
  },
  'invalid request': async ({ client }) => {
    const [inPath, inQuery, inBody, inName] = [canary(), canary(), canary(), canary()];
    await client.get(`/tokens/${inPath}`);
    await client.get(`/tokens?cursor=${inQuery}`);
    await client.post('/tokens', `{"name":"${inBody}","permissions":[`);
    await client.post('/tokens', { name: 'x', permissions: ['VIEW'], threeDSecurePassword: inName });
    return [inPath, inQuery, inBody, inName];
  },
};

const PLACES = ['database', 'log', 'metrics', 'webhooks', 'errors'] as const;
type Place = (typeof PLACES)[number];

export async function secrets(): Promise<Outcome[]> {
  const encryptionKey = randomBytes(32);
  const environment = await startEnvironment(2, { LOG_LEVEL: 'trace', KEY_ENCRYPTION_KEY: encryptionKey.toString('base64') });
  try {
    const errors: string[] = [];
    const client = watched(environment.platforms[0] as Client, (_method, _path, { status, headers, text }) => {
      if (status >= 400) errors.push(`${JSON.stringify([...headers])} ${text}`);
    });
    await expectStatus(200, client.patch('/config', { webhookEndpoint: environment.receiver.url }));
    const submitted = new Map<string, readonly (string | Buffer)[]>([['key-encryption key', [encryptionKey]]]);
    for (const [kind, plant] of Object.entries(PLANTS)) submitted.set(kind, await plant({ client, environment }));
    // Due webhooks are sent before the response.
    await expectStatus(200, client.put('/sandbox/clock', { advanceMs: 3_600_000 }));
    const walk = await walkSecretFields(environment, environment.platforms[1] as Client);
    for (const [field, values] of walk.secrets) submitted.set(field, values);
    errors.push(...walk.errors);
    submitted.set('sealed values of the database', await sealedIn(environment, encryptionKey));

    const haystacks = await collect(environment, errors);
    assertSearchWorks(haystacks);
    const note = `${Object.keys(PLANTS).length} kinds, and the marked fields of all ${walk.operations} operations`;
    return PLACES.map((place) => search(place, haystacks[place], submitted, note));
  } finally {
    await environment.stop();
  }
}

// ---- places to search

type Haystack = readonly { readonly where: string; readonly bytes: Buffer }[];
/** All bytes of a place, which are searched at once. */
const joined = new WeakMap<Haystack, Buffer>();

async function collect({ service, receiver }: Environment, errors: readonly string[]): Promise<Record<Place, Haystack>> {
  const metrics = await (await fetch(`${service.service.metricsUrl}/metrics`)).text();
  return {
    database: await everyColumn(service.db),
    log: service.logged.map((line) => ({ where: line.slice(0, 200), bytes: Buffer.from(line) })),
    metrics: [{ where: '/metrics', bytes: Buffer.from(metrics) }],
    webhooks: receiver.received.map(({ headers, body }) => ({
      where: 'webhook',
      bytes: Buffer.concat([Buffer.from(JSON.stringify(headers)), body]),
    })),
    errors: errors.map((text) => ({ where: text.slice(0, 200), bytes: Buffer.from(text) })),
  };
}

/** Every value of every table: text as UTF-8, bytes unchanged. */
async function everyColumn(db: Environment['service']['db']): Promise<Haystack> {
  const columns = await db.many<{ table: string; column: string; type: string }>(sql`
    select c.table_name::text as table, c.column_name::text as column, c.data_type::text as type
    from information_schema.columns c join information_schema.tables t using (table_schema, table_name)
    where c.table_schema = 'public' and t.table_type = 'BASE TABLE'`);
  const found = await Promise.all(
    columns.map(async ({ table, column, type }) => {
      const value = type === 'bytea' ? `"${column}"` : `convert_to("${column}"::text, 'UTF8')`;
      const rows = await db.many<{ value: Buffer }>(new Sql(`select ${value} as value from "${table}" where "${column}" is not null`, []));
      return rows.map((row) => ({ where: `${table}.${column}`, bytes: row.value }));
    }),
  );
  return found.flat();
}

/** Decrypts every sealed value of the database. Each must not appear anywhere else. */
async function sealedIn({ service }: Environment, key: Buffer): Promise<(string | Buffer)[]> {
  const keyId = createHash('sha256').update(key).digest().subarray(0, 8);
  const header = Buffer.concat([Buffer.of(1), keyId]);
  const sealed = (await everyColumn(service.db)).filter(({ bytes }) => bytes.subarray(0, 9).equals(header));
  return sealed.flatMap(({ bytes }): (string | Buffer)[] => {
    const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(9, 21));
    const plain = decipher.update(bytes.subarray(21, -16));
    const text = plain.toString('utf8');
    if (!/^[\x20-\x7e]+$/.test(text)) return [plain];
    // A recovery phrase is searched as a whole, a sealed response by its secret members, other text by parts that are long enough to be a secret.
    if (/^[a-z]+( [a-z]+){11,}$/.test(text)) return [text];
    if (text.startsWith('{'))
      return Object.entries(JSON.parse(text)).flatMap(([name, held]) => (/secret/i.test(name) ? [String(held)] : []));
    return text.match(/[A-Za-z0-9+/=_-]{24,}/g) ?? [];
  });
}

// ---- searching

function search(place: Place, haystack: Haystack, submitted: ReadonlyMap<string, readonly (string | Buffer)[]>, note: string): Outcome {
  const failures: string[] = [];
  let trials = 0;
  for (const [kind, values] of submitted) {
    for (const value of values) {
      trials += 1;
      const found = findIn(haystack, value);
      if (found) failures.push(`${kind} is readable in ${found}`);
    }
  }
  return { goal: `secrets: none readable in the ${place}`, trials, failures, note: `${note}; ${haystack.length} places` };
}

const SEPARATOR = Buffer.alloc(1);

function findIn(haystack: Haystack, value: string | Buffer): string | undefined {
  const all = joined.get(haystack) ?? Buffer.concat(haystack.flatMap(({ bytes }) => [bytes, SEPARATOR]));
  joined.set(haystack, all);
  const found = spellingsOf(Buffer.isBuffer(value) ? value : Buffer.from(value, 'utf8')).filter((spelling) => all.includes(spelling));
  return haystack.find(({ bytes }) => found.some((spelling) => bytes.includes(spelling)))?.where;
}

/** Plain, in hex, and in base64 at every alignment. */
function spellingsOf(secret: Buffer): Buffer[] {
  const aligned = [0, 1, 2].map((offset) => {
    const text = Buffer.concat([Buffer.alloc(offset), secret])
      .toString('base64')
      .replaceAll('=', '');
    // The first and last characters depend on the adjacent bytes.
    return text.slice(Math.ceil((offset * 8) / 6) + (offset ? 1 : 0), -1);
  });
  const texts = [
    secret.toString('hex'),
    secret.toString('hex').toUpperCase(),
    ...aligned,
    ...aligned.map((text) => text.replaceAll('+', '-').replaceAll('/', '_')),
  ];
  return [secret, ...texts.map((text) => Buffer.from(text))];
}

/** Control: the search must find values that are not secret, such as a customer's name. */
function assertSearchWorks(haystacks: Record<Place, Haystack>): void {
  for (const [place, known] of [
    ['database', 'Ada Lovelace'],
    ['webhooks', 'Ada Lovelace'],
    ['log', 'createCustomer'],
    ['metrics', 'createCustomer'],
    ['errors', 'INVALID_INPUT'],
  ] as const) {
    if (!findIn(haystacks[place], known)) throw new Error(`the search of the ${place} does not even find ${known}`);
  }
}
