// Collects calls that arrive while a batch is in flight into the next batch. A batch of one runs the same code.

type Waiting<Item, Result> = { item: Item; resolve: (result: Result) => void; reject: (error: unknown) => void };

/**
 * Turns `run(items)` into a function of one item. `run` answers one result per item, in order; an `Error` as a result
 * rejects only that item. `lanes` batches may be in flight at once. `everyMs` sets the shortest time between the starts of two batches: it
 * makes batches larger where no caller waits for the result.
 */
export function batched<Item, Result>(
  run: (items: readonly Item[]) => Promise<readonly (Result | Error)[]>,
  { max = 256, lanes = 1, everyMs = 0 }: { max?: number; lanes?: number; everyMs?: number } = {},
): (item: Item) => Promise<Result> {
  const waiting: Waiting<Item, Result>[] = [];
  let running = 0;
  let scheduled = false;
  let notBefore = 0;

  const begin = () => {
    scheduled = false;
    if (everyMs > 0) notBefore = performance.now() + everyMs;
    while (running < lanes && waiting.length > 0) void flush(waiting.splice(0, max));
  };

  const schedule = () => {
    if (scheduled || running >= lanes || waiting.length === 0) return;
    scheduled = true;
    const early = everyMs > 0 ? notBefore - performance.now() : 0;
    // One turn of the loop lets the requests of the same socket read gather.
    if (early > 0) setTimeout(begin, early);
    else setImmediate(begin);
  };

  const flush = async (taken: Waiting<Item, Result>[]) => {
    running += 1;
    let settle: () => void;
    try {
      const results = await run(taken.map(({ item }) => item));
      settle = () => {
        for (const [i, { resolve, reject }] of taken.entries()) {
          const result = results[i];
          if (result === undefined && i >= results.length) reject(new Error('a batch answers every item'));
          else if (result instanceof Error) reject(result);
          else resolve(result as Result);
        }
      };
    } catch (error) {
      settle = () => {
        for (const { reject } of taken) reject(error);
      };
    }
    running -= 1;
    if (waiting.length === 0 || everyMs > 0) {
      settle();
      schedule();
      return;
    }
    // The next batch is on its way before the callers of this one go on: what they do with their results takes longer than to send it.
    begin();
    setImmediate(settle);
  };

  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      schedule();
    });
}

/** As `batched`, with a queue for each key: the items of a batch have the same key. */
export function batchedBy<Key, Item, Result>(
  run: (key: Key, items: readonly Item[]) => Promise<readonly (Result | Error)[]>,
  options: { max?: number; lanes?: number } = {},
): (key: Key, item: Item) => Promise<Result> {
  const queues = new Map<Key, { readonly add: (item: Item) => Promise<Result>; open: number }>();
  return async (key, item) => {
    let queue = queues.get(key);
    if (!queue) {
      queue = { add: batched((items) => run(key, items), options), open: 0 };
      queues.set(key, queue);
    }
    queue.open += 1;
    try {
      return await queue.add(item);
    } finally {
      queue.open -= 1;
      if (queue.open === 0) queues.delete(key);
    }
  };
}
