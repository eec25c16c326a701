// Sessions of the console: opening, finding and ending them. The browser holds the platform and 256 random bits; the table holds their hash.
import { createHash, randomBytes } from 'node:crypto';
import type { Db } from '../../../db/pool.js';
import type { Upkeep } from '../../../db/upkeep.js';
import type { Caller } from '../../../http/operation.js';
import { idOf, type PlatformId, type TokenId, uuidOf } from '../../../kernel/ids.js';
import { plusMs } from '../../../kernel/time.js';
import { realNow } from '../platform/actions.js';
import { CODE_LIFE_MS, IDLE_MS, isOver, isToBeNoted } from './rules.js';
import type { ConsoleSession } from './session.js';
import {
  deleteCodesBefore,
  deleteSession,
  deleteSessionsBefore,
  findSession,
  insertCode,
  insertSession,
  noteSession,
  takeCode,
} from './store.js';

export { createLive } from './live.js';

type Mode = keyof typeof IDLE_MS;
type Secret = { readonly platformId: PlatformId; readonly secretHash: Buffer };

const PLATFORM_BYTES = 16;
const SECRET_BYTES = 32;

const hashOf = (bytes: Buffer): Buffer => createHash('sha256').update(bytes).digest();

/** A new value for a browser, and what is stored of it. */
function newSecret(platformId: PlatformId): { readonly value: string; readonly secretHash: Buffer } {
  const bytes = Buffer.concat([Buffer.from(uuidOf(platformId).replaceAll('-', ''), 'hex'), randomBytes(SECRET_BYTES)]);
  return { value: bytes.toString('base64url'), secretHash: hashOf(bytes) };
}

/** Undefined for what was never given to a browser. */
function readSecret(value: string): Secret | undefined {
  const bytes = /^[\w-]+$/.test(value) ? Buffer.from(value, 'base64url') : Buffer.alloc(0);
  if (bytes.length !== PLATFORM_BYTES + SECRET_BYTES) return undefined;
  const uuid = bytes.toString('hex', 0, PLATFORM_BYTES).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
  return { platformId: idOf('Platform', uuid), secretHash: hashOf(bytes) };
}

export type ConsoleCode = { readonly code: string; readonly expiresAt: Date };

export type ConsoleSessions = {
  /** Returns the value for the cookie. */
  open(caller: Pick<Caller, 'platformId' | 'tokenId'>): Promise<string>;
  newCode(caller: Pick<Caller, 'platformId' | 'tokenId'>): Promise<ConsoleCode>;
  /** Uses a code up. Undefined if it is unknown, used or expired. */
  openWithCode(code: string): Promise<string | undefined>;
  /** Undefined once the session, or the token behind it, has ended. */
  find(cookie: string): Promise<ConsoleSession | undefined>;
  /** Whether the session goes on. Asking is no use of it: a page that only listens is idle. */
  isOpen(cookie: string): Promise<boolean>;
  close(cookie: string): Promise<void>;
};

export function createConsoleSessions(db: Db, mode: Mode): ConsoleSessions {
  const open = async (platformId: PlatformId, tokenId: TokenId): Promise<string> => {
    const { value, secretHash } = newSecret(platformId);
    await insertSession(db, { platformId, tokenId, secretHash }, await realNow(db));
    return value;
  };
  const lookUp = async (secret: Secret | undefined): Promise<ConsoleSession | undefined> => {
    const session = secret && (await findSession(db, secret.platformId, secret.secretHash, mode));
    return session && !isOver(session, mode) ? session : undefined;
  };
  return {
    open: ({ platformId, tokenId }) => open(platformId, tokenId),
    newCode: ({ platformId, tokenId }) => newConsoleCode(db, platformId, tokenId),
    async openWithCode(code) {
      const secret = readSecret(code);
      const tokenId = secret && (await takeCode(db, secret.platformId, secret.secretHash, await realNow(db)));
      return tokenId && secret && open(secret.platformId, tokenId);
    },
    async find(cookie) {
      const secret = readSecret(cookie);
      const session = await lookUp(secret);
      if (secret && session && isToBeNoted(session)) await noteSession(db, secret.platformId, secret.secretHash, session.realNow);
      return session;
    },
    isOpen: async (cookie) => (await lookUp(readSecret(cookie))) !== undefined,
    async close(cookie) {
      const secret = readSecret(cookie);
      if (secret) await deleteSession(db, secret.platformId, secret.secretHash);
    },
  };
}

/** A code that opens one session of the token. */
export async function newConsoleCode(db: Db, platformId: PlatformId, tokenId: TokenId): Promise<ConsoleCode> {
  const { value, secretHash } = newSecret(platformId);
  const expiresAt = plusMs(await realNow(db), CODE_LIFE_MS);
  await insertCode(db, { platformId, tokenId, secretHash }, expiresAt);
  return { code: value, expiresAt };
}

export const consoleUpkeep = (mode: Mode): Upkeep => ({
  name: 'console-sessions',
  everyMs: 10 * 60_000,
  run: async (db, platformId, now) => {
    await deleteSessionsBefore(db, platformId, plusMs(now, -IDLE_MS[mode]));
    await deleteCodesBefore(db, platformId, now);
  },
});
