// Several servers of one database: a primary and its standbys. One of them takes writes, and it changes when a standby is promoted.
// The driver knows one host, so the choice is made here: every server is asked, and the writable one of the newest timeline is used.
import pg from 'pg';
import type { Address, Host } from './address.js';

const PROBE_TIMEOUT_MS = 2_000;
/** How much longer than the first writable server the others may take to say that they are the newer primary. */
const GRACE_MS = 250;
/** Requests within so much of a search that found nothing do not search again. */
const NOTHING_FOUND_MS = 100;
const WATCH_MS = 2_000;

/** A server that takes writes. */
type Primary = { readonly host: Host; readonly timeline: string };

export type Servers = {
  /** The class of clients that connect to the server in use. */
  readonly Client: typeof pg.Client;
  /** Whether a connection that could not be made may succeed at once on another server. */
  readonly hasOthers: boolean;
  /** The connections may lead to a server that is gone or takes no writes: the next one asks all servers. */
  doubt(): void;
  close(): void;
};

/** One server, whatever it is. */
const THE_SERVER: Servers = { Client: pg.Client, hasOthers: false, doubt() {}, close() {} };

export const openServers = (address: Address): Servers => (address.isChosen ? chosenServers(address) : THE_SERVER);

function chosenServers({ url, hosts }: Address): Servers {
  let inUse: Host | undefined;
  let newest = '';
  let search: Promise<Host> | undefined;
  const clients = new Map<pg.Client, Host>();

  /** Connections to any other server are cut: one that is no longer the primary, or that no longer answers, must not be waited for. */
  const use = ({ host, timeline }: Primary): Host => {
    inUse = host;
    newest = timeline;
    for (const [client, its] of clients) if (its !== host) cut(client);
    return host;
  };

  const find = async (): Promise<Host> => {
    const found = (await newestPrimaries(url, hosts)).filter(({ timeline }) => timeline >= newest);
    const best = found.toSorted((a, b) => (a.timeline < b.timeline ? 1 : a.timeline > b.timeline ? -1 : 0))[0];
    if (best) return use(best);
    await new Promise((resolve) => setTimeout(resolve, NOTHING_FOUND_MS));
    throw Object.assign(new Error('no server of the database takes writes'), { code: '25006' });
  };

  const writable = async (): Promise<Host> => {
    if (inUse) return inUse;
    search ??= find().finally(() => {
      search = undefined;
    });
    return search;
  };

  const doubt = () => {
    inUse = undefined;
  };

  // A machine that lost its power closes no connection. Whoever waits for its answer is released when another server is the primary.
  const watch = async () => {
    if (!inUse || (await primaryOn(url, inUse))) return;
    doubt();
    await writable();
  };
  const timer = setInterval(() => void watch().catch(() => {}), WATCH_MS).unref();

  class Client extends pg.Client {
    override connect(): Promise<pg.Client>;
    override connect(callback: (error: Error) => void): void;
    override connect(callback?: (error: Error) => void): Promise<pg.Client> | undefined {
      const connecting = this.connectToPrimary((done) => super.connect(done));
      if (!callback) return connecting.then(() => this as pg.Client);
      connecting.then(() => callback(undefined as unknown as Error), callback);
    }

    private async connectToPrimary(connect: (done: (error?: Error) => void) => void): Promise<void> {
      const host = await writable();
      Object.assign(this, host);
      clients.set(this, host);
      this.once('end', () => clients.delete(this));
      const isStandby = watchStandby(this);
      try {
        await new Promise<void>((resolve, reject) => connect((error) => (error ? reject(error) : resolve())));
        if (isStandby()) throw Object.assign(new Error('the server takes no writes'), { code: '25006' });
      } catch (error) {
        doubt();
        this.end().catch(() => {});
        throw error;
      }
    }
  }

  return {
    Client,
    hasOthers: hosts.length > 1,
    doubt,
    close: () => clearInterval(timer),
  };
}

type WithConnection = { readonly connection: NodeJS.EventEmitter & { readonly stream: { destroy(error?: Error): void } } };
const connectionOf = (client: pg.Client) => (client as unknown as WithConnection).connection;

const cut = (client: pg.Client): void =>
  connectionOf(client).stream.destroy(Object.assign(new Error('the database has another primary'), { code: 'ECONNRESET' }));

/** A server says at the begin of a session whether it is a standby. */
function watchStandby(client: pg.Client): () => boolean {
  let isStandby = false;
  connectionOf(client).on('parameterStatus', (status: { parameterName: string; parameterValue: string }) => {
    if (status.parameterName === 'in_hot_standby') isStandby = status.parameterValue === 'on';
  });
  return () => isStandby;
}

/** Asks all servers at once. The answer waits for those that are silent only until one takes writes. */
async function newestPrimaries(url: string, hosts: readonly Host[]): Promise<Primary[]> {
  const found: Primary[] = [];
  let onFirst: () => void = () => {};
  const first = new Promise<void>((resolve) => {
    onFirst = resolve;
  });
  const all = hosts.map(async (host) => {
    const primary = await primaryOn(url, host);
    if (!primary) return;
    found.push(primary);
    onFirst();
  });
  await Promise.race([Promise.all(all), first.then(() => new Promise((resolve) => setTimeout(resolve, GRACE_MS)))]);
  return hosts.flatMap((host) => found.filter((primary) => primary.host === host));
}

/** The server, if it answers and takes writes. */
async function primaryOn(url: string, host: Host): Promise<Primary | undefined> {
  const client = new pg.Client({
    connectionString: url,
    application_name: 'switchyard',
    connectionTimeoutMillis: PROBE_TIMEOUT_MS,
    query_timeout: PROBE_TIMEOUT_MS,
  });
  Object.assign(client, host);
  client.on('error', () => {});
  try {
    await client.connect();
    const { rows } = await client.query<{ writable: boolean }>(
      `select not pg_is_in_recovery() and current_setting('transaction_read_only') = 'off' as writable`,
    );
    return rows[0]?.writable ? { host, timeline: await timelineOn(client) } : undefined;
  } catch {
    return undefined;
  } finally {
    connectionOf(client).stream.destroy();
  }
}

/** Eight digits that grow with every promotion. A former primary that comes back has an older timeline. Empty where the server does not tell. */
const timelineOn = (client: pg.Client): Promise<string> =>
  client.query<{ timeline: string }>(`select substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8) as timeline`).then(
    ({ rows }) => rows[0]?.timeline ?? '',
    () => '',
  );
