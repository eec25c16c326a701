// The wallet signer: holds wallets, knows who may act for them, and acts only on a text one of them signed.
// Sessions may do everything for their wallet; a delegated signer only what its policies allow.
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
import { type Stamp, stampSigns } from './stamp.js';
import {
  deleteSigners,
  findWords,
  grantPolicies,
  hasWallet,
  holdSigners,
  insertActivities,
  insertSigner,
  insertWallet,
  type Policy,
  type Signer,
  type WalletRef,
} from './store.js';

export type { Signer, WalletRef } from './store.js';

export type SignedText = { readonly payload: string; readonly stamp: Stamp };
export type SignerRefusal =
  | 'PAYLOAD_UNKNOWN'
  | 'PAYLOAD_EXPIRED'
  | 'PAYLOAD_USED'
  | 'KEY_UNKNOWN'
  | 'KEY_EXPIRED'
  | 'SIGNATURE_INVALID'
  | 'POLICY_DENIED';
export const DELEGATED_POLICIES: readonly Policy[] = ['SIGN', 'SELF_REVOKE'];

/** Who signed, and what an export hands over: the words, sealed to the key the text names. */
export type Done = { readonly by: Signer; readonly exported?: string };

export type WalletSigner = {
  /** Makes the wallet of an account; harmless when it exists. */
  createWallet(tx: Tx, wallet: WalletRef, now: Date): Promise<void>;
  hasWallet(tx: Tx, wallet: WalletRef): Promise<boolean>;
  /** Lets in the key of a session, on the word of the service that verified the credential. */
  admitSession(tx: Tx, wallet: WalletRef, session: { id: Id<'Session'>; publicKey: string; expiresAt: Date }, now: Date): Promise<void>;
  /** Shuts sessions out again. */
  dismissSessions(tx: Tx, wallet: WalletRef, ids: readonly Id<'Session'>[], now: Date): Promise<void>;
  /** Carries out what the text says, if whoever signed it may ask for it. Whoever is refused rolls back. */
  submit(tx: Tx, platformId: PlatformId, text: SignedText, now: Date): Promise<Done | SignerRefusal>;
  /** Allows movements out of wallets, each by its own signed text. The ledger takes money out of a wallet only when it was allowed here. */
  authorizeTransfers(tx: Tx, platformId: PlatformId, texts: readonly SignedText[], now: Date): Promise<(WalletTransfer | SignerRefusal)[]>;
};

export type WalletSignerOptions = {
  readonly custody: KeyCustody;
  /** Signs what an export hands over. */
  readonly quorumKey: () => P256KeyPair;
  /** Where a delegated key may send money: the public API cannot scope a key, so the signer does. */
  readonly cardSettlementAccount: (platformId: PlatformId, currency: string) => string;
};

export const wordsContext = ({ platformId, accountId }: WalletRef): string => `wallet words ${platformId} ${accountId}`;

export function createWalletSigner({ custody, quorumKey, cardSettlementAccount }: WalletSignerOptions): WalletSigner {
  const exportWords = async (tx: Tx, platformId: PlatformId, { accountId, parameters }: Activity): Promise<string> => {
    const wallet = { platformId, accountId };
    const sealed = await findWords(tx, wallet);
    const target = publicKeyIn(parameters, 'targetPublicKey');
    assert(sealed && target, 'a wallet with signers has words, and an export names its key');
    return sealWalletExport(quorumKey(), target, accountId, custody.open(sealed, wordsContext(wallet)).toString('utf8'));
  };

  return {
    async createWallet(tx, wallet, now) {
      const words = entropyToMnemonic(randomBytes(16), wordlist);
      insertWallet(tx, wallet, custody.seal(Buffer.from(words, 'utf8'), wordsContext(wallet)), now);
    },

    hasWallet,

    admitSession: async (tx, { platformId, accountId }, { id, publicKey, expiresAt }, now) =>
      insertSigner(tx, platformId, { id, accountId, kind: 'SESSION', publicKey, policies: [], expiresAt }, now),

    async dismissSessions(tx, wallet, ids, now) {
      await deleteSigners(tx, wallet, ids, now);
    },

    async submit(tx, platformId, text, now) {
      const asked = await judge(tx, platformId, [text], now);
      const verdict = asked[0] as Judged | SignerRefusal;
      if (typeof verdict === 'string') return verdict;
      const { activity, signer } = verdict;
      // Money moves by authorizeTransfers alone, where the transfer itself is judged.
      if (activity.type === ACTIVITY_TYPES.transfer) return 'PAYLOAD_UNKNOWN';
      if (!mayAsk(signer, activity)) return 'POLICY_DENIED';
      const [recorded, outcome] = await Promise.all([
        insertActivities(tx, platformId, [recordOf(verdict)], now),
        carryOut(tx, platformId, activity, now),
      ]);
      if (recorded.size === 0) return 'PAYLOAD_USED';
      if (outcome === 'WORDS') return { by: signer, exported: await exportWords(tx, platformId, activity) };
      return outcome === 'DONE' ? { by: signer } : 'PAYLOAD_UNKNOWN';
    },

    async authorizeTransfers(tx, platformId, texts, now) {
      const judged = (await judge(tx, platformId, texts, now)).map((verdict) => {
        if (typeof verdict === 'string') return verdict;
        const transfer = transferOf(verdict.activity);
        if (!transfer) return 'PAYLOAD_UNKNOWN';
        const allowed =
          verdict.signer.kind === 'SESSION' ||
          (verdict.signer.policies.includes('SIGN') && transfer.to === cardSettlementAccount(platformId, transfer.currency));
        return allowed ? { ...verdict, transfer } : 'POLICY_DENIED';
      });
      const records = judged
        .filter((verdict) => typeof verdict !== 'string')
        .map((verdict) => ({ ...recordOf(verdict), transfer: verdict.transfer }));
      const recorded = records.length > 0 ? await insertActivities(tx, platformId, records, now) : new Set<string>();
      return judged.map((verdict) => {
        if (typeof verdict === 'string') return verdict;
        return recorded.delete(verdict.payloadHash.toString('hex')) ? verdict.transfer : 'PAYLOAD_USED';
      });
    },
  };
}

type Judged = { readonly activity: Activity; readonly signer: Signer; readonly text: SignedText; readonly payloadHash: Buffer };

/** Who signed each text, or why nobody did: the text must be ours and fresh, the key live, the signature good. */
async function judge(tx: Tx, platformId: PlatformId, texts: readonly SignedText[], now: Date): Promise<(Judged | SignerRefusal)[]> {
  const activities = texts.map(({ payload }) => parseActivity(payload));
  const keys = activities.flatMap((activity, i) =>
    activity ? [{ accountId: activity.accountId, publicKey: (texts[i] as SignedText).stamp.publicKey }] : [],
  );
  const signers = keys.length > 0 ? await holdSigners(tx, platformId, keys) : [];

  return texts.map((text, i) => {
    const activity = activities[i];
    if (!activity) return 'PAYLOAD_UNKNOWN';
    const age = now.getTime() - activity.at.getTime();
    if (age < 0 || age >= ACTIVITY_LIFE_MS) return 'PAYLOAD_EXPIRED';
    const known = signers.filter((each) => each.accountId === activity.accountId && each.publicKey === text.stamp.publicKey);
    const signer = known.find(({ expiresAt }) => !expiresAt || now < expiresAt);
    if (!signer) return known.length > 0 ? 'KEY_EXPIRED' : 'KEY_UNKNOWN';
    if (!stampSigns(text.stamp, text.payload)) return 'SIGNATURE_INVALID';
    return { activity, signer, text, payloadHash: createHash('sha256').update(text.payload).digest() };
  });
}

const recordOf = ({ activity, signer, text, payloadHash }: Judged) => ({
  accountId: activity.accountId,
  signer,
  type: activity.type,
  payload: text.payload,
  payloadHash,
  signature: text.stamp.signature,
});

/** The owner's session may ask for anything; a delegated signer may only take itself away. */
const mayAsk = (signer: Signer, { type, parameters }: Activity): boolean =>
  signer.kind === 'SESSION' ||
  (type === ACTIVITY_TYPES.deleteSigner && signer.policies.includes('SELF_REVOKE') && signerIdOf(parameters) === signer.id);

const publicKeyIn = (parameters: Parameters, name: string): string | undefined => {
  const text = parameters[name];
  return typeof text === 'string' ? parsePublicKey(text) : undefined;
};

/** The activities that change signers happen here; others are recorded here and happen where their records live. */
async function carryOut(
  tx: Tx,
  platformId: PlatformId,
  { type, accountId, parameters }: Activity,
  now: Date,
): Promise<'DONE' | 'WORDS' | 'IMPOSSIBLE'> {
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
      return publicKeyIn(parameters, 'targetPublicKey') ? 'WORDS' : 'IMPOSSIBLE';
    default:
      return 'DONE';
  }
}
