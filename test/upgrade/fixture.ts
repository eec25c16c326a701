// Recorded databases of earlier schemas. A fixture is named after its last migration and consists of two files:
// `<name>.sql` holds the rows, `<name>.json` the migrations, API responses and object ids at the time of recording.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Migration, migrate, readMigrations } from '../../src/db/migrate.js';
import { openDb } from '../../src/db/pool.js';
import { projectRoot } from '../../src/root.js';

export const FOLDER = join(projectRoot, 'test/upgrade/fixtures');

/** Credentials of every fixture. They exist nowhere else. */
export const KEY_ENCRYPTION_KEY = Buffer.from('the fixture key, used only here!').toString('base64');
export const TOKEN = { id: 'upgrade', secret: 'the-secret-of-the-upgrade-fixture' } as const;
/** A platform on which every operation was called. */
export const ALL_TOKEN = { id: 'upgrade-all', secret: 'the-secret-of-the-third-platform' } as const;
export const GONE_TOKEN = { id: 'upgrade-gone', secret: 'the-secret-of-the-second-platform' } as const;

/** Stands for the address of the service, which differs between recording and test. */
export const SERVICE_URL = 'http://the-service.invalid';

/** The objects that the test continues to use. */
export type Objects = {
  readonly walletCard: string;
  readonly walletAccount: string;
  readonly walletCredential: string;
  readonly card: string;
  readonly cardAccount: string;
  /** An authorization of `openAmount` on `card` that has not been cleared. */
  readonly openTransaction: string;
  readonly openAmount: number;
  readonly statementPeriod: { readonly start: string; readonly end: string };
  /** The request that issued `card`. */
  readonly issuance: { readonly key: string; readonly body: Record<string, unknown> };
};

/** `authorization`: of another caller than TOKEN. */
export type RecordedResponse = { readonly path: string; readonly authorization?: string; readonly body: unknown };

export type Fixture = {
  readonly migrations: readonly Pick<Migration, 'name' | 'checksum'>[];
  readonly objects: Objects;
  readonly responses: readonly RecordedResponse[];
};

export const fixtureNames = (): string[] =>
  readdirSync(FOLDER)
    .filter((name) => name.endsWith('.sql'))
    .map((name) => name.slice(0, -'.sql'.length))
    .sort();

export const readFixture = (name: string): Fixture => JSON.parse(readFileSync(join(FOLDER, `${name}.json`), 'utf8')) as Fixture;

/** Builds the schema of the fixture in an empty database and loads the rows. Needs a superuser. */
export async function loadFixture(databaseUrl: string, name: string): Promise<void> {
  const { migrations: recorded } = readFixture(name);
  const known = new Map((await readMigrations()).map((migration) => [migration.name, migration]));
  const migrations = recorded.map((expected) => {
    const migration = known.get(expected.name);
    assert.equal(migration?.checksum, expected.checksum, `${expected.name} has changed since ${name} was recorded; see CONTRIBUTING.md`);
    return migration as Migration;
  });
  const db = openDb({ url: databaseUrl, poolSize: 1 });
  const session = await db.connect();
  try {
    await migrate(session, migrations);
    // Rows are loaded table by table in alphabetical order: no triggers and no foreign keys meanwhile.
    await session.query('set session_replication_role = replica');
    await session.query(readFileSync(join(FOLDER, `${name}.sql`), 'utf8'));
  } finally {
    await session.end();
    await db.close();
  }
}
