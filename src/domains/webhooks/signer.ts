// Signing costs more processor time than sending. A single delivery is signed where it is; when there are many they are signed
// in batches on a thread of their own, so that the event loop is free to send.
import { Worker } from 'node:worker_threads';
import { batched } from '../../kernel/batch.js';
import { headersOf, headOf, type Proofs, type Signable, type SigningKeys, signatureHeaders } from './signing.js';

export type Headers = Record<string, string>;
export type Signer = {
  /** `keys` stand oldest first; their ids name them, so that they are handed to the thread once. */
  sign(keys: readonly NamedKeys[], signable: Signable): Promise<Headers>;
  close(): Promise<void>;
};

export type NamedKeys = SigningKeys & { readonly id: string };
type Item = { readonly keys: readonly NamedKeys[]; readonly signable: Signable };

/** What travels to the thread and back: few strings and one block of bytes, because cloning objects costs as much as signing. */
export type SigningOrder = {
  readonly newKeys: readonly NamedKeys[];
  /** Per item: the ids of its keys, parted by spaces; what is signed in front of its body; where its body ends. */
  readonly keyIds: readonly string[];
  readonly heads: readonly string[];
  readonly ends: readonly number[];
  readonly bodies: Uint8Array;
};
/** The proofs of each item in turn, three strings each. */
export type SigningAnswer = readonly string[];

/** Below this a message to another thread costs more than it saves. */
const WORTH_A_MESSAGE = 4;

export function createSigner(): Signer {
  let thread: SigningThread | undefined;
  const signMany = async (items: readonly Item[]): Promise<readonly Headers[]> => {
    if (items.length < WORTH_A_MESSAGE) return items.map(({ keys, signable }) => signatureHeaders(keys, signable));
    thread ??= startThread(() => {
      thread = undefined;
    });
    const answer = await thread.sign(items);
    return items.map(({ signable }, i) => headersOf(signable, answer.slice(3 * i, 3 * i + 3) as unknown as Proofs));
  };
  return {
    sign: batchedSign(signMany),
    async close() {
      await thread?.close();
    },
  };
}

const batchedSign = (signMany: (items: readonly Item[]) => Promise<readonly Headers[]>): Signer['sign'] => {
  const one = batched<Item, Headers>(signMany, { max: 64, lanes: 2 });
  return (keys, signable) => one({ keys, signable });
};

type SigningThread = { sign(items: readonly Item[]): Promise<SigningAnswer>; close(): Promise<unknown> };

/** Orders are answered in turn. A thread that ends takes its open orders with it; the next order starts another. */
function startThread(onEnd: () => void): SigningThread {
  const worker = new Worker(new URL('./signing-thread.js', import.meta.url));
  const known = new Set<string>();
  const open: { resolve: (answer: SigningAnswer) => void; reject: (error: Error) => void }[] = [];
  worker.on('message', (answer: SigningAnswer) => {
    open.shift()?.resolve(answer);
    if (open.length === 0) worker.unref();
  });
  const fail = (error: Error) => {
    for (const order of open.splice(0)) order.reject(error);
    onEnd();
  };
  worker.on('error', fail);
  worker.on('exit', () => fail(new Error('the signing thread has ended')));
  return {
    sign: (items) =>
      new Promise((resolve, reject) => {
        const newKeys = new Map<string, NamedKeys>();
        for (const key of items.flatMap(({ keys }) => keys)) if (!known.has(key.id)) newKeys.set(key.id, key);
        for (const id of newKeys.keys()) known.add(id);
        // Not from the pool of small buffers: the block is handed over whole.
        const bodies = new Uint8Array(items.reduce((sum, { signable }) => sum + signable.body.length, 0));
        let end = 0;
        const ends = items.map(({ signable: { body } }) => {
          bodies.set(body, end);
          end += body.length;
          return end;
        });
        const order: SigningOrder = {
          newKeys: [...newKeys.values()],
          keyIds: items.map(({ keys }) => keys.map(({ id }) => id).join(' ')),
          heads: items.map(({ signable }) => headOf(signable)),
          ends,
          bodies,
        };
        open.push({ resolve, reject });
        // An open order keeps the process alive, an idle thread does not.
        worker.ref();
        worker.postMessage(order, [bodies.buffer]);
      }),
    close: () => worker.terminate(),
  };
}
