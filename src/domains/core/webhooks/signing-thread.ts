// The thread of `signer.ts`: knows the keys it was given and signs what it is sent.
import { answerOrders } from '../../../kernel/thread.js';
import type { NamedKeys, SigningAnswer, SigningOrder } from './signer.js';
import { prove, type SigningKeys } from './signing.js';

const keys = new Map<string, SigningKeys>();

answerOrders(({ newKeys, keyIds, heads, ends, bodies }: SigningOrder): SigningAnswer => {
  for (const key of newKeys) keys.set(key.id, revive(key));
  return keyIds.flatMap((ids, i) =>
    prove(
      ids.split(' ').flatMap((id) => keys.get(id) ?? []),
      heads[i] as string,
      bodies.subarray(ends[i - 1] ?? 0, ends[i]),
    ),
  );
});

/** Bytes arrive as plain arrays of bytes. */
const revive = ({ p256, ed25519, secret }: NamedKeys): SigningKeys => ({ p256, ed25519, secret: Buffer.from(secret) });
