// A request of an operation on a platform of its own, ready to be sent: what a kill during an operation is tried on.
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { connectHooks } from '../../src/compose.js';
import { readConfig } from '../../src/config.js';
import { type Db, openDb } from '../../src/db/pool.js';
import { sql } from '../../src/db/sql.js';
import { isUnavailable } from '../../src/db/unavailable.js';
import { createPlatform, createToken, installationSecrets } from '../../src/domains/core/platform/actions.js';
import { BASE_PATH } from '../../src/http/server.js';
import type { Hooks } from '../../src/kernel/hook.js';
import { type PlatformId, uuidOf } from '../../src/kernel/ids.js';
import { createKeyCustody } from '../../src/providers/key-custody.js';
import { encryptionKeys } from '../../src/service.js';
import { agentOf } from '../support/agents.js';
import { type Client, clientOf } from '../support/client.js';
import { type Contract, contractOf } from '../support/contract.js';
import { issuerHeaders, issuerKeyOf } from '../support/issuer.js';
import { signatureHeaders, stamp } from '../support/wallet.js';
import { envelopeOf } from '../support/webhooks/platform.js';
import { type Receiver, startReceiver } from '../support/webhooks/receiver.js';
import { Connection, requestBytes } from '../support/wire.js';
import type { Host } from './crash-host.js';
import { type ApiDocument, type DocumentedOperation, readDocument } from './document.js';
import { exampleOf, targetOf, wireBody } from './examples.js';
import { worldOf } from './objects.js';
import { type Changes, changesOf, PlatformRows, type Rows } from './platform-changes.js';

/** A request of an operation: the only or first one, or the retry that the end user has signed. */
export type Case = { readonly operation: DocumentedOperation; readonly isSigned: boolean };
export const nameOf = ({ operation, isSigned }: Case): string => (isSigned ? `${operation.id}, signed` : operation.id);

export type Reply = { readonly status: number; readonly text: string; readonly requestId: string };

/** A request whose platform is at rest. */
export type Prepared = {
  readonly case: Case;
  readonly client: Client;
  readonly platformId: PlatformId;
  readonly before: Rows;
  /** By how much the test has advanced the clock since. */
  advancedMs: number;
  /** Whether a signed retry follows. */
  readonly hasSignedRetry: boolean;
  /** The answer. Undefined if the connection was lost: nobody knows what happened. */
  send(): Promise<Reply | undefined>;
};

const ANSWER_TIMEOUT_MS = 60_000;
const PATIENCE_MS = 30_000;
const REST_MS = 25;

export class Stage {
  readonly db: Db;
  readonly document: ApiDocument;
  private readonly host: Host;
  private readonly rows: PlatformRows;
  private readonly contract: Contract;
  private readonly receiver: Receiver;
  private readonly newPlatform: () => Promise<{ id: PlatformId; client: Client }>;

  private constructor(host: Host, db: Db, rows: PlatformRows, contract: Contract, receiver: Receiver, maker: PlatformMaker) {
    this.host = host;
    this.db = db;
    this.rows = rows;
    this.contract = contract;
    this.receiver = receiver;
    this.document = readDocument(contract.document);
    this.newPlatform = async () => {
      const { id, tokenId, secret } = await patiently(maker);
      return { id, client: clientOf(host.url() + BASE_PATH, this.contract, tokenId, secret) };
    };
  }

  static async open(host: Host, dataDir: string): Promise<Stage> {
    const db = openDb({ url: host.databaseUrl, poolSize: 4, plans: 'generic' });
    const contract = contractOf((await (await fetch(`${host.url()}/openapi.json`)).json()) as Record<string, unknown>);
    // Payments that wait for the platform are decided by calls.
    const receiver = await startReceiver({
      reply: (received) => (envelopeOf(received).type === 'INCOMING_PAYMENT.PENDING' ? 202 : 200),
      forgets: true,
    });
    return new Stage(host, db, await PlatformRows.open(db), contract, receiver, await platformMaker(db, dataDir));
  }

  async close(): Promise<void> {
    await this.receiver.close();
    await this.db.close();
  }

  /** Builds the accepted request of an operation on a new platform, whose clock stands still: nothing becomes due by itself. */
  async prepare(given: Case): Promise<Prepared> {
    const { operation, isSigned } = given;
    const { id: platformId, client } = await this.newPlatform();
    await client.clock.freeze();
    const request = await exampleOf(this.document, operation, worldOf(client, { service: this, receiver: this.receiver }));
    const body = request.body === undefined ? undefined : wireBody(request.body);
    const issuerKey = operation.permission === 'ISSUER' ? await issuerKeyOf(client) : undefined;
    const { authorization } = operation.permission === 'AGENT' ? (await agentOf(client)).client : client;
    let signature: Readonly<Record<string, string>> = {};
    const send = () =>
      exchange(this.host.url(), () =>
        requestBytes(
          operation.method,
          BASE_PATH + targetOf(operation, request),
          {
            ...(issuerKey ? issuerHeaders(issuerKey, body ?? '') : { authorization }),
            ...(body === undefined ? {} : { 'content-type': 'application/json' }),
            ...request.headers,
            ...signature,
          },
          body,
        ),
      );
    if (isSigned && request.signer) {
      const first = await send();
      if (first?.status !== 202) throw new Error(`${nameOf(given)}: the first call is answered with ${first?.status} ${first?.text}`);
      const { payloadToSign, requestId } = JSON.parse(first.text) as { payloadToSign: string; requestId: string };
      signature = signatureHeaders(await stamp(request.signer, payloadToSign), requestId);
    }
    // What was logged is written before the list is read, so that a kill does not lose the entry that the request names.
    if (operation.path.startsWith('/requests')) await client.get('/requests?limit=1');
    await client.clock.advance(1);
    const before = await this.atRest(platformId);
    return { case: given, client, platformId, before, advancedMs: 0, hasSignedRetry: request.signer !== undefined, send };
  }

  /** Lets the work run that is due by then. The advance of a clock ends with it. */
  async settle(prepared: Prepared, ms = 1): Promise<void> {
    await patiently(() => prepared.client.clock.advance(ms));
    prepared.advancedMs += ms;
  }

  /** What has changed since the request was prepared, when two looks find the same. */
  async changesAtRest(prepared: Prepared): Promise<Changes> {
    await this.settle(prepared);
    return this.changes(prepared, await this.atRest(prepared.platformId));
  }

  async changes(prepared: Prepared, rows?: Rows): Promise<Changes> {
    return changesOf(prepared.before, rows ?? (await this.look(prepared.platformId)), prepared.advancedMs);
  }

  /** Whether the request log has the request. What waits in memory is written before the log is read. */
  async isLogged({ client }: Prepared, { requestId }: Reply): Promise<boolean> {
    return (await patiently(() => client.get(`/requests/${requestId}`))).status === 200;
  }

  /** Objects whose events are not numbered from 1 without gaps. */
  async findGaps(platformId: PlatformId): Promise<string[]> {
    const rows = await this.db.many<{ id: string }>(sql`
      select object_id as id from webhook_events where platform_id = ${uuidOf(platformId)}
      group by object_id having count(*) <> max(sequence) or min(sequence) <> 1`);
    return rows.map(({ id }) => id);
  }

  private async atRest(platformId: PlatformId): Promise<Rows> {
    for (let rows = await this.look(platformId); ; ) {
      await sleep(REST_MS);
      const later = await this.look(platformId);
      if (changesOf(rows, later).size === 0) return later;
      rows = later;
    }
  }

  private look(platformId: PlatformId): Promise<Rows> {
    return patiently(() => this.rows.read(platformId));
  }
}

/** Repeats what fails because the database or the service is not there yet. */
export async function patiently<Result>(work: () => Promise<Result>): Promise<Result> {
  for (const deadline = Date.now() + PATIENCE_MS; ; await sleep(20)) {
    try {
      return await work();
    } catch (error) {
      const isAway = isUnavailable(error) || (error as Error).message === 'fetch failed' || /\b503\b/.test((error as Error).message);
      if (!isAway || Date.now() > deadline) throw error;
    }
  }
}

async function exchange(url: string, bytes: () => Buffer): Promise<Reply | undefined> {
  let connection: Connection | undefined;
  try {
    connection = await Connection.open(url);
    const { status, body, headers } = await connection.exchange(bytes(), { timeoutMs: ANSWER_TIMEOUT_MS });
    return { status, text: body.toString('utf8'), requestId: headers['x-request-id'] ?? '' };
  } catch {
    return undefined;
  } finally {
    connection?.close();
  }
}

type PlatformMaker = () => Promise<{ readonly id: PlatformId; readonly tokenId: string; readonly secret: string }>;

/** Makes platforms as the operator's tool does, while the service runs. */
async function platformMaker(db: Db, dataDir: string): Promise<PlatformMaker> {
  const config = readConfig({ DATA_DIR: dataDir });
  const custody = createKeyCustody(encryptionKeys(config));
  const secrets = await installationSecrets(db, custody);
  const log = pino({ level: 'silent' });
  const { hooks }: { hooks: Hooks } = connectHooks({ config, db, decisionDb: db, custody, secrets, log, url: () => '' });
  return async () => {
    const [tokenId, secret] = [`t${randomBytes(6).toString('hex')}`, randomBytes(18).toString('base64url')];
    const now = new Date();
    const id = await db.transaction(async (tx) => {
      const platform = await createPlatform(tx, { name: tokenId, mode: config.mode, counterpartyRules: true, now }, hooks);
      const credentials = { clientId: tokenId, secret };
      await createToken(tx, secrets.tokenPepper, platform.id, {
        name: 'bootstrap',
        permissions: ['VIEW', 'TRANSACT', 'MANAGE'],
        now,
        credentials,
      });
      return platform.id;
    });
    return { id, tokenId, secret };
  };
}
