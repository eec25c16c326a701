// A virtual machine shares its processors. In the seconds in which its host runs others on them, latency is not that of the service.
import { existsSync, readFileSync } from 'node:fs';

/** A request, in milliseconds from the start of the run. */
export type Call = { readonly due: number; readonly sent: number; readonly answered: number };

/** Share of the processors' time that the host takes now and then from every machine. */
const NOISE = 0.05;
/** A request that is sent this late waited for those before it. */
const LATE_MS = 20;
/** A second that was taken disturbs at most this many, itself included. A service that needs longer for the calls that waited is too slow. */
const CATCH_UP = 3;

const secondOf = (ms: number): number => Math.floor(ms / 1_000);

/** Remembers in which seconds of a run the host took the processors. */
export class TakenTime {
  readonly seconds = new Set<number>();
  private readonly read: () => string;
  private last: Ticks & { readonly at: number };

  constructor(read = readStat) {
    this.read = read;
    this.last = { at: 0, ...ticksOf(read()) };
  }

  look(at: number): void {
    const now = { at, ...ticksOf(this.read()) };
    if (now.taken - this.last.taken > NOISE * (now.all - this.last.all))
      for (let second = secondOf(this.last.at); second <= secondOf(at); second += 1) this.seconds.add(second);
    this.last = now;
  }
}

/** Of all processors since the machine was started. */
type Ticks = { readonly taken: number; readonly all: number };

/** A system that does not tell has none taken. */
export const readStat = (): string => (existsSync('/proc/stat') ? readFileSync('/proc/stat', 'utf8') : '');

export function ticksOf(stat: string): Ticks {
  const [total = ''] = stat.split('\n');
  // user, nice, system, idle, iowait, irq, softirq, steal; the times of guests are part of the first two.
  const ticks = total.trim().split(/\s+/).slice(1, 9).map(Number);
  return { taken: ticks[7] ?? 0, all: ticks.reduce((sum, each) => sum + each, 0) };
}

/** The calls outside of the seconds that were taken, and of those after them in which calls still waited for the ones before. */
export function undisturbed(calls: readonly Call[], taken: ReadonlySet<number>): Call[] {
  const late = new Set(calls.filter(({ due, sent }) => sent - due >= LATE_MS).map(({ due }) => secondOf(due)));
  const disturbed = new Set<number>();
  const last = Math.max(-1, ...taken, ...late);
  for (let second = 0, patience = 0; second <= last; second += 1) {
    if (taken.has(second)) patience += CATCH_UP;
    else patience = late.has(second) ? Math.max(0, patience - 1) : 0;
    if (taken.has(second) || patience > 0) disturbed.add(second);
  }
  return calls.filter(({ due, answered }) => {
    for (let second = secondOf(due); second <= secondOf(answered); second += 1) if (disturbed.has(second)) return false;
    return true;
  });
}
