// Issuer credentials: making and revoking them, and finding who signed a request.
import { randomBytes } from 'node:crypto';
import type { Db, Tx } from '../../../db/pool.js';
import type { FindIssuer } from '../../../http/authenticate.js';
import { batched } from '../../../kernel/batch.js';
import { ApiError } from '../../../kernel/errors.js';
import { newId, type PlatformId } from '../../../kernel/ids.js';
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
}

/** Checks proofs. Concurrent requests share a look-up per platform. An unknown or revoked key takes as long as a wrong signature. */
export function createFindIssuer(db: Db, custody: KeyCustody, mode: Mode): FindIssuer {
  const dummy = { secret: randomBytes(32), certificateSha256: null };
  const find = batched((keys: readonly KeyNames[]) => findTogether(db, mode, keys), { lanes: 2 });
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

/** One statement per platform. */
async function findTogether(db: Db, mode: Mode, keys: readonly KeyNames[]): Promise<(StoredCredential | undefined)[]> {
  const platforms = [...new Set(keys.map(({ platformId }) => platformId))];
  const found = await Promise.all(
    platforms.map((platformId) => {
      const ids = new Set(keys.filter((key) => key.platformId === platformId).map(({ id }) => id));
      return findUsable(db, mode, platformId, [...ids]);
    }),
  );
  const known = new Map(found.flat().map((stored) => [keyIdOf(stored.credential), stored]));
  return keys.map((key) => known.get(keyIdOf(key)));
}

/** In live mode the interface is served only once there is a credential for it. That it was served is remembered. */
export function createIsServed(db: Db, mode: Mode): () => Promise<boolean> {
  let served = mode === 'sandbox';
  return async () => {
    served ||= await hasAny(db, mode);
    return served;
  };
}
