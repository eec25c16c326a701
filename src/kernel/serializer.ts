// Runs one work at a time under each name: the next one starts when the one before it has ended.

export type Serialized = <Result>(name: string, work: () => Promise<Result>) => Promise<Result>;

export function createSerializer(): Serialized {
  const last = new Map<string, Promise<unknown>>();
  return async (name, work) => {
    const before = last.get(name);
    const own = before ? before.then(work, work) : work();
    last.set(name, own);
    try {
      return await own;
    } finally {
      if (last.get(name) === own) last.delete(name);
    }
  };
}
