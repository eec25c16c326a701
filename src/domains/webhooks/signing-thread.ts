// The thread of `signer.ts`: knows the keys it was given and signs what it is sent.
import { parentPort } from 'node:worker_threads';
import type { NamedKeys, SigningAnswer, SigningOrder } from './signer.js';
import { prove, type SigningKeys } from './signing.js';

const keys = new Map<string, SigningKeys>();

parentPort?.on('message', ({ newKeys, keyIds, heads, ends, bodies }: SigningOrder) => {
  for (const key of newKeys) keys.set(key.id, revive(key));
  const answer: SigningAnswer = keyIds.flatMap((ids, i) =>
    prove(
      ids.split(' ').flatMap((id) => keys.get(id) ?? []),
      heads[i] as string,
      bodies.subarray(ends[i - 1] ?? 0, ends[i]),
    ),
  );
  parentPort?.postMessage(answer);
});

/** Bytes arrive as plain arrays of bytes. */
const revive = ({ p256, ed25519, secret }: NamedKeys): SigningKeys => ({ p256, ed25519, secret: Buffer.from(secret) });
