// The time that is left by the clock of the platform, counting down.
import { useEffect, useState } from 'preact/hooks';
import { clock, clockNow } from '../live.ts';
import { time } from './time.ts';

const MINUTE_MS = 60_000;

/** `4:05`, and hours where there are some. */
export function leftUntil(until: string, now: number): string | undefined {
  const seconds = Math.ceil((Date.parse(until) - now) / 1_000);
  if (!(seconds > 0)) return undefined;
  const minutes = Math.floor(seconds / 60);
  const rest = String(seconds % 60).padStart(2, '0');
  return minutes < 60 ? `${minutes}:${rest}` : `${Math.floor(minutes / 60)}:${String(minutes % 60).padStart(2, '0')}:${rest}`;
}

export function Countdown({ until }: { readonly until: string }) {
  const [, tick] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => tick((count) => count + 1), 1_000);
    return () => clearInterval(timer);
  }, [clock.value]);
  const left = leftUntil(until, clockNow());
  const isShort = Date.parse(until) - clockNow() < MINUTE_MS;
  return (
    <span class={`badge ${left === undefined ? 'neutral' : isShort ? 'warn' : 'info'}`} title={`until ${time(until)}`}>
      {left === undefined ? 'expired' : `${left} left`}
    </span>
  );
}
