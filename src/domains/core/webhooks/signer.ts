// Signing costs more processor time than sending. A single delivery is signed where it is; when there are many they are signed
// in batches on a thread of their own, so that the event loop is free to send.
import { batched } from '../../../kernel/batch.js';
import { createThread, MIN_ITEMS_FOR_THREAD } from '../../../kernel/thread.js';
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
  readonly bodies: Uint8Array<ArrayBuffer>;
};
/** The proofs of each item in turn, three strings each. */
export type SigningAnswer = readonly string[];

export function createSigner(): Signer {
  const known = new Set<string>();
  const thread = createThread<SigningOrder, SigningAnswer>(new URL('./signing-thread.js', import.meta.url), () => known.clear());
  const signMany = async (items: readonly Item[]): Promise<readonly Headers[]> => {
    if (items.length < MIN_ITEMS_FOR_THREAD) return items.map(({ keys, signable }) => signatureHeaders(keys, signable));
    const order = orderOf(items, known);
    const answer = await thread.request(order, [order.bodies.buffer]);
    return items.map(({ signable }, i) => headersOf(signable, answer.slice(3 * i, 3 * i + 3) as unknown as Proofs));
  };
  return { sign: batchedSign(signMany), close: thread.close };
}

/** Keys that the thread does not know yet go along, and count as known from here on. */
function orderOf(items: readonly Item[], known: Set<string>): SigningOrder {
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
  return {
    newKeys: [...newKeys.values()],
    keyIds: items.map(({ keys }) => keys.map(({ id }) => id).join(' ')),
    heads: items.map(({ signable }) => headOf(signable)),
    ends,
    bodies,
  };
}

const batchedSign = (signMany: (items: readonly Item[]) => Promise<readonly Headers[]>): Signer['sign'] => {
  const one = batched<Item, Headers>(signMany, { max: 64, lanes: 2 });
  return (keys, signable) => one({ keys, signable });
};
