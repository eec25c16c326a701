// Links to the hosted verification page: making them, and finding what a link leads to.
import { createHash, randomBytes } from 'node:crypto';
import type { Db, Tx } from '../../../db/pool.js';
import { type CustomerId, idOf, type PlatformId, uuidOf } from '../../../kernel/ids.js';
import { DAY_MS, plusMs } from '../../../kernel/time.js';
import { getPlatform, readClock } from '../../core/platform/actions.js';
import type { Mode } from '../../core/platform/platform.js';
import { lockCustomer, unverifiedChannels } from '../customers/actions.js';
import { findLink, insertLink } from './links-store.js';
import { refuseRedirect, refuseUnverifiedContacts } from './rules.js';
import type { KycLink } from './verification.js';

const VALID_MS = DAY_MS;
const PLATFORM_BYTES = 16;
const RANDOM_BYTES = 32;

export type CreatedLink = { readonly token: string; readonly expiresAt: Date };

export type LinkRequest = {
  readonly platformId: PlatformId;
  readonly customerId: CustomerId | undefined;
  readonly redirectUri: string | undefined;
  readonly now: Date;
};

/** Every call makes a new link and leaves the older ones as they are. */
export async function createKycLink(tx: Tx, { platformId, customerId, redirectUri, now }: LinkRequest): Promise<CreatedLink> {
  if (redirectUri !== undefined) refuseRedirect(redirectUri);
  const customer = await lockCustomer(tx, platformId, customerId);
  refuseUnverifiedContacts(unverifiedChannels(customer));

  const token = newToken(platformId);
  const expiresAt = plusMs(now, VALID_MS);
  insertLink(tx, platformId, hashOf(token), { customerId: customer.id, redirectUri: redirectUri ?? null, expiresAt, usedAt: null }, now);
  return { token, expiresAt };
}

/** The platform comes first, so that a link is looked up where the platform is; 256 random bits follow. */
const newToken = (platformId: PlatformId): string =>
  Buffer.concat([Buffer.from(uuidOf(platformId).replaceAll('-', ''), 'hex'), randomBytes(RANDOM_BYTES)]).toString('base64url');

export const hashOf = (token: string): Buffer => createHash('sha256').update(token).digest();

/** The platform that a token names; undefined for a text that is no token of ours. */
export function platformOfToken(token: string): PlatformId | undefined {
  const bytes = Buffer.from(token, 'base64url');
  if (bytes.length !== PLATFORM_BYTES + RANDOM_BYTES || bytes.toString('base64url') !== token) return undefined;
  const hex = bytes.toString('hex', 0, PLATFORM_BYTES);
  return idOf('Platform', `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`);
}

export type OpenLink = KycLink & { readonly platformId: PlatformId; readonly now: Date };

/** The link if it can be used now. Undefined for one that is unknown, used, expired or of a deleted customer alike. */
export async function findOpenLink(db: Pick<Db, 'one' | 'many'>, mode: Mode, token: string): Promise<OpenLink | undefined> {
  const platformId = platformOfToken(token);
  const link = platformId && (await findLink(db, platformId, hashOf(token)));
  if (!platformId || !link || link.usedAt !== null) return undefined;
  const { now } = await readClock(db, platformId);
  const platform = await getPlatform(db, platformId);
  return link.expiresAt > now && platform.mode === mode ? { ...link, platformId, now } : undefined;
}
