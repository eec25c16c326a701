// What modules are made from: configuration, database, secrets, and the providers that belong to the mode.
import type { Logger } from 'pino';
import type { Config } from './config.js';
import type { Job } from './db/job.js';
import type { Db } from './db/pool.js';
import type { SealedColumn } from './db/sealed.js';
import type { InstallationSecrets } from './domains/core/platform/actions.js';
import { createOutbound, LIVE_POLICY, SANDBOX_POLICY } from './domains/core/webhooks/outbound.js';
import { serviceAccountId } from './domains/ledger/actions.js';
import { createMetrics, type Metrics } from './http/metrics.js';
import type { Operation } from './http/operation.js';
import type { Hooks } from './kernel/hook.js';
import { createOpenCount, type OpenCount } from './kernel/open-count.js';
import { type CardIssuer, noCardIssuer, withDeadline } from './providers/card-issuer.js';
import { type DepositProvider, noDeposits, sandboxDeposits } from './providers/deposits.js';
import { type DocumentCheck, noDocumentCheck, sandboxDocumentCheck } from './providers/document-check.js';
import type { Files } from './providers/files/file.js';
import { createFiles } from './providers/files/files.js';
import type { KeyCustody } from './providers/key-custody.js';
import { type KycProvider, manualKyc } from './providers/kyc.js';
import { httpKyc } from './providers/kyc-http.js';
import { sandboxKyc } from './providers/kyc-sandbox.js';
import { type Messenger, messengerOf, sandboxMessenger, smsGatewayMessenger, smtpMessenger } from './providers/messages.js';
import { anyOfIssuers, type OidcIssuers, remoteIssuers } from './providers/oidc.js';
import { noRails, type RailProvider } from './providers/rails.js';
import { noRates, type RateProvider } from './providers/rates.js';
import { sandboxCardIssuer } from './providers/sandbox-card-issuer.js';
import { faultyCardIssuer, faultyKyc, faultyRails, faultyStablecoinIssuer } from './providers/sandbox-faults.js';
import { sandboxIssuers } from './providers/sandbox-oidc-issuer.js';
import { sandboxRails } from './providers/sandbox-rails.js';
import { sandboxRates } from './providers/sandbox-rates.js';
import { sandboxStablecoinIssuer } from './providers/sandbox-stablecoin-issuer.js';
import { noStablecoinIssuer, type StablecoinIssuer, withIssuerDeadline } from './providers/stablecoin-issuer.js';
import { type HttpClient, networkPeer } from './providers/uma/network-peer.js';
import { createUmaPeers } from './providers/uma/peers.js';
import type { UmaPeer, UmaPeers } from './providers/uma/uma.js';
import { type P256KeyPair, publicKeyOf } from './providers/wallet-signer/p256.js';
import { createWalletSigner, type WalletSigner } from './providers/wallet-signer/signer.js';
import { SEALED_COLUMNS } from './sealed-columns.js';

/** What a process starts with. */
export type Foundation = {
  readonly config: Config;
  readonly db: Db;
  /** Connections of their own for authorization decisions and credential look-ups, so that no slow request can hold them all. */
  readonly decisionDb: Db;
  readonly custody: KeyCustody;
  readonly secrets: InstallationSecrets;
  readonly log: Logger;
  /** Where callers reach the service; known once it listens. */
  readonly url: () => string;
  readonly replaceProviders?: ReplaceProviders | undefined;
};

export type Providers = {
  readonly deposits: DepositProvider;
  readonly kyc: KycProvider;
  readonly issuer: CardIssuer;
  readonly rates: RateProvider;
  readonly rails: RailProvider;
  /** Mints and burns the stablecoins of platforms. */
  readonly stablecoinIssuer: StablecoinIssuer;
  /** Other providers that UMA messages are exchanged with. */
  readonly umaPeers: UmaPeers;
  readonly signer: WalletSigner;
  /** The quick look at an uploaded document. */
  readonly checkDocument: DocumentCheck;
  /** Uploaded files, encrypted. */
  readonly files: Files;
  /** Whose OpenID Connect tokens are accepted. */
  readonly issuers: OidcIssuers;
  readonly messengers: { readonly sandbox: Messenger; readonly live: Messenger };
  /** Signs the bundles that wallet clients encrypt to. */
  readonly quorumKey: () => P256KeyPair;
  /** Signs the tokens of the sandbox's OpenID Connect issuer. */
  readonly sandboxIssuerKey: () => P256KeyPair;
};

/** Other providers than those of the mode, made from them. */
export type ReplaceProviders = (made: Providers) => Partial<Providers>;

export type Context = Foundation &
  Providers & {
    readonly isSandbox: boolean;
    readonly metrics: Metrics;
    /** Authorization decisions that a card network waits for. Deliveries of webhooks make room for them. */
    readonly decisions: OpenCount;
    /** Aborted when the service stops. */
    readonly closing: AbortSignal;
    readonly hooks: Hooks;
    /** Every job of every module, in the order they run at one moment. */
    readonly jobs: () => readonly Job[];
    /** Every operation of the mode. */
    readonly operations: () => readonly Operation[];
    /** Every column that is sealed under the key-encryption key. */
    readonly sealedColumns: readonly SealedColumn[];
  };

/** A card stays locked during a call to its issuer, so the call must be short. */
const ISSUER_TIMEOUT_MS = 1_000;
/** A stablecoin issuer is called outside any transaction. */
const STABLECOIN_ISSUER_TIMEOUT_MS = 10_000;

export function createProviders({ config, db, custody, secrets }: Pick<Foundation, 'config' | 'db' | 'custody' | 'secrets'>): Providers {
  const isSandbox = config.mode === 'sandbox';
  const quorumKey = keyPairOf(() => secrets.walletQuorumKey);
  const sandboxIssuerKey = keyPairOf(() => secrets.sandboxIssuerKey);
  const configured = remoteIssuers(config.oauthIssuers);
  return {
    deposits: isSandbox ? sandboxDeposits : noDeposits,
    kyc: config.kycProvider ? httpKyc(config.kycProvider) : isSandbox ? faultyKyc(sandboxKyc) : manualKyc,
    rates: isSandbox ? sandboxRates : noRates,
    rails: isSandbox ? faultyRails(sandboxRails) : noRails,
    stablecoinIssuer: withIssuerDeadline(
      isSandbox ? faultyStablecoinIssuer(sandboxStablecoinIssuer(db)) : noStablecoinIssuer,
      STABLECOIN_ISSUER_TIMEOUT_MS,
    ),
    umaPeers: createUmaPeers({ isSandbox, network: umaNetwork(config) }),
    issuer: withDeadline(isSandbox ? faultyCardIssuer(sandboxCardIssuer(custody)) : noCardIssuer, ISSUER_TIMEOUT_MS),
    signer: createWalletSigner({
      custody,
      quorumKey: isSandbox ? undefined : quorumKey,
      cardSettlementAccount: (platformId, currency) => serviceAccountId(platformId, 'CARD_SETTLEMENT', currency),
      acceptsSandboxSignatures: isSandbox,
    }),
    checkDocument: isSandbox ? sandboxDocumentCheck : noDocumentCheck,
    files: createFiles(db, custody),
    issuers: isSandbox ? anyOfIssuers(configured, sandboxIssuers(sandboxIssuerKey)) : configured,
    messengers: {
      sandbox: sandboxMessenger,
      live: messengerOf({
        EMAIL: config.smtp && smtpMessenger(config.smtp),
        SMS: config.smsGateway && smsGatewayMessenger(config.smsGateway),
      }),
    },
    quorumKey,
    sandboxIssuerKey,
  };
}

/** An answer is small; a provider that does not answer soon keeps a caller waiting. */
const UMA_TIMEOUT_MS = 5_000;
const UMA_ANSWER_BYTES = 64 * 1024;

/** The named providers, reached like the endpoints of webhooks: public addresses only (sandbox: also this machine), no redirects. */
function umaNetwork({ mode, umaCounterparties }: Config): ReadonlyMap<string, UmaPeer> {
  if (umaCounterparties.length === 0) return new Map();
  const outbound = createOutbound({
    policy: mode === 'live' ? LIVE_POLICY : SANDBOX_POLICY,
    timeoutMs: UMA_TIMEOUT_MS,
  });
  const kept = { keptBytes: UMA_ANSWER_BYTES };
  const http: HttpClient = ({ url, headers, body }) => (body ? outbound.post(url, headers, body, kept) : outbound.get(url, headers, kept));
  return new Map(umaCounterparties.map((named) => [named.domain, networkPeer(named, http)]));
}

/** The secrets are loaded after the providers are made, so the pair is derived at its first use. */
function keyPairOf(privateKey: () => Buffer): () => P256KeyPair {
  let pair: P256KeyPair | undefined;
  return () => {
    pair ??= { privateKey: privateKey(), publicKey: publicKeyOf(privateKey()) };
    return pair;
  };
}

export function createContext(foundation: Foundation, rest: Pick<Context, 'closing' | 'hooks' | 'jobs' | 'operations'>): Context {
  const providers = createProviders(foundation);
  return {
    ...foundation,
    ...providers,
    ...foundation.replaceProviders?.(providers),
    ...rest,
    isSandbox: foundation.config.mode === 'sandbox',
    sealedColumns: SEALED_COLUMNS,
    decisions: createOpenCount(),
    metrics: createMetrics({ main: foundation.db, decisions: foundation.decisionDb }),
  };
}
