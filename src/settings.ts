// Every setting of the operator: its default, its meaning and how its text is read. Error text, `npm run doctor` and the README table are made
// from this list; config.ts reads it.
import {
  duration,
  oneOf,
  parseBootstrapTokens,
  parseConcurrency,
  parseDatabaseUrl,
  parseDeliveryHeaderNames,
  parseDirectory,
  parseEncryptionKeys,
  parseFiles,
  parseHeaderName,
  parseHeaderNames,
  parseHost,
  parseMailAddress,
  parseOAuthIssuers,
  parsePortOrOff,
  parseProxies,
  parsePublicUrl,
  parseRateLimit,
  parseSafeUrl,
  parseSharedSecret,
  parseSmtpUrl,
  parseUmaCounterparties,
  parseWebhookRetention,
  wholeNumber,
} from './config-values.js';

export type Mode = 'sandbox' | 'live';
export type Role = 'all' | 'api' | 'worker';
export type LogLevel = 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal' | 'silent';

export type Setting<T = unknown> = {
  readonly default: string | undefined;
  readonly accepts: string;
  readonly meaning: string;
  /** The value is never printed. */
  readonly secret?: true;
  readonly parse: (text: string) => T;
};

const LOG_LEVELS: readonly LogLevel[] = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'];

export const SETTINGS = {
  PORT: {
    default: '8080',
    accepts: 'a port number from 0 to 65535 (0: any free port)',
    meaning: 'Port the API listens on.',
    parse: wholeNumber(0, 65535),
  },
  HOST: {
    default: '127.0.0.1',
    accepts: 'an IP address or a host name',
    meaning: 'Address the API listens on; `0.0.0.0` for every interface.',
    parse: parseHost,
  },
  METRICS_PORT: {
    default: '9464',
    accepts: 'off or a port number from 0 to 65535 (0: any free port)',
    meaning:
      'Port of `/metrics`, and of `/healthz` and `/readyz` a second time. If it is set and in use, the start fails; if the default is in use, the service starts without metrics and says so.',
    parse: parsePortOrOff,
  },
  METRICS_HOST: {
    default: '127.0.0.1',
    accepts: 'an IP address or a host name',
    meaning: 'Address that `METRICS_PORT` belongs to. Metrics need no credentials: keep them inside your network.',
    parse: parseHost,
  },
  DATA_DIR: {
    default: '.data',
    accepts: 'a directory',
    meaning: 'Where the embedded database, the sandbox credentials and the sandbox key are kept.',
    parse: parseDirectory,
  },
  DATABASE_URL: {
    default: undefined,
    accepts: 'a URL that begins with postgres:// or postgresql://; several hosts separated by commas',
    meaning:
      'PostgreSQL 15 or newer to use. Several hosts are a primary and its standbys: the service uses the one that takes writes, and finds the next one when a standby is promoted. Unset: the service runs its own PostgreSQL under `DATA_DIR`.',
    secret: true,
    parse: parseDatabaseUrl,
  },
  DATABASE_POOLER: {
    default: 'off',
    accepts: 'off or transaction',
    meaning:
      'Whether `DATABASE_URL` leads to a connection pooler in transaction mode, such as PgBouncer. Statements are then not prepared by name and settings go with every transaction, which costs a round trip for single reads. Needs `DATABASE_DIRECT_URL`.',
    parse: oneOf(['off', 'transaction'] as const),
  },
  DATABASE_DIRECT_URL: {
    default: undefined,
    accepts: 'a URL that begins with postgres:// or postgresql://; several hosts separated by commas',
    meaning:
      'The database of `DATABASE_URL` past the pooler, for migrations and for locks that outlive a transaction. Needed by `DATABASE_POOLER`.',
    secret: true,
    parse: parseDatabaseUrl,
  },
  DATABASE_POOL_SIZE: {
    default: '10',
    accepts: 'a whole number from 1 to 200',
    meaning: 'Database connections of one process.',
    parse: wholeNumber(1, 200),
  },
  DATABASE_DECISION_POOL_SIZE: {
    default: '4',
    accepts: 'a whole number from 3 to 50',
    meaning:
      'Further connections of one process, used only for card authorizations and credential look-ups: slow requests never delay a decision.',
    parse: wholeNumber(3, 50),
  },
  DATABASE_LOCK_TIMEOUT_MS: {
    default: '10000',
    accepts: 'a whole number from 10 to 30000',
    meaning: 'Milliseconds a statement waits for a row that another transaction has locked; after that the request answers 503.',
    parse: wholeNumber(10, 30_000),
  },
  MODE: {
    default: 'sandbox',
    accepts: 'sandbox or live',
    meaning: '`sandbox` simulates banks, networks and issuers and serves `/sandbox`; `live` does neither.',
    parse: oneOf<Mode>(['sandbox', 'live']),
  },
  ROLE: {
    default: 'all',
    accepts: 'all, api or worker',
    meaning: 'What this process does: answer requests, do background work, or both.',
    parse: oneOf<Role>(['all', 'api', 'worker']),
  },
  SHUTDOWN_DELAY: {
    default: '0s',
    accepts: 'a duration of at most 60s, such as 5s',
    meaning:
      'How long a process answers requests after a stop signal, while `/readyz` answers 503 and every answer closes its connection. Longer than a load balancer takes to notice, so that no request meets a closed port.',
    parse: duration('0s', '60s'),
  },
  BOOTSTRAP_TOKEN: {
    default: undefined,
    accepts: 'id:secret, several separated by commas; the id 1 to 64 of A-Z a-z 0-9 _ -, the secret without colon, comma, quote or space',
    meaning: 'Credentials of the first API token, sandbox only; each further pair makes a sandbox platform of its own. Unset: generated.',
    secret: true,
    parse: parseBootstrapTokens,
  },
  FIXTURES: {
    default: undefined,
    accepts: 'paths of JSON or YAML files, separated by commas',
    meaning:
      'Fixtures that are applied to the first sandbox platform before the service is ready. A fixture that was applied before changes nothing. Sandbox only.',
    parse: parseFiles,
  },
  KEY_ENCRYPTION_KEY: {
    default: undefined,
    accepts: '32 random bytes in base64 (`openssl rand -base64 32`), several separated by commas',
    meaning:
      'Encrypts stored key material. To rotate, put the new key first: the first encrypts, all decrypt. Required in live mode; in sandbox generated once into `DATA_DIR`.',
    secret: true,
    parse: parseEncryptionKeys,
  },
  LOG_LEVEL: {
    default: 'info',
    accepts: LOG_LEVELS.join(', '),
    meaning: 'Lowest severity that is logged.',
    parse: oneOf(LOG_LEVELS),
  },
  WALLET_SIGNATURE_HEADER_ALIASES: {
    default: undefined,
    accepts: 'header names separated by commas',
    meaning: 'Further names under which the `Service-Wallet-Signature` header is accepted.',
    parse: parseHeaderNames,
  },
  COMPATIBILITY_WEBHOOK_SIGNATURE_HEADERS: {
    default: undefined,
    accepts: 'header names separated by commas',
    meaning: 'Further names under which deliveries carry the signature of `X-Service-Signature`, for receivers that read another name.',
    parse: parseDeliveryHeaderNames,
  },
  COMPATIBILITY_WEBHOOK_SIGNATURE_FORM: {
    default: 'base64',
    accepts: 'base64 or json',
    meaning:
      'Value of `X-Service-Signature` and its further names: the base64 of the signature, or `{"v":"1","s":"<base64>"}` for receivers that read JSON.',
    parse: oneOf(['base64', 'json']),
  },
  CONSOLE: {
    default: undefined,
    accepts: 'on, read-only or off',
    meaning: 'The console at `/console`. Unset: on in sandbox, off in live mode. In live mode it needs an https `PUBLIC_URL`.',
    parse: oneOf(['on', 'read-only', 'off'] as const),
  },
  REQUEST_LOG: {
    default: 'on',
    accepts: 'on or off',
    meaning: 'Whether requests are recorded for `GET /requests`. In live mode the record has neither bodies nor queries.',
    parse: oneOf(['on', 'off']),
  },
  COMPATIBILITY_ERROR_MEMBERS: {
    default: 'off',
    accepts: 'on or off',
    meaning: 'Error bodies have `message` and `status` beside `reason` and `code`, for clients that read those.',
    parse: oneOf(['on', 'off']),
  },
  ISSUER_DEADLINE_MS: {
    default: '1800',
    accepts: 'a whole number from 10 to 60000',
    meaning: 'Milliseconds to answer a card issuer; a later decision is reversed. Issuers wait two seconds.',
    parse: wholeNumber(10, 60_000),
  },
  ISSUER_CERTIFICATE_HEADER: {
    default: undefined,
    accepts: 'a header name',
    meaning:
      'Header in which a TLS proxy passes the SHA-256 fingerprint of the client certificate that it checked, for issuer credentials bound to a certificate. The proxy must remove the header from what callers send. Unset: certificates prove nothing.',
    parse: parseHeaderName,
  },
  CARD_HOLD_DAYS: {
    default: '7',
    accepts: 'a whole number from 1 to 31',
    meaning: 'Days after which an authorization that was not cleared expires.',
    parse: wholeNumber(1, 31),
  },
  CARD_SETTLEMENT_LAG: {
    default: '2h',
    accepts: 'a duration of at most 7d, such as 2h, 30m or 90s',
    meaning: 'How long after its end a card settlement day closes.',
    parse: duration('0s', '7d'),
  },
  IDEMPOTENCY_RETENTION: {
    default: '36h',
    accepts: 'a duration from 24h to 90d',
    meaning: 'How long the answer to a request with an `Idempotency-Key` is kept for repeats. Callers are promised 24 hours.',
    parse: duration('24h', '90d'),
  },
  SIGNED_REQUEST_RETENTION: {
    default: '1h',
    accepts: 'a duration from 0s to 90d',
    meaning: 'How long a signed request is kept after it expired, so that a late retry learns why it is refused.',
    parse: duration('0s', '90d'),
  },
  SESSION_RETENTION: {
    default: '30d',
    accepts: 'a duration from 0s to 3650d',
    meaning: 'How long a session is kept after it expired. What it signed is kept with the wallet.',
    parse: duration('0s', '3650d'),
  },
  ONE_TIME_CODE_RETENTION: {
    default: '0s',
    accepts: 'a duration from 0s to 90d',
    meaning: 'How long the challenge of a one-time code is kept after it expired. It holds a keyed hash of the code.',
    parse: duration('0s', '90d'),
  },
  WEBHOOK_EVENT_RETENTION: {
    default: '90d',
    accepts: 'off or a duration from 14d to 36500d',
    meaning:
      'How long events are kept. They are dropped by the week, so some are kept for a week longer, and not before they are delivered or have failed. `off`: for ever.',
    parse: parseWebhookRetention,
  },
  WEBHOOK_ATTEMPT_RETENTION: {
    default: '90d',
    accepts: 'off or a duration from 14d to 36500d',
    meaning:
      'How long the attempts to deliver an event are kept, counted from the event; at most as long as the event. `off`: as long as the event.',
    parse: parseWebhookRetention,
  },
  PLATFORM_CONCURRENCY: {
    default: undefined,
    accepts: 'off or a whole number from 1 to 1000',
    meaning:
      'Requests of one platform that one process works on at a time, and a quarter of it while other platforms are active; further ones wait, so that others are not delayed. Unset: four fifths of `DATABASE_POOL_SIZE`.',
    parse: parseConcurrency,
  },
  RATE_LIMIT_PER_MINUTE: {
    default: undefined,
    accepts: 'off or a whole number from 1 to 1000000',
    meaning:
      'Requests a minute one token may make, over all processes; a minute of them may come at once. Unset: off in sandbox, 600 in live mode.',
    parse: parseRateLimit,
  },
  PLATFORM_RATE_LIMIT_PER_MINUTE: {
    default: undefined,
    accepts: 'off or a whole number from 1 to 1000000',
    meaning:
      'Requests a minute all tokens of one platform may make together, over all processes. Unset: off in sandbox, 6000 in live mode.',
    parse: parseRateLimit,
  },
  FAILED_LOGINS_PER_MINUTE: {
    default: undefined,
    accepts: 'off or a whole number from 1 to 1000000',
    meaning:
      'Failed logins a minute that one process checks per client id and address, after the first ten; further attempts answer 429. A client that has logged in from the address is not affected. Unset: off in sandbox, 20 in live mode.',
    parse: parseRateLimit,
  },
  TRUST_PROXY: {
    default: 'off',
    accepts: 'off, or IP addresses and networks such as 10.0.0.0/8, separated by commas',
    meaning:
      'Proxies in front of the service whose `X-Forwarded-For` header names the address of the caller. Without it, callers behind a proxy share the address of the proxy.',
    parse: parseProxies,
  },
  PUBLIC_URL: {
    default: undefined,
    accepts: 'an http:// or https:// URL without user, query or fragment',
    meaning: 'Base URL under which callers reach the service, for links. Unset: made from `HOST` and `PORT`.',
    parse: parsePublicUrl,
  },
  SMTP_URL: {
    default: undefined,
    accepts: 'a URL that begins with smtp:// or smtps://',
    meaning: 'Mail server for one-time codes. Needs `SMTP_FROM`.',
    secret: true,
    parse: parseSmtpUrl,
  },
  SMTP_FROM: {
    default: undefined,
    accepts: 'a mail address, with or without a display name',
    meaning: 'Sender of that mail. Needs `SMTP_URL`.',
    parse: parseMailAddress,
  },
  SMS_GATEWAY_URL: {
    default: undefined,
    accepts: 'an https:// URL without user, query or fragment; http:// only on this machine',
    meaning:
      'Base URL of a service that sends text messages with one-time codes: it gets a signed `POST <URL>/messages` with `to` and `text`. Unset: a live installation sends none. Needs `SMS_GATEWAY_SECRET`.',
    parse: parseSafeUrl,
  },
  SMS_GATEWAY_SECRET: {
    default: undefined,
    accepts: 'a text of at least 32 characters',
    meaning: 'Signs what is sent to `SMS_GATEWAY_URL`. Needs `SMS_GATEWAY_URL`.',
    secret: true,
    parse: parseSharedSecret,
  },
  OAUTH_ISSUERS: {
    default: undefined,
    accepts:
      'issuer|jwksUrl|audience, several separated by commas, or a JSON array of {"issuer", "jwksUrl", "audience"}; https URLs, http only on this machine',
    meaning: 'Identity providers whose tokens may sign a customer in.',
    parse: parseOAuthIssuers,
  },
  UMA_COUNTERPARTIES: {
    default: undefined,
    accepts: 'domain or domain=origin, several separated by commas; https origins, http only on this machine',
    meaning:
      'Providers that payments to UMA addresses are exchanged and settled with. Their signed messages move money, so name only those you have an agreement with; messages of every other domain are refused. An origin replaces `https://<domain>`. The sandbox has a counterparty of its own beside them.',
    parse: parseUmaCounterparties,
  },
  KYC_PROVIDER_URL: {
    default: undefined,
    accepts: 'an https:// URL without user, query or fragment; http:// only on this machine',
    meaning:
      'Base URL of a service that checks the packets of customers. Unset: the sandbox decides by itself, and a live installation reviews by hand with `npm run review`. Needs `KYC_PROVIDER_SECRET`.',
    parse: parseSafeUrl,
  },
  KYC_PROVIDER_SECRET: {
    default: undefined,
    accepts: 'a text of at least 32 characters',
    meaning: 'Signs what is sent to `KYC_PROVIDER_URL` and what it calls back with. Needs `KYC_PROVIDER_URL`.',
    secret: true,
    parse: parseSharedSecret,
  },
} as const satisfies Record<string, Setting>;

export type SettingName = keyof typeof SETTINGS;
