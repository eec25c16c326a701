// Sessions: opened by a verified credential, refreshed and ended by the owner.
import type { Tx } from '../../../db/pool.js';
import { invalidField } from '../../../kernel/errors.js';
import { newId, type PlatformId } from '../../../kernel/ids.js';
import { MINUTE_MS, plusMs } from '../../../kernel/time.js';
import { ACTIVITY_TYPES } from '../../../providers/wallet-signer/activity.js';
import { sealSessionKey } from '../../../providers/wallet-signer/envelope.js';
import { generateP256KeyPair, isCompressed, parsePublicKey } from '../../../providers/wallet-signer/p256.js';
import type { WalletSigner } from '../../../providers/wallet-signer/signer.js';
import { activityPayload, withOwnerSignature } from '../signed-requests/actions.js';
import type { Call, SigningOutcome } from '../signed-requests/signed-request.js';
import type { OpenedSession, Session, SessionCredential, SessionId } from './session.js';
import { insertSession, lockSession, revokeSession, revokeSessionsOf } from './store.js';

export { hasSessionOfOtherCredential } from './store.js';

const SESSION_LIFE_MS = 15 * MINUTE_MS;

/** Reads `clientPublicKey`. A compressed key becomes the session's key; an uncompressed key receives a session key made by the service. */
export function parseClientKey(text: string): string {
  const point = parsePublicKey(text);
  if (!point) throw invalidField('clientPublicKey', 'must be a point on P-256 in hex');
  return point;
}

export async function openSession(
  signer: WalletSigner,
  tx: Tx,
  platformId: PlatformId,
  { id, accountId, type, nickname }: SessionCredential,
  clientPublicKey: string,
  now: Date,
): Promise<OpenedSession> {
  const clientKey = parseClientKey(clientPublicKey);
  const generated = isCompressed(clientPublicKey) ? undefined : generateP256KeyPair();
  const session: Session = {
    id: newId('Session'),
    accountId,
    credentialId: id,
    publicKey: generated?.publicKey ?? clientKey,
    createdAt: now,
    updatedAt: now,
    expiresAt: plusMs(now, SESSION_LIFE_MS),
  };
  const encryptedSessionSigningKey = generated && (await sealSessionKey(clientKey, generated.privateKey));

  insertSession(tx, platformId, session);
  await signer.addSession(tx, { platformId, accountId }, session, now);
  return { session: { ...session, type, nickname }, encryptedSessionSigningKey };
}

/** "Refresh uses the current session": only its own key may sign. */
export function refreshSession(
  signer: WalletSigner,
  tx: Tx,
  call: Call,
  id: SessionId | undefined,
  clientPublicKey: string,
): Promise<SigningOutcome<OpenedSession>> {
  const { platformId, now } = call;
  return withOwnerSignature(signer, tx, call, {
    challenge: async () => {
      const { id: sessionId, accountId, publicKey } = await lockSession(tx, platformId, id, now);
      parseClientKey(clientPublicKey);
      const parameters = { sessionId, targetPublicKey: clientPublicKey };
      return { accountId, payload: activityPayload(accountId, ACTIVITY_TYPES.createSession, parameters, now), expectedKey: publicKey };
    },
    execute: async () => {
      const { credentialId, ...session } = await lockSession(tx, platformId, id, now);
      return openSession(signer, tx, platformId, { ...session, id: credentialId }, clientPublicKey, now);
    },
  });
}

/** Any session of the account may end any of them, itself included. */
export function endSession(signer: WalletSigner, tx: Tx, call: Call, id: SessionId | undefined): Promise<SigningOutcome<void>> {
  const { platformId, now } = call;
  return withOwnerSignature(signer, tx, call, {
    challenge: async () => {
      const { id: sessionId, accountId, publicKey, type } = await lockSession(tx, platformId, id, now);
      return { accountId, type, payload: activityPayload(accountId, ACTIVITY_TYPES.deleteSession, { sessionId, publicKey }, now) };
    },
    execute: async () => {
      const session = await lockSession(tx, platformId, id, now);
      revokeSession(tx, platformId, session.id, now);
      await signer.removeSessions(tx, { platformId, accountId: session.accountId }, [session.id], now);
    },
  });
}

/** Ends the sessions that a credential opened. */
export async function endSessionsOf(
  signer: WalletSigner,
  tx: Tx,
  platformId: PlatformId,
  { id, accountId }: Pick<SessionCredential, 'id' | 'accountId'>,
  now: Date,
): Promise<void> {
  const ended = await revokeSessionsOf(tx, platformId, id, now);
  await signer.removeSessions(tx, { platformId, accountId }, ended, now);
}
