// Wire schemas of sessions, and the fields that sessions and credentials share.
import Type from 'typebox';
import { Closed, Timestamp } from '../../../http/schemas.js';
import { invalidField } from '../../../kernel/errors.js';
import { type InternalAccountId, parseId } from '../../../kernel/ids.js';
import { AuthMethodType } from '../signed-requests/schemas.js';
import type { OpenedSession } from './session.js';

/** Compressed: the client keeps its key. Uncompressed: the service makes a session key and seals it to this key. */
export const ClientPublicKey = Type.String({ pattern: '^(0[23][0-9a-fA-F]{64}|04[0-9a-fA-F]{128})$', minLength: 66, maxLength: 130 });

/** Fields of a credential; the API repeats them in the session that the credential opened. */
export const authMethodFields = {
  id: Type.String(),
  accountId: Type.String(),
  type: AuthMethodType,
  credentialId: Type.Optional(Type.String({ description: 'The WebAuthn credential id of a passkey.' })),
  nickname: Type.String(),
  createdAt: Timestamp(),
  updatedAt: Timestamp(),
};

export const AuthSession = Type.Object(
  {
    ...authMethodFields,
    encryptedSessionSigningKey: Type.Optional(
      Type.String({ deprecated: true, description: 'The session key, sealed to an uncompressed clientPublicKey. Shown once.' }),
    ),
    expiresAt: Timestamp(),
  },
  { title: 'AuthSession' },
);
export const SessionListResponse = Type.Object({ data: Type.Array(AuthSession) }, { title: 'SessionListResponse' });

export const AuthSessionRefreshRequest = Closed({ clientPublicKey: ClientPublicKey }, { title: 'AuthSessionRefreshRequest' });

export const AccountQuery = Closed({ accountId: Type.String() });

/** "Missing or bad → 400; unknown → empty." An id that cannot name an account is bad. */
export function parseAccountQuery({ accountId }: { readonly accountId: string }): InternalAccountId {
  const id = parseId('InternalAccount', accountId);
  if (!id) throw invalidField('accountId', 'must be the id of an internal account');
  return id;
}

export const renderSession = ({ session, encryptedSessionSigningKey }: OpenedSession) => ({
  id: session.id,
  accountId: session.accountId,
  type: session.type,
  nickname: session.nickname,
  createdAt: session.createdAt.toISOString(),
  updatedAt: session.updatedAt.toISOString(),
  ...(encryptedSessionSigningKey === undefined ? {} : { encryptedSessionSigningKey }),
  expiresAt: session.expiresAt.toISOString(),
});
