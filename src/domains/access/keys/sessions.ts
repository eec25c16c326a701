// Sessions: opened by a verified credential, renewed and ended by the owner.
import type { Tx } from '../../../db/pool.js';
import { invalidField } from '../../../kernel/errors.js';
import { newId, type PlatformId } from '../../../kernel/ids.js';
import { plusMs } from '../../../kernel/time.js';
import { ACTIVITY_TYPES } from '../../../providers/wallet-signer/activity.js';
import { sealSessionKey } from '../../../providers/wallet-signer/envelope.js';
import { generateP256KeyPair, isCompressed, parsePublicKey } from '../../../providers/wallet-signer/p256.js';
import type { WalletSigner } from '../../../providers/wallet-signer/signer.js';
import type { Consented, Credential, CredentialType, Session, SessionId, SessionView } from './keys.js';
import { SESSION_LIFE_MS } from './rules.js';
import { type Call, toSign, withConsent } from './signed-retry.js';
import { insertSession, lockSession, revokeSession } from './store.js';

/** A session and, for a client that wants its key made here, that key sealed to the client. It is shown this once and not kept. */
export type OpenedSession = { readonly session: SessionView; readonly encryptedSessionSigningKey: string | undefined };

type Opener = Pick<Credential, 'id' | 'accountId' | 'nickname'> & { readonly type: CredentialType };

/** Reads `clientPublicKey`. A compressed key is the session's own; to an uncompressed one a session key made here is sealed. */
export function parseClientKey(text: string): string {
  const point = parsePublicKey(text);
  if (!point) throw invalidField('clientPublicKey', 'must be a point on P-256 in hex');
  return point;
}

export async function openSession(
  signer: WalletSigner,
  tx: Tx,
  platformId: PlatformId,
  credential: Opener,
  clientPublicKey: string,
  now: Date,
): Promise<OpenedSession> {
  const clientKey = parseClientKey(clientPublicKey);
  const made = isCompressed(clientPublicKey) ? undefined : generateP256KeyPair();
  const session: Session = {
    id: newId('Session'),
    accountId: credential.accountId,
    credentialId: credential.id,
    publicKey: made?.publicKey ?? clientKey,
    createdAt: now,
    updatedAt: now,
    expiresAt: plusMs(now, SESSION_LIFE_MS),
  };
  const encryptedSessionSigningKey = made && (await sealSessionKey(clientKey, made.privateKey));

  insertSession(tx, platformId, session);
  await signer.admitSession(tx, { platformId, accountId: session.accountId }, session, now);
  return { session: { ...session, type: credential.type, nickname: credential.nickname }, encryptedSessionSigningKey };
}

/** "Refresh uses the current session": only its own key may sign. */
export function refreshSession(
  signer: WalletSigner,
  tx: Tx,
  call: Call,
  id: SessionId | undefined,
  clientPublicKey: string,
): Promise<Consented<OpenedSession>> {
  const { platformId, now } = call;
  return withConsent(signer, tx, call, {
    ask: async () => {
      const { accountId, publicKey } = await lockSession(tx, platformId, id, now);
      const parameters = { sessionId: id as string, targetPublicKey: clientPublicKey };
      parseClientKey(clientPublicKey);
      return { accountId, payload: toSign(accountId, ACTIVITY_TYPES.createSession, parameters, now), expectedKey: publicKey };
    },
    act: async () => {
      const { credentialId, ...session } = await lockSession(tx, platformId, id, now);
      return openSession(signer, tx, platformId, { ...session, id: credentialId }, clientPublicKey, now);
    },
  });
}

/** Any session of the account may end one, itself included. */
export function endSession(signer: WalletSigner, tx: Tx, call: Call, id: SessionId | undefined): Promise<Consented<void>> {
  const { platformId, now } = call;
  return withConsent(signer, tx, call, {
    ask: async () => {
      const { accountId, publicKey, type } = await lockSession(tx, platformId, id, now);
      const parameters = { sessionId: id as string, publicKey };
      return { accountId, type, payload: toSign(accountId, ACTIVITY_TYPES.deleteSession, parameters, now) };
    },
    act: async () => {
      const session = await lockSession(tx, platformId, id, now);
      revokeSession(tx, platformId, session.id, now);
      await signer.dismissSessions(tx, { platformId, accountId: session.accountId }, [session.id], now);
    },
  });
}
