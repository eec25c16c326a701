// What the service signs with a delegated key: pulls of card money out of the wallet, and the key's own revocation.
import type { Tx } from '../../../db/pool.js';
import { assert } from '../../../kernel/errors.js';
import { type CardId, type InternalAccountId, type PlatformId, uuidOf } from '../../../kernel/ids.js';
import type { KeyCustody } from '../../../providers/key-custody.js';
import { describeTransfer } from '../../../providers/wallet-signer/activity.js';
import { makeStamp, parseStamp, type Stamp } from '../../../providers/wallet-signer/stamp.js';
import type { Move } from '../../ledger/ledger.js';
import type { DelegatedKey } from './delegated-key.js';
import type { DelegatedKeyDeps } from './deps.js';
import { lockActiveKeysForShare } from './store.js';

/** Binds the sealed private key to key, account and platform: in another row it does not open. */
export const privateKeyContext = (platformId: PlatformId, { id, accountId }: Pick<DelegatedKey, 'id' | 'accountId'>): string =>
  `delegated key ${platformId} ${accountId} ${id}`;

export function stampWith(custody: KeyCustody, platformId: PlatformId, key: DelegatedKey, payload: string): Stamp {
  assert(key.privateKeySealed, 'an ACTIVE key has its private key');
  const privateKey = custody.open(key.privateKeySealed, privateKeyContext(platformId, key));
  const stamp = parseStamp(makeStamp({ publicKey: key.publicKey, privateKey }, payload));
  privateKey.fill(0);
  assert(stamp, 'a stamp made here can be parsed');
  return stamp;
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
