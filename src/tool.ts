// Shared by the command-line tools: access to the configured database, also while the service runs.
import { type Logger, pino } from 'pino';
import { type Config, ConfigError, readConfig } from './config.js';
import { EmbeddedPostgresError, ensureDataDir, startEmbeddedPostgres } from './db/embedded.js';
import { MigrationError } from './db/migrate.js';
import { type Db, openDb } from './db/pool.js';
import { createKeyCustody, type KeyCustody } from './providers/key-custody.js';
import { encryptionKeys, explainFailure, prepareSchema } from './service.js';

export type ToolContext = { readonly config: Config; readonly db: Db; readonly custody: KeyCustody; readonly log: Logger };

/** Runs a tool on the configured database; an embedded one is started if no service runs it already. */
export async function withDatabase(work: (context: ToolContext) => Promise<void>): Promise<void> {
  const config = readConfig(process.env);
  ensureDataDir(config.dataDir);
  const log = pino({ level: 'warn' }, pino.destination({ dest: 2, sync: true }));
  const server = config.databaseUrl
    ? { url: config.databaseUrl, stop: async () => {} }
    : await startEmbeddedPostgres({ dataDir: config.dataDir, log, exclusive: false });
  const db = openDb({ url: server.url, poolSize: 2, pooler: config.databasePooler, lockTimeoutMs: config.databaseLockTimeoutMs });
  try {
    await prepareSchema(db);
    await work({ config, db, custody: createKeyCustody(encryptionKeys(config)), log });
  } finally {
    await db.close();
    await server.stop();
  }
}

/** A failure that the operator can fix: printed as one line, without a stack. */
export class ToolError extends Error {}

/** What a command of a tool takes behind its name. */
export type Takes = { readonly words: number; readonly flags?: readonly string[] };

/** Nothing is left out silently: a word too many is often a value whose flag was forgotten, or a text without its quotes. */
export function refuseExtra({ words, flags = [] }: Takes, positionals: readonly string[], values: object, usage: string): void {
  const word = positionals[1 + words];
  if (word !== undefined) throw new ToolError(`not expected: ${word}\n${usage}`);
  const flag = Object.keys(values).find((name) => !flags.includes(name));
  if (flag !== undefined) throw new ToolError(`${positionals[0]} takes no --${flag}\n${usage}`);
}

export function runTool(main: () => Promise<void>): void {
  main().catch((thrown: unknown) => {
    const error = explainFailure(thrown) as Error;
    const expected = [ToolError, ConfigError, EmbeddedPostgresError, MigrationError].some((kind) => error instanceof kind);
    process.stderr.write(`${expected ? error.message : (error.stack ?? error.message)}\n`);
    process.exitCode = 1;
  });
}
