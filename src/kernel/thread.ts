// Work that would hold up the event loop, done on a thread of its own. The thread starts with its first order, keeps the process
// alive only while an order is open, and takes its open orders with it when it ends; the next order starts another.
import { parentPort, Worker } from 'node:worker_threads';

export type Thread<Order, Answer> = {
  /** Orders are answered in turn. What stands in `transfer` is handed over, not copied. */
  ask(order: Order, transfer?: readonly ArrayBuffer[]): Promise<Answer>;
  close(): Promise<void>;
};

type Open<Answer> = { readonly resolve: (answer: Answer) => void; readonly reject: (error: Error) => void };

/** `file` calls `answerOrders`. `onEnd` tells that what the thread was told is forgotten. */
export function createThread<Order, Answer>(file: URL, onEnd: () => void = () => {}): Thread<Order, Answer> {
  let worker: Worker | undefined;
  const open: Open<Answer>[] = [];

  const start = (): Worker => {
    const started = new Worker(file);
    started.on('message', (answer: Answer) => {
      open.shift()?.resolve(answer);
      if (open.length === 0) started.unref();
    });
    const end = (error: Error) => {
      if (worker !== started) return;
      worker = undefined;
      onEnd();
      for (const { reject } of open.splice(0)) reject(error);
    };
    started.on('error', end);
    started.on('exit', () => end(new Error(`the thread of ${file.pathname} has ended`)));
    return started;
  };

  return {
    ask: (order, transfer = []) =>
      new Promise((resolve, reject) => {
        worker ??= start();
        open.push({ resolve, reject });
        worker.ref();
        worker.postMessage(order, transfer);
      }),
    async close() {
      await worker?.terminate();
    },
  };
}

/** The other end: what the thread does with each order. */
export function answerOrders<Order, Answer>(answer: (order: Order) => Answer): void {
  parentPort?.on('message', (order: Order) => parentPort?.postMessage(answer(order)));
}
