// Starts the fake KYC vendor as a process of its own, and steers it.
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Orders, VendorReply } from './kyc-vendor-process.js';

const PROGRAM = fileURLToPath(new URL('kyc-vendor-process.js', import.meta.url));
const TAKES: VendorReply = { status: 202, body: { outcome: 'IN_PROGRESS' } };

type Result<Order extends keyof Orders> = Awaited<ReturnType<Orders[Order]>>;

type Running = {
  readonly child: ChildProcess;
  readonly port: number;
  order<Order extends keyof Orders>(order: Order, argument?: Parameters<Orders[Order]>[0]): Promise<Result<Order>>;
};

/** On the given port, or on a free one. */
async function run(secret: string, port = 0): Promise<Running> {
  const child = fork(PROGRAM, [secret, String(port)]);
  const waiting = new Map<number, { resolve: (value: never) => void; reject: (error: Error) => void }>();
  let last = 0;
  const [started] = (await once(child, 'message')) as [{ port: number }];
  child.on('message', ({ id, result, failure }: { id: number; result: never; failure?: string }) => {
    if (failure === undefined) waiting.get(id)?.resolve(result);
    else waiting.get(id)?.reject(new Error(failure));
    waiting.delete(id);
  });
  return {
    child,
    port: started.port,
    order: (order, argument) =>
      new Promise((resolve, reject) => {
        last += 1;
        waiting.set(last, { resolve, reject });
        child.send({ id: last, order, argument });
      }),
  };
}

async function end({ child }: Running, signal: NodeJS.Signals): Promise<void> {
  const gone = once(child, 'exit');
  child.kill(signal);
  await gone;
}

export async function startVendor(secret: string) {
  let vendor = await run(secret);
  return {
    url: `http://127.0.0.1:${vendor.port}/v1`,
    received: () => vendor.order('received'),
    answerWith: (reply: VendorReply) => vendor.order('answerWith', reply),
    /** As a vendor that has received nothing and takes every packet. */
    reset: () => vendor.order('restart', TAKES),
    /** Sends a decision to the service, signed now unless other times or secrets are asked for. */
    callBack: (baseUrl: string, content: object, options: { at?: number; key?: string; altered?: string } = {}) =>
      vendor.order('callBack', { baseUrl, content, ...options }),
    async readDocument(baseUrl: string, reference: string, id: string, options: { key?: string; signed?: string } = {}) {
      const { base64, ...read } = await vendor.order('readDocument', { baseUrl, reference, id, ...options });
      return { ...read, bytes: Buffer.from(base64, 'base64') };
    },
    kill: () => end(vendor, 'SIGKILL'),
    /** Starts the killed vendor again at its address; it remembers nothing. */
    async startAgain() {
      vendor = await run(secret, vendor.port);
    },
    stop: () => end(vendor, 'SIGTERM'),
  };
}
