// `npm run platform -- …`: platforms of this installation and what the operator decides about them.
import { parseArgs } from 'node:util';
import { platformTime } from './db/platform-time.js';
import type { Db } from './db/pool.js';
import { sql } from './db/sql.js';
import { findProgram } from './domains/cards/cards/actions.js';
import {
  createIssuerCredential,
  keyIdOf,
  listCredentials,
  parseFingerprint,
  parseKeyId,
  revokeIssuerCredential,
} from './domains/cards/issuer-credentials/actions.js';
import {
  createPlatform,
  createToken,
  installationSecrets,
  listPlatforms,
  lockPlatform,
  realNow,
  rotateTokens,
  savePlatform,
} from './domains/core/platform/actions.js';
import type { Platform } from './domains/core/platform/platform.js';
import { describeBalances, readServiceBalances, readTotalServiceBalances } from './domains/ledger/actions.js';
import { PERMISSIONS } from './http/operation.js';
import { ApiError, describeError } from './kernel/errors.js';
import { type PlatformId, parseId, uuidOf } from './kernel/ids.js';
import { HOUR_MS, plusMs } from './kernel/time.js';
import { refuseExtra, runTool, type Takes, type ToolContext, ToolError, withDatabase } from './tool.js';

const USAGE = `usage:
  npm run platform -- create NAME [--counterparty-rules on|off]
  npm run platform -- list
  npm run platform -- balances [PLATFORM_ID]
  npm run platform -- rotate-token PLATFORM_ID [--overlap-hours N]
  npm run platform -- limits PLATFORM_ID [--live-cards N|none] [--cards-per-cardholder N|none] [--counterparty-rules on|off]
      [--rule-based-accounts on|off] [--regulated on|off] [--end-user-terms on|off] [--sca-origins ORIGIN,…|default]
  npm run platform -- issuer-key PLATFORM_ID --program PROGRAM [--certificate-sha256 FINGERPRINT]
  npm run platform -- issuer-keys PLATFORM_ID
  npm run platform -- revoke-issuer-key KEY_ID`;

const print = (text: string): void => void process.stdout.write(`${text}\n`);

type Flags = Readonly<Record<string, string | undefined>>;

const COMMANDS: Readonly<Record<string, (context: ToolContext, subject: string | undefined, flags: Flags) => Promise<void>>> = {
  create: async ({ config, db, custody, log }, name, flags) => {
    if (!name) throw new ToolError(USAGE);
    const secrets = await installationSecrets(db, custody);
    // Loads the whole service, which the other commands do not need.
    const { connectHooks } = await import('./compose.js');
    const { hooks } = connectHooks({ config, db, decisionDb: db, custody, secrets, log, url: () => '' });
    const { platform, token, secret } = await db.transaction(async (tx) => {
      const now = await realNow(tx);
      const counterpartyRules = onOff('counterparty-rules', flags['counterparty-rules']) ?? true;
      const platform = await createPlatform(tx, { name, mode: config.mode, counterpartyRules, now }, hooks);
      return {
        platform,
        ...(await createToken(tx, secrets.tokenPepper, platform.id, { name: 'first', permissions: PERMISSIONS, now })),
      };
    });
    print(
      `Platform      ${platform.id}  ${platform.name}\nToken id      ${token.clientId}\nToken secret  ${secret}\n\nThe secret is shown this once.`,
    );
  },
  list: async ({ db }) => {
    for (const platform of await listPlatforms(db)) print(describe(platform));
  },
  balances: async ({ db }, id) => {
    const balances =
      id === undefined ? await readTotalServiceBalances(db) : await readServiceBalances(db, (await subjectOf(db, id)).platformId);
    for (const balance of balances) print(describeBalances([balance]));
  },
  'rotate-token': async ({ db, custody }, id, flags) => {
    const overlap = whole('overlap-hours', flags['overlap-hours'], 0, 24 * 30) ?? 0;
    const { tokenPepper } = await installationSecrets(db, custody);
    const { platformId, now } = await subjectOf(db, id);
    const { token, secret } = await db.transaction((tx) => rotateTokens(tx, tokenPepper, platformId, now, plusMs(now, overlap * HOUR_MS)));
    print(`Token id      ${token.clientId}\nToken secret  ${secret}\n\nEarlier tokens stop ${overlap === 0 ? 'now' : `in ${overlap} h`}.`);
  },
  limits: async ({ db }, id, flags) => {
    const { platformId, now } = await subjectOf(db, id);
    const changed = await db.transaction(async (tx) => {
      const platform = await lockPlatform(tx, platformId);
      const next: Platform = {
        ...platform,
        maxLiveCards: whole('live-cards', flags['live-cards'], 1, 1_000_000_000) ?? (flags['live-cards'] ? null : platform.maxLiveCards),
        maxCardsPerCardholder:
          whole('cards-per-cardholder', flags['cards-per-cardholder'], 1, 1_000_000) ??
          (flags['cards-per-cardholder'] ? null : platform.maxCardsPerCardholder),
        counterpartyRules: onOff('counterparty-rules', flags['counterparty-rules']) ?? platform.counterpartyRules,
        ruleBasedAccounts: onOff('rule-based-accounts', flags['rule-based-accounts']) ?? platform.ruleBasedAccounts,
        endUserTermsRequired: onOff('end-user-terms', flags['end-user-terms']) ?? platform.endUserTermsRequired,
        config: { ...platform.config, isRegulatedFinancialInstitution: onOff('regulated', flags['regulated']) ?? isRegulated(platform) },
        scaOrigins: originsOf(flags['sca-origins'], platform.mode) ?? (flags['sca-origins'] === undefined ? platform.scaOrigins : null),
        updatedAt: now,
      };
      savePlatform(tx, platform, next);
      return next;
    });
    print(describe(changed));
  },
  'issuer-key': async ({ db, custody }, id, flags) => {
    const { program = '', 'certificate-sha256': fingerprint } = flags;
    if (!findProgram(program)) throw new ToolError(`--program takes the id of a card program, not ${program || '(none)'}`);
    const certificateSha256 = fingerprint === undefined ? undefined : parseFingerprint(fingerprint);
    if (fingerprint !== undefined && !certificateSha256) throw new ToolError('--certificate-sha256 takes a SHA-256 fingerprint in hex');
    const { platformId, now } = await subjectOf(db, id);
    const { credential, secret } = await db.transaction(async (tx) =>
      createIssuerCredential(tx, custody, platformId, { program, certificateSha256, now }),
    );
    const proof = secret === undefined ? 'The certificate proves the caller.' : `Secret        ${secret}\n\nThe secret is shown this once.`;
    print(`Program       ${program}\nKey id        ${keyIdOf(credential)}\n${proof}`);
  },
  'issuer-keys': async ({ db }, id) => {
    const { platformId } = await subjectOf(db, id);
    for (const credential of await listCredentials(db, platformId))
      print(
        `${keyIdOf(credential)}  ${credential.program}  ${credential.certificateSha256 ? 'certificate' : 'secret'}  ${credential.createdAt.toISOString()}`,
      );
  },
  'revoke-issuer-key': async ({ db }, keyId = '') => {
    const key = parseKeyId(keyId);
    const unknown = () =>
      new ToolError(`no issuer key ${keyId || '(none named)'}; \`npm run platform -- issuer-keys PLATFORM_ID\` shows them`);
    if (!key) throw unknown();
    const { platformId, now } = await subjectOf(db, key.platformId);
    await db
      .transaction((tx) => revokeIssuerCredential(tx, platformId, now, key.id))
      .catch((error: Error) => {
        throw error instanceof ApiError && error.code === 'NOT_FOUND' ? unknown() : error;
      });
    print(`Revoked ${keyId}`);
  },
};

const TAKES: Readonly<Record<string, Takes>> = {
  create: { words: 1, flags: ['counterparty-rules'] },
  list: { words: 0 },
  balances: { words: 1 },
  'rotate-token': { words: 1, flags: ['overlap-hours'] },
  limits: {
    words: 1,
    flags: [
      'live-cards',
      'cards-per-cardholder',
      'counterparty-rules',
      'rule-based-accounts',
      'regulated',
      'end-user-terms',
      'sca-origins',
    ],
  },
  'issuer-key': { words: 1, flags: ['program', 'certificate-sha256'] },
  'issuer-keys': { words: 1 },
  'revoke-issuer-key': { words: 1 },
};

const isRegulated = ({ config }: Platform): boolean => config.isRegulatedFinancialInstitution;

const describe = (platform: Platform): string =>
  `${platform.id}  ${platform.mode}  live cards ${platform.maxLiveCards ?? 'unlimited'}, per cardholder ${platform.maxCardsPerCardholder ?? 'unlimited'}, counterparty rules ${platform.counterpartyRules ? 'on' : 'off'}, rule-based accounts ${platform.ruleBasedAccounts ? 'on' : 'off'}, regulated ${isRegulated(platform) ? 'yes' : 'no'}, end-user terms ${platform.mode === 'live' || platform.endUserTermsRequired ? 'required' : 'optional'}${platform.scaOrigins ? `, passkeys on ${platform.scaOrigins.join(' ')}` : ''}  ${platform.name}`;

async function subjectOf(db: Db, text = ''): Promise<{ platformId: PlatformId; now: Date }> {
  const id = parseId('Platform', text) ?? parseId('Platform', `Platform:${text}`);
  const row = id && (await db.one<{ now: Date }>(sql`select ${platformTime} as now from platforms p where p.id = ${uuidOf(id)}`));
  if (!id || !row) throw new ToolError(`no platform ${text || '(none named)'}; \`npm run platform -- list\` shows them`);
  return { platformId: id, now: row.now };
}

/** The number a flag carries; undefined when it is absent or says `none`. */
function whole(flag: string, text: string | undefined, least: number, most: number): number | undefined {
  if (text === undefined || text === 'none') return undefined;
  const value = text.trim() === '' ? Number.NaN : Number(text);
  if (!Number.isInteger(value) || value < least || value > most)
    throw new ToolError(`--${flag} takes a whole number from ${least} to ${most}, or none`);
  return value;
}

/** The web origins a flag names; undefined when it is absent or says `default`. Passkeys need https, but for localhost in a sandbox. */
function originsOf(text: string | undefined, mode: Platform['mode']): string[] | undefined {
  if (text === undefined || text === 'default') return undefined;
  const isOrigin = (each: string) => {
    const url = URL.canParse(each) ? new URL(each) : undefined;
    const isSecure = url?.protocol === 'https:' || (mode === 'sandbox' && url?.protocol === 'http:' && url.hostname === 'localhost');
    return isSecure && url?.origin === each;
  };
  const origins = text.split(',');
  if (!origins.every(isOrigin)) throw new ToolError('--sca-origins takes web origins such as https://app.example.com, or default');
  return origins;
}

function onOff(flag: string, text: string | undefined): boolean | undefined {
  if (text === undefined) return undefined;
  if (text !== 'on' && text !== 'off') throw new ToolError(`--${flag} takes on or off`);
  return text === 'on';
}

runTool(async () => {
  const text = { type: 'string' } as const;
  const { positionals, values } = (() => {
    try {
      return parseArgs({
        allowPositionals: true,
        options: {
          'counterparty-rules': text,
          'rule-based-accounts': text,
          'overlap-hours': text,
          'live-cards': text,
          'cards-per-cardholder': text,
          regulated: text,
          'end-user-terms': text,
          'sca-origins': text,
          program: text,
          'certificate-sha256': text,
        },
      });
    } catch (error) {
      throw new ToolError(`${describeError(error).message}\n${USAGE}`);
    }
  })();
  const [name = ''] = positionals;
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  const takes = TAKES[name];
  if (!command || !takes) throw new ToolError(USAGE);
  refuseExtra(takes, positionals, values, USAGE);
  await withDatabase((context) => command(context, positionals[1], values));
});
