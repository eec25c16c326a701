// The worker thread of `signer.ts`. It keeps the keys that it was sent.
import { assert } from '../../../kernel/errors.js';
import { answerOrders } from '../../../kernel/thread.js';
import type { NamedKeys, SigningAnswer, SigningOrder } from './signer.js';
import { type SigningKeys, signContent } from './signing.js';

const keys = new Map<string, SigningKeys>();

answerOrders(({ newKeys, keyIds, heads, ends, bodies }: SigningOrder): SigningAnswer => {
  for (const key of newKeys) keys.set(key.id, revive(key));
  return keyIds.flatMap((ids, i) => {
    const head = heads[i];
    assert(head !== undefined, 'every item has a head');
    const generations = ids.split(' ').flatMap((id) => keys.get(id) ?? []);
    return signContent(generations, head, bodies.subarray(ends[i - 1] ?? 0, ends[i]));
  });
});

/** A Buffer arrives as a plain Uint8Array. */
const revive = ({ p256, ed25519, secret }: NamedKeys): SigningKeys => ({ p256, ed25519, secret: Buffer.from(secret) });
