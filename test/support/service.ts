// The real service on a database of its own, for one test file.
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { type Env, readConfig } from '../../src/config.js';
import type { Db } from '../../src/db/pool.js';
import { type Service, startService } from '../../src/service.js';
import { type Client, clientOf } from './client.js';
import { type Contract, contractOf } from './contract.js';
import { createDatabase } from './database.js';

export type TestService = {
  /** The bootstrap sandbox platform: under counterparty rules, with every permission. */
  readonly platform: Client;
  /** A further sandbox platform of its own. */
  newPlatform(): Promise<Client>;
  /** A client with other credentials: another token, or none that exist. */
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

const SPARE_PLATFORMS = 4;
const credentials = () => ({ id: `t${randomBytes(6).toString('hex')}`, secret: randomBytes(18).toString('base64url') });

export async function startTestService(env: Env = {}): Promise<TestService> {
  const database = await createDatabase();
  const dataDir = mkdtempSync(join(tmpdir(), 'switchyard-service-'));
  const tokens = Array.from({ length: 1 + SPARE_PLATFORMS }, credentials);
  const config = readConfig({
    PORT: '0',
    DATA_DIR: dataDir,
    DATABASE_URL: database.url,
    LOG_LEVEL: 'info',
    ...(env['MODE'] === 'live' ? {} : { BOOTSTRAP_TOKEN: tokens.map(({ id, secret }) => `${id}:${secret}`).join(',') }),
    ...env,
  });
  const logged: string[] = [];
  const log = pino({ level: config.logLevel }, { write: (line: string) => void logged.push(line) });
  const service = await startService(config, log);
  const contract = contractOf((await (await fetch(`${service.url}/openapi.json`)).json()) as Record<string, unknown>);
  const clients = tokens.map(({ id, secret }) => clientOf(service.baseUrl, contract, id, secret));
  const [platform, ...spare] = clients as [Client, ...Client[]];

  return {
    platform,
    async newPlatform() {
      const next = spare.shift();
      if (!next) throw new Error('a test file has a handful of platforms; raise SPARE_PLATFORMS for more');
      return next;
    },
    as: (tokenId, secret) => clientOf(service.baseUrl, contract, tokenId, secret),
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
