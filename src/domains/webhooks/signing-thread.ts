// The thread of `signer.ts`: knows the keys it was given and signs what it is sent.
import { parentPort } from 'node:worker_threads';
import type { NamedKeys, SigningAnswer, SigningOrder } from './signer.js';
import { type SigningKeys, signatureHeaders } from './signing.js';

const keys = new Map<string, SigningKeys>();

parentPort?.on('message', ({ newKeys, items }: SigningOrder) => {
  for (const key of newKeys) keys.set(key.id, revive(key));
  const answer: SigningAnswer = items.map(({ keyIds, signable }) =>
    signatureHeaders(
      keyIds.flatMap((id) => keys.get(id) ?? []),
      signable,
    ),
  );
  parentPort?.postMessage(answer);
});

/** Bytes arrive as plain arrays of bytes. */
const revive = ({ p256, ed25519, secret }: NamedKeys): SigningKeys => ({ p256, ed25519, secret: Buffer.from(secret) });
