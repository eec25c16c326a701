// Wire schemas of delegated keys.
import Type from 'typebox';
import { Closed, Enum, ReadOnly, SignedRequestChallenge, Timestamp } from '../../../http/schemas.js';
import { DELEGATED_POLICIES } from '../../../providers/wallet-signer/signer.js';
import { DELEGATED_KEY_STATUSES, type DelegatedKey } from './delegated-key.js';

/** What each policy lets a key sign, as the API document shows it. */
const POLICY_RULES: Readonly<Record<(typeof DELEGATED_POLICIES)[number], string>> = {
  SIGN: 'Transfers out of the wallet to the account from which purchases with cards are settled, and to no other.',
  SELF_REVOKE: 'Its own removal, and nothing else about the wallet.',
};

export const DelegatedKeySchema = Type.Object(
  {
    id: ReadOnly(Type.String()),
    cardId: Type.String(),
    fundingSourceId: ReadOnly(Type.String()),
    accountId: ReadOnly(Type.String()),
    publicKey: ReadOnly(Type.String({ description: 'Compressed P-256 public key, hex.' })),
    nickname: Type.String(),
    status: ReadOnly(Enum(DELEGATED_KEY_STATUSES, { title: 'DelegatedKeyStatus' })),
    createdAt: ReadOnly(Timestamp()),
    updatedAt: ReadOnly(Timestamp()),
  },
  { title: 'DelegatedKey', 'x-policies': DELEGATED_POLICIES.map((value) => ({ value, rule: POLICY_RULES[value] })) },
);
export const DelegatedKeyListResponse = Type.Object({ data: Type.Array(DelegatedKeySchema) }, { title: 'DelegatedKeyListResponse' });
export const DelegatedKeySignedRequestChallenge = Type.Object(SignedRequestChallenge.properties, {
  title: 'DelegatedKeySignedRequestChallenge',
});
export const DelegatedKeyCreateRequest = Closed(
  { cardId: Type.String(), internalAccountId: Type.String(), nickname: Type.String({ minLength: 1, maxLength: 256 }) },
  { title: 'DelegatedKeyCreateRequest' },
);

export const renderDelegatedKey = (key: DelegatedKey) => ({
  id: key.id,
  cardId: key.cardId,
  fundingSourceId: key.fundingSourceId,
  accountId: key.accountId,
  publicKey: key.publicKey,
  nickname: key.nickname,
  status: key.status,
  createdAt: key.createdAt.toISOString(),
  updatedAt: key.updatedAt.toISOString(),
});
