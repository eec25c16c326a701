// Everything the operator can set, read from the environment once and checked before anything starts.
// SETTINGS is the only description: error text, `npm run doctor` and the README table are made from it.
import {
  type BootstrapToken,
  type OAuthIssuer,
  oneOf,
  parseBootstrapTokens,
  parseConcurrency,
  parseDatabaseUrl,
  parseDirectory,
  parseDuration,
  parseEncryptionKeys,
  parseHeaderName,
  parseHeaderNames,
  parseHost,
  parseMailAddress,
  parseOAuthIssuers,
  parsePortOrOff,
  parsePublicUrl,
  parseRateLimit,
  parseSafeUrl,
  parseSharedSecret,
  parseSmtpUrl,
  WrongValue,
  wholeNumber,
} from './config-values.js';

export type { BootstrapToken, OAuthIssuer } from './config-values.js';

export type Env = Readonly<Record<string, string | undefined>>;
export type Mode = 'sandbox' | 'live';
export type Role = 'all' | 'api' | 'worker';
export type LogLevel = 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal' | 'silent';

export type Config = {
  readonly port: number;
  readonly host: string;
  /** Undefined: no metrics are served. `isDefaultPort`: the operator did not set the port. */
  readonly metrics: { readonly host: string; readonly port: number; readonly isDefaultPort: boolean } | undefined;
  /** Absolute. */
  readonly dataDir: string;
  /** Undefined: the service starts its own PostgreSQL under `dataDir`. */
  readonly databaseUrl: string | undefined;
  readonly databasePoolSize: number;
  readonly databaseDecisionPoolSize: number;
  readonly databaseLockTimeoutMs: number;
  readonly mode: Mode;
  readonly role: Role;
  readonly bootstrapTokens: readonly BootstrapToken[];
  /** The first encrypts, all decrypt. Empty in sandbox when unset: then one is kept in `dataDir`. */
  readonly keyEncryptionKeys: readonly Buffer[];
  readonly logLevel: LogLevel;
  /** In lower case, without the name the specification gives. */
  readonly walletSignatureHeaderAliases: readonly string[];
  readonly issuerDeadlineMs: number;
  /** In lower case. */
  readonly issuerCertificateHeader: string | undefined;
  readonly cardHoldDays: number;
  readonly cardSettlementLagMs: number;
  /** Undefined: no bound. */
  readonly platformConcurrency: number | undefined;
  /** Undefined: no limit. */
  readonly rateLimitPerMinute: number | undefined;
  /** Without a trailing slash. */
  readonly publicUrl: string | undefined;
  readonly smtp: { readonly url: string; readonly from: string } | undefined;
  readonly oauthIssuers: readonly OAuthIssuer[];
  /** Undefined: the sandbox decides by itself, and a live installation reviews by hand. */
  readonly kycProvider: { readonly url: string; readonly secret: string } | undefined;
};

export class ConfigError extends Error {
  readonly problems: readonly string[];
  constructor(problems: readonly string[]) {
    super(`The configuration is wrong:\n${problems.map((problem) => `  ${problem}`).join('\n')}`);
    this.name = 'ConfigError';
    this.problems = problems;
  }
}

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
    accepts: 'a URL that begins with postgres:// or postgresql://',
    meaning: 'PostgreSQL 15 or newer to use. Unset: the service runs its own PostgreSQL under `DATA_DIR`.',
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
  BOOTSTRAP_TOKEN: {
    default: undefined,
    accepts: 'id:secret, several separated by commas; the id 1 to 64 of A-Z a-z 0-9 _ -, the secret without colon, comma, quote or space',
    meaning: 'Credentials of the first API token, sandbox only; each further pair makes a sandbox platform of its own. Unset: generated.',
    secret: true,
    parse: parseBootstrapTokens,
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
    parse: parseDuration,
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
    meaning: 'Requests a minute one token may make. Unset: off in sandbox, 600 in live mode.',
    parse: parseRateLimit,
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
  OAUTH_ISSUERS: {
    default: undefined,
    accepts:
      'issuer|jwksUrl|audience, several separated by commas, or a JSON array of {"issuer", "jwksUrl", "audience"}; https URLs, http only on this machine',
    meaning: 'Identity providers whose tokens may sign a customer in.',
    parse: parseOAuthIssuers,
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
type Settings = typeof SETTINGS;
type Value<N extends SettingName> = ReturnType<Settings[N]['parse']> | (Settings[N]['default'] extends string ? never : undefined);

/** Reads and checks the whole environment; throws one `ConfigError` that lists every wrong value. */
export function readConfig(env: Env): Config {
  const problems: string[] = [];
  const problem = (name: SettingName, why: string) => problems.push(`${name}: ${why}. It takes ${SETTINGS[name].accepts}.`);
  const read = <N extends SettingName>(name: N): Value<N> => {
    const setting: Setting = SETTINGS[name];
    const given = textOf(env, name);
    const text = given ?? setting.default;
    try {
      return (text === undefined ? undefined : setting.parse(text)) as Value<N>;
    } catch (error) {
      if (!(error instanceof WrongValue)) throw error;
      const shown = setting.secret ? '' : `, got ${JSON.stringify(given)}`;
      problem(name, `${error.message}${shown}`);
      return undefined as Value<N>; // never seen: the problem is thrown below
    }
  };

  const mode = read('MODE');
  const metricsPort = read('METRICS_PORT');
  const metricsHost = read('METRICS_HOST');
  const rateLimit = read('RATE_LIMIT_PER_MINUTE');
  const concurrency = read('PLATFORM_CONCURRENCY');
  const poolSize = read('DATABASE_POOL_SIZE');
  const smtpUrl = read('SMTP_URL');
  const smtpFrom = read('SMTP_FROM');
  const kycUrl = read('KYC_PROVIDER_URL');
  const kycSecret = read('KYC_PROVIDER_SECRET');
  const config: Config = {
    port: read('PORT'),
    host: read('HOST'),
    metrics:
      metricsPort === 'off'
        ? undefined
        : { host: metricsHost, port: metricsPort, isDefaultPort: textOf(env, 'METRICS_PORT') === undefined },
    dataDir: read('DATA_DIR'),
    databaseUrl: read('DATABASE_URL'),
    databasePoolSize: poolSize,
    databaseDecisionPoolSize: read('DATABASE_DECISION_POOL_SIZE'),
    databaseLockTimeoutMs: read('DATABASE_LOCK_TIMEOUT_MS'),
    mode,
    role: read('ROLE'),
    bootstrapTokens: read('BOOTSTRAP_TOKEN') ?? [],
    keyEncryptionKeys: read('KEY_ENCRYPTION_KEY') ?? [],
    logLevel: read('LOG_LEVEL'),
    walletSignatureHeaderAliases: read('WALLET_SIGNATURE_HEADER_ALIASES') ?? [],
    issuerDeadlineMs: read('ISSUER_DEADLINE_MS'),
    issuerCertificateHeader: read('ISSUER_CERTIFICATE_HEADER'),
    cardHoldDays: read('CARD_HOLD_DAYS'),
    cardSettlementLagMs: read('CARD_SETTLEMENT_LAG'),
    platformConcurrency: concurrency === 'off' ? undefined : (concurrency ?? Math.max(1, Math.floor(poolSize * 0.8))),
    rateLimitPerMinute: rateLimit === 'off' ? undefined : (rateLimit ?? (mode === 'live' ? 600 : undefined)),
    publicUrl: read('PUBLIC_URL'),
    smtp: smtpUrl && smtpFrom ? { url: smtpUrl, from: smtpFrom } : undefined,
    oauthIssuers: read('OAUTH_ISSUERS') ?? [],
    kycProvider: kycUrl && kycSecret ? { url: kycUrl, secret: kycSecret } : undefined,
  };

  for (const [one, other] of PAIRS) {
    if (textOf(env, one) && !textOf(env, other)) problem(other, `is needed because ${one} is set`);
    if (textOf(env, other) && !textOf(env, one)) problem(one, `is needed because ${other} is set`);
  }
  if (mode === 'live') {
    if (textOf(env, 'BOOTSTRAP_TOKEN')) problem('BOOTSTRAP_TOKEN', 'is refused in live mode: make tokens with `npm run platform`');
    if (!textOf(env, 'KEY_ENCRYPTION_KEY')) problem('KEY_ENCRYPTION_KEY', 'is required in live mode');
    config.keyEncryptionKeys?.forEach((key, i) => {
      const weakness = weaknessOf(key);
      if (weakness) problem('KEY_ENCRYPTION_KEY', `key ${i + 1} is refused in live mode: ${weakness}`);
    });
  }
  if (problems.length > 0) throw new ConfigError(problems);
  return deepFreeze(config);
}

/** Settings that are useless alone. */
const PAIRS: readonly (readonly [SettingName, SettingName])[] = [
  ['SMTP_URL', 'SMTP_FROM'],
  ['KYC_PROVIDER_URL', 'KYC_PROVIDER_SECRET'],
];

/** The README's configuration table. */
export function settingsTable(): string {
  const rows = Object.entries(SETTINGS).map(([name, setting]: [string, Setting]) => {
    const value = setting.default === undefined ? '' : `\`${setting.default}\``;
    return `| \`${name}\` | ${value} | ${cell(setting.meaning)} | ${cell(setting.accepts)} |`;
  });
  return ['| Variable | Default | Meaning | Takes |', '|---|---|---|---|', ...rows].join('\n');
}

const cell = (text: string) => text.replaceAll('|', '\\|');

/** Unset, empty and blank are the same: compose files pass `VAR=` for what the operator left out. */
function textOf(env: Env, name: SettingName): string | undefined {
  return env[name]?.trim() || undefined;
}

/** Why a key cannot have come from a random source; each test fails a random key less than once in 10^12. */
function weaknessOf(key: Buffer): string | undefined {
  const bytes = [...key];
  if (new Set(bytes).size < 16) return 'its bytes repeat';
  const steps = bytes.map((byte, i) => (byte - bytes.at(i - 1)! + 256) % 256).slice(1);
  if (new Set(steps).size === 1) return 'its bytes are a sequence';
  if (bytes.every((byte) => byte >= 0x20 && byte < 0x7f)) return 'it is readable text, not random bytes';
  return undefined;
}

function deepFreeze<T extends object>(value: T): T {
  for (const inner of Object.values(value)) {
    // A buffer cannot be frozen; the list that holds it can.
    if (typeof inner === 'object' && inner !== null && !Buffer.isBuffer(inner)) deepFreeze(inner);
  }
  return Object.freeze(value);
}
