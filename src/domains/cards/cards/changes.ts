// The steps that every change of a card shares: the issuer's agreement, the facts about its funding, and the write with history and event.
import type { Logger } from 'pino';
import type { Db, Tx } from '../../../db/pool.js';
import { ApiError, assert } from '../../../kernel/errors.js';
import { type PlatformId, parseId, type TokenId } from '../../../kernel/ids.js';
import { type CardIssuer, IssuerRefused, IssuerSilent } from '../../../providers/card-issuer.js';
import { hasActiveKey } from '../../access/delegated-keys/actions.js';
import { findInternalAccounts } from '../../accounts/internal-accounts/actions.js';
import { enqueueEvents } from '../../core/webhooks/actions.js';
import type { Card, CardChange, CardProgram, FundingAccount } from './card.js';
import { findProgram } from './programs.js';
import { needsKey } from './rules.js';
import { renderCard } from './schemas.js';
import { bindFunding, detachFunding, saveCard } from './store.js';

export type CardDeps = {
  readonly db: Db;
  readonly issuer: CardIssuer;
  /** Programs that cards can be issued under; none without an issuer. */
  readonly programs: readonly CardProgram[];
  /** What else happens when a card closes, in the same transaction and with the card locked: its open authorizations end. */
  readonly onClosed: (tx: Tx, platformId: PlatformId, card: Card, now: Date) => Promise<void>;
  readonly log: Pick<Logger, 'warn'>;
};

/** Who calls, and when. */
export type Requester = {
  readonly platformId: PlatformId;
  readonly tokenId: TokenId;
  readonly requestId: string;
  readonly now: Date;
};

export const programOf = ({ program }: Card): CardProgram => {
  const found = findProgram(program);
  assert(found, 'the program of an issued card is known');
  return found;
};

export async function findAccount(tx: Tx, platformId: PlatformId, text: string): Promise<FundingAccount | undefined> {
  const id = parseId('InternalAccount', text);
  return id && (await findInternalAccounts(tx, platformId, [id]))[0];
}

/** Whether a delegated key lets the service spend from the card's embedded wallet. */
export const hasActiveKeyFor = async (
  tx: Tx,
  platformId: PlatformId,
  { fundingCurrency, fundingSourceId }: Pick<Card, 'fundingCurrency' | 'fundingSourceId'>,
): Promise<boolean> => fundingSourceId !== null && needsKey(fundingCurrency) && hasActiveKey(tx, platformId, fundingSourceId);

/** The issuer's result, or the error for the caller. After an error the card is unchanged here. */
export async function requireIssuerAccepted<Result>(answer: Promise<Result>): Promise<Result> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof IssuerRefused) {
      throw new ApiError('CONFLICT', { cause: 'ISSUER_REFUSED' }, { reason: 'The card issuer refused; the card is unchanged.' });
    }
    if (error instanceof IssuerSilent) {
      const reason = 'The card issuer did not answer in time; the card is unchanged. Repeat the request.';
      throw new ApiError('SERVICE_UNAVAILABLE', { cause: 'ISSUER_TIMED_OUT' }, { reason, headers: { 'retry-after': '1' } });
    }
    throw error;
  }
}

export type WrittenChange = {
  readonly platformId: PlatformId;
  readonly before: Card;
  readonly card: Card;
  readonly change: CardChange;
  readonly now: Date;
  readonly event?: 'card.status_change' | 'CARD.PIN_STATUS_CHANGE' | undefined;
};

/** Writes the card, its history, its funding source and its webhook; the statements are sent together. */
export async function writeChange(
  { onClosed }: CardDeps,
  tx: Tx,
  { platformId, before, card, change, now, event }: WrittenChange,
): Promise<void> {
  const rebound = card.fundingSourceId !== before.fundingSourceId;
  saveCard(tx, platformId, before, card, change, now);
  if (rebound) detachFunding(tx, platformId, card.id, now);
  if (rebound && card.fundingSourceId !== null) bindFunding(tx, platformId, card, now);
  if (event) enqueueEvents(tx, platformId, now, [{ type: event, objectId: card.id, data: renderCard(card) }]);
  if (card.status === 'CLOSED' && before.status !== 'CLOSED') await onClosed(tx, platformId, card, now);
}
