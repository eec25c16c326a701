// The first platform of a sandbox and its credentials. Repeating it changes nothing.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { BootstrapToken } from './config.js';
import type { Db, Tx } from './db/pool.js';
import { sql } from './db/sql.js';
import { createPlatform, createToken, type InstallationSecrets, type OpenAccounts, setTokenSecret } from './domains/platform/actions.js';
import { findCredentials } from './domains/platform/store.js';

export type SandboxCredentials = { readonly tokenId: string; readonly secret: string };

const LOCK = 7_226_412;
const PERMISSIONS = ['VIEW', 'TRANSACT', 'MANAGE'] as const;

/** Makes sure that each wanted token exists, on a sandbox platform of its own, and answers the first. */
export async function bootstrapSandbox(
  db: Db,
  secrets: InstallationSecrets,
  openAccounts: OpenAccounts,
  { wanted, envFile }: { wanted: readonly BootstrapToken[]; envFile: string },
): Promise<SandboxCredentials> {
  return db.transaction(async (tx) => {
    // Several processes may start at once; the first one makes the platform.
    await tx.run(sql`select pg_advisory_xact_lock(${LOCK})`);
    const [first, ...rest] = wanted.length > 0 ? wanted : [rememberedToken(envFile)];
    const credentials = await ensureToken(tx, secrets, openAccounts, first, 'Sandbox');
    for (const [i, token] of rest.entries()) await ensureToken(tx, secrets, openAccounts, token, `Sandbox ${i + 2}`);
    return credentials;
  });
}

async function ensureToken(
  tx: Tx,
  secrets: InstallationSecrets,
  openAccounts: OpenAccounts,
  token: BootstrapToken | undefined,
  name: string,
): Promise<SandboxCredentials> {
  const [known] = token ? await findCredentials(tx, [token.id]) : [];
  if (token && known) {
    await setTokenSecret(tx, secrets.tokenPepper, known, token.secret);
    return { tokenId: token.id, secret: token.secret };
  }
  const now = (await tx.one<{ now: Date }>(sql`select date_trunc('milliseconds', clock_timestamp()) as now`))?.now as Date;
  const platform = await createPlatform(tx, { name, mode: 'sandbox', counterpartyRules: true, now }, openAccounts);
  const { token: made, secret } = await createToken(tx, secrets.tokenPepper, platform.id, {
    name: 'bootstrap',
    permissions: PERMISSIONS,
    now,
    ...(token ? { credentials: { clientId: token.id, secret: token.secret } } : {}),
  });
  return { tokenId: made.clientId, secret };
}

export const envFileIn = (dataDir: string): string => join(dataDir, 'sandbox.env');

/** The token printed at an earlier start: the database holds only its hash. */
function rememberedToken(file: string): BootstrapToken | undefined {
  if (!existsSync(file)) return undefined;
  const values = Object.fromEntries(
    [...readFileSync(file, 'utf8').matchAll(/^(\w+)='?([^'\n]*)'?$/gm)].map((match) => [match[1], match[2]]),
  );
  const id = values['SWITCHYARD_TOKEN_ID'];
  const secret = values['SWITCHYARD_TOKEN_SECRET'];
  return id && secret ? { id, secret } : undefined;
}

export function writeEnvFile(dataDir: string, baseUrl: string, { tokenId, secret }: SandboxCredentials): void {
  const text = [
    '# Written by Switchyard at every start. Sandbox credentials: never use them elsewhere.',
    `SWITCHYARD_URL='${baseUrl}'`,
    `SWITCHYARD_TOKEN_ID='${tokenId}'`,
    `SWITCHYARD_TOKEN_SECRET='${secret}'`,
    '',
  ].join('\n');
  writeFileSync(envFileIn(dataDir), text, { mode: 0o600 });
}
