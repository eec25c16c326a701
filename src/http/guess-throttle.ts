// Slows whoever guesses codes that need no credential. Guesses are counted per address, per process and in bounded memory.
import { networkOf } from './login-throttle.js';
import { rateLimited } from './rate-limit.js';

/** Begins a look-up, or refuses it because the address has guessed too often. The returned function takes a look-up back that was no guess. */
export type GuessThrottle = (address: string | undefined) => () => void;

const WINDOW_MS = 60_000;
/** Addresses remembered. The ones added first are forgotten. */
const MAX_ADDRESSES = 10_000;

type Window = { readonly endsAt: number; taken: number };

/**
 * `perMinute` look-ups of unknown codes are allowed in the minute that begins with the first of them. After that nothing from the address is
 * looked up until the minute is over. A look-up counts from its beginning, so simultaneous guesses are counted as well.
 */
export function createGuessThrottle(perMinute: number, nowMs = () => performance.now()): GuessThrottle {
  const windows = new Map<string, Window>();

  const windowOf = (network: string, now: number): Window => {
    const open = windows.get(network);
    if (open && open.endsAt > now) return open;
    windows.delete(network);
    const [oldest] = windows.size >= MAX_ADDRESSES ? windows.keys() : [];
    if (oldest !== undefined) windows.delete(oldest);
    const opened = { endsAt: now + WINDOW_MS, taken: 0 };
    windows.set(network, opened);
    return opened;
  };

  return (address) => {
    const now = nowMs();
    const window = windowOf(networkOf((address ?? '').slice(0, 64)), now);
    if (window.taken >= perMinute) throw rateLimited(window.endsAt - now);
    window.taken += 1;
    let isTaken = true;
    return () => {
      if (isTaken) window.taken -= 1;
      isTaken = false;
    };
  };
}
