// Collects calls that arrive while a batch is in flight; the next batch takes them all. A batch of one is the same code.

type Waiting<Item, Result> = { item: Item; resolve: (result: Result) => void; reject: (error: unknown) => void };

/**
 * Turns `run(items)` into a function of one item. `run` answers one result per item, in order; an `Error` as a result
 * rejects that item alone. `lanes` batches may be in flight at once.
 */
export function batched<Item, Result>(
  run: (items: readonly Item[]) => Promise<readonly (Result | Error)[]>,
  { max = 256, lanes = 1 }: { max?: number; lanes?: number } = {},
): (item: Item) => Promise<Result> {
  const waiting: Waiting<Item, Result>[] = [];
  let running = 0;
  let scheduled = false;

  const schedule = () => {
    if (scheduled || running >= lanes || waiting.length === 0) return;
    scheduled = true;
    // One turn of the loop lets the requests of the same socket read gather.
    setImmediate(() => {
      scheduled = false;
      while (running < lanes && waiting.length > 0) void flush(waiting.splice(0, max));
    });
  };

  const flush = async (taken: Waiting<Item, Result>[]) => {
    running += 1;
    try {
      const results = await run(taken.map(({ item }) => item));
      for (const [i, { resolve, reject }] of taken.entries()) {
        const result = results[i] as Result | Error;
        if (result instanceof Error) reject(result);
        else resolve(result);
      }
    } catch (error) {
      for (const { reject } of taken) reject(error);
    } finally {
      running -= 1;
      schedule();
    }
  };

  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      schedule();
    });
}
