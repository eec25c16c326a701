// The one visible list of domains, in dependency order: each may use those before it. Everything is passed by hand.
// domains: ledger, webhooks, platform, internal-accounts, customers, external-accounts, keys, cards, card-transactions, statements, sandbox
import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import type { Config } from './config.js';
import type { Job } from './db/job.js';
import type { Db } from './db/pool.js';
import { type CardTransactionDeps, createAuthorize, findOutstanding, reconcileClosedCard } from './domains/card-transactions/actions.js';
import { cardTransactionJobs } from './domains/card-transactions/jobs.js';
import { cardTransactionRoutes } from './domains/card-transactions/routes.js';
import { type CardDeps, cardFundingSources, closeCardsOf } from './domains/cards/actions.js';
import { cardJobs } from './domains/cards/jobs.js';
import { CARD_PROGRAMS, capabilitiesFor } from './domains/cards/programs.js';
import { cardRoutes, sandboxCardRoutes } from './domains/cards/routes.js';
import type { CustomerDeps } from './domains/customers/actions.js';
import { customerRoutes } from './domains/customers/routes.js';
import { removeAccountsOf } from './domains/external-accounts/actions.js';
import { externalAccountJobs } from './domains/external-accounts/jobs.js';
import { externalAccountRoutes } from './domains/external-accounts/routes.js';
import { openPlatformAccounts } from './domains/internal-accounts/actions.js';
import type { CardCapabilitiesFor } from './domains/internal-accounts/internal-account.js';
import { internalAccountRoutes } from './domains/internal-accounts/routes.js';
import { authorizePulls, endCredentials, endDelegations, guardContactChange, startCredentials } from './domains/keys/actions.js';
import { keyJobs } from './domains/keys/jobs.js';
import type { FundingSources } from './domains/keys/keys.js';
import { type KeyDeps, keyRoutes } from './domains/keys/routes.js';
import { sandboxIssuers } from './domains/keys/sandbox-issuer.js';
import { serviceAccountId } from './domains/ledger/actions.js';
import {
  createFindCaller,
  type InstallationSecrets,
  isTokenUsable,
  type OpenAccounts,
  openPlatformLedger,
} from './domains/platform/actions.js';
import type { Mode } from './domains/platform/platform.js';
import { platformRoutes } from './domains/platform/routes.js';
import { sandboxRoutes } from './domains/sandbox/routes.js';
import { statementRoutes } from './domains/statements/routes.js';
import { createDeliverer, type Deliverer } from './domains/webhooks/delivery.js';
import { createDeliveryMetrics } from './domains/webhooks/metrics.js';
import { createOutbound, LIVE_POLICY, SANDBOX_POLICY } from './domains/webhooks/outbound.js';
import { webhookRoutes } from './domains/webhooks/routes.js';
import { webhookDocs } from './domains/webhooks/schemas.js';
import { EVENT_SCHEMAS } from './event-schemas.js';
import { createMetrics } from './http/metrics.js';
import { openApiDocument } from './http/openapi.js';
import type { Operation } from './http/operation.js';
import { BASE_PATH, buildServer } from './http/server.js';
import { SIGNATURE_HEADER } from './http/signed-call.js';
import { DAY_MS } from './kernel/time.js';
import { noCardIssuer, withDeadline } from './providers/card-issuer.js';
import { noDeposits, sandboxDeposits } from './providers/deposits.js';
import type { KeyCustody } from './providers/key-custody.js';
import { noKyc, sandboxKyc } from './providers/kyc.js';
import { noMessenger, sandboxMessenger, smtpMessenger } from './providers/messages.js';
import { anyOfIssuers, remoteIssuers } from './providers/oidc.js';
import { sandboxCardIssuer } from './providers/sandbox-card-issuer.js';
import { type P256KeyPair, publicKeyOf } from './providers/wallet-signer/p256.js';
import { createWalletSigner } from './providers/wallet-signer/signer.js';
import { version } from './root.js';

export type AppDeps = {
  readonly config: Config;
  readonly db: Db;
  readonly custody: KeyCustody;
  readonly secrets: InstallationSecrets;
  readonly log: Logger;
  readonly isOpen: () => boolean;
  /** Where callers reach the service; known once it listens. */
  readonly url: () => string;
};

export type App = {
  readonly server: FastifyInstance;
  readonly operations: readonly Operation[];
  readonly jobs: readonly Job[];
  readonly deliverer: Deliverer;
  readonly openAccounts: OpenAccounts;
};

/** What opening a platform's accounts means: its side of the ledger, then its own internal accounts. */
export const openAccountsOf =
  (mode: Mode): OpenAccounts =>
  async (tx, platform, now) => {
    await openPlatformLedger(tx, platform, now);
    await openPlatformAccounts(tx, depositsOf(mode), platform, now);
  };

const depositsOf = (mode: Mode) => (mode === 'sandbox' ? sandboxDeposits : noDeposits);

/** A card stays locked while its issuer is asked: longer than this nobody waits for it. */
const ISSUER_PATIENCE_MS = 1_000;

/** Wallets, credentials and delegated keys; what they must know of cards is passed in, because cards stand later. */
function keyDepsOf(
  { config, db, custody, secrets }: Pick<AppDeps, 'config' | 'db' | 'custody' | 'secrets'>,
  cardCapabilitiesFor: CardCapabilitiesFor,
  fundingSources: FundingSources,
): KeyDeps {
  const quorumKey = keyPairOf(() => secrets.walletQuorumKey);
  const sandboxIssuerKey = keyPairOf(() => secrets.sandboxIssuerKey);
  const configured = remoteIssuers(config.oauthIssuers);
  return {
    db,
    custody,
    fundingSources,
    quorumKey,
    sandboxIssuerKey,
    signer: createWalletSigner({
      custody,
      quorumKey,
      cardSettlementAccount: (platformId, currency) => serviceAccountId(platformId, 'CARD_SETTLEMENT', currency),
    }),
    issuers: config.mode === 'sandbox' ? anyOfIssuers(sandboxIssuers(sandboxIssuerKey), configured) : configured,
    messengers: { sandbox: sandboxMessenger, live: config.smtp ? smtpMessenger(config.smtp) : noMessenger },
    cardCapabilitiesFor,
  };
}

/** The secrets are read after the app is built; the pair is made from them once. */
function keyPairOf(privateKey: () => Buffer): () => P256KeyPair {
  let pair: P256KeyPair | undefined;
  return () => {
    pair ??= { privateKey: privateKey(), publicKey: publicKeyOf(privateKey()) };
    return pair;
  };
}

export async function createApp({ config, db, custody, secrets, log, isOpen, url }: AppDeps): Promise<App> {
  const metrics = createMetrics(db);
  const isSandbox = config.mode === 'sandbox';
  const openAccounts = openAccountsOf(config.mode);
  const accountDeps = { deposits: depositsOf(config.mode), cardCapabilitiesFor: isSandbox ? capabilitiesFor : () => undefined };
  const cardDeps: CardDeps = {
    db,
    log,
    issuer: withDeadline(isSandbox ? sandboxCardIssuer(custody) : noCardIssuer, ISSUER_PATIENCE_MS),
    programs: isSandbox ? CARD_PROGRAMS : [],
    onClosed: (tx, platformId, card, now) => reconcileClosedCard(tx, platformId, card.id, now),
  };
  const keyDeps = keyDepsOf({ config, db, custody, secrets }, accountDeps.cardCapabilitiesFor, cardFundingSources(cardDeps));
  const customerDeps: CustomerDeps = {
    ...accountDeps,
    custody,
    kyc: isSandbox ? sandboxKyc : noKyc,
    guardContactChange: (tx, change) => guardContactChange(keyDeps.signer, tx, change),
    onAccountsOpened: [startCredentials],
    onDeleted: [
      removeAccountsOf,
      (tx, platformId, customer, now) => closeCardsOf(cardDeps, tx, platformId, customer, now),
      (tx, platformId, customer, now) => endDelegations(keyDeps, tx, platformId, customer, now),
    ],
    onAccountsClosed: [(tx, platformId, customer, now) => endCredentials(keyDeps.signer, tx, platformId, customer, now)],
  };

  const cardTransactionDeps: CardTransactionDeps = {
    db,
    wallets: { authorize: (tx, platformId, pulls, now) => authorizePulls(keyDeps, tx, platformId, pulls, now) },
    holdLifeMs: config.cardHoldDays * DAY_MS,
  };

  const outbound = createOutbound({ policy: isSandbox ? SANDBOX_POLICY : LIVE_POLICY });
  const deliverer = createDeliverer({ db, custody, outbound, metrics: createDeliveryMetrics(metrics.registry, db), log });
  const closing = new AbortController();

  const jobs: Job[] = [
    ...externalAccountJobs,
    ...keyJobs,
    ...cardJobs(cardDeps),
    ...cardTransactionJobs({ ...cardTransactionDeps, log }),
    deliverer.job,
  ];
  const operations: Operation[] = [
    ...webhookRoutes({
      db,
      custody,
      deliverer,
      closing: closing.signal,
      isUsable: ({ platformId, tokenId }) => isTokenUsable(db, platformId, tokenId),
    }),
    ...platformRoutes({ db, secrets, openAccounts }),
    ...internalAccountRoutes(db, { ...accountDeps, outstandingOn: findOutstanding }),
    ...customerRoutes(db, customerDeps),
    ...externalAccountRoutes(db),
    ...keyRoutes(keyDeps),
    ...cardRoutes({ ...cardDeps, environment: isSandbox ? 'SANDBOX' : 'PRODUCTION', serviceUrl: () => url() + BASE_PATH }),
    ...sandboxCardRoutes(cardDeps, custody),
    ...cardTransactionRoutes({
      ...cardTransactionDeps,
      authorize: createAuthorize(cardTransactionDeps),
      issuerDeadlineMs: config.issuerDeadlineMs,
      log,
    }),
    ...statementRoutes({ db, settlementLagMs: config.cardSettlementLagMs }),
    ...sandboxRoutes({ db, jobs, log }),
  ].filter((op) => isSandbox || !op.sandbox);

  const server = await buildServer({
    operations,
    document: () =>
      openApiDocument(operations, {
        basePath: BASE_PATH,
        serverUrl: config.publicUrl ?? '',
        version,
        webhooks: webhookDocs(EVENT_SCHEMAS),
        signatureHeader: SIGNATURE_HEADER,
      }),
    db,
    findCaller: createFindCaller(db, secrets, config.mode),
    idempotency: { secrets, custody },
    metrics,
    log,
    isOpen,
    signatureHeaderAliases: config.walletSignatureHeaderAliases,
    rateLimitPerMinute: config.rateLimitPerMinute,
  });
  server.addHook('preClose', async () => closing.abort());
  return { server, operations, jobs, deliverer, openAccounts };
}
