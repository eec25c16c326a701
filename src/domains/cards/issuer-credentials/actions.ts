// Issuer credentials: making and revoking them, and finding who signed a request.
import { randomBytes } from 'node:crypto';
import type { Db, Tx } from '../../../db/pool.js';
import type { FindIssuer } from '../../../http/authenticate.js';
import { batchedBy } from '../../../kernel/batch.js';
import { ApiError } from '../../../kernel/errors.js';
import { newId, type PlatformId } from '../../../kernel/ids.js';
import { plusMs } from '../../../kernel/time.js';
import type { KeyCustody } from '../../../providers/key-custody.js';
import type { Mode } from '../../core/platform/platform.js';
import type { IssuerCredential, IssuerCredentialId } from './issuer-credential.js';
import { isProven, type KeyNames, keyIdOf, parseKeyId } from './rules.js';
import { findUsable, hasAny, insertCredential, revokeCredential, type StoredCredential } from './store.js';

export { keyIdOf, parseFingerprint, parseKeyId } from './rules.js';
export { listCredentials } from './store.js';

/** A sealed secret belongs to one credential of one platform. */
export const issuerSecretContext = ({ platformId, id }: KeyNames): string => `issuer credential ${platformId} ${id}`;

export type NewIssuerCredential = {
  readonly program: string;
  /** Makes a certificate the proof. Otherwise a secret is made. */
  readonly certificateSha256?: Buffer | undefined;
  readonly now: Date;
};

/** A credential and its secret, which is shown only now. The caller has checked the program. */
export function createIssuerCredential(
  tx: Tx,
  custody: KeyCustody,
  platformId: PlatformId,
  { program, certificateSha256, now }: NewIssuerCredential,
): { credential: IssuerCredential; secret: string | undefined } {
  const credential: IssuerCredential = {
    id: newId('IssuerCredential'),
    platformId,
    program,
    certificateSha256: certificateSha256 ?? null,
    createdAt: now,
  };
  const secret = certificateSha256 ? undefined : `isk_${randomBytes(32).toString('base64url')}`;
  insertCredential(tx, credential, secret === undefined ? null : custody.seal(Buffer.from(secret), issuerSecretContext(credential)));
  return { credential, secret };
}

export async function revokeIssuerCredential(tx: Tx, platformId: PlatformId, now: Date, id: IssuerCredentialId | undefined): Promise<void> {
  if (!id || !(await revokeCredential(tx, platformId, id, now))) throw new ApiError('NOT_FOUND');
  tx.afterCommit(() => {
    revocations += 1;
  });
}

/** How often this process has revoked a credential: what it remembered before does not count any more. */
let revocations = 0;

/** How long a process goes by a credential that it has read. Processes that did not revoke it accept it for so long. */
const REMEMBERED_MS = 1_000;
const MAX_REMEMBERED = 1_000;

/** Checks proofs. Concurrent requests share a look-up per platform. An unknown or revoked key takes as long as a wrong signature. */
export function createFindIssuer(db: Db, custody: KeyCustody, mode: Mode): FindIssuer {
  const dummy = { secret: randomBytes(32), certificateSha256: null };
  const find = createFindCredential(db, mode);
  const secretOf = createSecretReader(custody);
  return async ({ keyId, ...offered }) => {
    const key = parseKeyId(keyId);
    const found = key && (await find(key));
    if (!found) {
      isProven(dummy, offered, new Date(0));
      return undefined;
    }
    const { credential, now, realNow } = found;
    if (!isProven({ secret: secretOf(found), certificateSha256: credential.certificateSha256 }, offered, realNow)) return undefined;
    return { platformId: credential.platformId, credentialId: credential.id, program: credential.program, now };
  };
}

/**
 * Reads credentials, and remembers those that it found: a processor sends thousands of requests a second with one key. Requests of the same
 * turn are answered together, also from memory. What follows is then done for one after the other, which takes a sixth less time than
 * between other work.
 */
function createFindCredential(db: Db, mode: Mode): (key: KeyNames) => Promise<StoredCredential | undefined> {
  type Remembered = { readonly stored: StoredCredential; readonly readAt: number; readonly revocations: number };
  const known = new Map<string, Remembered>();
  const recall = (keyId: string): StoredCredential | undefined => {
    const entry = known.get(keyId);
    const age = entry ? performance.now() - entry.readAt : REMEMBERED_MS;
    if (!entry || age >= REMEMBERED_MS || entry.revocations !== revocations) return undefined;
    return { ...entry.stored, realNow: plusMs(entry.stored.realNow, age) };
  };
  const read = async (platformId: PlatformId, ids: readonly IssuerCredentialId[]): Promise<Map<IssuerCredentialId, StoredCredential>> => {
    // Both are taken before the look-up: a revocation meanwhile makes the entries void.
    const begun = { readAt: performance.now(), revocations };
    const found = await findUsable(db, mode, platformId, [...new Set(ids)]);
    if (known.size >= MAX_REMEMBERED) known.clear();
    for (const stored of found) known.set(keyIdOf(stored.credential), { stored, ...begun });
    return new Map(found.map((stored) => [stored.credential.id, stored]));
  };
  // Platforms may be on several servers: one that is down must not fail the requests of the others.
  const find = batchedBy(
    async (platformId: PlatformId, ids: readonly IssuerCredentialId[]) => {
      const recalled = ids.map((id) => recall(keyIdOf({ platformId, id })));
      const unknown = ids.filter((_, i) => recalled[i] === undefined);
      const found = unknown.length > 0 ? await read(platformId, unknown) : undefined;
      return ids.map((id, i) => recalled[i] ?? found?.get(id));
    },
    { lanes: 2 },
  );
  return ({ platformId, id }) => find(platformId, id);
}

/** Secrets that were opened lately. Decrypting one for every request of a busy issuer costs as much as the decision's own rules. */
const MAX_OPENED = 1_000;

/** Opens sealed secrets. The sealed bytes are read with every request, so a rewrapped or replaced secret is opened anew. */
function createSecretReader(custody: KeyCustody): (stored: StoredCredential) => Buffer | null {
  const opened = new Map<IssuerCredentialId, { readonly sealed: Buffer; readonly secret: Buffer }>();
  return ({ credential, secretSealed }) => {
    if (secretSealed === null) return null;
    const known = opened.get(credential.id);
    if (known?.sealed.equals(secretSealed)) return known.secret;
    const secret = custody.open(secretSealed, issuerSecretContext(credential));
    if (opened.size >= MAX_OPENED) opened.clear();
    opened.set(credential.id, { sealed: secretSealed, secret });
    return secret;
  };
}

/** In live mode the interface is served only once there is a credential for it. That it was served is remembered. */
export function createIsServed(db: Db, mode: Mode): () => Promise<boolean> {
  let served = mode === 'sandbox';
  return async () => {
    served ||= await hasAny(db, mode);
    return served;
  };
}
