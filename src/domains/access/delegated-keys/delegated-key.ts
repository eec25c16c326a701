// Types of delegated keys: a key that the service holds to sign for one card's embedded wallet.
import type { CardFundingSourceId, CardId, DelegatedKeyId, InternalAccountId } from '../../../kernel/ids.js';

export const DELEGATED_KEY_STATUSES = ['PENDING', 'ACTIVE', 'REVOKED'] as const;
export type DelegatedKeyStatus = (typeof DELEGATED_KEY_STATUSES)[number];

export type DelegatedKey = {
  readonly id: DelegatedKeyId;
  readonly cardId: CardId;
  readonly fundingSourceId: CardFundingSourceId;
  readonly accountId: InternalAccountId;
  readonly publicKey: string;
  readonly privateKeySealed: Buffer | undefined;
  readonly nickname: string;
  readonly status: DelegatedKeyStatus;
  readonly createdAt: Date;
  readonly updatedAt: Date;
};

export type NewDelegatedKey = {
  readonly cardId: CardId | undefined;
  readonly accountId: InternalAccountId | undefined;
  readonly nickname: string;
};
