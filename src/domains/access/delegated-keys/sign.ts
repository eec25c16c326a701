// What the service signs with a delegated key: pulls of card money out of the wallet, and the key's own revocation.
import type { KeyObject } from 'node:crypto';
import type { Tx } from '../../../db/pool.js';
import { assert } from '../../../kernel/errors.js';
import { type CardId, type InternalAccountId, type PlatformId, uuidOf } from '../../../kernel/ids.js';
import type { KeyCustody } from '../../../providers/key-custody.js';
import { describeTransfer } from '../../../providers/wallet-signer/activity.js';
import { privateKeyObject, signWith } from '../../../providers/wallet-signer/p256.js';
import type { Stamp } from '../../../providers/wallet-signer/stamp.js';
import type { Move } from '../../ledger/ledger.js';
import type { DelegatedKey } from './delegated-key.js';
import type { DelegatedKeyDeps } from './deps.js';
import { lockActiveKeysForShare } from './store.js';

/** Binds the sealed private key to key, account and platform: in another row it does not open. */
export const privateKeyContext = (platformId: PlatformId, { id, accountId }: Pick<DelegatedKey, 'id' | 'accountId'>): string =>
  `delegated key ${platformId} ${accountId} ${id}`;

export function stampWith(custody: KeyCustody, platformId: PlatformId, key: DelegatedKey, payload: string): Stamp {
  return { publicKey: key.publicKey, signature: signWith(openKey(custody, platformId, key), Buffer.from(payload, 'utf8')) };
}

/** Private keys that were opened lately, by context. */
const opened = new Map<string, { readonly sealed: Buffer; readonly privateKey: KeyObject; readonly until: number }>();
const KEPT_MS = 10_000;
const MOST_KEPT = 1_024;

/**
 * To open and import a key takes four times as long as to sign with it, and a busy wallet signs many times a second. A key is kept for some
 * seconds, as long as its row does not change. The key that opens it is in the memory of this process anyway.
 */
function openKey(custody: KeyCustody, platformId: PlatformId, key: DelegatedKey): KeyObject {
  const sealed = key.privateKeySealed;
  assert(sealed, 'an ACTIVE key has its private key');
  const context = privateKeyContext(platformId, key);
  const now = performance.now();
  const known = opened.get(context);
  if (known && known.until > now && known.sealed.equals(sealed)) return known.privateKey;
  const bytes = custody.open(sealed, context);
  const privateKey = privateKeyObject(bytes);
  bytes.fill(0);
  opened.delete(context);
  opened.set(context, { sealed, privateKey, until: now + KEPT_MS });
  // Entries are in the order in which they were opened.
  for (const [oldest, { until }] of opened) {
    if (until > now && opened.size <= MOST_KEPT) break;
    opened.delete(oldest);
  }
  return privateKey;
}

/** Ledger moves of one card's money out of the embedded wallet that funds it. */
export type WalletPull = { readonly cardId: CardId; readonly accountId: InternalAccountId; readonly moves: readonly Move[] };

/**
 * Signs every move with the delegated key of its card and account, and has the wallet signer authorize it. Returns whether all were
 * authorized. The ledger writes the moves afterwards and takes nothing out of a wallet without this authorization.
 */
export async function authorizePulls(
  { custody, signer }: Pick<DelegatedKeyDeps, 'custody' | 'signer'>,
  tx: Tx,
  platformId: PlatformId,
  pulls: readonly WalletPull[],
  now: Date,
): Promise<boolean> {
  const keys = new Map((await lockActiveKeysForShare(tx, platformId, pulls)).map((key) => [`${key.cardId} ${key.accountId}`, key]));
  const transfers = pulls.flatMap(({ cardId, accountId, moves }) =>
    moves.flatMap((move) => {
      if (move.kind === 'RESOLVE' || move.transfer.from !== uuidOf(accountId) || move.transfer.amount === 0n) return [];
      const { id: transferId, to, amount, currency, cause } = move.transfer;
      const payload = describeTransfer({ transferId, accountId, to, amount, currency, cause }, now);
      return [{ key: keys.get(`${cardId} ${accountId}`), payload }];
    }),
  );
  const signed = transfers.flatMap(({ key, payload }) => (key ? [{ payload, stamp: stampWith(custody, platformId, key, payload) }] : []));
  if (signed.length < transfers.length) return false;
  const verdicts = await signer.authorizeTransfers(tx, platformId, signed, now);
  return verdicts.every((verdict) => typeof verdict !== 'string');
}
