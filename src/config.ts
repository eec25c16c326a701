// Everything the operator can set, read from the environment once and checked before anything starts.
import { type BootstrapToken, type OAuthIssuer, type UmaCounterpartySetting, WrongValue } from './config-values.js';
import { type LogLevel, type Mode, type Role, SETTINGS, type Setting, type SettingName } from './settings.js';

export type { BootstrapToken, OAuthIssuer } from './config-values.js';
export { type Mode, SETTINGS, type Setting, type SettingName } from './settings.js';

export type Env = Readonly<Record<string, string | undefined>>;

export type Config = {
  readonly port: number;
  readonly host: string;
  /** Undefined: no metrics are served. `isDefaultPort`: the operator did not set the port. */
  readonly metrics: { readonly host: string; readonly port: number; readonly isDefaultPort: boolean } | undefined;
  /** Absolute. */
  readonly dataDir: string;
  /** Undefined: the service starts its own PostgreSQL under `dataDir`. */
  readonly databaseUrl: string | undefined;
  /** Undefined: no pooler stands between. */
  readonly databasePooler: { readonly directUrl: string } | undefined;
  readonly databasePoolSize: number;
  readonly databaseDecisionPoolSize: number;
  readonly databaseLockTimeoutMs: number;
  readonly mode: Mode;
  readonly role: Role;
  readonly shutdownDelayMs: number;
  readonly bootstrapTokens: readonly BootstrapToken[];
  /** Absolute paths. */
  readonly fixtures: readonly string[];
  /** The first encrypts, all decrypt. Empty in sandbox when unset: then one is kept in `dataDir`. */
  readonly keyEncryptionKeys: readonly Buffer[];
  readonly logLevel: LogLevel;
  /** In lower case, without the name the specification gives. */
  readonly walletSignatureHeaderAliases: readonly string[];
  /** For clients and receivers that were written for another service of this API. */
  readonly compatibility: {
    readonly webhookSignature: { readonly names: readonly string[]; readonly isJson: boolean };
    readonly errorMembers: boolean;
  };
  readonly issuerDeadlineMs: number;
  /** In lower case. */
  readonly issuerCertificateHeader: string | undefined;
  readonly cardHoldDays: number;
  readonly cardSettlementLagMs: number;
  /** How long records are kept: answers to idempotent requests after they were given, the others after they expired. */
  readonly retention: {
    readonly idempotencyMs: number;
    readonly signedRequestsMs: number;
    readonly sessionsMs: number;
    readonly oneTimeCodesMs: number;
  };
  /** 0: for ever. */
  readonly webhookLife: { readonly eventDays: number; readonly attemptDays: number };
  readonly console: 'on' | 'read-only' | 'off';
  /** Whether requests are recorded. */
  readonly requestLog: boolean;
  /** Undefined: no bound. */
  readonly platformConcurrency: number | undefined;
  /** Undefined: no limit. */
  readonly rateLimitPerMinute: number | undefined;
  readonly platformRateLimitPerMinute: number | undefined;
  readonly failedLoginsPerMinute: number | undefined;
  /** Undefined: no proxy is trusted. */
  readonly trustedProxies: readonly string[] | undefined;
  /** Without a trailing slash. */
  readonly publicUrl: string | undefined;
  readonly smtp: { readonly url: string; readonly from: string } | undefined;
  readonly smsGateway: { readonly url: string; readonly secret: string } | undefined;
  readonly oauthIssuers: readonly OAuthIssuer[];
  /** Providers that UMA payments are exchanged with. */
  readonly umaCounterparties: readonly UmaCounterpartySetting[];
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
  const perMinute = (name: 'RATE_LIMIT_PER_MINUTE' | 'PLATFORM_RATE_LIMIT_PER_MINUTE' | 'FAILED_LOGINS_PER_MINUTE', live: number) => {
    const limit = read(name) ?? (mode === 'live' ? live : 'off');
    return limit === 'off' ? undefined : limit;
  };
  const proxies = read('TRUST_PROXY');
  const concurrency = read('PLATFORM_CONCURRENCY');
  const directUrl = read('DATABASE_DIRECT_URL');
  const poolSize = read('DATABASE_POOL_SIZE');
  const smtpUrl = read('SMTP_URL');
  const smtpFrom = read('SMTP_FROM');
  const smsUrl = read('SMS_GATEWAY_URL');
  const smsSecret = read('SMS_GATEWAY_SECRET');
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
    databasePooler: directUrl === undefined || read('DATABASE_POOLER') === 'off' ? undefined : { directUrl },
    databasePoolSize: poolSize,
    databaseDecisionPoolSize: read('DATABASE_DECISION_POOL_SIZE'),
    databaseLockTimeoutMs: read('DATABASE_LOCK_TIMEOUT_MS'),
    mode,
    role: read('ROLE'),
    shutdownDelayMs: read('SHUTDOWN_DELAY'),
    bootstrapTokens: read('BOOTSTRAP_TOKEN') ?? [],
    fixtures: read('FIXTURES') ?? [],
    keyEncryptionKeys: read('KEY_ENCRYPTION_KEY') ?? [],
    logLevel: read('LOG_LEVEL'),
    walletSignatureHeaderAliases: read('WALLET_SIGNATURE_HEADER_ALIASES') ?? [],
    compatibility: {
      webhookSignature: {
        names: read('COMPATIBILITY_WEBHOOK_SIGNATURE_HEADERS') ?? [],
        isJson: read('COMPATIBILITY_WEBHOOK_SIGNATURE_FORM') === 'json',
      },
      errorMembers: read('COMPATIBILITY_ERROR_MEMBERS') === 'on',
    },
    console: read('CONSOLE') ?? (mode === 'live' ? 'off' : 'on'),
    requestLog: read('REQUEST_LOG') === 'on',
    issuerDeadlineMs: read('ISSUER_DEADLINE_MS'),
    issuerCertificateHeader: read('ISSUER_CERTIFICATE_HEADER'),
    cardHoldDays: read('CARD_HOLD_DAYS'),
    cardSettlementLagMs: read('CARD_SETTLEMENT_LAG'),
    retention: {
      idempotencyMs: read('IDEMPOTENCY_RETENTION'),
      signedRequestsMs: read('SIGNED_REQUEST_RETENTION'),
      sessionsMs: read('SESSION_RETENTION'),
      oneTimeCodesMs: read('ONE_TIME_CODE_RETENTION'),
    },
    webhookLife: { eventDays: read('WEBHOOK_EVENT_RETENTION'), attemptDays: read('WEBHOOK_ATTEMPT_RETENTION') },
    platformConcurrency: concurrency === 'off' ? undefined : (concurrency ?? Math.max(1, Math.floor(poolSize * 0.8))),
    rateLimitPerMinute: perMinute('RATE_LIMIT_PER_MINUTE', 600),
    platformRateLimitPerMinute: perMinute('PLATFORM_RATE_LIMIT_PER_MINUTE', 6_000),
    failedLoginsPerMinute: perMinute('FAILED_LOGINS_PER_MINUTE', 20),
    trustedProxies: proxies === 'off' ? undefined : proxies,
    publicUrl: read('PUBLIC_URL'),
    smtp: smtpUrl && smtpFrom ? { url: smtpUrl, from: smtpFrom } : undefined,
    smsGateway: smsUrl && smsSecret ? { url: smsUrl, secret: smsSecret } : undefined,
    oauthIssuers: read('OAUTH_ISSUERS') ?? [],
    umaCounterparties: read('UMA_COUNTERPARTIES') ?? [],
    kycProvider: kycUrl && kycSecret ? { url: kycUrl, secret: kycSecret } : undefined,
  };

  for (const [one, other] of PAIRS) {
    if (textOf(env, one) && !textOf(env, other)) problem(other, `is needed because ${one} is set`);
    if (textOf(env, other) && !textOf(env, one)) problem(one, `is needed because ${other} is set`);
  }
  if (read('DATABASE_POOLER') === 'transaction')
    for (const name of ['DATABASE_URL', 'DATABASE_DIRECT_URL'] as const)
      if (!textOf(env, name)) problem(name, 'is needed because DATABASE_POOLER is set');
  if (textOf(env, 'DATABASE_DIRECT_URL') && !textOf(env, 'DATABASE_POOLER'))
    problem('DATABASE_POOLER', 'is needed because DATABASE_DIRECT_URL is set');
  if (mode === 'live') {
    if (textOf(env, 'BOOTSTRAP_TOKEN')) problem('BOOTSTRAP_TOKEN', 'is refused in live mode: make tokens with `npm run platform`');
    if (textOf(env, 'FIXTURES')) problem('FIXTURES', 'is refused in live mode');
    if (config.console !== 'off' && !config.publicUrl?.startsWith('https://'))
      problem('CONSOLE', 'needs an https:// PUBLIC_URL in live mode');
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
  ['SMS_GATEWAY_URL', 'SMS_GATEWAY_SECRET'],
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
