// Links to accounts at the issuer: verified first, credentials sealed, revoked when they are no longer used.
import type { Db, Tx } from '../../../db/pool.js';
import { ApiError, assert, invalidField } from '../../../kernel/errors.js';
import { newId, type PlatformId } from '../../../kernel/ids.js';
import type { KeyCustody } from '../../../providers/key-custody.js';
import {
  type IssuerAccount,
  type IssuerCredentials,
  IssuerUnreachable,
  type StablecoinIssuer,
} from '../../../providers/stablecoin-issuer.js';
import { insertLink, lockLink, lockLinkOf, saveLink } from './links-store.js';
import { hasOpenOperations } from './operations-store.js';
import type { LinkRequest, ProviderFacts } from './schemas.js';
import type { Link, LinkId } from './stablecoin.js';

export type IssuerDeps = {
  readonly db: Db;
  readonly custody: KeyCustody;
  readonly stablecoinIssuer: StablecoinIssuer;
  readonly environment: ProviderFacts['environment'];
};

/** Binds sealed credentials to platform and link: in another row they do not open. */
export const credentialsContext = (platformId: PlatformId, id: LinkId): string => `stablecoin credentials ${platformId} ${id}`;

const sealed = (custody: KeyCustody, platformId: PlatformId, id: LinkId, { apiClientId, apiClientSecret }: IssuerCredentials): Buffer =>
  custody.seal(Buffer.from(JSON.stringify({ apiClientId, apiClientSecret }), 'utf8'), credentialsContext(platformId, id));

/** The account at the provider with the credentials that open it. They must not leave the process but to the provider. */
export function accountOf({ custody }: Pick<IssuerDeps, 'custody'>, platformId: PlatformId, link: Link): IssuerAccount {
  assert(link.credentialsSealed, 'the credentials of a link are kept while it is used');
  const opened = custody.open(link.credentialsSealed, credentialsContext(platformId, link.id));
  const credentials: IssuerCredentials = JSON.parse(opened.toString('utf8'));
  return { platformId, providerAccountId: link.providerAccountId, credentials };
}

const unreachable = (): ApiError =>
  new ApiError('SERVICE_UNAVAILABLE', { cause: 'STABLECOIN_PROVIDER_UNREACHABLE' }, { headers: { 'retry-after': '5' } });

/** A call to the provider. One that cannot be reached is a 503. */
export async function asked<Result>(call: Promise<Result>): Promise<Result> {
  return call.catch((error: unknown) => {
    throw error instanceof IssuerUnreachable ? unreachable() : error;
  });
}

/** Asks the provider which account the credentials open. */
export async function verifyAccount({ stablecoinIssuer }: IssuerDeps, request: LinkRequest): Promise<string> {
  const { apiClientId, apiClientSecret, providerAccountId } = request;
  const verified = await asked(stablecoinIssuer.verify({ apiClientId, apiClientSecret }, providerAccountId));
  if (verified.kind === 'VERIFIED') return verified.providerAccountId;
  if (verified.kind === 'REFUSED') throw new ApiError('STABLECOIN_VERIFICATION_FAILED');
  throw invalidField('providerAccountId', 'is required: the credentials open several accounts');
}

/** Links a verified account. One that was revoked or is invalid comes back under its id, with the new credentials. */
export async function linkAccount(
  tx: Tx,
  { custody, environment }: Pick<IssuerDeps, 'custody' | 'environment'>,
  platformId: PlatformId,
  request: LinkRequest,
  providerAccountId: string,
  now: Date,
): Promise<Link> {
  const id = newId('StablecoinProviderAccount');
  const link: Link = {
    id,
    provider: request.provider,
    environment,
    providerAccountId,
    status: 'ACTIVE',
    credentialsSealed: sealed(custody, platformId, id, request),
    lastVerifiedAt: now,
    createdAt: now,
    updatedAt: now,
  };
  if (await insertLink(tx, platformId, link)) return link;
  const known = await lockLinkOf(tx, platformId, link);
  if (known.status === 'ACTIVE') throw new ApiError('CONFLICT', { stablecoinProviderAccountId: known.id });
  const again: Link = {
    ...known,
    status: 'ACTIVE',
    credentialsSealed: sealed(custody, platformId, known.id, request),
    lastVerifiedAt: now,
    updatedAt: now,
  };
  saveLink(tx, platformId, again);
  return again;
}

/** Stops new orders. The credentials are destroyed with the last order that is still open. */
export async function revokeLink(tx: Tx, platformId: PlatformId, id: LinkId | undefined, now: Date): Promise<void> {
  const link = await lockLink(tx, platformId, id);
  if (link.status === 'REVOKED') return;
  const isUsed = await hasOpenOperations(tx, platformId, link.id);
  saveLink(tx, platformId, {
    ...link,
    status: 'REVOKED',
    credentialsSealed: isUsed ? link.credentialsSealed : null,
    updatedAt: now,
  });
}

/** To be called when an operation of the link has ended, in that transaction: a revoked link needs its credentials no longer. */
export async function destroyUnused(tx: Tx, platformId: PlatformId, id: LinkId): Promise<void> {
  const link = await lockLink(tx, platformId, id);
  if (link.status !== 'REVOKED' || link.credentialsSealed === null || (await hasOpenOperations(tx, platformId, id))) return;
  saveLink(tx, platformId, { ...link, credentialsSealed: null });
}

/** The provider rejects the credentials: the link is invalid from now on, unless it has new ones already. The caller is refused. */
export async function refuseRejected({ db }: Pick<IssuerDeps, 'db'>, platformId: PlatformId, used: Link, now: Date): Promise<never> {
  await db.transaction(async (tx) => {
    const link = await lockLink(tx, platformId, used.id);
    const isUnchanged =
      link.credentialsSealed !== null && used.credentialsSealed !== null && link.credentialsSealed.equals(used.credentialsSealed);
    if (link.status === 'ACTIVE' && isUnchanged) saveLink(tx, platformId, { ...link, status: 'INVALID', updatedAt: now });
  });
  throw new ApiError('STABLECOIN_PROVIDER_ACCOUNT_INVALID');
}
