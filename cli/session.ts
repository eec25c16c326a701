// A session of an end user in a file: its key pair, for signatures on the command line.
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { usage } from './exit.js';

export type SessionFile = {
  readonly publicKey: string;
  readonly privateKey: string;
  readonly sessionId?: string;
  readonly accountId?: string;
  readonly expiresAt?: string;
};

export function readJson<T>(file: string): T {
  try {
    return JSON.parse(readFileSync(file === '-' ? 0 : file, 'utf8')) as T;
  } catch (error) {
    throw usage(`cannot read ${file}: ${(error as Error).message}`);
  }
}

export function readSession(file: string): SessionFile {
  const session = readJson<SessionFile>(file);
  if (typeof session.publicKey !== 'string' || typeof session.privateKey !== 'string')
    throw usage(`${file} is no session: it has no key pair`);
  return session;
}

/** Readable by its owner alone. */
export function writeSecretFile(file: string, value: unknown): void {
  writeFileSync(file, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600 });
  chmodSync(file, 0o600);
}

/** Loaded when something is signed, because the crypto library takes longer to load than most commands take. */
export async function signerOf(session: SessionFile): Promise<(payload: string) => Promise<string>> {
  const { importSessionKey, stamp } = await import('../client/signing.js');
  const key = await importSessionKey(session);
  return (payload) => stamp(key, payload);
}
