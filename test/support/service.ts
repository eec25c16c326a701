// The service with its own database, for one test file.
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { type Config, type Env, readConfig } from '../../src/config.js';
import type { ReplaceProviders } from '../../src/context.js';
import type { Db } from '../../src/db/pool.js';
import { createPlatform, createToken, installationSecrets } from '../../src/domains/core/platform/actions.js';
import { createKeyCustody } from '../../src/providers/key-custody.js';
import { encryptionKeys, type Service, startService } from '../../src/service.js';
import { type Client, clientOf } from './client.js';
import { type Contract, contractOf } from './contract.js';
import { createDatabase } from './database.js';

export type TestService = {
  /** The bootstrap sandbox platform, with counterparty rules and every permission. */
  readonly platform: Client;
  /** Creates another sandbox platform. */
  newPlatform(): Promise<Client>;
  /** A client with other credentials, which need not be valid. */
  as(tokenId: string, secret: string): Client;
  readonly service: Service;
  readonly db: Db;
  readonly url: string;
  readonly baseUrl: string;
  readonly contract: Contract;
  readonly databaseUrl: string;
  /** Lines logged so far. */
  readonly logged: readonly string[];
  stop(): Promise<void>;
};

/** The served document follows from the mode and the compatibility settings, but for the address in it; a process reads each once. */
const contracts = new Map<string, Promise<Contract>>();

function servedContract({ url }: Service, { mode, compatibility }: Config): Promise<Contract> {
  const key = JSON.stringify({ mode, compatibility });
  const contract = contracts.get(key) ?? readContract(url);
  contracts.set(key, contract);
  return contract;
}

const readContract = async (url: string): Promise<Contract> =>
  contractOf((await (await fetch(`${url}/openapi.json`)).json()) as Record<string, unknown>);

const credentials = () => ({ id: `t${randomBytes(6).toString('hex')}`, secret: randomBytes(18).toString('base64url') });

/** What the shared service is set to. A file that asks for other settings gets a service of its own. */
const SHARED_SETTINGS: Env = { RATE_LIMIT_PER_MINUTE: 'off', ISSUER_DEADLINE_MS: '60000' };
let shared: { service?: Promise<TestService> } | undefined;

/** From now on the files of this process share one service. Answers how to stop it. */
export function shareServices(): () => Promise<void> {
  const owner: { service?: Promise<TestService> } = {};
  shared = owner;
  return async () => void (await (await owner.service)?.stop());
}

/**
 * A service for one test file, with a platform that no other file uses. In a runner process of `npm test` the service and its database
 * are shared with other files, so a file must not read or change what belongs to all platforms; see `startOwnService`.
 */
export async function startTestService(env: Env = {}): Promise<TestService> {
  const takesShared = Object.entries(env).every(([name, value]) => SHARED_SETTINGS[name] === value);
  if (!shared || !takesShared) return startOwnService(env);
  shared.service ??= startOwnService(SHARED_SETTINGS);
  const service = await shared.service;
  return { ...service, platform: await service.newPlatform(), stop: async () => {} };
}

/**
 * A service on a database of its own, for files that look at all rows, at the log or at the metrics, or that need other settings.
 * With `DATABASE_URL` it joins the database of another, and needs the same `KEY_ENCRYPTION_KEY`.
 */
export async function startOwnService(env: Env = {}, replaceProviders?: ReplaceProviders): Promise<TestService> {
  const database = env['DATABASE_URL'] === undefined ? await createDatabase() : { url: env['DATABASE_URL'], drop: async () => {} };
  const dataDir = mkdtempSync(join(tmpdir(), 'switchyard-service-'));
  const bootstrap = credentials();
  const config = readConfig({
    PORT: '0',
    METRICS_PORT: '0',
    DATA_DIR: dataDir,
    DATABASE_URL: database.url,
    LOG_LEVEL: 'info',
    // On a busy machine a decision may be slow and must not be reversed. Tests of the deadline set their own.
    ISSUER_DEADLINE_MS: '60000',
    ...(env['MODE'] === 'live' ? {} : { BOOTSTRAP_TOKEN: `${bootstrap.id}:${bootstrap.secret}` }),
    ...env,
  });
  const logged: string[] = [];
  const log = pino({ level: config.logLevel }, { write: (line: string) => void logged.push(line) });
  const service = await startService(config, log, replaceProviders);
  const contract = await servedContract(service, config);
  const clientFor = (tokenId: string, secret: string) => clientOf(service.baseUrl, contract, tokenId, secret);

  return {
    platform: clientFor(bootstrap.id, bootstrap.secret),
    async newPlatform() {
      const { tokenPepper } = await installationSecrets(service.db, createKeyCustody(encryptionKeys(config)));
      const { id, secret } = credentials();
      await service.db.transaction(async (tx) => {
        const platform = await createPlatform(tx, { name: id, mode: config.mode, counterpartyRules: true, now: new Date() }, service.hooks);
        await createToken(tx, tokenPepper, platform.id, {
          name: 'bootstrap',
          permissions: ['VIEW', 'TRANSACT', 'MANAGE'],
          now: new Date(),
          credentials: { clientId: id, secret },
        });
      });
      return clientFor(id, secret);
    },
    as: clientFor,
    service,
    db: service.db,
    url: service.url,
    baseUrl: service.baseUrl,
    contract,
    databaseUrl: database.url,
    logged,
    async stop() {
      await service.stop();
      await database.drop();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}
