// Creation of a delegated key in three legs: draft the key, create its signer, grant its policies.
import type { Tx } from '../../../db/pool.js';
import { ApiError, assert } from '../../../kernel/errors.js';
import { type CardFundingSourceId, type CardId, type DelegatedKeyId, type InternalAccountId, newId, parseId } from '../../../kernel/ids.js';
import { ACTIVITY_TYPES, type Parameters } from '../../../providers/wallet-signer/activity.js';
import { generateP256KeyPair } from '../../../providers/wallet-signer/p256.js';
import { DELEGATED_POLICIES } from '../../../providers/wallet-signer/signer.js';
import { findInternalAccounts } from '../../accounts/internal-accounts/actions.js';
import { activityPayload, redeem, requestSignature, textFact } from '../signed-requests/actions.js';
import type { Call, Facts, SignedRequest, SigningOutcome } from '../signed-requests/signed-request.js';
import type { DelegatedKey, NewDelegatedKey } from './delegated-key.js';
import type { DelegatedKeyDeps } from './deps.js';
import { decideDelegation } from './rules.js';
import { privateKeyContext } from './sign.js';
import { activateDelegatedKey, findActiveKeys, insertDelegatedKey } from './store.js';

type Step = (
  deps: DelegatedKeyDeps,
  tx: Tx,
  call: Call,
  request: NewDelegatedKey,
  signed: SignedRequest,
  ownerKey: string,
) => Promise<SigningOutcome<DelegatedKey>>;

/** What follows each signature of the owner. */
const AFTER_SIGNATURE: readonly Step[] = [createSigner, grantPolicies];
export const SIGNATURES_OF_DELEGATION = AFTER_SIGNATURE.length;

/** "Creation is a three-leg signed-retry flow. The same request body is sent on all three legs." */
export async function createDelegatedKey(
  deps: DelegatedKeyDeps,
  tx: Tx,
  call: Call,
  request: NewDelegatedKey,
): Promise<SigningOutcome<DelegatedKey>> {
  if (call.signed.kind === 'initial') return draftKey(deps, tx, call, request);
  const { request: signed, owner } = await redeem(deps.signer, tx, call);
  const step = AFTER_SIGNATURE[signed.leg - 1];
  assert(step, 'a signature is asked for only where a step follows');
  return step(deps, tx, call, request, signed, owner.publicKey);
}

type Source = { readonly cardId: CardId; readonly accountId: InternalAccountId; readonly fundingSourceId: CardFundingSourceId };

/** The statements are sent together and answered in order: with `lock` the card is locked before its key is read. */
async function gather(
  { signer, fundingSources }: DelegatedKeyDeps,
  tx: Tx,
  platformId: Call['platformId'],
  { cardId, accountId }: NewDelegatedKey,
  { lock = false } = {},
): Promise<Source> {
  if (!cardId || !accountId) throw new ApiError('NOT_FOUND');
  const pair = { cardId, accountId };
  const [fundingSource, accounts, provisioned, active] = await Promise.all([
    (lock ? fundingSources.lock : fundingSources.find)(tx, platformId, cardId, accountId),
    findInternalAccounts(tx, platformId, [accountId]),
    signer.hasWallet(tx, { platformId, accountId }),
    findActiveKeys(tx, platformId, [pair]),
  ]);
  const fundingSourceId = decideDelegation({
    fundingSource,
    isEmbeddedWallet: accounts[0]?.type === 'EMBEDDED_WALLET',
    provisioned,
    hasActiveKey: active.length > 0,
  });
  return { ...pair, fundingSourceId };
}

/** The key of the first leg, for the later ones. Its private key is stored sealed, beside these facts. */
type DraftedKey = { readonly id: DelegatedKeyId; readonly publicKey: string };

function parseDraftedKey(facts: Facts): DraftedKey {
  const id = parseId('DelegatedKey', textFact(facts, 'id'));
  assert(id, 'the first leg stored the id of the key');
  return { id, publicKey: textFact(facts, 'publicKey') };
}

const signerParameters = ({ id, publicKey }: DraftedKey, { cardId, fundingSourceId }: Source, nickname: string): Parameters => ({
  signerId: id,
  publicKey,
  cardId,
  fundingSourceId,
  nickname,
});

/** First leg: the key pair is generated now, because the owner signs for its public key. */
async function draftKey(deps: DelegatedKeyDeps, tx: Tx, call: Call, request: NewDelegatedKey): Promise<SigningOutcome<DelegatedKey>> {
  const { platformId, now } = call;
  const source = await gather(deps, tx, platformId, request);
  const { publicKey, privateKey } = generateP256KeyPair();
  const key: DraftedKey = { id: newId('DelegatedKey'), publicKey };
  const { accountId } = source;
  const challenge = requestSignature(tx, call, {
    accountId,
    payload: activityPayload(accountId, ACTIVITY_TYPES.createSigner, signerParameters(key, source, request.nickname), now),
    facts: key,
    secretSealed: deps.custody.seal(privateKey, privateKeyContext(platformId, { id: key.id, accountId })),
  });
  return { challenge };
}

/** Second leg: the signer exists and has no policies. "The same session key pair" must sign the third leg. */
async function createSigner(
  deps: DelegatedKeyDeps,
  tx: Tx,
  call: Call,
  request: NewDelegatedKey,
  signed: SignedRequest,
  ownerKey: string,
): Promise<SigningOutcome<DelegatedKey>> {
  const { platformId, now } = call;
  const source = await gather(deps, tx, platformId, request);
  const drafted = parseDraftedKey(signed.facts);
  const { nickname } = request;
  const { accountId } = source;
  const parameters = { ...signerParameters(drafted, source, nickname), policies: [...DELEGATED_POLICIES] };

  insertDelegatedKey(tx, platformId, {
    ...source,
    ...drafted,
    nickname,
    privateKeySealed: signed.secretSealed,
    status: 'PENDING',
    createdAt: now,
    updatedAt: now,
  });
  const challenge = requestSignature(tx, call, {
    accountId,
    payload: activityPayload(accountId, ACTIVITY_TYPES.grantPolicies, parameters, now),
    leg: 2,
    expectedKey: ownerKey,
    facts: drafted,
  });
  return { challenge };
}

/** Third leg: the policies are granted and the key is ACTIVE. A card that waited for the key is activated. */
async function grantPolicies(
  deps: DelegatedKeyDeps,
  tx: Tx,
  call: Call,
  request: NewDelegatedKey,
  signed: SignedRequest,
): Promise<SigningOutcome<DelegatedKey>> {
  const { platformId, now } = call;
  const { cardId, fundingSourceId } = await gather(deps, tx, platformId, request, { lock: true });
  const [key] = await Promise.all([
    activateDelegatedKey(tx, platformId, parseDraftedKey(signed.facts).id, now),
    deps.fundingSources.delegationCompleted(tx, platformId, cardId, fundingSourceId, now),
  ]);
  return { result: key };
}
