// Checks linearizability of concurrent calls with the search of Wing and Gong, with memoization.

export type Call<Op, Result> = { readonly op: Op; readonly result: Result; readonly start: number; readonly end: number };

/** Distributes the calls over concurrent callers. Each caller makes its part of the calls one after another. */
export async function record<Op, Result>(
  ops: readonly Op[],
  callers: number,
  perform: (op: Op) => Promise<Result>,
): Promise<Call<Op, Result>[]> {
  const each = Math.ceil(ops.length / callers);
  const calls: Call<Op, Result>[] = [];
  await Promise.all(
    Array.from({ length: callers }, async (_, caller) => {
      for (const op of ops.slice(caller * each, (caller + 1) * each)) {
        const start = performance.now();
        const result = await perform(op);
        calls.push({ op, result, start, end: performance.now() });
      }
    }),
  );
  return calls;
}

/**
 * Searches an order of the calls in which each takes effect between its start and its end and every result is possible.
 * `step` returns the state after the call, or undefined if the result is not possible in that state.
 */
export function isLinearizable<State, Op, Result>(
  initial: State,
  calls: readonly Call<Op, Result>[],
  step: (state: State, op: Op, result: Result) => State | undefined,
): boolean {
  const all = (1n << BigInt(calls.length)) - 1n;
  const seen = new Set<string>();

  const search = (done: bigint, state: State): boolean => {
    if (done === all) return true;
    const key = `${done} ${JSON.stringify(state)}`;
    if (seen.has(key)) return false;
    seen.add(key);
    const open = calls.map((call, i) => ({ call, bit: 1n << BigInt(i) })).filter(({ bit }) => (done & bit) === 0n);
    const earliestEnd = Math.min(...open.map(({ call }) => call.end));
    return open
      .filter(({ call }) => call.start <= earliestEnd)
      .some(({ call, bit }) => {
        const next = step(state, call.op, call.result);
        return next !== undefined && search(done | bit, next);
      });
  };
  return search(0n, initial);
}

/** A seeded random number generator, so that a failure can be reproduced. */
export function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}
