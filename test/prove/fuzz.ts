// Valid and invalid requests for every operation of the served document: no server error, no undocumented response, no invalid request accepted.
import { CONTRACT_OPERATIONS } from '../../src/http/contract-operations.js';
import { BASE_PATH } from '../../src/http/server.js';
import { ERRORS, type ErrorCode } from '../../src/kernel/errors.js';
import { newUuid } from '../../src/kernel/ids.js';
import { agentOf, type GivenAgent } from '../support/agents.js';
import { type Client, expectStatus } from '../support/client.js';
import { type IssuerKey, issuerHeaders, issuerKeyOf } from '../support/issuer.js';
import { Connection, ConnectionClosed, requestBytes, type WireAnswer } from '../support/wire.js';
import type { DocumentedOperation, Parameter } from './document.js';
import type { Environment } from './environment.js';
import { type ExampleRequest, exampleOf, targetOf, wireBody } from './examples.js';
import { type Generator, generatorOf } from './generate.js';
import { BROKEN_HTTP, HOSTILE_BODIES, NAUGHTY, ODD_HEADERS, UNSTORABLE_JSON, WRONG_CONTENT_TYPES, WRONG_CREDENTIALS } from './hostile.js';
import { kindOfParameter, kindOfProperty, prefixOf, REPLACES_RECORDS, unknownId, worldOf } from './objects.js';
import { type Random, randomOf } from './random.js';
import { type Outcome, progressOf } from './report.js';

/** Changes are compared by what the same requests find. */
export const FIXED_SEED = 'cd2pscv6';

export type FuzzOptions = {
  readonly seed: string;
  readonly requests: number;
  /** Every kind of request for every operation in turn, not by chance: few requests reach most of what there is to reach. */
  readonly evenly?: boolean;
  readonly until?: number;
  readonly onProgress?: (text: string) => void;
};

/** The kinds of requests, and how often each is drawn. */
const KINDS = {
  positive: 30,
  broken: 30,
  naughty: 14,
  hostile: 8,
  headers: 7,
  credentials: 4,
  parameters: 5,
  framing: 1,
  method: 1,
} as const;
type Kind = keyof typeof KINDS;
/** Texts tried in each free-text field when requests are few. */
const FEW_TEXTS = 3;
/** Requests in which fields are looked for that the accepted request of an operation does not have. */
const OTHER_REQUESTS = 30;
/** Of such a field. */
const REQUESTS_OF_A_FIELD = 3;
const ACCEPTED = Number.POSITIVE_INFINITY;

/** The guarantees. Each is counted separately. */
const CHECKS = {
  'not a server error': 'no response is a server error',
  documented: 'every status, media type and code is documented for the operation',
  'error shape': 'every error has its code, reason and request id',
  schema: 'every body matches its schema, without additional fields',
  headers: 'every response has its documented headers',
  'positive data': 'a 400 for a request that matches the document names its reason',
  'required headers': 'a request without a required header is refused',
  'negative data': 'a request that violates one keyword is refused',
  'hostile bytes': 'hostile JSON, media types and framing are refused',
  credentials: 'without valid credentials every operation answers 401',
  methods: 'undocumented methods answer 405 with the documented methods in Allow',
  availability: 'a created record can be read at once',
  'use after delete': 'a deleted record cannot be read',
  'text round trip': 'text is returned unchanged',
  'response time': 'every response arrives within its time budget',
  coverage: 'every operation was accepted at least once',
} as const;
type Check = keyof typeof CHECKS;

/** Maximum duration of a request. It detects hangs and does not measure speed. */
const BUDGET_MS = 60_000;
/** An advance of the clock waits for due jobs and for webhooks, up to its own limits. */
const CLOCK_BUDGET_MS = 120_000;
const budgetOf = (operation: DocumentedOperation | undefined): number =>
  operation?.id === 'updateSandboxClock' ? CLOCK_BUDGET_MS : BUDGET_MS;
/** Fields that the service normalises or masks by a documented rule, so the response may differ from the request. */
const NORMALISED = new Set(['umaAddress', 'email', 'clientSecret', 'platformCardId', 'identifier']);

type Tally = {
  readonly trials: Record<Check, number>;
  readonly failures: Record<Check, string[]>;
  readonly reached: Set<string>;
  sent: number;
};
type SentHeaders = Readonly<Record<string, string | undefined>>;
type Case = { readonly what: string; readonly bytes: Buffer; readonly method: string; readonly target: string; readonly body?: unknown };

export async function fuzz(
  environment: Environment,
  { seed, requests, evenly = false, until = Number.POSITIVE_INFINITY, onProgress }: FuzzOptions,
): Promise<Outcome[]> {
  const names = Object.keys(CHECKS) as Check[];
  const tally: Tally = {
    trials: Object.fromEntries(names.map((name) => [name, 0])) as Record<Check, number>,
    failures: Object.fromEntries(names.map((name) => [name, [] as string[]])) as Record<Check, string[]>,
    reached: new Set(),
    sent: 0,
  };
  const accepted = new Set<string>();
  const progress = setInterval(() => onProgress?.(progressText(tally)), 10_000);
  await Promise.all(
    environment.platforms.map((client, i) => {
      const share = Math.ceil(requests / environment.platforms.length);
      // The fixed cases are divided among the platforms; the rest is random.
      const mine = <T>(list: readonly T[]) => list.filter((_, n) => n % environment.platforms.length === i);
      return new Fuzzer(environment, client, randomOf(`${seed}/${i}`), tally, accepted).run(share, until, mine, evenly);
    }),
  );
  clearInterval(progress);
  for (const { id } of environment.document.operations.filter((operation) => !REPLACES_RECORDS.has(operation.id))) {
    tally.trials.coverage += 1;
    if (!accepted.has(id)) tally.failures.coverage.push(`${id} was never accepted: it needs an example in test/prove/objects.ts`);
  }
  const failed = environment.service.logged.filter((line) => line.includes('"msg":"failed"')).slice(0, 5);
  tally.failures['not a server error'].push(...failed.map((line) => `logged: ${line.slice(0, 600)}`));
  const note = `${tally.sent.toLocaleString('en-US')} requests, seed ${seed}, ${tally.reached.size} answers that differ in operation, status or code`;
  return names.map((name) => ({ goal: `fuzz: ${CHECKS[name]}`, trials: tally.trials[name], failures: tally.failures[name], note }));
}

const progressText = ({ sent, failures }: Tally): string =>
  progressOf(`${sent} requests, ${Math.round(process.memoryUsage().rss / 2 ** 20)} MiB`, Object.values(failures).flat());

/** One caller with its own platform, connection and random choices. Its requests follow from its seed. */
class Fuzzer {
  private readonly environment: Environment;
  private readonly client: Client;
  private readonly random: Random;
  private readonly tally: Tally;
  private readonly accepted: Set<string>;
  private readonly generator: Generator;
  /** Ids from responses, by their prefix. */
  private readonly seen = new Map<string, string[]>();
  private readonly examples = new Map<string, ExampleRequest>();
  private readonly own = new Set<string>();
  private currencies: unknown;
  /** Currencies of the market of this platform that were moved, and whether they still have a rate. */
  private readonly moved = new Map<string, boolean>();
  private issuerKey: IssuerKey | undefined;
  private agent: GivenAgent | undefined;
  private connection: Connection | undefined;
  private sent = 0;

  constructor(environment: Environment, client: Client, random: Random, tally: Tally, accepted: Set<string>) {
    this.environment = environment;
    this.client = client;
    this.random = random;
    this.tally = tally;
    this.accepted = accepted;
    this.generator = generatorOf(environment.document, (name, schema, chance) => this.hint(name, schema, chance));
  }

  async run(requests: number, until: number, mine: <T>(list: readonly T[]) => T[], evenly: boolean): Promise<void> {
    const { operations } = this.environment.document;
    for (const token of (await this.client.get('/tokens')).body.data) this.own.add(token.id);
    this.issuerKey = await issuerKeyOf(this.client);
    this.own.add(this.issuerKey.id);
    this.agent = await agentOf(this.client);
    for (const { id } of [this.agent, this.agent.customer, this.agent.account]) this.own.add(id);
    this.currencies = (await this.client.get('/config')).body.supportedCurrencies;
    await this.settle();
    for (const operation of mine(operations)) await this.positive(operation, true);
    await this.methods(mine([...this.environment.document.methods.keys()]));
    for (const operation of mine(operations)) await this.withoutHeaders(operation);
    // A third of what the fixed cases leave, whose number grows with the operations.
    const texts = this.sent + (requests - this.sent) / 3;
    for (const operation of mine(operations)) await this.everyText(operation, texts, evenly ? FEW_TEXTS : NAUGHTY.length);
    // Other methods were tried on every path by now.
    const kinds = (Object.keys(KINDS) as Kind[]).filter((kind) => kind !== 'method');
    const turns = evenly ? mine(operations).flatMap((operation) => kinds.map((kind) => ({ operation, kind }))) : [];
    for (let i = 0; this.sent < requests && Date.now() < until; i += 1) {
      const { operation, kind } = turns[i % turns.length] ?? { operation: this.random.pick(operations), kind: this.random.weighted(KINDS) };
      await this.step(operation, kind);
    }
    this.connection?.close();
  }

  private async step(operation: DocumentedOperation, kind: Kind): Promise<void> {
    switch (kind) {
      case 'positive':
        return this.positive(operation, this.random.chance(0.03));
      case 'broken':
        return operation.body ? this.broken(operation) : this.brokenQuery(operation);
      case 'naughty':
        return this.naughty(operation);
      case 'hostile':
        return this.hostile(operation);
      case 'headers':
        return this.oddHeaders(operation);
      case 'credentials':
        return this.credentials(operation);
      case 'parameters':
        return this.brokenQuery(operation);
      case 'framing':
        return this.framing(operation);
      case 'method':
        return this.methods([this.random.pick([...this.environment.document.methods.keys()])]);
    }
  }

  // ---- kinds of requests

  /** A request that matches the document. With `exact`, a request that must be accepted. */
  private async positive(operation: DocumentedOperation, exact = false): Promise<void> {
    const request = exact ? await this.exactly(operation).catch((error: Error) => this.unmade(operation, error)) : this.fitting(operation);
    if (!request) return;
    const probe = this.caseOf(operation, exact ? 'example' : 'fitting', request);
    const answer = await this.send(operation, probe);
    if (answer && (!operation.body || this.environment.document.fits(operation, request.body)))
      this.count('positive data', answer.status !== 400 || namesReason(answer), probe, answer);
    if (!answer || answer.status >= 300) return;
    this.accepted.add(operation.id);
    this.harvest(answer);
    await this.follow(operation, request, answer);
  }

  /** The server may close a persistent connection just before the client reuses it; the request is then sent once more. */
  private exactly(operation: DocumentedOperation): Promise<ExampleRequest> {
    return this.renew(operation).catch((error: Error) => {
      if (error.message !== 'fetch failed') throw error;
      return this.renew(operation);
    });
  }

  /** Records that an example could not be made, so that the run continues. */
  private unmade(operation: DocumentedOperation, { message, cause }: Error): undefined {
    const why = `${message} ${cause ?? ''}`.slice(0, 400);
    this.tally.failures.coverage.push(`${operation.id} (seed ${this.random.seed}): no example could be made: ${why}`);
  }

  /** Required headers of the operation. Credentials are tested separately. */
  private async withoutHeaders(operation: DocumentedOperation): Promise<void> {
    for (const { name, in: place, required } of operation.parameters) {
      // The headers of a credential are left out elsewhere.
      if (place !== 'header' || !required || name.startsWith('Issuer-')) continue;
      const request = this.examples.get(operation.id) ?? (await this.renew(operation));
      const headers = Object.fromEntries(Object.entries(request.headers).filter(([other]) => other.toLowerCase() !== name.toLowerCase()));
      const probe = this.caseOf(operation, `without ${name}`, { ...request, headers });
      const answer = await this.send(operation, probe);
      this.count('required headers', isRefused(answer), probe, answer);
    }
  }

  private async broken(operation: DocumentedOperation): Promise<void> {
    const request = this.fitting(operation);
    const broken = this.generator.broken(operation, request.body, this.random);
    if (!broken) return;
    // As JSON: a text would be sent as it is, and an empty one would be no body.
    const probe = this.caseOf(operation, `broken ${broken.what}`, { ...request, body: broken.body }, JSON.stringify(broken.body));
    const answer = await this.send(operation, probe);
    this.count('negative data', isRefused(answer), probe, answer);
  }

  private async brokenQuery(operation: DocumentedOperation): Promise<void> {
    const request = this.fitting(operation);
    const parameters = operation.parameters.filter(({ in: place }) => place === 'query');
    const parameter = parameters.length > 0 && this.random.chance(0.8) ? this.random.pick(parameters) : undefined;
    const value = this.random.pick(NAUGHTY);
    const name = parameter?.name ?? this.random.pick(['nope', 'Limit', 'limit[]', '__proto__', 'constructor', '']);
    const probe = this.caseOf(operation, `query ${name}`, { ...request, query: { ...request.query, [name]: value } });
    const answer = await this.send(operation, probe);
    if (!parameter) this.count('negative data', isRefused(answer), probe, answer);
    else if (this.cannotFit(parameter, value)) this.count('negative data', isRefused(answer), probe, answer);
  }

  /** Whether a query text violates its schema for every type that it could be parsed as. */
  private cannotFit(parameter: Parameter, text: string): boolean {
    const readings: unknown[] = [text, Number(text), text === 'true' ? true : text === 'false' ? false : undefined, null];
    return !readings.some((reading) => reading !== undefined && this.environment.document.fitsParameter(parameter, reading));
  }

  /** Replaces one text of the request by a problematic one. It must be refused or stored unchanged. */
  private async naughty(operation: DocumentedOperation): Promise<void> {
    // Mostly an accepted request, so that only the text can be invalid.
    const request = this.fitting(operation, 0.2);
    const params = Object.keys(request.params);
    if (params.length > 0 && this.random.chance(0.3)) {
      const name = this.random.pick(params);
      const text = this.random.pick(NAUGHTY);
      await this.send(
        operation,
        this.caseOf(operation, 'naughty path', { ...request, params: { ...request.params, [name]: text || '%20' } }),
      );
      return;
    }
    const places = textsIn(request.body);
    if (places.length === 0) return;
    const place = this.random.pick(places);
    const text = this.random.chance(0.15) ? undefined : this.random.pick(NAUGHTY);
    await this.withText(operation, request, place, text);
  }

  /**
   * Problematic texts in every free-text field: all of them, or `count` at random. Those of an accepted request first; then those that only
   * other requests have, because a field is in one variant of the body or is optional.
   */
  private async everyText(operation: DocumentedOperation, most: number, count: number): Promise<void> {
    const example = this.examples.get(operation.id);
    if (!operation.body || !example) return;
    const tried = new Map<string, number>();
    for (let i = 0; i <= OTHER_REQUESTS && this.sent < most; i += 1) {
      const request = i === 0 ? example : this.fitting(operation, 1);
      for (const place of textsIn(request.body)) {
        const name = nameOf(place);
        const times = tried.get(name) ?? 0;
        // An accepted request reaches what a field decides; of others some name a record that does not fit.
        if (times >= REQUESTS_OF_A_FIELD) continue;
        if (!this.environment.document.fits(operation, replaced(request.body, place, 'any text'))) continue;
        tried.set(name, i === 0 ? ACCEPTED : times + 1);
        const texts = count < NAUGHTY.length ? Array.from({ length: count }, () => this.random.pick(NAUGHTY)) : NAUGHTY;
        for (const text of texts) if (this.sent < most) await this.withText(operation, this.freshKey(request), place, text);
      }
    }
  }

  private freshKey(request: ExampleRequest): ExampleRequest {
    return 'idempotency-key' in request.headers ? { ...request, headers: { ...request.headers, 'idempotency-key': newUuid() } } : request;
  }

  /** Sends the request with this text in this field. Undefined means a text that cannot be stored. */
  private async withText(
    operation: DocumentedOperation,
    request: ExampleRequest,
    place: readonly string[],
    text: string | undefined,
  ): Promise<void> {
    const body = replaced(request.body, place, text ?? '\ue000');
    // A serialiser cannot produce invalid escapes, so they are inserted into its output.
    const bytes = text === undefined ? JSON.stringify(body).replace('"\ue000"', this.random.pick(UNSTORABLE_JSON)) : JSON.stringify(body);
    const probe = this.caseOf(operation, `naughty ${place.join('.')}`, { ...request, body }, bytes);
    const answer = await this.send(operation, probe);
    if (text === undefined) this.count('negative data', isRefused(answer), probe, answer);
    if (answer && answer.status < 300) {
      this.harvest(answer);
      if (text !== undefined) this.roundTrip(probe, place, text, answer);
    }
  }

  private roundTrip(probe: Case, place: readonly string[], text: string, answer: WireAnswer): void {
    const kept = place.reduce<unknown>((value, name) => (value as Record<string, unknown> | null | undefined)?.[name], jsonOf(answer));
    if (typeof kept !== 'string' || place.some((name) => NORMALISED.has(name))) return;
    this.count('text round trip', kept === text, probe, answer);
  }

  private async hostile(operation: DocumentedOperation): Promise<void> {
    const request = this.fitting(operation);
    const headers = this.headersOf(request);
    if (operation.body && this.random.chance(0.3)) {
      const type = this.random.pick(WRONG_CONTENT_TYPES);
      const probe = this.raw(operation, `content type ${type}`, request, { ...headers, 'content-type': type }, wireBody(request.body));
      const answer = await this.send(operation, probe);
      this.count('hostile bytes', answer?.status === 415, probe, answer);
      return;
    }
    const [name, body] = this.random.pick(Object.entries(HOSTILE_BODIES));
    if (operation.method === 'GET') return;
    const probe = this.raw(operation, `hostile ${name}`, request, { ...headers, 'content-type': 'application/json' }, body);
    const answer = await this.send(operation, probe);
    // An operation without a required body accepts an empty value.
    const harmless = !operation.bodyRequired && ['empty', 'array', 'null', 'number', 'string'].includes(name);
    const refusals = operation.isForm ? [400, 404, 413, 415] : [400, 413];
    if (!harmless) this.count('hostile bytes', answer !== undefined && refusals.includes(answer.status), probe, answer);
  }

  private async oddHeaders(operation: DocumentedOperation): Promise<void> {
    const request = this.fitting(operation);
    const headers = { ...this.headersOf(request), ...this.random.pick(ODD_HEADERS) };
    const body = request.body === undefined ? undefined : wireBody(request.body);
    await this.send(operation, this.raw(operation, 'odd headers', request, headers, body));
  }

  private async credentials(operation: DocumentedOperation): Promise<void> {
    const request = this.fitting(operation);
    const authorization = this.random.pick(WRONG_CREDENTIALS);
    const body = request.body === undefined ? undefined : wireBody(request.body);
    const probe = this.raw(operation, `credentials ${authorization}`, request, { ...this.headersOf(request), authorization }, body);
    const answer = await this.send(operation, probe);
    if (operation.permission)
      this.count('credentials', answer?.status === 401 && answer.headers['www-authenticate'] !== undefined, probe, answer);
  }

  /** Bytes that are not an HTTP request: at most one refusal, and the connection is closed. */
  private async framing(operation: DocumentedOperation): Promise<void> {
    const target = BASE_PATH + targetOf(operation, this.fitting(operation));
    const bytes = Buffer.from(
      this.random.pick(BROKEN_HTTP).replace('%', () => target),
      'latin1',
    );
    const probe: Case = { what: 'framing', bytes, method: 'GET', target };
    const connection = await Connection.open(this.environment.service.url);
    const answer = await connection.exchange(bytes).catch((error: Error) => error);
    connection.close();
    const refused = answer instanceof Error ? answer instanceof ConnectionClosed : answer.status >= 400 && answer.status < 500;
    this.count('hostile bytes', refused, probe, answer instanceof Error ? undefined : answer);
    this.count(
      'not a server error',
      answer instanceof Error || answer.status < 500 || answer.status === 501 || answer.status === 505,
      probe,
    );
  }

  private async methods(paths: readonly string[]): Promise<void> {
    for (const path of paths) {
      const served = this.environment.document.methods.get(path) ?? [];
      // Operations of the contract that are not served answer 501, and Allow names them.
      const unserved = CONTRACT_OPERATIONS.filter((op) => op.path === path && !served.includes(op.method)).map(({ method }) => method);
      const allowed = [...served, ...unserved];
      for (const method of ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE']) {
        if (allowed.includes(method)) continue;
        const target = path.replaceAll(/\{\w+\}/g, 'x');
        // Another path with a parameter may serve the same target with this method.
        if (
          [...this.environment.document.methods].some(
            ([other, names]) => other !== path && names.includes(method) && matches(other, target),
          )
        )
          continue;
        const bytes = requestBytes(method, BASE_PATH + target, { authorization: this.client.authorization });
        const probe: Case = { what: 'method', bytes, method, target };
        const answer = await this.send(undefined, probe);
        const allow = (answer?.headers['allow'] ?? '').split(', ').sort().join();
        this.count('methods', answer?.status === 405 && allow === [...allowed].sort().join(), probe, answer);
      }
    }
  }

  // ---- follow-up requests

  private async follow(operation: DocumentedOperation, request: ExampleRequest, answer: WireAnswer): Promise<void> {
    if (answer.headers['idempotent-replayed']) return;
    const created = answer.status === 201 ? (jsonOf(answer) as { id?: unknown } | undefined)?.id : undefined;
    if (operation.method === 'POST' && typeof created === 'string') {
      const reader = this.readerOf(operation.path);
      if (reader)
        await this.read(reader, { ...request.params, [lastParameter(reader.path)]: created }, 'availability', (status) => status === 200);
    }
    // A list that is emptied as a whole can still be read.
    if (operation.method === 'DELETE' && answer.status !== 202 && operation.path.includes('{')) {
      const reader = this.environment.document.operations.find(({ method, path }) => method === 'GET' && path === operation.path);
      if (reader) await this.read(reader, request.params, 'use after delete', (status, body) => status === 404 || isEnded(body));
    }
  }

  private readerOf(path: string): DocumentedOperation | undefined {
    return this.environment.document.operations.find(
      (op) =>
        op.method === 'GET' &&
        op.path.startsWith(`${path}/{`) &&
        op.path.slice(path.length + 1).endsWith('}') &&
        !op.path.slice(path.length + 1).includes('/'),
    );
  }

  private async read(
    reader: DocumentedOperation,
    params: Readonly<Record<string, string>>,
    check: Check,
    right: (status: number, body: unknown) => boolean,
  ): Promise<void> {
    const probe = this.caseOf(reader, check, { params, query: {}, headers: {}, body: undefined });
    const answer = await this.send(reader, probe);
    this.count(check, answer !== undefined && right(answer.status, jsonOf(answer)), probe, answer);
  }

  /** Collects ids from responses for later requests, except those of the credentials in use. */
  private harvest(answer: WireAnswer): void {
    for (const [, id = '', prefix = ''] of answer.body.toString('latin1').matchAll(/"((\w+):[0-9a-f]{8}-[0-9a-f-]{27})"/g)) {
      if (this.own.has(id)) continue;
      const known = this.seen.get(prefix) ?? [];
      this.seen.set(prefix, known);
      if (known.includes(id)) continue;
      if (known.length < 40) known.push(id);
      else known[this.random.int(0, known.length - 1)] = id;
    }
  }

  // ---- making requests

  private hint(name: string, schema: { readonly [keyword: string]: unknown }, random: Random): unknown {
    if (schema['enum'] || schema['properties'] || schema['oneOf'] || schema['type'] === 'array') return undefined;
    const kind = name === 'id' ? undefined : kindOfProperty(name);
    if (kind)
      return random.chance(0.85) ? (this.known(prefixOf(kind)) ?? unknownId(kind)) : random.pick([unknownId(kind), ...NAUGHTY.slice(0, 4)]);
    if (schema['type'] === 'string' && /currency/i.test(name) && random.chance(0.8)) return random.pick(['USD', 'USDB', 'EUR']);
    if (schema['type'] === 'string' && /country|nationality/i.test(name) && random.chance(0.8)) return random.pick(['US', 'DE', 'BR']);
    // Mostly an endpoint that answers and small steps of the clock: an advance over days of failing deliveries takes as long as
    // thousands of requests.
    if (name === 'webhookEndpoint')
      return random.chance(0.8)
        ? this.environment.receiver.url
        : random.pick(['https://hook.invalid/a', 'http://127.0.0.1:9/', 'ftp://x', 'x']);
    // Mostly a recent time, so that a replay does not resend all events.
    if (name === 'since' && random.chance(0.99)) return new Date(Date.now() - random.int(-1_000, 5_000)).toISOString();
    if (name === 'advanceMs' && random.chance(0.95)) return random.int(0, 100_000);
    if (name === 'now' && random.chance(0.95)) return new Date(Date.now() + random.int(-100_000, 100_000)).toISOString();
    return undefined;
  }

  private known(prefix: string): string | undefined {
    const ids = this.seen.get(prefix) ?? [];
    return ids.length > 0 ? this.random.pick(ids) : undefined;
  }

  private async renew(operation: DocumentedOperation): Promise<ExampleRequest> {
    await this.settle();
    if (operation.path.startsWith('/sandbox/snapshots')) await this.deleteSnapshots();
    // New records, because random requests may have changed the earlier ones.
    const example = await exampleOf(this.environment.document, operation, worldOf(this.client, this.environment));
    const sent = REPLACES_RECORDS.has(operation.id) ? { ...example, params: { name: 'unknown' }, body: { name: 'unknown' } } : example;
    this.examples.set(operation.id, sent);
    return sent;
  }

  /** A request that matches the document: an accepted one if there is one, with some parts generated again. */
  private fitting(operation: DocumentedOperation, anewShare = 0.6): ExampleRequest {
    const example: Partial<ExampleRequest> = this.examples.get(operation.id) ?? {};
    const params: Record<string, string> = {};
    const query: Record<string, string> = { ...example.query };
    for (const parameter of operation.parameters) {
      const { name } = parameter;
      // The token of a page and a device code are no ids: nothing but an example has one.
      if (parameter.in === 'path' && (name === 'token' || name === 'code'))
        params[name] = (this.random.chance(0.9) && example.params?.[name]) || newUuid();
      else if (parameter.in === 'path') {
        const kind = kindOfParameter(operation, name);
        params[name] = (this.random.chance(0.9) ? (this.known(prefixOf(kind)) ?? example.params?.[name]) : undefined) ?? unknownId(kind);
      }
      const wanted = this.random.chance(0.25) || (parameter.required && query[name] === undefined);
      if (parameter.in === 'query' && wanted) query[name] = String(this.generator.parameter(parameter, this.random));
    }
    const takesKey = operation.parameters.some(({ name }) => name === 'Idempotency-Key');
    const key = takesKey ? { 'idempotency-key': this.random.chance(0.9) ? newUuid() : 'again' } : {};
    const body = operation.body ? this.bodyOf(operation, example.body, anewShare) : example.body;
    return { params, query, headers: { ...example.headers, ...key }, body };
  }

  private bodyOf(operation: DocumentedOperation, example: unknown, anewShare: number): unknown {
    // A fault that is made up would cut the connections of the run.
    if (operation.id === 'setSandboxFaults') return example ?? { faults: [] };
    return example === undefined || this.random.chance(anewShare) ? this.generator.body(operation, this.random) : example;
  }

  private headersOf(request: ExampleRequest): Record<string, string | undefined> {
    return {
      authorization: this.client.authorization,
      ...(request.body === undefined ? {} : { 'content-type': 'application/json' }),
      ...request.headers,
    };
  }

  private caseOf(operation: DocumentedOperation, what: string, request: ExampleRequest, text?: string): Case {
    const body = request.body === undefined ? undefined : (text ?? wireBody(request.body));
    return this.raw(operation, what, request, this.headersOf(request), body);
  }

  /** Where an issuer or an agent is asked for, its credentials take the place of the platform's token. */
  private withCredentials(operation: DocumentedOperation, headers: SentHeaders, body: Buffer | string = ''): SentHeaders {
    if (headers['authorization'] !== this.client.authorization) return headers;
    const { authorization: _ofThePlatform, ...others } = headers;
    if (operation.permission === 'AGENT' && this.agent) return { authorization: this.agent.client.authorization, ...others };
    return operation.permission === 'ISSUER' && this.issuerKey ? { ...issuerHeaders(this.issuerKey, body), ...others } : headers;
  }

  private raw(operation: DocumentedOperation, what: string, request: ExampleRequest, headers: SentHeaders, body?: Buffer | string): Case {
    const target = targetOf(operation, request);
    const bytes = requestBytes(operation.method, BASE_PATH + target, this.withCredentials(operation, headers, body), body);
    return { what: `${operation.id}, ${what}`, bytes, method: operation.method, target, body: request.body };
  }

  // ---- sending and checking

  private async send(operation: DocumentedOperation | undefined, probe: Case): Promise<WireAnswer | undefined> {
    this.tally.sent += 1;
    this.sent += 1;
    if (!this.connection?.open) this.connection = await Connection.open(this.environment.service.url);
    let answer: WireAnswer;
    try {
      answer = await this.connection.exchange(probe.bytes, { headOnly: probe.method === 'HEAD', timeoutMs: 2 * budgetOf(operation) });
    } catch (error) {
      this.count('response time', false, probe, undefined, (error as Error).message);
      this.connection = undefined;
      return undefined;
    }
    const streaming = answer.headers['content-type']?.startsWith('text/event-stream');
    if (streaming || answer.headers['connection'] === 'close') this.connection.close();
    this.check(operation, probe, answer);
    if (operation?.id === 'sandboxUpdateExchangeRate') this.noteRate(answer);
    return answer;
  }

  private noteRate(answer: WireAnswer): void {
    if (answer.status !== 200 || answer.headers['idempotent-replayed']) return;
    const { currency, available } = jsonOf(answer) as { currency: string; available: boolean };
    this.moved.set(currency, available);
  }

  private check(operation: DocumentedOperation | undefined, probe: Case, answer: WireAnswer): void {
    const { status, headers } = answer;
    const listed = operation?.codes.has(status) ?? false;
    const text = answer.body.toString('utf8');
    const { code = '' } = (status >= 400 ? (jsonOf(answer) as { code?: string } | undefined) : undefined) ?? {};
    // 501 is a documented refusal, and so is a quote in a currency whose rate was taken away. Every other status from 500 is a server error.
    const isRefusal =
      (status === 501 && (listed || !operation)) || (code === 'QUOTE_REQUEST_FAILED' && [...this.moved.values()].includes(false));
    this.count('not a server error', status < 500 || isRefusal, probe, answer);
    this.count('response time', answer.ms < budgetOf(operation), probe, answer);
    if (probe.method === 'HEAD') return;
    if (operation) this.tally.reached.add(`${operation.id} ${status} ${code}`);
    if (status >= 400) this.checkError(operation, probe, answer);
    if (!operation) return;
    const missing = (operation.headers.get(status) ?? []).filter((name) => headers[name.toLowerCase()] === undefined);
    this.count('headers', missing.length === 0, probe, answer, missing.join());
    try {
      this.environment.service.contract.check(operation.method, probe.target, status, headers['content-type'] ?? null, text);
      this.count('schema', true, probe);
    } catch (error) {
      this.count('schema', false, probe, answer, (error as Error).message);
    }
  }

  private checkError(operation: DocumentedOperation | undefined, probe: Case, answer: WireAnswer): void {
    // A page for browsers says it in words. Whether the operation has one is checked with its media types.
    if (answer.headers['content-type']?.startsWith('text/html')) return;
    const body = jsonOf(answer) as { code?: string; reason?: unknown } | undefined;
    const known = ERRORS[body?.code as ErrorCode];
    const shaped = known?.status === answer.status && typeof body?.reason === 'string' && answer.headers['x-request-id'] !== undefined;
    this.count('error shape', shaped, probe, answer);
    if (operation && body?.code) this.count('documented', operation.codes.get(answer.status)?.includes(body.code) ?? false, probe, answer);
  }

  private count(check: Check, holds: boolean, probe: Case, answer?: WireAnswer, why = ''): void {
    this.tally.trials[check] += 1;
    if (holds || this.tally.failures[check].length >= 200) return;
    const got = answer ? `${answer.status} ${answer.body.toString('utf8').slice(0, 400)}` : 'no answer';
    const sent = probe.bytes.toString('utf8').replaceAll(this.client.authorization, '…');
    this.tally.failures[check].push(
      `${probe.what} (seed ${this.random.seed})\n    sent ${JSON.stringify(sent.slice(0, 900))}\n    got  ${got} ${why.slice(0, 500)}`,
    );
  }

  /** Resets clock, configuration and rates, so that most operations can succeed. */
  private async settle(): Promise<void> {
    await expectStatus(200, this.client.put('/sandbox/clock', { now: new Date().toISOString(), frozen: false }));
    const config = {
      supportedCurrencies: this.currencies,
      webhookEndpoint: this.environment.receiver.url,
      cardConfigs: { maxSpendPerTransaction: null, maxSpendPerDay: null, maxTransactionsPerDay: null },
      embeddedWalletConfig: { otpLength: 6, alphanumeric: false, expirationSeconds: 300 },
    };
    await expectStatus(200, this.client.patch('/config', config));
    for (const currency of this.moved.keys())
      await expectStatus(200, this.client.put('/sandbox/exchange-rates', { currency, perUsd: null, available: true }));
    this.moved.clear();
  }

  /** A platform keeps few snapshots, and random requests make more than they delete. */
  private async deleteSnapshots(): Promise<void> {
    const { data } = await expectStatus(200, this.client.get('/sandbox/snapshots'));
    for (const { name } of data) await expectStatus(204, this.client.delete(`/sandbox/snapshots/${name}`));
  }
}

/** An invalid request is refused with 400, or with 413 for its size. */
const isRefused = (answer: WireAnswer | undefined): boolean => answer?.status === 400 || answer?.status === 413;

/** Whether the error names a field, a cause or a specific code. */
function namesReason(answer: WireAnswer): boolean {
  const { code, details } = jsonOf(answer) as { code?: string; details?: { errors?: readonly unknown[]; cause?: string } };
  return code !== 'INVALID_INPUT' || (details?.errors?.length ?? 0) > 0 || details?.cause !== undefined;
}

const jsonOf = (answer: WireAnswer): unknown => {
  try {
    return JSON.parse(answer.body.toString('utf8'));
  } catch {
    return undefined;
  }
};

/** Whether a record that is kept after its deletion shows a final status. */
const isEnded = (body: unknown): boolean => {
  const { status, isDeleted } = (body ?? {}) as { status?: unknown; isDeleted?: unknown };
  return isDeleted === true || ['REVOKED', 'CLOSED', 'INACTIVE'].includes(String(status));
};

const lastParameter = (path: string): string => /\{(\w+)\}$/.exec(path)?.[1] ?? '';
const matches = (path: string, target: string): boolean => new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(target);

/** Paths of all texts in a body. */
function textsIn(value: unknown, at: readonly string[] = []): string[][] {
  if (typeof value === 'string') return [[...at]];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => textsIn(inner, [...at, name]));
}

/** A field, whatever its place in a list. */
const nameOf = (place: readonly string[]): string => place.map((part) => (/^\d+$/.test(part) ? '0' : part)).join('.');

/** A copy with another value at one path. */
function replaced(body: unknown, place: readonly string[], value: unknown): unknown {
  const copy = structuredClone({ body });
  put(copy, ['body', ...place], value);
  return copy.body;
}

function put(holder: Record<string, unknown>, [first = '', ...rest]: readonly string[], value: unknown): void {
  if (rest.length === 0) holder[first] = value;
  else put(holder[first] as Record<string, unknown>, rest, value);
}
