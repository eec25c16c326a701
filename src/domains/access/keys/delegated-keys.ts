// Delegated keys: made in three legs by the owner, used by the service while ACTIVE, destroyed when revoked.
import type { Tx } from '../../../db/pool.js';
import { ApiError, assert } from '../../../kernel/errors.js';
import {
  type CardFundingSourceId,
  type CardId,
  type DelegatedKeyId,
  type InternalAccountId,
  newId,
  type PlatformId,
  uuidOf,
} from '../../../kernel/ids.js';
import type { KeyCustody } from '../../../providers/key-custody.js';
import { ACTIVITY_TYPES, describeActivity, describeTransfer, type Parameters } from '../../../providers/wallet-signer/activity.js';
import { generateP256KeyPair } from '../../../providers/wallet-signer/p256.js';
import { DELEGATED_POLICIES, type WalletSigner } from '../../../providers/wallet-signer/signer.js';
import { makeStamp, parseStamp, type Stamp } from '../../../providers/wallet-signer/stamp.js';
import { findInternalAccounts } from '../../accounts/internal-accounts/actions.js';
import type { Move } from '../../ledger/ledger.js';
import type { Consented, DelegatedKey, FundingSources, SignedRequest } from './keys.js';
import { decideDelegation, decideKeyRevocation } from './rules.js';
import { askToSign, type Call, redeem, toSign } from './signed-retry.js';
import {
  activateDelegatedKey,
  destroyDelegatedKey,
  findActiveKeys,
  getDelegatedKey,
  holdActiveKeys,
  insertDelegatedKey,
  lockDelegatedKey,
} from './store.js';

export type DelegationDeps = { readonly custody: KeyCustody; readonly signer: WalletSigner; readonly fundingSources: FundingSources };

export type NewDelegatedKey = {
  readonly cardId: CardId | undefined;
  readonly accountId: InternalAccountId | undefined;
  readonly nickname: string;
};

/** Binds the sealed key to key, account and platform: moved to another row it does not open. */
export const privateKeyContext = (platformId: PlatformId, { id, accountId }: Pick<DelegatedKey, 'id' | 'accountId'>): string =>
  `delegated key ${platformId} ${accountId} ${id}`;

/** What the first leg made and the second stores: everything but the private key, which travels sealed. */
type Drafted = { readonly id: DelegatedKeyId; readonly publicKey: string };

/** "Creation is a three-leg signed-retry flow. The same request body is sent on all three legs." */
export async function createDelegatedKey(
  deps: DelegationDeps,
  tx: Tx,
  call: Call,
  request: NewDelegatedKey,
): Promise<Consented<DelegatedKey>> {
  if (call.signed.kind === 'initial') return draft(deps, tx, call, request);
  const { request: signed, owner } = await redeem(deps.signer, tx, call);
  return signed.leg === 1 ? createSigner(deps, tx, call, request, signed, owner.publicKey) : grantPolicies(deps, tx, call, request, signed);
}

type Source = { readonly cardId: CardId; readonly accountId: InternalAccountId; readonly fundingSourceId: CardFundingSourceId };

/** Sent together and answered in order: with `lock` the card is locked before anything about its key is read. */
async function gather(
  { signer, fundingSources }: DelegationDeps,
  tx: Tx,
  platformId: PlatformId,
  { cardId, accountId }: NewDelegatedKey,
  { lock = false } = {},
): Promise<Source> {
  if (!cardId || !accountId) throw new ApiError('NOT_FOUND');
  const pair = { cardId, accountId };
  const [fundingSourceId, accounts, provisioned, active] = await Promise.all([
    (lock ? fundingSources.lock : fundingSources.find)(tx, platformId, cardId, accountId),
    findInternalAccounts(tx, platformId, [accountId]),
    signer.hasWallet(tx, { platformId, accountId }),
    findActiveKeys(tx, platformId, [pair]),
  ]);
  decideDelegation({
    fundingSource: fundingSourceId,
    isEmbeddedWallet: accounts[0]?.type === 'EMBEDDED_WALLET',
    provisioned,
    hasActiveKey: active.length > 0,
  });
  return { ...pair, fundingSourceId: fundingSourceId as CardFundingSourceId };
}

const describe = (
  key: Drafted,
  { cardId, fundingSourceId }: { cardId: CardId; fundingSourceId: CardFundingSourceId },
  nickname: string,
): Parameters => ({
  signerId: key.id,
  publicKey: key.publicKey,
  cardId,
  fundingSourceId,
  nickname,
});

/** First leg: the key pair is made now, so that the owner signs for this very public key. */
async function draft(deps: DelegationDeps, tx: Tx, call: Call, request: NewDelegatedKey): Promise<Consented<DelegatedKey>> {
  const { platformId, now } = call;
  const source = await gather(deps, tx, platformId, request);
  const { publicKey, privateKey } = generateP256KeyPair();
  const key: Drafted = { id: newId('DelegatedKey'), publicKey };
  const { accountId } = source;
  const challenge = askToSign(tx, call, {
    accountId,
    payload: toSign(accountId, ACTIVITY_TYPES.createSigner, describe(key, source, request.nickname), now),
    facts: key,
    secretSealed: deps.custody.seal(privateKey, privateKeyContext(platformId, { id: key.id, accountId })),
  });
  return { challenge };
}

/** Second leg: the signer exists and holds no policies; "the same session key pair" must sign the third. */
async function createSigner(
  deps: DelegationDeps,
  tx: Tx,
  call: Call,
  request: NewDelegatedKey,
  signed: SignedRequest,
  ownerKey: string,
): Promise<Consented<DelegatedKey>> {
  const { platformId, now } = call;
  const source = await gather(deps, tx, platformId, request);
  const { id, publicKey } = signed.facts as Drafted;
  const { nickname } = request;
  const key: DelegatedKey = {
    ...source,
    id,
    publicKey,
    nickname,
    privateKeySealed: signed.secretSealed,
    status: 'PENDING',
    createdAt: now,
    updatedAt: now,
  };
  const parameters = { ...describe({ id, publicKey }, source, nickname), policies: [...DELEGATED_POLICIES] };
  const ask = {
    accountId: source.accountId,
    payload: toSign(source.accountId, ACTIVITY_TYPES.grantPolicies, parameters, now),
    leg: 2,
    expectedKey: ownerKey,
    facts: { id, publicKey } satisfies Drafted,
  };
  insertDelegatedKey(tx, platformId, key);
  return { challenge: askToSign(tx, call, ask) };
}

/** Third leg: the policies are granted, the key is ACTIVE, and a card that waited for it wakes up. */
async function grantPolicies(
  deps: DelegationDeps,
  tx: Tx,
  call: Call,
  request: NewDelegatedKey,
  signed: SignedRequest,
): Promise<Consented<DelegatedKey>> {
  const { platformId, now } = call;
  const { cardId, fundingSourceId } = await gather(deps, tx, platformId, request, { lock: true });
  const [key] = await Promise.all([
    activateDelegatedKey(tx, platformId, (signed.facts as Drafted).id, now),
    deps.fundingSources.delegationCompleted(tx, platformId, cardId, fundingSourceId, now),
  ]);
  return { done: key };
}

/** The key takes itself away, by the policy it was given for that; its material is destroyed. */
export async function revokeDelegatedKey(
  { custody, signer, fundingSources }: DelegationDeps,
  tx: Tx,
  platformId: PlatformId,
  id: DelegatedKeyId | undefined,
  now: Date,
): Promise<void> {
  const { id: keyId, cardId, accountId, fundingSourceId } = await getDelegatedKey(tx, platformId, id);
  // The card before the key: the order everybody locks in.
  await fundingSources.lock(tx, platformId, cardId, accountId);
  const key = await lockDelegatedKey(tx, platformId, keyId);
  decideKeyRevocation(key);

  const parameters = { signerId: key.id, publicKey: key.publicKey };
  const payload = describeActivity({ type: ACTIVITY_TYPES.deleteSigner, accountId, parameters, at: now });
  const done = await signer.submit(tx, platformId, { payload, stamp: stampWith(custody, platformId, key, payload) }, now);
  assert(typeof done !== 'string', `an ACTIVE key may revoke itself, but: ${String(done)}`);

  destroyDelegatedKey(tx, platformId, key.id, now);
  await fundingSources.delegationRevoked(tx, platformId, cardId, fundingSourceId, now);
}

function stampWith(custody: KeyCustody, platformId: PlatformId, key: DelegatedKey, payload: string): Stamp {
  assert(key.privateKeySealed, 'an ACTIVE key has its material');
  const privateKey = custody.open(key.privateKeySealed, privateKeyContext(platformId, key));
  const stamp = parseStamp(makeStamp({ publicKey: key.publicKey, privateKey }, payload));
  privateKey.fill(0);
  assert(stamp, 'a stamp of ours can be read');
  return stamp;
}

/** Movements of one card's money out of the embedded wallet that funds it. */
export type WalletPull = { readonly cardId: CardId; readonly accountId: InternalAccountId; readonly moves: readonly Move[] };

/**
 * Has the wallet signer allow every movement, each signed with the delegated key of its card and account; answers whether
 * all were allowed. The ledger then writes them, and takes nothing out of a wallet that was not allowed here.
 */
export async function authorizePulls(
  { custody, signer }: Pick<DelegationDeps, 'custody' | 'signer'>,
  tx: Tx,
  platformId: PlatformId,
  pulls: readonly WalletPull[],
  now: Date,
): Promise<boolean> {
  const keys = new Map((await holdActiveKeys(tx, platformId, pulls)).map((key) => [`${key.cardId} ${key.accountId}`, key]));
  const texts = pulls.flatMap(({ cardId, accountId, moves }) =>
    moves.flatMap((move) => {
      if (move.kind === 'RESOLVE' || move.transfer.from !== uuidOf(accountId)) return [];
      const { id: transferId, to, amount, currency, cause } = move.transfer;
      return [
        { key: keys.get(`${cardId} ${accountId}`), payload: describeTransfer({ transferId, accountId, to, amount, currency, cause }, now) },
      ];
    }),
  );
  const signed = texts.flatMap(({ key, payload }) => (key ? [{ payload, stamp: stampWith(custody, platformId, key, payload) }] : []));
  if (signed.length < texts.length) return false;
  const verdicts = await signer.authorizeTransfers(tx, platformId, signed, now);
  return verdicts.every((verdict) => typeof verdict !== 'string');
}
