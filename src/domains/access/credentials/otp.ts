// One-time passwords: stored as a keyed hash beside the sealed key that clients encrypt them to, deleted once used.
import { createHmac, randomInt, timingSafeEqual } from 'node:crypto';
import type { PlatformId } from '../../../kernel/ids.js';
import { plusMs } from '../../../kernel/time.js';
import type { KeyCustody } from '../../../providers/key-custody.js';
import { openOtpBundle } from '../../../providers/wallet-signer/envelope.js';
import { generateP256KeyPair, type P256KeyPair } from '../../../providers/wallet-signer/p256.js';
import type { EmbeddedWalletConfig, Mode } from '../../core/platform/platform.js';
import type { AuthMethodId, OtpChallenge } from './credential.js';
import { OTP_TRIES } from './rules.js';

/** The code of every sandbox challenge, so that developers need no mailbox. */
const SANDBOX_CODE = '000000';
const DIGITS = '0123456789';
/** Without characters that are easily confused. */
const ALPHANUMERIC = `${DIGITS.slice(2)}ABCDEFGHJKMNPQRSTUVWXYZ`;
const DEFAULT_LENGTH = 6;
const DEFAULT_LIFE_S = 300;

export type OtpSettings = { readonly mode: Mode; readonly config: EmbeddedWalletConfig };

export const otpTargetContext = (platformId: PlatformId, credentialId: AuthMethodId): string => `otp target ${platformId} ${credentialId}`;

/** A new code, and the challenge to store. */
export function makeOtp(
  custody: KeyCustody,
  platformId: PlatformId,
  credentialId: AuthMethodId,
  { mode, config }: OtpSettings,
  now: Date,
): { code: string; challenge: OtpChallenge } {
  const alphabet = config.alphanumeric ? ALPHANUMERIC : DIGITS;
  const draw = () => alphabet.charAt(randomInt(alphabet.length));
  const code = mode === 'sandbox' ? SANDBOX_CODE : Array.from({ length: config.otpLength ?? DEFAULT_LENGTH }, draw).join('');
  const target = generateP256KeyPair();
  const challenge: OtpChallenge = {
    credentialId,
    codeHash: hashCode(target, code),
    targetPublicKey: target.publicKey,
    targetSealed: custody.seal(target.privateKey, otpTargetContext(platformId, credentialId)),
    triesLeft: OTP_TRIES,
    expiresAt: plusMs(now, (config.expirationSeconds ?? DEFAULT_LIFE_S) * 1000),
  };
  return { code, challenge };
}

/** Opens a client's bundle: the key to log in with, and whether the code matches. Undefined when it cannot be opened. */
export async function readOtp(
  custody: KeyCustody,
  platformId: PlatformId,
  challenge: OtpChallenge,
  bundle: string,
): Promise<{ matches: boolean; publicKey: string } | undefined> {
  const privateKey = custody.open(challenge.targetSealed, otpTargetContext(platformId, challenge.credentialId));
  const target = { publicKey: challenge.targetPublicKey, privateKey };
  const opened = await openOtpBundle(target, bundle);
  return opened && { matches: timingSafeEqual(hashCode(target, opened.otpCode), challenge.codeHash), publicKey: opened.publicKey };
}

/** Keyed with the target's private key, which is stored sealed: an unkeyed hash of six digits could be guessed. */
const hashCode = (target: P256KeyPair, code: string): Buffer => createHmac('sha256', target.privateKey).update(`otp ${code}`).digest();
