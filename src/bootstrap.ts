// The first platform of a sandbox and its credentials. Repeating it changes nothing.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { BootstrapToken } from './config.js';
import type { Db, Tx } from './db/pool.js';
import { createPlatform, createToken, type InstallationSecrets, realNow, restoreToken } from './domains/core/platform/actions.js';
import { BOOTSTRAP_NAME, findBootstrapPlatform, findTokenHolder, lockInstallation } from './domains/core/platform/store.js';
import { PERMISSIONS } from './http/operation.js';
import type { Hooks } from './kernel/hook.js';
import type { PlatformId } from './kernel/ids.js';

export type SandboxCredentials = { readonly tokenId: string; readonly secret: string };

/**
 * Ensures that each configured token works, each on its own sandbox platform, and returns the first. Without configured tokens it is the
 * token of the last start. A deleted or expired token stays so, and its platform gets a new one.
 */
export async function bootstrapSandbox(
  db: Db,
  secrets: InstallationSecrets,
  hooks: Hooks,
  { wanted, remembered }: { readonly wanted: readonly BootstrapToken[]; readonly remembered: BootstrapToken | undefined },
): Promise<SandboxCredentials> {
  return db.transaction(async (tx) => {
    // Several processes may start at once; the first one makes the platform.
    await lockInstallation(tx);
    const [first, ...rest] = wanted;
    if (!first) return rememberedOrNew(tx, secrets, hooks, remembered);
    const credentials = await ensureToken(tx, secrets, hooks, first, 'Sandbox');
    for (const [i, token] of rest.entries()) await ensureToken(tx, secrets, hooks, token, `Sandbox ${i + 2}`);
    return credentials;
  });
}

async function ensureToken(
  tx: Tx,
  secrets: InstallationSecrets,
  hooks: Hooks,
  { id, secret }: BootstrapToken,
  name: string,
): Promise<SandboxCredentials> {
  const holder = await findTokenHolder(tx, id);
  if (holder) restoreToken(tx, secrets.tokenPepper, holder, secret);
  else await addToken(tx, secrets, await newPlatform(tx, hooks, name), { clientId: id, secret });
  return { tokenId: id, secret };
}

async function rememberedOrNew(
  tx: Tx,
  secrets: InstallationSecrets,
  hooks: Hooks,
  remembered: BootstrapToken | undefined,
): Promise<SandboxCredentials> {
  const holder = remembered && (await findTokenHolder(tx, remembered.id));
  if (remembered && holder?.isUsable) return { tokenId: remembered.id, secret: remembered.secret };
  // Without the file that remembers it, as beside another process: the platform is there all the same.
  const platformId = holder?.platformId ?? (await findBootstrapPlatform(tx)) ?? (await newPlatform(tx, hooks, 'Sandbox'));
  return addToken(tx, secrets, platformId);
}

async function newPlatform(tx: Tx, hooks: Hooks, name: string): Promise<PlatformId> {
  const now = await realNow(tx);
  return (await createPlatform(tx, { name, mode: 'sandbox', counterpartyRules: true, now }, hooks)).id;
}

async function addToken(
  tx: Tx,
  secrets: InstallationSecrets,
  platformId: PlatformId,
  credentials?: { readonly clientId: string; readonly secret: string },
): Promise<SandboxCredentials> {
  const { token, secret } = await createToken(tx, secrets.tokenPepper, platformId, {
    name: BOOTSTRAP_NAME,
    permissions: PERMISSIONS,
    now: await realNow(tx),
    ...(credentials && { credentials }),
  });
  return { tokenId: token.clientId, secret };
}

const envFileIn = (dataDir: string): string => join(dataDir, 'sandbox.env');

/** The token printed at an earlier start: the database holds only its hash. */
export function rememberedToken(dataDir: string): BootstrapToken | undefined {
  const file = envFileIn(dataDir);
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
