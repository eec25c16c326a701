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

/** A key works from the third signed leg until it is revoked. */
export const KEY_MOVES: Readonly<Record<DelegatedKeyStatus, { readonly SIGNED?: 'ACTIVE'; readonly REVOKED?: 'REVOKED' }>> = {
  PENDING: { SIGNED: 'ACTIVE' },
  ACTIVE: { REVOKED: 'REVOKED' },
  REVOKED: {},
};

export function decideKeyRevocation({ status }: Pick<DelegatedKey, 'status'>): void {
  if (!KEY_MOVES[status].REVOKED)
    throw new ApiError('INVALID_INPUT', { cause: 'KEY_NOT_ACTIVE' }, { reason: 'Only an ACTIVE key can be revoked.' });
}
