// Where the embedded cluster lives and as which account it runs. PostgreSQL refuses to run as root, so root
// hands it to an unprivileged account; where that account cannot reach DATA_DIR, the cluster moves to a system directory.
import { createHash, randomBytes } from 'node:crypto';
import {
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmdirSync,
  rmSync,
  type Stats,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** A refusal whose text is meant for the operator. */
export class EmbeddedPostgresError extends Error {
  override readonly name = 'EmbeddedPostgresError';
}

export type Account = { readonly uid: number; readonly gid: number };
export type Place = {
  /** Holds cluster, socket and log; owned by the account that runs PostgreSQL, closed to others. */
  readonly base: string;
  /** Undefined: PostgreSQL runs as this process does. */
  readonly runAs: Account | undefined;
  readonly notice: string | undefined;
};

const SYSTEM_DIRECTORY = '/var/lib/switchyard';

/** Says where a cluster went that could not stay in DATA_DIR: deleting DATA_DIR then still means to begin anew. */
const LOCATION_FILE = 'postgres.location';

/**
 * Makes DATA_DIR if it is missing. Secrets in it are files of mode 0600; the directory itself lets others pass
 * when root makes it, because the account that runs PostgreSQL must reach its cluster inside.
 */
export function ensureDataDir(dataDir: string): void {
  mkdirSync(dataDir, { recursive: true, mode: isRoot() ? 0o711 : 0o700 });
}

/** Finds the place of this DATA_DIR's cluster, or makes one. */
export function choosePlace(dataDir: string): Place {
  try {
    ensureDataDir(dataDir);
    const real = realpathSync(dataDir);
    return existingPlace(real) ?? (isRoot() ? newPlaceOfRoot(real) : newOwnPlace(real));
  } catch (error) {
    if (error instanceof EmbeddedPostgresError) throw error;
    throw new EmbeddedPostgresError(`DATA_DIR ${dataDir} cannot be used: ${messageOf(error)}`, { cause: error });
  }
}

/** The place of this DATA_DIR's cluster, if it has one. Writes nothing. */
export const findPlace = (dataDir: string): Place | undefined => (existsSync(dataDir) ? existingPlace(realpathSync(dataDir)) : undefined);

/** Whether the account may pass every directory above `path` and use `path` itself as `bits` (4 read, 2 write, 1 execute) say. */
export function reaches(account: Account, path: string, bits: number): boolean {
  const real = realpathSync(path);
  for (let above = dirname(real); ; above = dirname(above)) {
    if (!permits(statSync(above), account, 1)) return false;
    if (above === dirname(above)) break;
  }
  return permits(statSync(real), account, bits);
}

function permits(stats: Stats, { uid, gid }: Account, bits: number): boolean {
  const shift = stats.uid === uid ? 6 : stats.gid === gid ? 3 : 0;
  return ((stats.mode >> shift) & bits) === bits;
}

function existingPlace(dataDir: string): Place | undefined {
  const locationFile = join(dataDir, LOCATION_FILE);
  const moved = existsSync(locationFile) ? readFileSync(locationFile, 'utf8').trim() : undefined;
  const base = moved ?? join(dataDir, 'postgres');
  if (moved && !existsSync(moved)) {
    throw new EmbeddedPostgresError(
      `The database of DATA_DIR ${dataDir} was kept in ${moved}, and that directory is gone. Restore it, or delete ${dataDir} to begin with an empty database.`,
    );
  }
  if (!existsSync(base)) return undefined;

  const owner = lstatSync(base);
  const self = process.getuid?.();
  const account = { uid: owner.uid, gid: owner.gid };
  const notice = moved ? movedNotice(dataDir, moved) : undefined;
  if (self === undefined || owner.uid === self) {
    if (self !== 0) return { base, runAs: undefined, notice };
    // Root made the directory and was killed before it gave it away, or somebody copied it as root.
    if (readdirSync(base).length === 0) return undefined;
    throw new EmbeddedPostgresError(
      `${base} belongs to root, and PostgreSQL refuses to run as root. Give it away: chown -R ${unprivileged().name} ${base}`,
    );
  }
  if (self !== 0) {
    throw new EmbeddedPostgresError(
      `${base} belongs to uid ${owner.uid}; this process runs as uid ${self}. Start it as that user or as root.`,
    );
  }
  if (!reaches(account, base, 7)) {
    throw new EmbeddedPostgresError(
      `uid ${owner.uid}, to whom ${base} belongs, cannot reach it: a directory above it is closed. Open the way (chmod o+x) or move DATA_DIR.`,
    );
  }
  return { base, runAs: account, notice };
}

function newOwnPlace(dataDir: string): Place {
  const base = join(dataDir, 'postgres');
  mkdirSync(base, { recursive: true, mode: 0o700 });
  return { base, runAs: undefined, notice: undefined };
}

function newPlaceOfRoot(dataDir: string): Place {
  const account = unprivileged();
  const inside = join(dataDir, 'postgres');
  if (reaches(account, dataDir, 1) && giveDirectory(inside, account)) return { base: inside, runAs: account, notice: undefined };

  const name = `${createHash('sha256').update(dataDir).digest('hex').slice(0, 12)}-${randomBytes(4).toString('hex')}`;
  for (const base of [join(SYSTEM_DIRECTORY, name), join(tmpdir(), `switchyard-${name}`)]) {
    if (!canHold(dirname(base), account) || !giveDirectory(base, account)) continue;
    const settled = settleLocation(dataDir, base);
    return { base: settled, runAs: account, notice: movedNotice(dataDir, settled) };
  }
  throw new EmbeddedPostgresError(
    `PostgreSQL refuses to run as root, and user ${account.name} can be given no directory it reaches, neither in ${dataDir} nor in ${SYSTEM_DIRECTORY} nor in ${tmpdir()}. Set DATA_DIR to a directory that others may pass, run as another user, or set DATABASE_URL.`,
  );
}

/** Two first starts may come here at once: the one that writes the file first decides for both. */
function settleLocation(dataDir: string, base: string): string {
  const file = join(dataDir, LOCATION_FILE);
  try {
    writeFileSync(file, `${base}\n`, { flag: 'wx' });
    return base;
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
    rmSync(base, { recursive: true });
    return readFileSync(file, 'utf8').trim();
  }
}

function movedNotice(dataDir: string, base: string): string {
  const risk = base.startsWith(SYSTEM_DIRECTORY) ? '' : ' That is a temporary directory: it may be emptied when the machine restarts.';
  return `PostgreSQL does not run as root, and the account it runs as cannot reach ${dataDir}: the database is kept in ${base}.${risk}`;
}

function canHold(directory: string, account: Account): boolean {
  try {
    mkdirSync(directory, { recursive: true, mode: 0o755 });
    return reaches(account, directory, 1);
  } catch {
    return false;
  }
}

/** Makes a closed directory of the account's own. False where the file system keeps no owners or root may not give away. */
function giveDirectory(path: string, { uid, gid }: Account): boolean {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 });
    chownSync(path, uid, gid);
    if (lstatSync(path).uid === uid) return true;
  } catch {
    // said by the caller, who knows the alternatives
  }
  if (existsSync(path)) rmdirSync(path);
  return false;
}

/** A named account is needed: initdb looks its own user up. */
function unprivileged(): Account & { readonly name: string } {
  const accounts = new Map(
    readFileSync('/etc/passwd', 'utf8')
      .split('\n')
      .map((line) => line.split(':'))
      .map(([name = '', , uid, gid]) => [name, { name, uid: Number(uid), gid: Number(gid) }]),
  );
  const account = ['switchyard', 'postgres', 'nobody'].map((name) => accounts.get(name)).find((found) => found && found.uid > 0);
  if (account) return account;
  throw new EmbeddedPostgresError(
    'PostgreSQL refuses to run as root, and /etc/passwd names no user switchyard, postgres or nobody. Add one, or set DATABASE_URL.',
  );
}

const isRoot = () => process.getuid?.() === 0;

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

export function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}
