// Limits how many pieces of work run at once; the others wait in order.

export type RunInSlot = <Result>(work: () => Promise<Result>) => Promise<Result>;

export function createSlots(count: number): RunInSlot {
  const waiting: (() => void)[] = [];
  let free = count;
  return async (work) => {
    if (free > 0) free -= 1;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else free += 1;
    }
  };
}
