// Access control of every operation in the document: no credential, revoked credential, missing permission, another platform; the same
// through the door of the console.

import { Sql, sql } from '../../src/db/sql.js';
import { CONSOLE_PATH } from '../../src/http/console.js';
import { BASE_PATH } from '../../src/http/server.js';
import { newUuid } from '../../src/kernel/ids.js';
import { agentOf, type GivenAgent, givenAgent } from '../support/agents.js';
import { type Answer, type Client, expectStatus } from '../support/client.js';
import { type IssuerKey, issuerHeaders, issuerKeyOf, newIssuerKey } from '../support/issuer.js';
import { platformIdOf } from '../support/webhooks/platform.js';
import type { DocumentedOperation, Schema } from './document.js';
import type { Environment } from './environment.js';
import { type ExampleRequest, exampleOf, targetOf, wireBody } from './examples.js';
import { DECIDES_NOTHING, NAMED_IDS, type NamedId } from './named-ids.js';
import {
  CROSSING,
  type Kind,
  kindOfParameter,
  kindOfProperty,
  kinds,
  REPLACES_RECORDS,
  unknownId,
  type World,
  worldOf,
} from './objects.js';
import type { Outcome } from './report.js';

/** The status of an id of another platform in the path, where it is not 404: the address is at a domain that is not connected. */
const FOREIGN: Partial<Record<Kind, number>> = { UmaAddress: 424 };

const GOALS = {
  control: 'the same request with a valid credential is accepted',
  'no credential': 'no credential, a wrong one or a revoked one: 401',
  permission: 'a token without the permission: 403',
  foreign: 'an id of another platform in the path answers like an unknown id, byte for byte',
  'foreign in request': 'an id of another platform in body or query answers like an unknown id, byte for byte',
  'own in request': 'an id of the own platform in that place is answered otherwise than an unknown id',
  'agent token': "an agent's access token on an operation of the platform or of an issuer: 401",
  'agent permission': 'an agent without the permission, and a paused agent that starts something: 403',
  'agent foreign': 'an id of another agent, or of its customer, answers like an unknown id, byte for byte',
  door: 'through the door of the console: 401 without a session or after it, 403 without the permission, 404 for what is not for tokens',
  'door foreign': 'through the door of the console an id of another platform answers like an unknown id, byte for byte',
  leak: 'no response contains an id of another platform',
  untouched: 'no row of the other platform changes',
} as const;
type Goal = keyof typeof GOALS;

/** The log of a platform names what the platform has sent. */
const READS_THE_LOG: ReadonlySet<string> = new Set(['listRequests', 'getRequest', 'getTimeline']);
/** Refused requests are logged for the platform that sent them, and a session notes when it was last used. */
const LOG_TABLES: ReadonlySet<string> = new Set(['request_log', 'request_log_objects', 'console_sessions']);

type Found = Record<Goal, { trials: number; failures: string[] }>;

/** Needs two platforms, the owner and the stranger. Needs no worker, because a worker would change rows during the comparison. */
export async function tenancy(environment: Environment): Promise<Outcome[]> {
  const found = Object.fromEntries(Object.keys(GOALS).map((goal) => [goal, { trials: 0, failures: [] }])) as unknown as Found;
  const count = (goal: Goal, holds: boolean, what: string) => {
    found[goal].trials += 1;
    if (!holds) found[goal].failures.push(what);
  };
  await new Matrix(environment, count).run();
  return (Object.keys(GOALS) as Goal[]).map((goal) => ({ goal: `tenancy: ${GOALS[goal]}`, ...found[goal] }));
}

class Matrix {
  private readonly environment: Environment;
  private readonly count: (goal: Goal, holds: boolean, what: string) => void;
  private readonly owner: World;
  private readonly stranger: World;
  /** Ids of the owner that the stranger has sent. The stranger's own request log names them. */
  private readonly sent = new Set<string>();

  constructor(environment: Environment, count: (goal: Goal, holds: boolean, what: string) => void) {
    this.environment = environment;
    this.count = count;
    const [owner, stranger] = environment.platforms as [Client, Client];
    this.owner = worldOf(owner, environment);
    this.stranger = worldOf(stranger, environment);
  }

  async run(): Promise<void> {
    // All records are created before the comparison starts.
    for (const kind of kinds) for (const world of [this.owner, this.stranger]) await world.id(kind);
    const strangers = await this.strangers();
    const issuer = await issuerKeyOf(this.owner.client);
    await issuerKeyOf(this.stranger.client);
    const agents = await this.agents();
    const tokens = await this.limitedTokens();
    const sessions = await this.sessions();
    const cases: Case[] = [];
    for (const operation of this.environment.document.operations) {
      const [owners, own] = [await this.exampleFor(operation, this.owner), await this.exampleFor(operation, this.stranger)];
      cases.push({ operation, owners, strangers: own, named: await this.namedIn(operation, owners, own) });
    }

    const before = await this.atRest();
    for (const one of cases) {
      const { operation, owners, strangers: own } = one;
      if (!operation.permission) continue;
      for (const [name, credential] of strangers) await this.expectStatus('no credential', 401, operation, owners, name, credential);
      // Each kind of caller is refused where another is asked for.
      if (operation.permission !== 'ISSUER')
        await this.expectStatus('no credential', 401, operation, owners, "an issuer's credential", issuer);
      if (operation.permission === 'ISSUER' || operation.permission === 'AGENT')
        await this.expectStatus('no credential', 401, operation, owners, 'a token', this.owner.client.authorization);
      await this.agent(operation, owners, agents);
      for (const token of tokens) await this.permission(operation, owners, token);
      await this.foreign(one);
      await this.door(operation, owners, own, sessions);
    }
    const after = await this.rowsOf(this.owner.client);
    for (const [table, digest] of before) this.count('untouched', after.get(table) === digest, `${table} of the owner changed`);

    // Last, because accepted requests change the records.
    const keeping = cases.filter(({ operation }) => !REPLACES_RECORDS.has(operation.id));
    const replacing = cases.filter(({ operation }) => REPLACES_RECORDS.has(operation.id));
    for (const { operation, owners } of [...keeping, ...replacing]) {
      const answer = await this.send(operation, owners, await credentialOf(operation, this.owner.client));
      this.count('control', operation.successes.includes(answer.status), `${operation.id}: ${answer.status} ${answer.text.slice(0, 300)}`);
    }
    await this.leaks(cases);
  }

  /** What the requests of both platforms name in each place that takes an id. */
  private async namedIn(operation: DocumentedOperation, owners: ExampleRequest, strangers: ExampleRequest): Promise<Named[]> {
    const named: Named[] = [];
    for (const { place, kind } of idsIn(this.environment, operation)) {
      const make = NAMED_IDS[`${operation.id} ${place.join('.')}`];
      const ofWorld = async (world: World, example: ExampleRequest): Promise<NamedId> =>
        make ? make(world) : { id: idAt(example, place) ?? (await world.id(kind)) };
      named.push({ place, kind, foreign: await ofWorld(this.owner, owners), known: await ofWorld(this.stranger, strangers) });
    }
    return named;
  }

  private exampleFor(operation: DocumentedOperation, world: World): Promise<ExampleRequest> {
    return exampleOf(this.environment.document, operation, world);
  }

  // ---- credentials

  private async strangers(): Promise<[string, Credential][]> {
    const { client } = this.owner;
    const revoked = await expectStatus(201, client.post('/tokens', { name: 'revoked', permissions: ['VIEW', 'TRANSACT', 'MANAGE'] }));
    await expectStatus(204, client.delete(`/tokens/${revoked.id}`));
    const expired = await expectStatus(201, client.post('/tokens', { name: 'expired', permissions: ['VIEW', 'TRANSACT', 'MANAGE'] }));
    await this.environment.service.db.run(
      sql`update api_tokens set expires_at = now() - interval '1 second' where client_id = ${expired.clientId}`,
    );
    const withdrawn = await newIssuerKey(client);
    await expectStatus(204, client.delete(`/sandbox/issuer-credentials/${withdrawn.id}`));
    return [
      ['no credential', undefined],
      ['revoked issuer credential', withdrawn],
      ['wrong issuer secret', { ...(await issuerKeyOf(client)), secret: 'isk_wrong' }],
      ['unknown token', basic('nobody', client.secret)],
      ['wrong secret', basic(client.tokenId, `${client.secret}x`)],
      ['revoked token', basic(revoked.clientId, revoked.clientSecret)],
      ['expired token', basic(expired.clientId, expired.clientSecret)],
    ];
  }

  /** One token for every incomplete set of permissions. */
  private async limitedTokens(): Promise<{ permissions: readonly string[]; authorization: string }[]> {
    const sets = [['VIEW'], ['TRANSACT'], ['MANAGE'], ['VIEW', 'TRANSACT'], ['VIEW', 'MANAGE']];
    const tokens = [];
    for (const permissions of sets) {
      const token = await expectStatus(201, this.owner.client.post('/tokens', { name: permissions.join(), permissions }));
      tokens.push({ permissions, authorization: basic(token.clientId, token.clientSecret) });
    }
    return tokens;
  }

  private async permission(
    operation: DocumentedOperation,
    example: ExampleRequest,
    { permissions, authorization }: { permissions: readonly string[]; authorization: string },
  ): Promise<void> {
    // A permission to change includes the permission to read.
    const needed = operation.permission as string;
    if (needed === 'VIEW' || needed === 'ISSUER' || needed === 'AGENT' || permissions.includes(needed)) return;
    await this.expectStatus('permission', 403, operation, example, `token with ${permissions}`, authorization);
  }

  private async expectStatus(
    goal: Goal,
    status: number,
    operation: DocumentedOperation,
    example: ExampleRequest,
    who: string,
    credential: Credential,
  ): Promise<void> {
    const answer = await this.send(operation, example, credential);
    this.count(goal, answer.status === status, `${operation.id} with ${who}: ${answer.status} ${answer.text.slice(0, 200)}`);
  }

  // ---- the console

  private async sessions(): Promise<Sessions> {
    const { owner, stranger } = this;
    const viewing = await expectStatus(201, owner.client.post('/tokens', { name: 'viewing', permissions: ['VIEW'] }));
    const gone = await expectStatus(201, owner.client.post('/tokens', { name: 'gone', permissions: ['VIEW', 'TRANSACT', 'MANAGE'] }));
    const ended = await this.session(gone.clientId, gone.clientSecret);
    await expectStatus(204, owner.client.delete(`/tokens/${gone.id}`));
    return {
      viewer: await this.session(viewing.clientId, viewing.clientSecret),
      ended,
      stranger: await this.session(stranger.client.tokenId, stranger.client.secret),
    };
  }

  private async session(tokenId: string, secret: string): Promise<Session> {
    const { url } = this.environment.service;
    const answer = await fetch(`${url}${CONSOLE_PATH}/session`, {
      method: 'POST',
      headers: { ...PAGE_HEADERS, origin: url, 'content-type': 'application/json' },
      body: JSON.stringify({ tokenId, secret }),
    });
    const cookie = answer.headers.getSetCookie()[0]?.split(';')[0];
    if (answer.status !== 204 || cookie === undefined) throw new Error(`no session: ${answer.status} ${await answer.text()}`);
    return { cookie, origin: url };
  }

  private async door(operation: DocumentedOperation, owners: ExampleRequest, own: ExampleRequest, sessions: Sessions): Promise<void> {
    const { viewer, ended, stranger } = sessions;
    if (operation.permission === 'ISSUER' || operation.permission === 'AGENT') {
      await this.expectStatus('door', 404, operation, owners, 'a session', viewer);
      return;
    }
    await this.expectStatus('door', 401, operation, owners, 'no session', { ...viewer, cookie: '' });
    await this.expectStatus('door', 401, operation, owners, 'the session of a deleted token', ended);
    if (operation.permission !== 'VIEW') await this.expectStatus('door', 403, operation, owners, 'a session that may view', viewer);
    await this.foreignInPath('door foreign', operation, owners, own, stranger);
  }

  // ---- agents

  /** Agents of the owner's platform, each of another customer than the one whose records the requests name. */
  private async agents(): Promise<Agents> {
    const { client } = this.owner;
    const [neighbour, powerless, paused] = await Promise.all([
      givenAgent(client),
      givenAgent(client, { permissions: [] }),
      givenAgent(client),
    ]);
    await paused.pause();
    const { client: own } = await agentOf(client);
    return { own: own.authorization, neighbour, powerless: powerless.client.authorization, paused: paused.client.authorization };
  }

  private async agent(operation: DocumentedOperation, owners: ExampleRequest, agents: Agents): Promise<void> {
    if (operation.permission !== 'AGENT') {
      await this.expectStatus('agent token', 401, operation, owners, "an agent's token", agents.own);
      return;
    }
    if (operation.agentPermission !== undefined)
      await this.expectStatus('agent permission', 403, operation, owners, 'an agent without permissions', agents.powerless);
    if (operation.method !== 'GET') await this.expectStatus('agent permission', 403, operation, owners, 'a paused agent', agents.paused);
    const by = agents.neighbour.client.authorization;
    for (const name of Object.keys(owners.params)) {
      const unknown = { ...owners, params: { ...owners.params, [name]: unknownId(kindOfParameter(operation, name)) } };
      await this.alike('agent foreign', operation, name, owners, unknown, 404, by);
    }
    const { customer, account } = await agentOf(this.owner.client);
    const foreign: Readonly<Partial<Record<Kind, string>>> = { Customer: customer.id, InternalAccount: account.id };
    for (const { place, kind } of idsIn(this.environment, operation)) {
      const withId = (id: string) => put(owners, place, id);
      await this.alike(
        'agent foreign',
        operation,
        place.join('.'),
        withId(foreign[kind] ?? unknownId(kind)),
        withId(unknownId(kind)),
        undefined,
        by,
      );
    }
  }

  // ---- another platform

  /** Replaces each id of the stranger's request by an id of the owner and by an unknown id. */
  private async foreign({ operation, owners, strangers: own, named }: Case): Promise<void> {
    await this.foreignInPath('foreign', operation, owners, own);
    for (const { place, kind, foreign, known } of named) {
      const where = place.join('.');
      const withId = (id: string) => put({ ...own, ...known }, place, id);
      const unknown = unknownLike(foreign.id, kind);
      this.sent.add(foreign.id);
      await this.alike('foreign in request', operation, where, withId(foreign.id), withId(unknown));
      if (!(`${operation.id} ${where}` in DECIDES_NOTHING)) await this.unlike(operation, where, withId(known.id), withId(unknown));
    }
  }

  private async foreignInPath(
    goal: Goal,
    operation: DocumentedOperation,
    owners: ExampleRequest,
    own: ExampleRequest,
    by?: Credential,
  ): Promise<void> {
    for (const name of Object.keys(own.params)) {
      const kind = kindOfParameter(operation, name);
      if (CROSSING.has(kind)) continue;
      const withId = (id: string) => ({ ...own, params: { ...own.params, [name]: id } });
      this.sent.add(owners.params[name] as string);
      await this.alike(goal, operation, name, withId(owners.params[name] as string), withId(unknownId(kind)), FOREIGN[kind] ?? 404, by);
    }
  }

  private async alike(
    goal: Goal,
    operation: DocumentedOperation,
    where: string,
    foreign: ExampleRequest,
    unknown: ExampleRequest,
    status?: number,
    by?: Credential,
  ): Promise<void> {
    const credential = by ?? (await credentialOf(operation, this.stranger.client));
    const theirs = await this.send(operation, foreign, credential);
    const nobodys = await this.send(operation, unknown, credential);
    const same = theirs.status === nobodys.status && theirs.text === nobodys.text && shown(theirs) === shown(nobodys);
    const right = status === undefined ? !(theirs.status < 300 && operation.method !== 'GET') : theirs.status === status;
    this.count(
      goal,
      same && right,
      `${operation.id}, ${where}: foreign ${theirs.status} ${theirs.text.slice(0, 200)} / unknown ${nobodys.status} ${nobodys.text.slice(0, 200)}`,
    );
  }

  /** The id is looked at: two requests that are refused for something else are alike, whatever ids they name. */
  private async unlike(operation: DocumentedOperation, where: string, own: ExampleRequest, unknown: ExampleRequest): Promise<void> {
    const credential = await credentialOf(operation, this.stranger.client);
    const [known, nobodys] = [await this.send(operation, own, credential), await this.send(operation, unknown, credential)];
    this.count(
      'own in request',
      known.status !== nobodys.status || known.text !== nobodys.text,
      `${operation.id}, ${where}: ${known.status} ${known.text.slice(0, 300)} for both`,
    );
  }

  /** Responses of the stranger's requests without ids must not contain ids of the owner. */
  private async leaks(cases: readonly Case[]): Promise<void> {
    const owners = await this.idsOf(this.owner.client);
    const sent = [...this.sent].join();
    for (const { operation, strangers } of cases.filter(({ operation: { method } }) => method === 'GET')) {
      const answer = await this.send(operation, strangers, await credentialOf(operation, this.stranger.client));
      const leaked = [...answer.text.matchAll(/[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}/g)].filter(
        ([uuid]) => owners.has(uuid) && !(READS_THE_LOG.has(operation.id) && sent.includes(uuid)),
      );
      this.count('leak', leaked.length === 0, `${operation.id} names ${leaked.map(([uuid]) => uuid).slice(0, 3)} of another platform`);
    }
  }

  // ---- database

  private async tables(): Promise<string[]> {
    const rows = await this.environment.service.db.many<{ name: string }>(
      sql`select table_name::text as name from information_schema.columns where table_schema = 'public' and column_name = 'platform_id' order by 1`,
    );
    return [...rows.map(({ name }) => name), 'platforms'];
  }

  /** One digest per table over the rows of a platform. */
  private async rowsOf(client: Client): Promise<ReadonlyMap<string, string>> {
    const uuid = (await platformIdOf(this.environment.service, client)).slice('Platform:'.length);
    const parts = (await this.tables())
      .filter((name) => !LOG_TABLES.has(name))
      .map(
        (name) =>
          `select '${name}' as name, md5(coalesce(string_agg(t::text, '|' order by t::text), '')) as digest from ${name} t where ${name === 'platforms' ? 'id' : 'platform_id'} = '${uuid}'`,
      );
    const rows = await this.environment.service.db.many<{ name: string; digest: string }>(new Sql(parts.join(' union all '), []));
    return new Map(rows.map(({ name, digest }) => [name, digest]));
  }

  /** The digests when no work is pending. The issuer may still answer an earlier request. */
  private async atRest(): Promise<ReadonlyMap<string, string>> {
    for (let before = ''; ; ) {
      const now = await this.rowsOf(this.owner.client);
      const { totalCount } = await expectStatus(200, this.owner.client.get('/cards?status=PROCESSING'));
      const shown = [...now.values()].join();
      if (shown === before && totalCount === 0) return now;
      before = shown;
    }
  }

  private async idsOf(client: Client): Promise<ReadonlySet<string>> {
    const uuid = (await platformIdOf(this.environment.service, client)).slice('Platform:'.length);
    const ids = new Set<string>([uuid]);
    for (const name of await this.tables()) {
      if (name === 'platforms') continue;
      const rows = await this.environment.service.db.many<{ row: string }>(
        new Sql(`select t::text as row from ${name} t where platform_id = '${uuid}'`, []),
      );
      for (const { row } of rows)
        for (const [id] of row.matchAll(/[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}/g)) ids.add(id);
    }
    return ids;
  }

  private async send(operation: DocumentedOperation, request: ExampleRequest, credential: Credential): Promise<Answer> {
    const ending = new AbortController();
    const body = request.body === undefined ? undefined : wireBody(request.body);
    const base = isSession(credential) ? `${CONSOLE_PATH}/api` : BASE_PATH;
    const response = await fetch(this.environment.service.url + base + targetOf(operation, request), {
      method: operation.method,
      headers: {
        ...headersOf(credential, body ?? ''),
        ...(request.body === undefined ? {} : { 'content-type': 'application/json' }),
        ...request.headers,
      },
      ...(body === undefined ? {} : { body }),
      signal: ending.signal,
    });
    // A stream has no end.
    const endless = response.headers.get('content-type')?.startsWith('text/event-stream');
    const text = endless ? '' : await response.text();
    if (endless) ending.abort();
    return { status: response.status, text, body: undefined, headers: response.headers };
  }
}

/** The cookie of a session of the console, and the page that sends it. */
type Session = { readonly cookie: string; readonly origin: string };
type Sessions = Readonly<Record<'viewer' | 'ended' | 'stranger', Session>>;

/** What every call of the console's page carries. */
const PAGE_HEADERS = { 'x-switchyard-console': '1' } as const;

/** A token as the header that carries it, an issuer's key, a session of the console, or none. */
type Credential = string | IssuerKey | Session | undefined;

const isSession = (credential: Credential): credential is Session => typeof credential === 'object' && 'cookie' in credential;

/** The credential with which the platform, its agent or its issuer may call the operation. */
const credentialOf = async ({ permission }: DocumentedOperation, client: Client): Promise<Credential> => {
  if (permission === 'AGENT') return (await agentOf(client)).client.authorization;
  return permission === 'ISSUER' ? issuerKeyOf(client) : client.authorization;
};

/** Tokens of agents, and the one that tries to reach the records of another. */
type Agents = { readonly own: string; readonly neighbour: GivenAgent; readonly powerless: string; readonly paused: string };

function headersOf(credential: Credential, body: string): Record<string, string> {
  if (credential === undefined) return {};
  if (isSession(credential)) return { ...PAGE_HEADERS, ...credential };
  return typeof credential === 'string' ? { authorization: credential } : issuerHeaders(credential, body);
}

const basic = (tokenId: string, secret: string): string => `Basic ${Buffer.from(`${tokenId}:${secret}`).toString('base64')}`;

/** Headers to compare, without those that differ between any two responses. */
const shown = ({ headers }: Answer): string =>
  JSON.stringify([...headers].filter(([name]) => !['x-request-id', 'date', 'keep-alive', 'connection'].includes(name)).sort());

/** The accepted requests of an operation, by the owner and by the stranger. */
type Case = {
  readonly operation: DocumentedOperation;
  readonly owners: ExampleRequest;
  readonly strangers: ExampleRequest;
  readonly named: readonly Named[];
};

/** A place of a request that takes an id: one of the owner there, and one of the stranger. */
type Named = { readonly place: Place; readonly kind: Kind; readonly foreign: NamedId; readonly known: NamedId };

/** An unknown id of the same form, because the form alone may decide. */
function unknownLike(id: string, kind: Kind): string {
  const [prefix, uuid] = id.split(':');
  return uuid === undefined ? unknownId(kind) : `${prefix}:${newUuid()}`;
}

type Place = readonly ['query' | 'body', ...string[]];

/** Every property of the query and the body that names a record, at any depth. */
function idsIn(environment: Environment, operation: DocumentedOperation): { place: Place; kind: Kind }[] {
  const found: { place: Place; kind: Kind }[] = [];
  for (const { name, in: where } of operation.parameters) {
    const kind = where === 'query' ? kindOfProperty(name) : undefined;
    if (kind) found.push({ place: ['query', name], kind });
  }
  const walk = (source: Schema, place: Place, depth: number): void => {
    const schema = environment.document.resolve(source);
    for (const variant of [...((schema['oneOf'] ?? []) as Schema[]), ...((schema['anyOf'] ?? []) as Schema[])]) walk(variant, place, depth);
    for (const [name, inner] of Object.entries((schema['properties'] ?? {}) as Record<string, Schema>)) {
      const kind = kindOfProperty(name);
      const resolved = environment.document.resolve(inner);
      const isObject = ['properties', 'oneOf', 'anyOf'].some((keyword) => keyword in resolved);
      if (kind && isObject) walk(inner, [...place, name], depth + 1);
      else if (kind && !found.some((known) => known.place.join() === [...place, name].join()))
        found.push({ place: [...place, name], kind });
      else if (!kind && depth < 6) walk(inner, [...place, name], depth + 1);
    }
  };
  if (operation.body) walk(operation.body, ['body'], 0);
  return found;
}

function put(request: ExampleRequest, place: Place, value: string): ExampleRequest {
  const copy = structuredClone(request) as unknown as Record<string, unknown>;
  let holder = copy;
  for (const name of place.slice(0, -1)) {
    if (typeof holder[name] !== 'object' || holder[name] === null) holder[name] = {};
    holder = holder[name] as Record<string, unknown>;
  }
  const name = place.at(-1) as string;
  holder[name] = name.endsWith('Ids') ? [value] : value;
  const { headers, ...rest } = copy as unknown as ExampleRequest;
  // A key that was used is refused before anything is looked at.
  return { ...rest, headers: 'idempotency-key' in headers ? { ...headers, 'idempotency-key': newUuid() } : headers };
}

/** The id that a request names in this place. */
function idAt(request: ExampleRequest, place: Place): string | undefined {
  let value: unknown = request;
  for (const name of place) value = (value as Record<string, unknown> | undefined)?.[name];
  return typeof value === 'string' ? value : undefined;
}
