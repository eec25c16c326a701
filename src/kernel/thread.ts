// A worker thread for work that would block the event loop. The thread starts with its first request and keeps the process alive only
// while a request is open. Open requests fail when the thread ends; the next request starts another thread.
import { parentPort, Worker } from 'node:worker_threads';

export type Thread<Order, Answer> = {
  /** Requests are answered in order. Buffers in `transfer` are moved to the thread, not copied. */
  request(order: Order, transfer?: readonly ArrayBuffer[]): Promise<Answer>;
  close(): Promise<void>;
};

type Open<Answer> = { readonly resolve: (answer: Answer) => void; readonly reject: (error: Error) => void };
type Running<Answer> = { readonly worker: Worker; readonly open: Open<Answer>[] };

/** With fewer items, sending them to another thread costs more than it saves. */
export const MIN_ITEMS_FOR_THREAD = 4;

/** `file` calls `answerOrders`. `onEnd` is called when the thread has ended and its state is lost. */
export function createThread<Order, Answer>(file: URL, onEnd: () => void = () => {}): Thread<Order, Answer> {
  let current: Running<Answer> | undefined;

  const start = (): Running<Answer> => {
    // Each thread keeps its own open requests: an answer may still arrive from a broken thread after its successor has started.
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
    request: (order, transfer = []) =>
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

/** Runs inside the thread: answers each request. */
export function answerOrders<Order, Answer>(answer: (order: Order) => Answer): void {
  parentPort?.on('message', (order: Order) => parentPort?.postMessage(answer(order)));
}
