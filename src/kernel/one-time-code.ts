// One-time codes that people type: six digits, compared by a keyed hash in constant time. The code itself is never stored.
import { createHmac, randomInt, timingSafeEqual } from 'node:crypto';

/** The code of every sandbox message, so that developers need no mailbox. */
export const SANDBOX_CODE = '123456';

export const newCode = (isSandbox: boolean): string => (isSandbox ? SANDBOX_CODE : String(randomInt(1_000_000)).padStart(6, '0'));

/** `context` names what the code is for: the hash of the same code for something else is another one. */
export const hashCode = (key: Buffer, context: string, code: string): Buffer =>
  createHmac('sha256', key).update(`one-time code\0${context}\0${code}`).digest();

export const codeMatches = (key: Buffer, context: string, code: string, hash: Buffer): boolean =>
  timingSafeEqual(hashCode(key, context, code), hash);
