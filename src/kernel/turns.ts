// One at a time: work under the same name begins when what came before it has ended.

export type InTurn = <Result>(name: string, work: () => Promise<Result>) => Promise<Result>;

export function createTurns(): InTurn {
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
