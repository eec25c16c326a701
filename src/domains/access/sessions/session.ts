// Types of sessions: a session's key signs for the wallet until it expires.
import type { Id, InternalAccountId } from '../../../kernel/ids.js';
import type { CredentialType } from '../signed-requests/signed-request.js';

export type SessionId = Id<'Session'>;

export type Session = {
  readonly id: SessionId;
  readonly accountId: InternalAccountId;
  readonly credentialId: Id<'AuthMethod'>;
  readonly publicKey: string;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly expiresAt: Date;
};

/** The credential that a session is opened with. */
export type SessionCredential = {
  readonly id: Id<'AuthMethod'>;
  readonly accountId: InternalAccountId;
  readonly type: CredentialType;
  readonly nickname: string;
};

/** A session with the type and name of its credential, as the API shows it. */
export type SessionView = Session & Pick<SessionCredential, 'type' | 'nickname'>;

/** For a client that has the session key made by the service: that key, sealed to the client. It is shown once and not stored. */
export type OpenedSession = { readonly session: SessionView; readonly encryptedSessionSigningKey: string | undefined };
