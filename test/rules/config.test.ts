// Configuration by environment: "validated at start, a wrong value named in the error".
import assert from 'node:assert/strict';
import { resolve } from 'node:path';
import { describe, test } from 'node:test';
import { ConfigError, type Env, readConfig, SETTINGS, type SettingName, settingsTable } from '../../src/config.js';

const KEY = 'mPq8yRk0vX3bT6nWcZ1dLhJ5sFgA9uEoQi2KxMfYwN4=';
const OTHER_KEY = 'Zk7cUe2WvB9nHs4TqXa1LrYd6PjGm0FiOx8KbEwNf3M=';
const SECRET = 'a-secret-of-some-length';

function problemsOf(env: Env): readonly string[] {
  try {
    readConfig(env);
  } catch (error) {
    assert.ok(error instanceof ConfigError);
    return error.problems;
  }
  return [];
}

test('an empty environment is a complete sandbox configuration', () => {
  assert.deepEqual(readConfig({}), {
    port: 8080,
    host: '127.0.0.1',
    metrics: { host: '127.0.0.1', port: 9464, isDefaultPort: true },
    dataDir: resolve('.data'),
    databaseUrl: undefined,
    databasePooler: undefined,
    databasePoolSize: 10,
    databaseDecisionPoolSize: 4,
    databaseLockTimeoutMs: 10_000,
    mode: 'sandbox',
    role: 'all',
    shutdownDelayMs: 0,
    bootstrapTokens: [],
    fixtures: [],
    keyEncryptionKeys: [],
    logLevel: 'info',
    walletSignatureHeaderAliases: [],
    compatibility: { webhookSignature: { names: [], isJson: false }, errorMembers: false },
    console: 'on',
    requestLog: true,
    issuerDeadlineMs: 1_800,
    issuerCertificateHeader: undefined,
    cardHoldDays: 7,
    cardSettlementLagMs: 7_200_000,
    retention: { idempotencyMs: 36 * 3_600_000, signedRequestsMs: 3_600_000, sessionsMs: 30 * 86_400_000, oneTimeCodesMs: 0 },
    webhookLife: { eventDays: 90, attemptDays: 90 },
    platformConcurrency: 8,
    rateLimitPerMinute: undefined,
    platformRateLimitPerMinute: undefined,
    failedLoginsPerMinute: undefined,
    trustedProxies: undefined,
    publicUrl: undefined,
    smsGateway: undefined,
    kycProvider: undefined,
    smtp: undefined,
    oauthIssuers: [],
    umaCounterparties: [],
  });
});

test('every setting is read', () => {
  const config = readConfig({
    PORT: '0',
    HOST: '::',
    METRICS_PORT: '9000',
    METRICS_HOST: '0.0.0.0',
    DATA_DIR: '/srv/data',
    DATABASE_URL: 'postgresql://app:pw@db.example/switchyard',
    DATABASE_POOLER: 'transaction',
    DATABASE_DIRECT_URL: 'postgresql://app:pw@db.example:5433/switchyard',
    DATABASE_POOL_SIZE: '200',
    DATABASE_DECISION_POOL_SIZE: '50',
    DATABASE_LOCK_TIMEOUT_MS: '500',
    MODE: 'sandbox',
    ROLE: 'worker',
    SHUTDOWN_DELAY: '5s',
    BOOTSTRAP_TOKEN: `first:${SECRET}, second_2:${SECRET}`,
    FIXTURES: 'neobank.yaml, /etc/more.json',
    KEY_ENCRYPTION_KEY: `${KEY},${OTHER_KEY}`,
    LOG_LEVEL: 'silent',
    WALLET_SIGNATURE_HEADER_ALIASES: 'X-Wallet-Signature, Service-Wallet-Signature',
    COMPATIBILITY_WEBHOOK_SIGNATURE_HEADERS: 'X-Other-Signature, X-Service-Signature',
    COMPATIBILITY_WEBHOOK_SIGNATURE_FORM: 'json',
    COMPATIBILITY_ERROR_MEMBERS: 'on',
    CONSOLE: 'read-only',
    REQUEST_LOG: 'off',
    ISSUER_DEADLINE_MS: '60000',
    ISSUER_CERTIFICATE_HEADER: 'X-Client-Cert-Sha256',
    CARD_HOLD_DAYS: '31',
    CARD_SETTLEMENT_LAG: '90s',
    IDEMPOTENCY_RETENTION: '90d',
    SIGNED_REQUEST_RETENTION: '0s',
    SESSION_RETENTION: '3650d',
    ONE_TIME_CODE_RETENTION: '1m',
    WEBHOOK_EVENT_RETENTION: 'off',
    WEBHOOK_ATTEMPT_RETENTION: '14d',
    PLATFORM_CONCURRENCY: '5',
    RATE_LIMIT_PER_MINUTE: '30',
    PLATFORM_RATE_LIMIT_PER_MINUTE: '300',
    FAILED_LOGINS_PER_MINUTE: '5',
    TRUST_PROXY: '127.0.0.1, 10.0.0.0/8, ::1',
    PUBLIC_URL: 'https://pay.example/base/',
    SMTP_URL: 'smtps://user:pw@mail.example:465',
    SMTP_FROM: 'Switchyard <codes@pay.example>',
    SMS_GATEWAY_URL: 'https://sms.example/v1/',
    SMS_GATEWAY_SECRET: 'another shared secret of at least 32 characters',
    KYC_PROVIDER_URL: 'https://kyc.example/v1/',
    KYC_PROVIDER_SECRET: 'a shared secret of at least 32 characters',
    OAUTH_ISSUERS: 'https://id.example|https://id.example/keys|app',
    UMA_COUNTERPARTIES: 'pay.beta.example, gamma.example=http://127.0.0.1:8081/',
  });
  assert.deepEqual(config, {
    port: 0,
    host: '::',
    metrics: { host: '0.0.0.0', port: 9000, isDefaultPort: false },
    dataDir: '/srv/data',
    databaseUrl: 'postgresql://app:pw@db.example/switchyard',
    databasePooler: { directUrl: 'postgresql://app:pw@db.example:5433/switchyard' },
    databasePoolSize: 200,
    databaseDecisionPoolSize: 50,
    databaseLockTimeoutMs: 500,
    mode: 'sandbox',
    role: 'worker',
    shutdownDelayMs: 5_000,
    fixtures: [resolve('neobank.yaml'), '/etc/more.json'],
    bootstrapTokens: [
      { id: 'first', secret: SECRET },
      { id: 'second_2', secret: SECRET },
    ],
    keyEncryptionKeys: [Buffer.from(KEY, 'base64'), Buffer.from(OTHER_KEY, 'base64')],
    logLevel: 'silent',
    walletSignatureHeaderAliases: ['x-wallet-signature'],
    compatibility: { webhookSignature: { names: ['x-other-signature'], isJson: true }, errorMembers: true },
    console: 'read-only',
    requestLog: false,
    issuerDeadlineMs: 60_000,
    issuerCertificateHeader: 'x-client-cert-sha256',
    cardHoldDays: 31,
    cardSettlementLagMs: 90_000,
    retention: { idempotencyMs: 90 * 86_400_000, signedRequestsMs: 0, sessionsMs: 3650 * 86_400_000, oneTimeCodesMs: 60_000 },
    webhookLife: { eventDays: 0, attemptDays: 14 },
    platformConcurrency: 5,
    rateLimitPerMinute: 30,
    platformRateLimitPerMinute: 300,
    failedLoginsPerMinute: 5,
    trustedProxies: ['127.0.0.1', '10.0.0.0/8', '::1'],
    publicUrl: 'https://pay.example/base',
    smsGateway: { url: 'https://sms.example/v1', secret: 'another shared secret of at least 32 characters' },
    kycProvider: { url: 'https://kyc.example/v1', secret: 'a shared secret of at least 32 characters' },
    smtp: { url: 'smtps://user:pw@mail.example:465', from: 'Switchyard <codes@pay.example>' },
    oauthIssuers: [{ issuer: 'https://id.example', jwksUrl: 'https://id.example/keys', audience: 'app' }],
    umaCounterparties: [
      { domain: 'pay.beta.example', origin: undefined },
      { domain: 'gamma.example', origin: 'http://127.0.0.1:8081' },
    ],
  });
});

test('the configuration is immutable', () => {
  const config = readConfig({ BOOTSTRAP_TOKEN: `id:${SECRET}` });
  assert.ok(Object.isFrozen(config) && Object.isFrozen(config.bootstrapTokens) && Object.isFrozen(config.bootstrapTokens[0]));
});

test('a blank value is unset, and spaces around a value are removed', () => {
  assert.equal(readConfig({ PORT: '', DATABASE_URL: '  ' }).port, 8080);
  assert.equal(readConfig({ PORT: ' 81\n' }).port, 81);
});

describe('accepted', () => {
  const accepted: readonly [SettingName, string, unknown][] = [
    ['PORT', '65535', 65535],
    ['HOST', 'localhost', 'localhost'],
    ['DATABASE_URL', 'postgres:///db?host=/var/run', 'postgres:///db?host=/var/run'],
    ['DATABASE_URL', 'postgres://one:1,two/db?target_session_attrs=primary', 'postgres://one:1,two/db?target_session_attrs=primary'],
    ['DATABASE_POOL_SIZE', '1', 1],
    ['DATABASE_DECISION_POOL_SIZE', '3', 3],
    ['DATABASE_LOCK_TIMEOUT_MS', '10', 10],
    ['ISSUER_DEADLINE_MS', '10', 10],
    ['CARD_HOLD_DAYS', '1', 1],
    ['CARD_SETTLEMENT_LAG', '0s', 0],
    ['CARD_SETTLEMENT_LAG', '30m', 1_800_000],
    ['CARD_SETTLEMENT_LAG', '7d', 604_800_000],
    ['PLATFORM_CONCURRENCY', 'off', undefined],
    ['PLATFORM_CONCURRENCY', '1000', 1000],
    ['RATE_LIMIT_PER_MINUTE', 'off', undefined],
    ['RATE_LIMIT_PER_MINUTE', '1', 1],
    ['PUBLIC_URL', 'http://localhost:8080', 'http://localhost:8080'],
  ];
  const field: Readonly<Partial<Record<SettingName, keyof ReturnType<typeof readConfig>>>> = {
    PORT: 'port',
    HOST: 'host',
    DATABASE_URL: 'databaseUrl',
    DATABASE_POOL_SIZE: 'databasePoolSize',
    DATABASE_DECISION_POOL_SIZE: 'databaseDecisionPoolSize',
    DATABASE_LOCK_TIMEOUT_MS: 'databaseLockTimeoutMs',
    ISSUER_DEADLINE_MS: 'issuerDeadlineMs',
    CARD_HOLD_DAYS: 'cardHoldDays',
    CARD_SETTLEMENT_LAG: 'cardSettlementLagMs',
    PLATFORM_CONCURRENCY: 'platformConcurrency',
    RATE_LIMIT_PER_MINUTE: 'rateLimitPerMinute',
    PUBLIC_URL: 'publicUrl',
  };
  for (const [name, text, value] of accepted) {
    test(`${name}=${text}`, () => assert.deepEqual(readConfig({ [name]: text })[field[name]!], value));
  }

  test('a bootstrap token id of 64 characters with a secret of 16', () => {
    const pair = { id: 'i'.repeat(64), secret: 's'.repeat(16) };
    assert.deepEqual(readConfig({ BOOTSTRAP_TOKEN: `${pair.id}:${pair.secret}` }).bootstrapTokens, [pair]);
  });

  test('OAuth issuers as JSON, with http for localhost', () => {
    const issuer = { issuer: 'http://localhost:9000', jwksUrl: 'http://127.0.0.1:9000/keys', audience: 'a,b|c' };
    assert.deepEqual(readConfig({ OAUTH_ISSUERS: JSON.stringify([issuer]) }).oauthIssuers, [issuer]);
  });
});

describe('refused with the name of the variable and its accepted values', () => {
  const refused: readonly [SettingName, string, RegExp][] = [
    ['PORT', '65536', /out of range/],
    ['PORT', '-1', /not a whole number/],
    ['PORT', '80.5', /not a whole number/],
    ['PORT', '0x50', /not a whole number/],
    ['HOST', '1.2.3.4.5', /not an address/],
    ['HOST', 'http://localhost', /not an address/],
    ['HOST', '[::1]', /not an address/],
    ['DATABASE_URL', 'mysql://localhost/db', /not such a URL/],
    ['DATABASE_URL', 'localhost:5432', /not such a URL/],
    ['DATABASE_URL', 'postgres://one,two/db?target_session_attrs=standby', /takes no writes/],
    ['DATABASE_URL', 'postgres://one:x,two/db', /cannot be read/],
    ['SHUTDOWN_DELAY', '61s', /SHUTDOWN_DELAY/],
    ['DATABASE_POOLER', 'session', /not a known value/],
    ['DATABASE_DIRECT_URL', 'db:5432', /not such a URL/],
    ['DATABASE_POOL_SIZE', '0', /out of range/],
    ['DATABASE_POOL_SIZE', '201', /out of range/],
    ['DATABASE_DECISION_POOL_SIZE', '2', /out of range/],
    ['DATABASE_DECISION_POOL_SIZE', '51', /out of range/],
    ['DATABASE_LOCK_TIMEOUT_MS', '9', /out of range/],
    ['MODE', 'Live', /not a known value/],
    ['ROLE', 'both', /not a known value/],
    ['LOG_LEVEL', 'verbose', /not a known value/],
    ['BOOTSTRAP_TOKEN', 'id', /secret of pair 1 is empty/],
    ['BOOTSTRAP_TOKEN', 'id:', /secret of pair 1 is empty/],
    ['BOOTSTRAP_TOKEN', `${'i'.repeat(65)}:${SECRET}`, /pair 1 has no usable id/],
    ['BOOTSTRAP_TOKEN', `:${SECRET}`, /pair 1 has no usable id/],
    ['BOOTSTRAP_TOKEN', `an id:${SECRET}`, /pair 1 has no usable id/],
    ['BOOTSTRAP_TOKEN', `id:${SECRET}:more`, /pair 1 has no usable id/],
    ['BOOTSTRAP_TOKEN', 'id:a secret with spaces', /a space/],
    ['BOOTSTRAP_TOKEN', "id:it's", /has a quote/],
    ['BOOTSTRAP_TOKEN', `id:${SECRET},`, /empty entry/],
    ['BOOTSTRAP_TOKEN', `id:${SECRET},id:${SECRET}`, /one id twice/],
    ['KEY_ENCRYPTION_KEY', Buffer.alloc(31, 1).toString('base64'), /key 1 is not 32 bytes/],
    ['KEY_ENCRYPTION_KEY', Buffer.alloc(33, 1).toString('base64'), /key 1 is not 32 bytes/],
    ['KEY_ENCRYPTION_KEY', `${KEY},${KEY.slice(0, -2)}5=`, /key 2 is not 32 bytes/],
    ['KEY_ENCRYPTION_KEY', `${KEY},${KEY}`, /one key twice/],
    ['WALLET_SIGNATURE_HEADER_ALIASES', 'X Wallet', /no header name/],
    ['WALLET_SIGNATURE_HEADER_ALIASES', 'X-Wallet:', /no header name/],
    ['WALLET_SIGNATURE_HEADER_ALIASES', 'Authorization', /names authorization/],
    ['COMPATIBILITY_WEBHOOK_SIGNATURE_HEADERS', 'a b', /no header name/],
    ['COMPATIBILITY_WEBHOOK_SIGNATURE_HEADERS', 'X-Signature, Webhook-Id', /names webhook-id/],
    ['COMPATIBILITY_WEBHOOK_SIGNATURE_HEADERS', 'X-Signature-Next', /another meaning/],
    ['COMPATIBILITY_WEBHOOK_SIGNATURE_HEADERS', 'Transfer-Encoding', /another meaning/],
    ['COMPATIBILITY_WEBHOOK_SIGNATURE_FORM', 'hex', /not a known value/],
    ['COMPATIBILITY_ERROR_MEMBERS', 'yes', /not a known value/],
    ['ISSUER_DEADLINE_MS', '9', /out of range/],
    ['ISSUER_DEADLINE_MS', '60001', /out of range/],
    ['ISSUER_CERTIFICATE_HEADER', 'a,b', /not one header name/],
    ['ISSUER_CERTIFICATE_HEADER', 'issuer-signature', /another meaning/],
    ['CARD_HOLD_DAYS', '0', /out of range/],
    ['CARD_HOLD_DAYS', '32', /out of range/],
    ['CARD_SETTLEMENT_LAG', '2', /not a duration/],
    ['CARD_SETTLEMENT_LAG', '-2h', /not a duration/],
    ['CARD_SETTLEMENT_LAG', '2 hours', /not a duration/],
    ['CARD_SETTLEMENT_LAG', '8d', /too long/],
    ['IDEMPOTENCY_RETENTION', '23h', /too short/],
    ['IDEMPOTENCY_RETENTION', '91d', /too long/],
    ['SIGNED_REQUEST_RETENTION', 'off', /not a duration/],
    ['SESSION_RETENTION', '3651d', /too long/],
    ['ONE_TIME_CODE_RETENTION', '91d', /too long/],
    ['WEBHOOK_EVENT_RETENTION', '13d', /too short/],
    ['WEBHOOK_ATTEMPT_RETENTION', 'never', /not a duration/],
    ['PLATFORM_CONCURRENCY', '0', /out of range/],
    ['RATE_LIMIT_PER_MINUTE', '0', /out of range/],
    ['PLATFORM_RATE_LIMIT_PER_MINUTE', '0', /out of range/],
    ['FAILED_LOGINS_PER_MINUTE', '0', /out of range/],
    ['TRUST_PROXY', 'on', /neither an address nor a network/],
    ['TRUST_PROXY', '10.0.0.0/33', /impossible size/],
    ['TRUST_PROXY', '10.0.0.0/0', /impossible size/],
    ['TRUST_PROXY', '10.0.0.1/8/8', /neither an address nor a network/],
    ['PUBLIC_URL', 'pay.example', /not such a URL/],
    ['PUBLIC_URL', 'https://pay.example/?a=1', /more than a base URL/],
    ['SMTP_URL', 'https://mail.example', /not such a URL/],
    ['SMTP_FROM', 'nobody', /not a mail address/],
    ['SMS_GATEWAY_URL', 'http://sms.example', /without https/],
    ['SMS_GATEWAY_SECRET', 'short', /shorter than 32 characters/],
    ['KYC_PROVIDER_URL', 'http://kyc.example', /without https/],
    ['KYC_PROVIDER_URL', 'https://kyc.example/?a=b', /more than a base URL/],
    ['KYC_PROVIDER_SECRET', 'short', /shorter than 32 characters/],
    ['OAUTH_ISSUERS', 'https://id.example', /without audience/],
    ['OAUTH_ISSUERS', 'http://id.example|http://id.example/keys|app', /without https/],
    ['OAUTH_ISSUERS', '[{', /not valid JSON/],
    ['UMA_COUNTERPARTIES', 'Beta.example', /begin with a domain in lower case/],
    ['UMA_COUNTERPARTIES', 'https://beta.example', /begin with a domain in lower case/],
    ['UMA_COUNTERPARTIES', 'beta.example=http://beta.example', /without https/],
    ['UMA_COUNTERPARTIES', 'beta.example=https://beta.example/uma', /origin with a path/],
    ['UMA_COUNTERPARTIES', 'beta.example,beta.example', /a domain twice/],
    ['OAUTH_ISSUERS', '[null]', /without issuer, jwksUrl and audience/],
  ];
  for (const [name, text, why] of refused) {
    test(`${name}=${text}`, () => {
      const problem = problemsOf({ [name]: text }).find((line) => line.startsWith(`${name}: `));
      assert.ok(problem, 'the variable is named');
      assert.match(problem, why);
      assert.ok(problem.endsWith(`It takes ${SETTINGS[name].accepts}.`));
    });
  }

  test('one error names all wrong values', () => {
    const problems = problemsOf({ PORT: 'x', MODE: 'test', LOG_LEVEL: 'loud' });
    assert.deepEqual(problems.map((problem) => problem.split(':')[0]).sort(), ['LOG_LEVEL', 'MODE', 'PORT']);
    assert.throws(() => readConfig({ PORT: 'x' }), /The configuration is wrong:\n {2}PORT: is not a whole number, got "x"\./);
  });

  test('DATABASE_POOLER without the address past the pooler', () => {
    assert.throws(
      () => readConfig({ DATABASE_URL: 'postgres://pooler/db', DATABASE_POOLER: 'transaction' }),
      /DATABASE_DIRECT_URL: is needed/,
    );
  });

  test('the address past a pooler without saying that there is one: it would be unused, and statements prepared through the pooler', () => {
    const urls = { DATABASE_URL: 'postgres://pooler/db', DATABASE_DIRECT_URL: 'postgres://server/db' };
    assert.match(problemsOf(urls).join(), /^DATABASE_POOLER: is needed because DATABASE_DIRECT_URL is set/);
    assert.equal(readConfig({ ...urls, DATABASE_POOLER: 'off' }).databasePooler, undefined);
    assert.deepEqual(readConfig({ ...urls, DATABASE_POOLER: 'transaction' }).databasePooler, { directUrl: urls.DATABASE_DIRECT_URL });
  });

  test('SMTP_URL without SMTP_FROM, and the reverse', () => {
    assert.match(problemsOf({ SMTP_URL: 'smtp://mail.example' }).join(), /^SMTP_FROM: is needed because SMTP_URL is set/);
    assert.match(problemsOf({ SMTP_FROM: 'a@b.example' }).join(), /^SMTP_URL: is needed because SMTP_FROM is set/);
  });

  test('errors do not contain secrets', () => {
    const leaked = 'hunter2-hunter2';
    const problems = problemsOf({
      DATABASE_URL: `mysql://app:${leaked}@db`,
      BOOTSTRAP_TOKEN: `id:${leaked} with a space`,
      KEY_ENCRYPTION_KEY: leaked,
      SMTP_URL: `http://a:${leaked}@mail`,
      SMTP_FROM: 'a@b.example',
    });
    assert.equal(problems.length, 4);
    assert.ok(!problems.join().includes(leaked));
  });
});

describe('live mode', () => {
  const live = { MODE: 'live', KEY_ENCRYPTION_KEY: KEY };

  test('needs only a key: the database is embedded and the rate is limited by default', () => {
    const config = readConfig(live);
    assert.equal(config.rateLimitPerMinute, 600);
    assert.equal(config.databaseUrl, undefined);
  });

  test('lets the operator switch the rate limit off', () => {
    assert.equal(readConfig({ ...live, RATE_LIMIT_PER_MINUTE: 'off' }).rateLimitPerMinute, undefined);
  });

  test('refuses BOOTSTRAP_TOKEN', () => {
    assert.match(problemsOf({ ...live, BOOTSTRAP_TOKEN: `id:${SECRET}` }).join(), /^BOOTSTRAP_TOKEN: is refused in live mode/);
  });

  test('requires KEY_ENCRYPTION_KEY', () => {
    assert.match(problemsOf({ MODE: 'live' }).join(), /^KEY_ENCRYPTION_KEY: is required in live mode/);
  });

  const defaults: Readonly<Record<string, Buffer>> = {
    'all zero': Buffer.alloc(32),
    'one byte repeated': Buffer.alloc(32, 0xa5),
    'a short pattern repeated': Buffer.alloc(32, 'deadbeef', 'hex'),
    'counting up': Buffer.from(Array.from({ length: 32 }, (_, i) => i)),
    'counting down': Buffer.from(Array.from({ length: 32 }, (_, i) => 255 - i)),
    'readable text': Buffer.from('change-this-key-before-going-2liv'.slice(0, 32)),
  };
  for (const [what, key] of Object.entries(defaults)) {
    test(`refuses a key that is ${what}; sandbox mode accepts it`, () => {
      const env = { KEY_ENCRYPTION_KEY: `${KEY},${key.toString('base64')}` };
      assert.match(problemsOf({ ...env, MODE: 'live' }).join(), /^KEY_ENCRYPTION_KEY: key 2 is refused in live mode/);
      assert.equal(readConfig(env).keyEncryptionKeys.length, 2);
    });
  }
});

test('the settings table has a row of four cells for every setting', () => {
  const rows = settingsTable().split('\n').slice(2);
  assert.deepEqual(
    rows.map((row) => row.split('`')[1]),
    Object.keys(SETTINGS),
  );
  for (const row of rows) assert.equal(row.split(/(?<!\\)\|/).length, 6, row);
});
