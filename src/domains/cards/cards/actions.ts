// Cards for other domains and for the routes: reading, changing, closing, delegation. The issuer is called while the card is locked, so that
// two changes reach it in the order they happened here.
import type { Db, Tx } from '../../../db/pool.js';
import { batchedBy } from '../../../kernel/batch.js';
import { ApiError } from '../../../kernel/errors.js';
import { type CardFundingSourceId, type CardId, type CustomerId, newId, type PlatformId } from '../../../kernel/ids.js';
import type { Page, PageRequest } from '../../../kernel/page.js';
import { lockPlatform, savePlatform } from '../../core/platform/actions.js';
import type { Card, CardChange, CardPatch, CardProgram } from './card.js';
import { type CardDeps, findAccount, hasActiveKeyFor, programOf, type Requester, requireIssuerAccepted, writeChange } from './changes.js';
import { tellClosed } from './issuing.js';
import { changeCard, closeByService, completeDelegation, dependsOnKey, type NewFunding, revokeDelegation } from './rules.js';
import {
  type CardFilter,
  findCards,
  findFundingPair,
  findFundingSource,
  listCards as listCardRows,
  lockCard,
  lockFundingSource,
  lockLiveCards,
} from './store.js';

export type { CardDeps, Requester } from './changes.js';
export {
  choosePin,
  openPinPage,
  reportPinBlocked,
  revealCard,
  setCardPin,
  tokenizeCard,
  unblockCardPin,
  visitPage,
} from './details.js';
export { createCard, repeatOrders } from './issuing.js';
export { capabilitiesFor, findProgram } from './programs.js';
export { saveSpend } from './store.js';

// ---- reading

/** Reads one card; concurrent callers of a platform share one statement. */
export function createGetCard(db: Db): (platformId: PlatformId, id: CardId | undefined) => Promise<Card> {
  const find = batchedBy((platformId: PlatformId, ids: readonly CardId[]) => findCards(db, platformId, ids), { lanes: 2 });
  return async (platformId, id) => {
    const card = id && (await find(platformId, id));
    if (!card) throw new ApiError('NOT_FOUND');
    return card;
  };
}

export const listCards = (
  { db }: CardDeps,
  platformId: PlatformId,
  filter: CardFilter,
  order: 'asc' | 'desc',
  page: PageRequest<string>,
  scope: unknown,
): Promise<Page<Card>> => listCardRows(db, platformId, filter, order, page, scope);

// ---- changing

/** PATCH /cards/{id}: all of it or nothing, and only after the issuer has accepted it. */
export function updateCard(
  deps: CardDeps,
  { platformId, tokenId, requestId, now }: Requester,
  id: CardId | undefined,
  patch: CardPatch,
): Promise<Card> {
  return deps.db.transaction(
    async (tx) => {
      const card = await lockCard(tx, platformId, id);
      const newFunding = await findNewFunding(tx, platformId, card, patch);
      const hasUsableKey = dependsOnKey(patch) && (await hasActiveKeyFor(tx, platformId, { ...card, ...fundingOf(newFunding) }));

      const changed = changeCard({ card, program: programOf(card), patch, newFunding, hasUsableKey, now });

      if (changed.instruction) await requireIssuerAccepted(deps.issuer.instruct(changed.instruction));
      const { substatus, reason } = patch;
      const cause = patch.threeDSecurePassword === undefined ? 'UPDATED' : 'PASSWORD_REPLACED';
      const change = { cause, tokenId, ...(substatus && { substatus }), ...(reason && { reason }) } as const;
      const event = changed.announce ? 'card.status_change' : undefined;
      await writeChange(deps, tx, { platformId, before: card, card: changed.card, change, now, event });
      return changed.card;
    },
    { requestId },
  );
}

async function findNewFunding(tx: Tx, platformId: PlatformId, card: Card, { fundingSource }: CardPatch): Promise<NewFunding | undefined> {
  const account = fundingSource === undefined ? undefined : await findAccount(tx, platformId, fundingSource);
  if (!account) return undefined;
  return { account, fundingSourceId: (await findFundingPair(tx, platformId, card.id, account.id)) ?? newId('CardFundingSource') };
}

const fundingOf = (funding: NewFunding | undefined): Partial<Card> =>
  funding ? { fundingCurrency: funding.account.currency, fundingSourceId: funding.fundingSourceId } : {};

/** Closes the cards of a deleted customer, and tells the issuer once that is committed. */
export async function closeCardsOf(
  deps: CardDeps,
  tx: Tx,
  platformId: PlatformId,
  customer: { readonly id: CustomerId },
  now: Date,
): Promise<void> {
  for (const card of await lockLiveCards(tx, platformId, customer.id)) {
    const closed = closeByService(card, now);

    const written = { platformId, before: card, card: closed, change: { cause: 'CUSTOMER_DELETED', tokenId: null }, now } as const;
    await writeChange(deps, tx, { ...written, event: 'card.status_change' });
    tx.afterCommit(() => {
      void tellClosed(deps, platformId, closed, now);
    });
  }
}

// ---- delegation: automatic status changes, no webhook

/** The listener of the delegated keys' hook. */
export const cardFundingSources = (deps: CardDeps) => {
  const move =
    (decide: typeof completeDelegation, cause: CardChange['cause']) =>
    async (tx: Tx, platformId: PlatformId, cardId: CardId, source: CardFundingSourceId, now: Date): Promise<void> => {
      const card = await lockCard(tx, platformId, cardId);

      const changed = decide(card, source, now);

      if (changed) await writeChange(deps, tx, { platformId, before: card, card: changed, change: { cause, tokenId: null }, now });
    };
  return {
    find: findFundingSource,
    lock: lockFundingSource,
    delegationCompleted: move(completeDelegation, 'DELEGATION_COMPLETED'),
    delegationRevoked: move(revokeDelegation, 'DELEGATION_REVOKED'),
  };
};

// ---- sandbox

export async function selectCardProgram(tx: Tx, platformId: PlatformId, program: CardProgram, now: Date): Promise<void> {
  const platform = await lockPlatform(tx, platformId);
  savePlatform(tx, platform, { ...platform, cardProgram: program.id, updatedAt: now });
}
