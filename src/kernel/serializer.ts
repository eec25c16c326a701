// Serializes work: work under one name starts after the work before it under that name has ended.

export type Serialize = <Result>(name: string, work: () => Promise<Result>) => Promise<Result>;

export function createSerializer(): Serialize {
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
