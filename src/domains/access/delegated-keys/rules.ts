// When a delegated key may be created and revoked.
import { ApiError, invalidField } from '../../../kernel/errors.js';
import type { DelegatedKey, DelegatedKeyStatus } from './delegated-key.js';

export type DelegationFacts<Source> = {
  readonly fundingSource: Source | undefined;
  readonly isEmbeddedWallet: boolean;
  readonly provisioned: boolean;
  readonly hasActiveKey: boolean;
};

/** "Each card funding source has at most one ACTIVE delegated key; revoke the existing one before creating another." */
export function decideDelegation<Source>(facts: DelegationFacts<Source>): Source {
  const { fundingSource, isEmbeddedWallet, provisioned, hasActiveKey } = facts;
  if (!fundingSource) throw new ApiError('NOT_FOUND');
  if (hasActiveKey) throw new ApiError('CONFLICT', { cause: 'ACTIVE_KEY_EXISTS' });
  if (!isEmbeddedWallet) throw invalidField('internalAccountId', 'must be an embedded-wallet account');
  if (!provisioned) throw new ApiError('WALLET_NOT_PROVISIONED');
  return fundingSource;
}

type KeyMoves = { readonly SIGNED?: 'ACTIVE'; readonly REVOKED?: 'REVOKED'; readonly CUSTOMER_DELETED?: 'REVOKED' };

/** A key works from the third signed leg until it is revoked. Every key ends with its customer. */
export const KEY_MOVES: Readonly<Record<DelegatedKeyStatus, KeyMoves>> = {
  PENDING: { SIGNED: 'ACTIVE', CUSTOMER_DELETED: 'REVOKED' },
  ACTIVE: { REVOKED: 'REVOKED', CUSTOMER_DELETED: 'REVOKED' },
  REVOKED: {},
};

export function decideKeyRevocation({ status }: Pick<DelegatedKey, 'status'>): void {
  if (!KEY_MOVES[status].REVOKED)
    throw new ApiError('INVALID_INPUT', { cause: 'KEY_NOT_ACTIVE' }, { reason: 'Only an ACTIVE key can be revoked.' });
}
