// Registering a token of the issuer, its issuance, and its enablement.
import type { Tx } from '../../../db/pool.js';
import { ApiError } from '../../../kernel/errors.js';
import { newId, type PlatformId, parseId } from '../../../kernel/ids.js';
import { plusMs } from '../../../kernel/time.js';
import type { Token } from '../../../providers/stablecoin-issuer.js';
import { accountOf, asked, type IssuerDeps, refuseRejected } from './links.js';
import { getLink, listActiveLinks } from './links-store.js';
import {
  ENABLEMENT_STEP_MS,
  isWaitingForApproval,
  movesIssuance,
  NEXT_ENABLEMENT,
  onlyLink,
  refuseUnusable,
  requestedStatus,
  restMs,
  silenceMs,
} from './rules.js';
import type { RegisterRequest } from './schemas.js';
import type { Link, Stablecoin, StablecoinId } from './stablecoin.js';
import { getStablecoin, hasToken, insertStablecoin, lockStablecoin, saveStablecoin } from './store.js';

export type FoundToken = { readonly link: Link; readonly token: Token };

/** Asks the provider for the token. */
export async function findToken(deps: IssuerDeps, platformId: PlatformId, request: RegisterRequest, now: Date): Promise<FoundToken> {
  const { db, environment, stablecoinIssuer } = deps;
  const { stablecoinProviderAccountId: named } = request;
  const given = named === undefined ? undefined : await getLink(db, platformId, parseId('StablecoinProviderAccount', named));
  if (await hasToken(db, platformId, request.networkTokenIdentifier)) throw new ApiError('STABLECOIN_TOKEN_IDENTIFIER_ALREADY_EXISTS');
  if (given) refuseUnusable(given);
  const link = given ?? onlyLink(await listActiveLinks(db, platformId, 'EXTERNAL_ISSUER', environment));

  const answer = await asked(stablecoinIssuer.findToken(accountOf(deps, platformId, link), request));
  if (answer.kind === 'CREDENTIALS_REJECTED') return refuseRejected(deps, platformId, link, now);
  if (answer.kind === 'UNKNOWN') throw new ApiError('STABLECOIN_VERIFICATION_FAILED');
  return { link, token: answer.token };
}

const dueAfter = (now: Date, checkAfterMs: number | undefined): Date | null =>
  checkAfterMs === undefined ? null : plusMs(now, Math.max(1, checkAfterMs));

export function registerStablecoin(
  tx: Tx,
  platformId: PlatformId,
  { providerTokenIdentifier, networkTokenIdentifier, network }: RegisterRequest,
  { link, token: { checkAfterMs, ...token } }: FoundToken,
  now: Date,
): Stablecoin {
  const stablecoin: Stablecoin = {
    id: newId('Stablecoin'),
    linkId: link.id,
    providerTokenIdentifier,
    networkTokenIdentifier,
    network,
    ...token,
    gridStatus: 'NOT_ENABLED',
    issuanceDueAt: dueAfter(now, checkAfterMs),
    enablementDueAt: null,
    createdAt: now,
    updatedAt: now,
  };
  insertStablecoin(tx, platformId, stablecoin);
  return stablecoin;
}

/** Asks the provider how far the issuance is, and writes what it says. */
export async function followIssuance(deps: IssuerDeps, platformId: PlatformId, id: StablecoinId, now: Date): Promise<void> {
  const { db, stablecoinIssuer } = deps;
  const stablecoin = await getStablecoin(db, platformId, id);
  const link = await getLink(db, platformId, stablecoin.linkId);
  const answer =
    link.credentialsSealed === null
      ? undefined
      : await stablecoinIssuer
          .followToken(accountOf(deps, platformId, link), stablecoin, { since: stablecoin.createdAt, now })
          .catch(() => undefined);
  await db.transaction(async (tx) => {
    const current = await lockStablecoin(tx, platformId, id);
    if (current.issuanceDueAt === null || current.issuanceDueAt > now) return;
    // Without an answer the provider is asked again later. Without credentials it cannot be asked until the account is linked again.
    const laterMs = link.credentialsSealed === null ? restMs(link, now) : silenceMs(current, now);
    if (!answer) return saveStablecoin(tx, platformId, { ...current, issuanceDueAt: plusMs(now, laterMs) });
    const moves = movesIssuance(current.issuanceStatus, answer.issuanceStatus);
    saveStablecoin(tx, platformId, {
      ...current,
      issuanceDueAt: dueAfter(now, answer.checkAfterMs),
      ...(moves && { issuanceStatus: answer.issuanceStatus, updatedAt: now }),
    });
  });
}

/** Asks for enablement. The sandbox approves by its clock; on a live installation the operator does. */
export async function requestEnablement(
  tx: Tx,
  { environment }: Pick<IssuerDeps, 'environment'>,
  platformId: PlatformId,
  id: StablecoinId | undefined,
  now: Date,
): Promise<Stablecoin> {
  const stablecoin = await lockStablecoin(tx, platformId, id);
  const gridStatus = requestedStatus(stablecoin.gridStatus);
  if (gridStatus === stablecoin.gridStatus) return stablecoin;
  const enablementDueAt = environment === 'SANDBOX' ? plusMs(now, ENABLEMENT_STEP_MS) : null;
  const requested: Stablecoin = { ...stablecoin, gridStatus, enablementDueAt, updatedAt: now };
  saveStablecoin(tx, platformId, requested);
  return requested;
}

/** Moves the enablement by one step; undefined where it has none. */
export async function moveEnablement(
  tx: Tx,
  { environment }: Pick<IssuerDeps, 'environment'>,
  platformId: PlatformId,
  id: StablecoinId,
  now: Date,
): Promise<Stablecoin | undefined> {
  const stablecoin = await lockStablecoin(tx, platformId, id);
  const gridStatus = NEXT_ENABLEMENT[stablecoin.gridStatus];
  if (!gridStatus) return undefined;
  const goesOn = environment === 'SANDBOX' && isWaitingForApproval(gridStatus);
  const moved: Stablecoin = { ...stablecoin, gridStatus, enablementDueAt: goesOn ? plusMs(now, ENABLEMENT_STEP_MS) : null, updatedAt: now };
  saveStablecoin(tx, platformId, moved);
  return moved;
}

/** The next step of an enablement that is due. */
export async function moveDueEnablement(
  tx: Tx,
  deps: Pick<IssuerDeps, 'environment'>,
  platformId: PlatformId,
  id: StablecoinId,
  now: Date,
): Promise<void> {
  const { enablementDueAt } = await lockStablecoin(tx, platformId, id);
  if (enablementDueAt !== null && enablementDueAt <= now) await moveEnablement(tx, deps, platformId, id, now);
}
