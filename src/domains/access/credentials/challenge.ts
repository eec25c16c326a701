// Challenges of a credential: a one-time password is sent, or a passkey gets the challenge to sign in with.
import type { Tx } from '../../../db/pool.js';
import { ApiError, assert, invalidField } from '../../../kernel/errors.js';
import { ACTIVITY_TYPES } from '../../../providers/wallet-signer/activity.js';
import { otpTargetBundle } from '../../../providers/wallet-signer/envelope.js';
import { sha256Hex } from '../../../providers/wallet-signer/p256.js';
import { getPlatform } from '../../core/platform/actions.js';
import type { Platform } from '../../core/platform/platform.js';
import { parseClientKey } from '../sessions/actions.js';
import { activityPayload, requestSignature } from '../signed-requests/actions.js';
import type { Call } from '../signed-requests/signed-request.js';
import type { AuthMethodId, ChallengedCredential, Credential, OtpType, PasskeyChallenge } from './credential.js';
import type { CredentialDeps } from './deps.js';
import { makeOtp } from './otp.js';
import { SENDS, takeAllowance } from './rules.js';
import { lockCredential, saveCredential, saveOtp } from './store.js';

const CHANNELS = { EMAIL_OTP: 'EMAIL', SMS_OTP: 'SMS' } as const;

export const canSend = ({ messengers }: CredentialDeps, { mode }: Platform, type: OtpType): boolean =>
  messengers[mode].canSend(CHANNELS[type]);

export type IssuedOtp = {
  readonly challenged: ChallengedCredential;
  /** Sends the message. Called after the transaction has committed. */
  readonly send: () => Promise<void>;
};

/** A new one-time password that replaces the open one. */
export function issueOtp(
  { custody, messengers, quorumKey }: CredentialDeps,
  tx: Tx,
  { id: platformId, mode, config, name }: Platform,
  credential: Credential,
  now: Date,
): IssuedOtp {
  const { proof } = credential;
  assert('contact' in proof, 'a one-time password goes to a contact');
  const settings = config.embeddedWalletConfig ?? {};
  const { code, challenge } = makeOtp(custody, platformId, credential.id, { mode, config: settings }, now);
  saveOtp(tx, platformId, challenge);
  const app = settings.appName ?? name;
  const send = () =>
    messengers[mode].send({
      channel: CHANNELS[proof.type],
      to: proof.contact,
      subject: `Your ${app} code`,
      text: `${code} is your ${app} code. Do not share it with anyone.`,
      sender: {
        address: settings.sendFromEmailAddress,
        name: settings.sendFromEmailSenderName,
        replyTo: settings.replyToEmailAddress,
      },
    });
  return { challenged: { credential, otpEncryptionTargetBundle: otpTargetBundle(quorumKey(), challenge.targetPublicKey) }, send };
}

/** Sends a one-time password again, or returns the challenge of a passkey. */
export async function challengeCredential(
  deps: CredentialDeps,
  call: Omit<Call, 'signed'>,
  id: AuthMethodId | undefined,
  clientPublicKey: string | undefined,
): Promise<ChallengedCredential | PasskeyChallenge> {
  const { platformId, now } = call;
  const { challenged, send } = await deps.db.transaction(async (tx) => {
    const credential = await lockCredential(tx, platformId, id);
    switch (credential.proof.type) {
      case 'EMAIL_OTP':
      case 'SMS_OTP': {
        const platform = await getPlatform(tx, platformId);
        if (!canSend(deps, platform, credential.proof.type))
          throw new ApiError('INVALID_INPUT', { cause: 'CHANNEL_UNAVAILABLE' }, { reason: 'This installation sends no such messages.' });
        const spending = { ...credential, sendsSpentUntil: takeAllowance(credential.sendsSpentUntil, now, SENDS) };
        saveCredential(tx, platformId, spending);
        return issueOtp(deps, tx, platform, spending, now);
      }
      case 'PASSKEY': {
        if (clientPublicKey === undefined) throw invalidField('clientPublicKey', 'is required for a passkey');
        parseClientKey(clientPublicKey);
        return { challenged: challengePasskey(tx, call, credential, clientPublicKey), send: undefined };
      }
      case 'OAUTH':
        throw new ApiError(
          'INVALID_INPUT',
          { cause: 'NO_CHALLENGE' },
          { reason: 'An OAUTH credential is verified with a token and has no challenge.' },
        );
    }
  });
  await send?.();
  return challenged;
}

/** The challenge is the hash of the payload that opens the session, so the assertion is valid for that session alone. */
function challengePasskey(tx: Tx, call: Omit<Call, 'signed'>, credential: Credential, clientPublicKey: string): PasskeyChallenge {
  const { id, accountId } = credential;
  const parameters = { credentialId: id, targetPublicKey: clientPublicKey };
  const payload = activityPayload(accountId, ACTIVITY_TYPES.createSession, parameters, call.now);
  const verification = { ...call, operation: 'verifyAuthCredential', target: id };
  const signing = requestSignature(tx, verification, { accountId, payload, facts: { clientPublicKey } }, { bound: false });
  return { credential, challenge: sha256Hex(signing.payloadToSign), signing };
}
