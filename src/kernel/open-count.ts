// Counts pieces of work that have begun and not ended.

export type OpenCount = {
  open(): number;
  during<Result>(work: () => Promise<Result>): Promise<Result>;
};

export function createOpenCount(): OpenCount {
  let open = 0;
  return {
    open: () => open,
    async during(work) {
      open += 1;
      try {
        return await work();
      } finally {
        open -= 1;
      }
    },
  };
}
