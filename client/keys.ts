// A key of an idempotent call.
import { hex } from './bytes.js';

/** Browsers have `randomUUID` on https and loopback addresses only, and random bytes everywhere. */
export const newKey = (): string => crypto.randomUUID?.() ?? hex(crypto.getRandomValues(new Uint8Array(16)));
