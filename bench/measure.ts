// Load measurement: throughput and latency of concurrent callers, compared with a baseline as a ratio.

export type Load = {
  readonly perSecond: number;
  readonly p50: number;
  readonly p99: number;
  readonly count: number;
  readonly errors: number;
  /** Processor time of one unit of work in milliseconds, where it was metered. */
  readonly processorMs?: number;
};

export type Row = {
  readonly name: string;
  readonly measured: string;
  /** The baseline, measured in the same run. */
  readonly beside?: string;
  readonly ratio?: number;
  /** The limit of the ratio or of the measured value. */
  readonly limit?: string;
  readonly holds?: boolean;
};

export type Options = { readonly callers: number; readonly seconds: number; readonly warmupSeconds?: number };

/** `work(caller)` does one unit of work and throws if it fails. */
export async function load(
  work: (caller: number) => Promise<void>,
  { callers, seconds, warmupSeconds = Math.min(1, seconds / 3) }: Options,
): Promise<Load> {
  const start = performance.now() + warmupSeconds * 1000;
  const end = start + seconds * 1000;
  const latencies: number[] = [];
  let errors = 0;
  await Promise.all(
    Array.from({ length: callers }, async (_, caller) => {
      for (let at = performance.now(); at < end; ) {
        let failed = false;
        await work(caller).catch(() => {
          failed = true;
        });
        const done = performance.now();
        if (at >= start && done <= end) {
          if (failed) errors += 1;
          else latencies.push(done - at);
        }
        at = done;
      }
    }),
  );
  return loadOf(latencies, seconds, errors);
}

const REQUESTS = 500;

/** Medians of the same read on little and on much data. The reads alternate, so that a slow period of the machine affects both. */
export async function alternately(
  readSmall: (i: number) => Promise<unknown>,
  readLarge: (i: number) => Promise<unknown>,
  requests = REQUESTS,
): Promise<{ readonly p50: { readonly small: number; readonly large: number }; readonly ratio: number }> {
  const took: { small: number[]; large: number[] } = { small: [], large: [] };
  const warmUp = requests / 5;
  for (let i = 0; i < warmUp + requests; i += 1) {
    const start = performance.now();
    await readSmall(i);
    const between = performance.now();
    await readLarge(i);
    if (i < warmUp) continue;
    took.small.push(between - start);
    took.large.push(performance.now() - between);
  }
  const p50 = { small: median(took.small), large: median(took.large) };
  return { p50, ratio: p50.large / p50.small };
}

function loadOf(latencies: number[], seconds: number, errors: number): Load {
  latencies.sort((a, b) => a - b);
  const at = (share: number) => latencies[Math.min(latencies.length - 1, Math.floor(latencies.length * share))] ?? Number.NaN;
  return { perSecond: latencies.length / seconds, p50: at(0.5), p99: at(0.99), count: latencies.length, errors };
}

/**
 * Work that arrives at a fixed rate, whether or not earlier work is done. Latency counts from the moment the work was due, so that a stall
 * shows in everything that came due meanwhile.
 */
export async function openLoad(
  work: (caller: number) => Promise<void>,
  { callers, perSecond: wanted, seconds }: { readonly callers: number; readonly perSecond: number; readonly seconds: number },
): Promise<Load> {
  const start = performance.now();
  const total = Math.floor(wanted * seconds);
  const latencies: number[] = [];
  let errors = 0;
  let next = 0;
  await Promise.all(
    Array.from({ length: callers }, async (_, caller) => {
      while (next < total) {
        const due = start + (next * 1_000) / wanted;
        next += 1;
        const early = due - performance.now();
        if (early > 1) await new Promise((resolve) => setTimeout(resolve, early));
        await work(caller).then(
          () => latencies.push(performance.now() - due),
          () => {
            errors += 1;
          },
        );
      }
    }),
  );
  return loadOf(latencies, (performance.now() - start) / 1_000, errors);
}

/** As `load`, with the processor time that `meter` shows. */
export async function meteredLoad(work: (caller: number) => Promise<void>, options: Options, meter: () => number): Promise<Load> {
  let units = 0;
  const before = meter();
  const figure = await load(async (caller) => {
    await work(caller);
    units += 1;
  }, options);
  return { ...figure, processorMs: ((meter() - before) * 1000) / units };
}

/** Measures the contenders alternately, so that a slow period of the machine affects all of them. Returns the best round of each. */
export async function sideBySide<Name extends string>(
  contenders: Record<Name, (caller: number) => Promise<void>>,
  options: Options & { readonly meter?: () => number },
  rounds = 3,
): Promise<Record<Name, Load>> {
  const best = {} as Record<Name, Load>;
  for (let round = 0; round < rounds; round += 1) {
    for (const name of Object.keys(contenders) as Name[]) {
      const figure = options.meter ? await meteredLoad(contenders[name], options, options.meter) : await load(contenders[name], options);
      if (!best[name] || figure.perSecond > best[name].perSecond) best[name] = figure;
    }
  }
  return best;
}

/** Rates of two contenders, measured alternately. Returns the median of the rounds after the warm-up. */
export async function roundByRound(
  ours: () => Promise<number>,
  theirs: () => Promise<number>,
  { warmUp, rounds }: { readonly warmUp: number; readonly rounds: number },
): Promise<{ ours: number; theirs: number }> {
  const figures = { ours: [] as number[], theirs: [] as number[] };
  for (let round = 0; round < warmUp + rounds; round += 1) {
    figures.ours.push(await ours());
    figures.theirs.push(await theirs());
  }
  return { ours: median(figures.ours.slice(warmUp)), theirs: median(figures.theirs.slice(warmUp)) };
}

export const atLeast = (name: string, ours: Load, theirs: Load, beside: string, least: number): Row => {
  const ratio = ours.perSecond / theirs.perSecond;
  return {
    name,
    measured: `${perSecond(ours)}  p50 ${ms(ours.p50)}  p99 ${ms(ours.p99)}${ours.errors ? `  ${ours.errors} errors` : ''}`,
    beside: `${beside} ${perSecond(theirs)}${comparedTime(ours, theirs)}`,
    ratio,
    limit: `≥ ${least}`,
    holds: ratio >= least && ours.errors === 0,
  };
};

/** How the processor time of a unit compares, as a ratio like that of the rates. */
export const comparedTime = (ours: Pick<Load, 'processorMs'>, theirs: Pick<Load, 'processorMs'>): string =>
  ours.processorMs === undefined || theirs.processorMs === undefined
    ? ''
    : `; processor time ${ours.processorMs.toFixed(2)} ms beside ${theirs.processorMs.toFixed(2)} ms, ratio ${(theirs.processorMs / ours.processorMs).toFixed(2)}`;

export const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] as number;

export const perSecond = ({ perSecond: rate }: Load): string => `${Math.round(rate).toLocaleString('en-US')}/s`;
export const ms = (value: number): string => `${value.toFixed(value < 10 ? 2 : 1)} ms`;

export function printRows(title: string, rows: readonly Row[]): void {
  process.stdout.write(`\n${title}\n`);
  for (const { name, measured, beside, ratio, limit, holds } of rows) {
    const verdict = holds === undefined ? '     ' : holds ? 'ok   ' : 'MISSED';
    const compared = ratio === undefined ? '' : `  ratio ${ratio.toFixed(2)}`;
    process.stdout.write(
      `  ${verdict} ${name}: ${measured}${beside ? `  |  ${beside}` : ''}${compared}${limit ? `  (limit ${limit})` : ''}\n`,
    );
  }
}

/** Says on standard error what is measured now, so that a run that takes minutes can be followed. */
export const progress = (step: string): void => void process.stderr.write(`${Math.round(performance.now() / 1_000)} s: ${step}\n`);
