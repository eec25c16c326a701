// The wallet signer keeps wallets and their signers, and executes only payloads that a signer of the wallet has signed.
// A session may do everything for its wallet; a delegated signer only what its policies allow.
import { createHash, randomBytes } from 'node:crypto';
import { entropyToMnemonic } from '@scure/bip39';
import { wordlist } from '@scure/bip39/wordlists/english.js';
import type { Tx } from '../../db/pool.js';
import { assert } from '../../kernel/errors.js';
import type { Id, PlatformId } from '../../kernel/ids.js';
import type { KeyCustody } from '../key-custody.js';
import {
  ACTIVITY_LIFE_MS,
  ACTIVITY_TYPES,
  type Activity,
  type Parameters,
  parseActivity,
  type SignerId,
  signerIdOf,
  transferOf,
  type WalletTransfer,
} from './activity.js';
import { sealWalletExport } from './envelope.js';
import { type P256KeyPair, parsePublicKey } from './p256.js';
import { type OwnerSignature, parseStamp, SANDBOX_SIGNATURE, type Stamp, stampSignsAside } from './stamp.js';
import {
  deleteSigners,
  findRecoveryPhrase,
  grantPolicies,
  hasWallet,
  insertActivities,
  insertSigner,
  insertWallet,
  lockNewestSession,
  lockSignersForShare,
  type Policy,
  type Signer,
  type WalletRef,
} from './store.js';

export type { Signer, WalletRef } from './store.js';

export type SignedPayload = { readonly payload: string; readonly stamp: Stamp };
/** A payload that the owner of the wallet signed. Where only one key may sign, `expectedKey` names it. */
export type OwnerSigned = { readonly payload: string; readonly stamp: OwnerSignature; readonly expectedKey?: string | undefined };
export type SignerRefusal =
  | 'PAYLOAD_UNKNOWN'
  | 'PAYLOAD_EXPIRED'
  | 'PAYLOAD_USED'
  | 'KEY_UNKNOWN'
  | 'KEY_EXPIRED'
  | 'SIGNATURE_INVALID'
  | 'POLICY_DENIED';
export const DELEGATED_POLICIES: readonly Policy[] = ['SIGN', 'SELF_REVOKE'];

/** The signer, and the result of an export: the recovery phrase, sealed to the key that the payload names. */
export type Executed = { readonly by: Signer; readonly exported?: string };

export type WalletSigner = {
  /** Whether the signatures of older sandbox clients are accepted. */
  readonly acceptsSandboxSignatures: boolean;
  /** Reads the signature header of a call; undefined when it is malformed. */
  readSignature(header: string): OwnerSignature | undefined;
  /** Creates the wallet of an account unless it exists. */
  createWallet(tx: Tx, wallet: WalletRef, now: Date): Promise<void>;
  hasWallet(tx: Tx, wallet: WalletRef): Promise<boolean>;
  /** Adds a session's key as a signer. The caller has verified the credential. */
  addSession(tx: Tx, wallet: WalletRef, session: { id: Id<'Session'>; publicKey: string; expiresAt: Date }, now: Date): Promise<void>;
  /** Removes the keys of sessions. */
  removeSessions(tx: Tx, wallet: WalletRef, ids: readonly Id<'Session'>[], now: Date): Promise<void>;
  /** Removes delegated keys whose owner is gone. */
  removeDelegated(tx: Tx, wallet: WalletRef, ids: readonly Id<'DelegatedKey'>[], now: Date): Promise<void>;
  /** Executes the payload if its signer may request it. After a refusal the caller must roll back. */
  submit(tx: Tx, platformId: PlatformId, signed: OwnerSigned, now: Date): Promise<Executed | SignerRefusal>;
  /** Authorizes transfers out of wallets, one signed payload each. The ledger takes no money out of a wallet without it. */
  authorizeTransfers(
    tx: Tx,
    platformId: PlatformId,
    signed: readonly OwnerSigned[],
    now: Date,
  ): Promise<(WalletTransfer | SignerRefusal)[]>;
};

export type WalletSignerOptions = {
  readonly custody: KeyCustody;
  /** Signs exported recovery phrases. Undefined in the sandbox: "dataSignature and enclaveQuorumPublic are empty strings". */
  readonly quorumKey: (() => P256KeyPair) | undefined;
  /** The only account a delegated key may pay to. The public API cannot limit a key, so the signer does. */
  readonly cardSettlementAccount: (platformId: PlatformId, currency: string) => string;
  readonly acceptsSandboxSignatures?: boolean;
};

/** The text is part of stored values and must not change. */
export const recoveryPhraseContext = ({ platformId, accountId }: WalletRef): string => `wallet words ${platformId} ${accountId}`;

export function createWalletSigner({
  custody,
  quorumKey,
  cardSettlementAccount,
  acceptsSandboxSignatures = false,
}: WalletSignerOptions): WalletSigner {
  const exportRecoveryPhrase = async (tx: Tx, platformId: PlatformId, { accountId, parameters }: Activity): Promise<string> => {
    const wallet = { platformId, accountId };
    const sealed = await findRecoveryPhrase(tx, wallet);
    const target = publicKeyIn(parameters, 'targetPublicKey');
    assert(sealed && target, 'a wallet with signers has a recovery phrase, and an export names its key');
    return sealWalletExport(quorumKey?.(), target, accountId, custody.open(sealed, recoveryPhraseContext(wallet)).toString('utf8'));
  };

  return {
    acceptsSandboxSignatures,

    readSignature: (header) => (acceptsSandboxSignatures && header === SANDBOX_SIGNATURE ? SANDBOX_SIGNATURE : parseStamp(header)),

    async createWallet(tx, wallet, now) {
      const recoveryPhrase = entropyToMnemonic(randomBytes(16), wordlist);
      insertWallet(tx, wallet, custody.seal(Buffer.from(recoveryPhrase, 'utf8'), recoveryPhraseContext(wallet)), now);
    },

    hasWallet,

    addSession: async (tx, { platformId, accountId }, { id, publicKey, expiresAt }, now) =>
      insertSigner(tx, platformId, { id, accountId, kind: 'SESSION', publicKey, policies: [], expiresAt }, now),

    async removeSessions(tx, wallet, ids, now) {
      await deleteSigners(tx, wallet, ids, now);
    },

    async removeDelegated(tx, wallet, ids, now) {
      await deleteSigners(tx, wallet, ids, now);
    },

    async submit(tx, platformId, signed, now) {
      const [verdict = 'PAYLOAD_UNKNOWN'] = await verifySigned(tx, platformId, [signed], now);
      if (typeof verdict === 'string') return verdict;
      const { activity, signer } = verdict;
      // Only authorizeTransfers moves money: it checks the transfer itself.
      if (activity.type === ACTIVITY_TYPES.transfer || activity.type === ACTIVITY_TYPES.signTransaction) return 'PAYLOAD_UNKNOWN';
      if (!mayRequest(signer, activity)) return 'POLICY_DENIED';
      const [recorded, outcome] = await Promise.all([
        insertActivities(tx, platformId, [recordOf(verdict)], now),
        execute(tx, platformId, activity, now),
      ]);
      if (recorded.size === 0) return 'PAYLOAD_USED';
      if (outcome === 'EXPORT') return { by: signer, exported: await exportRecoveryPhrase(tx, platformId, activity) };
      return outcome === 'DONE' ? { by: signer } : 'PAYLOAD_UNKNOWN';
    },

    async authorizeTransfers(tx, platformId, signed, now) {
      const verdicts = (await verifySigned(tx, platformId, signed, now)).map((verdict) => {
        if (typeof verdict === 'string') return verdict;
        const transfer = transferOf(verdict.activity);
        if (!transfer) return 'PAYLOAD_UNKNOWN';
        const allowed =
          verdict.signer.kind === 'SESSION' ||
          (verdict.signer.policies.includes('SIGN') && transfer.to === cardSettlementAccount(platformId, transfer.currency));
        return allowed ? { ...verdict, transfer } : 'POLICY_DENIED';
      });
      const records = verdicts
        .filter((verdict) => typeof verdict !== 'string')
        .map((verdict) => ({ ...recordOf(verdict), transfer: verdict.transfer }));
      const recorded = records.length > 0 ? await insertActivities(tx, platformId, records, now) : new Set<string>();
      return verdicts.map((verdict) => {
        if (typeof verdict === 'string') return verdict;
        return recorded.delete(verdict.payloadHash.toString('hex')) ? verdict.transfer : 'PAYLOAD_USED';
      });
    },
  };
}

type Verified = {
  readonly activity: Activity;
  readonly signer: Signer;
  readonly payload: string;
  readonly payloadHash: Buffer;
  readonly signature: Buffer;
};

const verified = (activity: Activity, signer: Signer, payload: string, signature: Buffer): Verified => ({
  activity,
  signer,
  payload,
  payloadHash: createHash('sha256').update(payload).digest(),
  signature,
});

const isRecent = ({ at }: Activity, now: Date): boolean => {
  const age = now.getTime() - at.getTime();
  return age >= 0 && age < ACTIVITY_LIFE_MS;
};

/** The sandbox signature stands for the stamp of the newest active session, and of the expected key where one is expected. */
async function acceptSandboxSignature(
  tx: Tx,
  platformId: PlatformId,
  { payload, expectedKey }: OwnerSigned,
  now: Date,
): Promise<Verified | SignerRefusal> {
  const activity = parseActivity(payload);
  if (!activity) return 'PAYLOAD_UNKNOWN';
  if (!isRecent(activity, now)) return 'PAYLOAD_EXPIRED';
  const signer = await lockNewestSession(tx, { platformId, accountId: activity.accountId }, expectedKey, now);
  return signer ? verified(activity, signer, payload, Buffer.from(SANDBOX_SIGNATURE)) : 'KEY_UNKNOWN';
}

const isStamped = (signed: OwnerSigned): signed is SignedPayload => signed.stamp !== SANDBOX_SIGNATURE;

/** As `verifyPayloads`, also for the sandbox signature. */
async function verifySigned(
  tx: Tx,
  platformId: PlatformId,
  signed: readonly OwnerSigned[],
  now: Date,
): Promise<(Verified | SignerRefusal)[]> {
  const stamped = await verifyPayloads(tx, platformId, signed.filter(isStamped), now);
  return Promise.all(
    signed.map((each) => (isStamped(each) ? (stamped.shift() ?? 'PAYLOAD_UNKNOWN') : acceptSandboxSignature(tx, platformId, each, now))),
  );
}

/** Who signed each payload, or the refusal: it must be an activity and recent, its key active, its signature valid. */
async function verifyPayloads(
  tx: Tx,
  platformId: PlatformId,
  payloads: readonly SignedPayload[],
  now: Date,
): Promise<(Verified | SignerRefusal)[]> {
  const requested = payloads.map((signed) => ({ signed, activity: parseActivity(signed.payload) }));
  const keys = requested.flatMap(({ signed, activity }) =>
    activity ? [{ accountId: activity.accountId, publicKey: signed.stamp.publicKey }] : [],
  );
  // Signatures are verified on other threads while the signers are read.
  const [signers, areValid] = await Promise.all([
    keys.length > 0 ? lockSignersForShare(tx, platformId, keys) : [],
    Promise.all(payloads.map(({ stamp, payload }) => stampSignsAside(stamp, payload))),
  ]);

  return requested.map(({ signed, activity }, i) => {
    if (!activity) return 'PAYLOAD_UNKNOWN';
    if (!isRecent(activity, now)) return 'PAYLOAD_EXPIRED';
    const known = signers.filter((each) => each.accountId === activity.accountId && each.publicKey === signed.stamp.publicKey);
    const signer = known.find(({ expiresAt }) => !expiresAt || now < expiresAt);
    if (!signer) return known.length > 0 ? 'KEY_EXPIRED' : 'KEY_UNKNOWN';
    if (!areValid[i]) return 'SIGNATURE_INVALID';
    return verified(activity, signer, signed.payload, signed.stamp.signature);
  });
}

const recordOf = ({ activity, signer, payload, payloadHash, signature }: Verified) => ({
  accountId: activity.accountId,
  signer,
  type: activity.type,
  payload,
  payloadHash,
  signature,
});

/** The owner's session may request anything; a delegated signer may only remove itself. */
const mayRequest = (signer: Signer, { type, parameters }: Activity): boolean =>
  signer.kind === 'SESSION' ||
  (type === ACTIVITY_TYPES.deleteSigner && signer.policies.includes('SELF_REVOKE') && signerIdOf(parameters) === signer.id);

const publicKeyIn = (parameters: Parameters, name: string): string | undefined => {
  const text = parameters[name];
  return typeof text === 'string' ? parsePublicKey(text) : undefined;
};

/** Executes the activities that change signers. The others are recorded here and executed by the domain that owns the data. */
async function execute(
  tx: Tx,
  platformId: PlatformId,
  { type, accountId, parameters }: Activity,
  now: Date,
): Promise<'DONE' | 'EXPORT' | 'IMPOSSIBLE'> {
  const wallet = { platformId, accountId };
  const id: SignerId | undefined = signerIdOf(parameters);
  const publicKey = publicKeyIn(parameters, 'publicKey');
  switch (type) {
    case ACTIVITY_TYPES.createSigner:
      if (!id || !publicKey) return 'IMPOSSIBLE';
      insertSigner(tx, platformId, { id, accountId, kind: 'DELEGATED', publicKey, policies: [], expiresAt: undefined }, now);
      return 'DONE';
    case ACTIVITY_TYPES.grantPolicies:
      return id && publicKey && (await grantPolicies(tx, wallet, { id, publicKey }, DELEGATED_POLICIES)) ? 'DONE' : 'IMPOSSIBLE';
    case ACTIVITY_TYPES.deleteSigner:
      return id && (await deleteSigners(tx, wallet, [id], now)) === 1 ? 'DONE' : 'IMPOSSIBLE';
    case ACTIVITY_TYPES.exportWallet:
      return publicKeyIn(parameters, 'targetPublicKey') ? 'EXPORT' : 'IMPOSSIBLE';
    default:
      return 'DONE';
  }
}
