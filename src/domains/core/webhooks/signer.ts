// Signing takes more processor time than sending. A few deliveries are signed in place; many are signed in batches on a worker thread,
// so that the event loop is free to send.
import { batched } from '../../../kernel/batch.js';
import { createThread, MIN_ITEMS_FOR_THREAD } from '../../../kernel/thread.js';
import { headersOf, headOf, type Signable, type SignatureForm, type SigningKeys, STANDARD_FORM, signatureHeaders } from './signing.js';

export type Headers = Record<string, string>;
export type Signer = {
  /** `keys`, oldest first. Each key is sent to the thread once and named by its id after that. */
  sign(keys: readonly NamedKeys[], signable: Signable): Promise<Headers>;
  close(): Promise<void>;
};

export type NamedKeys = SigningKeys & { readonly id: string };
type Item = { readonly keys: readonly NamedKeys[]; readonly signable: Signable };

/** A message to the thread: few strings and one block of bytes, because cloning objects costs as much as signing. */
export type SigningOrder = {
  readonly newKeys: readonly NamedKeys[];
  /** Per item: the ids of its keys, separated by spaces; the text signed before its body; where its body ends. */
  readonly keyIds: readonly string[];
  readonly heads: readonly string[];
  readonly ends: readonly number[];
  readonly bodies: Uint8Array<ArrayBuffer>;
};
/** The `Signatures` of the items, in order, as one list of strings. */
export type SigningAnswer = readonly string[];

export function createSigner(form: SignatureForm = STANDARD_FORM): Signer {
  const known = new Set<string>();
  const thread = createThread<SigningOrder, SigningAnswer>(new URL('./signing-thread.js', import.meta.url), () => known.clear());
  const signMany = async (items: readonly Item[]): Promise<readonly Headers[]> => {
    if (items.length < MIN_ITEMS_FOR_THREAD) return items.map(({ keys, signable }) => signatureHeaders(keys, signable, form));
    const order = orderOf(items, known);
    const answer = await thread.request(order, [order.bodies.buffer]);
    return items.map(({ signable }, i) => {
      const [service = '', next = '', standard = ''] = answer.slice(3 * i, 3 * i + 3);
      return headersOf(signable, [service, next, standard], form);
    });
  };
  return { sign: batchedSign(signMany), close: thread.close };
}

/** Includes the keys that the thread does not have yet and marks them as known. */
function orderOf(items: readonly Item[], known: Set<string>): SigningOrder {
  const newKeys = new Map<string, NamedKeys>();
  for (const key of items.flatMap(({ keys }) => keys)) if (!known.has(key.id)) newKeys.set(key.id, key);
  for (const id of newKeys.keys()) known.add(id);
  // A buffer of its own, not from Node's shared pool: it is transferred to the thread as a whole.
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
