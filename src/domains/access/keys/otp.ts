// One-time passwords: made here, kept as a keyed hash beside the sealed key they are sent back under, gone once used.
import { createHmac, randomInt, timingSafeEqual } from 'node:crypto';
import type { PlatformId } from '../../../kernel/ids.js';
import { plusMs } from '../../../kernel/time.js';
import type { KeyCustody } from '../../../providers/key-custody.js';
import { openOtpBundle } from '../../../providers/wallet-signer/envelope.js';
import { generateP256KeyPair, type P256KeyPair } from '../../../providers/wallet-signer/p256.js';
import type { EmbeddedWalletConfig, Mode } from '../../core/platform/platform.js';
import type { AuthMethodId, OtpChallenge } from './keys.js';
import { OTP_TRIES } from './rules.js';

/** The one code of the sandbox, so that no mail has to be read there. */
const SANDBOX_CODE = '000000';
const DIGITS = '0123456789';
/** Without the letters that are read as digits or as each other. */
const ALPHANUMERIC = `${DIGITS.slice(2)}ABCDEFGHJKMNPQRSTUVWXYZ`;
const DEFAULT_LENGTH = 6;
const DEFAULT_LIFE_S = 300;

export type OtpSettings = { readonly mode: Mode; readonly config: EmbeddedWalletConfig };

export const otpTargetContext = (platformId: PlatformId, credentialId: AuthMethodId): string => `otp target ${platformId} ${credentialId}`;

/** A fresh code and what is kept of it. */
export function makeOtp(
  custody: KeyCustody,
  platformId: PlatformId,
  credentialId: AuthMethodId,
  { mode, config }: OtpSettings,
  now: Date,
): { code: string; challenge: OtpChallenge } {
  const alphabet = config.alphanumeric ? ALPHANUMERIC : DIGITS;
  const draw = () => alphabet[randomInt(alphabet.length)] as string;
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

/** What a bundle brings: the key to log in with, and whether its code is the one sent. Undefined when it cannot be opened. */
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

/** Keyed by a secret the database does not hold in the clear: six digits alone would be guessed from their hash. */
const hashCode = (target: P256KeyPair, code: string): Buffer => createHmac('sha256', target.privateKey).update(`otp ${code}`).digest();
