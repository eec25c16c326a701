// Work that would hold up the event loop, done on a thread of its own. The thread starts with its first order, keeps the process
// alive only while an order is open, and takes its open orders with it when it ends; the next order starts another.
import { parentPort, Worker } from 'node:worker_threads';

export type Thread<Order, Answer> = {
  /** Orders are answered in turn. What stands in `transfer` is handed over, not copied. */
  ask(order: Order, transfer?: readonly ArrayBuffer[]): Promise<Answer>;
  close(): Promise<void>;
};

type Open<Answer> = { readonly resolve: (answer: Answer) => void; readonly reject: (error: Error) => void };
type Running<Answer> = { readonly worker: Worker; readonly open: Open<Answer>[] };

/** Below this a message to another thread costs more than it saves. */
export const WORTH_A_MESSAGE = 4;

/** `file` calls `answerOrders`. `onEnd`: the thread is gone, and with it everything it was told. */
export function createThread<Order, Answer>(file: URL, onEnd: () => void = () => {}): Thread<Order, Answer> {
  let current: Running<Answer> | undefined;

  const start = (): Running<Answer> => {
    // Orders belong to the thread that got them: an answer may still arrive from one that has broken, when another works already.
    const started: Running<Answer> = { worker: new Worker(file), open: [] };
    const { worker, open } = started;
    worker.on('message', (answer: Answer) => {
      open.shift()?.resolve(answer);
      if (open.length === 0) worker.unref();
    });
    const end = (error: Error) => {
      if (current !== started) return;
      current = undefined;
      onEnd();
      for (const { reject } of open.splice(0)) reject(error);
    };
    worker.on('error', end);
    worker.on('exit', () => end(new Error(`the thread of ${file.pathname} has ended`)));
    return started;
  };

  return {
    ask: (order, transfer = []) =>
      new Promise((resolve, reject) => {
        current ??= start();
        current.open.push({ resolve, reject });
        current.worker.ref();
        current.worker.postMessage(order, transfer);
      }),
    async close() {
      await current?.worker.terminate();
    },
  };
}

/** The other end: what the thread does with each order. */
export function answerOrders<Order, Answer>(answer: (order: Order) => Answer): void {
  parentPort?.on('message', (order: Order) => parentPort?.postMessage(answer(order)));
}
