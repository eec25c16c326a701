// What delegated keys ask of cards, which come later in the list of modules.
import type { Tx } from '../../../db/pool.js';
import { defineHook } from '../../../kernel/hook.js';
import type { CardFundingSourceId, CardId, InternalAccountId, PlatformId } from '../../../kernel/ids.js';

export type FundingSources = {
  /** The funding source by which the account funds the card now. */
  find(tx: Tx, platformId: PlatformId, cardId: CardId, accountId: InternalAccountId): Promise<CardFundingSourceId | undefined>;
  /** As `find`, with the card locked until the transaction ends. */
  lock(tx: Tx, platformId: PlatformId, cardId: CardId, accountId: InternalAccountId): Promise<CardFundingSourceId | undefined>;
  /** The funding source has an ACTIVE key from now on. */
  delegationCompleted(tx: Tx, platformId: PlatformId, cardId: CardId, fundingSourceId: CardFundingSourceId, now: Date): Promise<void>;
  /** The funding source has no ACTIVE key any more. */
  delegationRevoked(tx: Tx, platformId: PlatformId, cardId: CardId, fundingSourceId: CardFundingSourceId, now: Date): Promise<void>;
};

/** The funding sources of cards. Cards are notified when a funding source gains or loses its key. */
export const fundingSources = defineHook<FundingSources>('delegated-keys.funding-sources');
