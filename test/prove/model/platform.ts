// Histories of a platform's administration: tokens and their permissions, the configuration, and sessions of the console.
import { randomUUID } from 'node:crypto';
import { request as exchange } from 'undici';
import { type Answer, expectStatus } from '../../support/client.js';
import type { Command } from './history.js';
import { keyed, PlatformWorld, type Resource, requestIdOf, wire } from './platform-world.js';

type Token = {
  readonly id: string;
  readonly clientId: string;
  readonly secret: string;
  readonly name: string;
  readonly permissions: readonly string[];
  readonly at: number;
  isDeleted: boolean;
};
/** A browser that is signed in, or was. */
type Session = { readonly cookie: string; readonly token: Token; isOpen: boolean };
type Json = { [member: string]: Resource };

export class PlatformHistory extends PlatformWorld {
  private readonly tokens: Token[] = [];
  private readonly sessions: Session[] = [];
  private config: Json = {};

  override commands(): Readonly<Record<string, Command>> {
    return {
      customer: [4, () => this.customer()],
      remove: [1, () => this.remove()],
      fund: [3, () => this.fund()],
      advance: [4, () => this.advance()],
      token: [7, () => this.token()],
      tokens: [4, () => this.listTokens()],
      dropToken: [4, () => this.dropToken()],
      callAs: [10, () => this.callAs()],
      config: [7, () => this.patch()],
      wrongConfig: [3, () => this.wrongPatch()],
      endpoint: [3, () => this.setEndpoint()],
      events: [3, () => this.events()],
      requests: [5, () => this.requests()],
      signIn: [6, () => this.signIn()],
      wrongSignIn: [2, () => this.wrongSignIn()],
      session: [5, () => this.session()],
      door: [9, () => this.door()],
      tab: [2, () => this.tab()],
      signOut: [2, () => this.signOut()],
    };
  }

  protected override async prepare(): Promise<void> {
    await super.prepare();
    const { id, name, permissions, createdAt } = await expectStatus(200, this.platform.get(`/tokens/${this.firstToken}`));
    const { tokenId: clientId, secret } = this.platform;
    this.tokens.push({ id, clientId, secret, name, permissions, at: Date.parse(createdAt), isDeleted: false });
    this.config = await expectStatus(200, this.platform.get('/config'));
  }

  // ---- tokens

  private get live(): Token[] {
    return this.tokens.filter(({ isDeleted }) => !isDeleted);
  }
  /** Of the callers that may do it, or, sometimes, any. */
  private caller(operation: string): Token {
    const able = this.live.filter(({ permissions }) => this.mayCall(permissions, operation));
    return this.random.pick(this.random.chance(0.7) ? able : this.tokens);
  }
  private refusalOf({ isDeleted, permissions }: Token, operation: string): readonly [number, 'UNAUTHORIZED' | 'FORBIDDEN'] | undefined {
    if (isDeleted) return [401, 'UNAUTHORIZED'];
    return this.mayCall(permissions, operation) ? undefined : [403, 'FORBIDDEN'];
  }

  /** "Create an API token with permissions that the caller holds; its secret is shown once, and never to a repeat of the request" */
  private async token(): Promise<void> {
    const by = this.caller('createToken');
    const permissions = ['VIEW', 'TRANSACT', 'MANAGE'].filter(() => this.random.chance(0.5));
    const name = this.random.pick(['reader', 'shop', 'office']);
    const key = randomUUID();
    const send = () => this.clientOf(by).post('/tokens', { name, permissions }, keyed(key));
    const answer = await send();
    this.note('token', by.permissions, 'gives', permissions);
    const refusal = this.refusalOf(by, 'createToken');
    if (refusal) return this.agree(answer, refusal);
    if (permissions.length === 0) return this.agree(answer, [400, 'INVALID_INPUT']);
    if (permissions.includes('TRANSACT') && !by.permissions.includes('TRANSACT')) return this.agree(answer, [403, 'FORBIDDEN']);
    this.agree(answer, 201);
    const { id, clientId, clientSecret } = answer.body;
    const token: Token = { id, clientId, secret: clientSecret, name, permissions, at: this.now, isDeleted: false };
    this.tokens.push(token);
    const { clientSecret: _shownOnce, ...shown } = answer.body;
    this.same(await expectStatus(200, this.platform.get(`/tokens/${id}`)), shown, 'the token, without its secret');
    this.same(shown, tokenShown(token), 'the token');
    if (this.random.chance(0.6)) return;
    const again = await send();
    this.agree(again, [409, 'CONFLICT']);
    this.same([again.body.details.tokenId, again.text.includes(clientSecret)], [id, false], 'the repeat names the token');
  }

  /** Newest first, by name and by the time of their creation. */
  private async listTokens(): Promise<void> {
    const { name, at } = this.random.pick(this.tokens);
    const filters: Record<string, (token: Token) => boolean> = {
      '': () => true,
      [`?name=${name}`]: (token) => token.name === name,
      [`?createdAfter=${wire(at)}`]: (token) => token.at >= at,
      [`?createdBefore=${wire(at)}&name=${name}`]: (token) => token.at <= at && token.name === name,
    };
    const [filter, matches] = this.random.pick(Object.entries(filters));
    this.note('tokens', filter.split('=')[0]);
    const listed = await this.listed(`/tokens${filter}`, this.random.pick([2, 100]));
    this.same(listed, this.live.filter(matches).map(tokenShown).reverse(), `tokens ${filter}`);
  }

  /** "A platform always keeps a usable token with MANAGE." The first token is the one of the history, and is tried only when it must stay. */
  private async dropToken(): Promise<void> {
    const [first, ...others] = this.tokens as [Token, ...Token[]];
    const isLast = !others.some(({ isDeleted, permissions }) => !isDeleted && permissions.includes('MANAGE'));
    const target = isLast && this.random.chance(0.5) ? first : this.any(others);
    if (!target) return;
    const by = this.caller('deleteTokenById');
    const answer = await this.clientOf(by).delete(`/tokens/${target.id}`);
    this.note('dropToken', target.permissions, 'by', by === target ? 'itself' : by.permissions);
    const refusal = this.refusalOf(by, 'deleteTokenById');
    if (refusal) return this.agree(answer, refusal);
    if (target.isDeleted) return this.agree(answer, [404, 'TOKEN_NOT_FOUND']);
    if (target === first) return this.agree(answer, [400, 'INVALID_INPUT']);
    this.agree(answer, 204);
    target.isDeleted = true;
    // "A session … has the permissions of the token that opened it and ends with that token."
    for (const session of this.sessions) if (session.token === target) session.isOpen = false;
    this.agree(await this.platform.get(`/tokens/${target.id}`), [404, 'TOKEN_NOT_FOUND']);
  }

  /** A call with the permissions of some token, which may be deleted. */
  private async callAs(): Promise<void> {
    const token = this.random.pick(this.tokens);
    const client = this.clientOf(token);
    const person = this.any(this.present);
    const kind = this.random.pick(['getPlatformConfig', 'updatePlatformConfig', 'sandboxFundInternalAccount', 'createCustomer'] as const);
    if (!person) return;
    this.note('callAs', token.permissions, token.isDeleted ? 'deleted' : '', kind);
    const refusal = this.refusalOf(token, kind);
    const fields = this.newFields();
    const answer = await {
      getPlatformConfig: () => client.get('/config'),
      updatePlatformConfig: () => client.patch('/config', {}),
      sandboxFundInternalAccount: () => client.post(`/sandbox/internal-accounts/${person.account}/fund`, { amount: 7 }),
      createCustomer: () => client.post('/customers', { customerType: 'INDIVIDUAL', ...fields }),
    }[kind]();
    if (refusal) return this.agree(answer, refusal);
    this.agree(answer, kind === 'createCustomer' ? 201 : 200);
    if (kind === 'sandboxFundInternalAccount') await this.funded(person, 7, requestIdOf(answer));
    else if (kind === 'createCustomer') await this.enter(answer.body.id, fields, requestIdOf(answer));
    else {
      if (kind === 'updatePlatformConfig') this.config['updatedAt'] = wire(this.now);
      this.same(sortedFees(answer.body), sortedFees(this.config), 'the configuration');
    }
    await this.deliver();
  }

  // ---- configuration

  /** "PATCH merges; omitted nested fields stay; null clears `cardConfigs` limits … `feeConfigs` upsert by key" */
  private async patch(): Promise<void> {
    const patch: Json = {};
    const maybe = () => this.random.chance(0.4);
    if (maybe()) patch['umaDomain'] = `m${this.random.int(1, 9)}.${this.platform.tokenId}.example`;
    if (maybe()) patch['embeddedWalletConfig'] = this.some({ appName: ['Shop', 'Bank'], otpLength: [4, 8], alphanumeric: [true, false] });
    if (maybe()) patch['cardConfigs'] = this.some({ maxSpendPerDay: [5, 9, null], maxTransactionsPerDay: [3, null] });
    if (maybe())
      patch['cardTokenization2faConfig'] = {
        ...this.some({ displayName: ['Shop', 'Bank'] }),
        email: this.some({ fromName: ['A', 'B'], subject: ['Hello', 'Code'] }),
      };
    if (maybe()) patch['feeConfigs'] = [this.someFee()];
    if (maybe()) patch['supportedCurrencies'] = ['USD', 'USDB'].map((code) => currency(code, this.random.int(1, 5), 100_000));
    const answer = await this.platform.patch('/config', patch);
    this.note('config', JSON.stringify(patch));
    this.agree(answer, 200);
    const fees = new Map((this.config['feeConfigs'] ?? []).map((fee: Json) => [feeKey(fee), fee]));
    for (const fee of patch['feeConfigs'] ?? [])
      if (fee.variableFeeBps === 0 && fee.fixedFee.amount === 0) fees.delete(feeKey(fee));
      else fees.set(feeKey(fee), fee);
    this.config = {
      ...(merged(this.config, patch) as Json),
      ...((patch['feeConfigs'] || this.config['feeConfigs']) && { feeConfigs: [...fees.values()] }),
      updatedAt: wire(this.now),
    };
    this.same(sortedFees(answer.body), sortedFees(this.config), 'the answer');
    this.same(sortedFees(await expectStatus(200, this.platform.get('/config'))), sortedFees(this.config), 'the configuration');
  }

  private some(choices: Readonly<Record<string, readonly unknown[]>>): Json {
    return Object.fromEntries(
      Object.entries(choices).flatMap(([name, values]) => (this.random.chance(0.6) ? [[name, this.random.pick(values)]] : [])),
    );
  }
  private someFee(): Json {
    const fee = { variableFeeBps: this.random.pick([0, 25]), fixedFee: { amount: this.random.pick([0, 30]), currency: 'USD' } };
    if (this.random.chance(0.4)) return { feeType: 'CROSS_CURRENCY_TRANSACTION', ...fee, sourceCurrency: 'USD' };
    return { feeType: 'RAIL', ...fee, rail: this.random.pick(['ACH', 'WIRE']), direction: 'OUT', originator: 'GRID' };
  }

  /** Bad input changes nothing. */
  private async wrongPatch(): Promise<void> {
    const fee = { variableFeeBps: 1, fixedFee: { amount: 0, currency: 'USD' } };
    const [patch, status, code] = this.random.pick([
      [{ webhookEndpoint: 'ftp://127.0.0.1/' }, 400, 'INVALID_INPUT'],
      [{ webhookEndpoint: 'http://10.0.0.1/' }, 400, 'INVALID_INPUT'],
      [{ supportedCurrencies: [currency('USD', 9, 8)] }, 400, 'INVALID_INPUT'],
      [{ supportedCurrencies: [currency('USD', 1, 8), currency('USD', 1, 8)] }, 400, 'INVALID_INPUT'],
      [{ cardConfigs: { maxSpendPerDay: 0 } }, 400, 'INVALID_INPUT'],
      [{ feeConfigs: [{ feeType: 'CROSS_CURRENCY_TRANSACTION', ...fee, sourceCurrency: 'EUR' }] }, 400, 'INVALID_INPUT'],
      [{ feeConfigs: [{ feeType: 'RAIL', ...fee, rail: 'SEPA', direction: 'OUT', originator: 'GRID' }] }, 501, 'NOT_IMPLEMENTED'],
    ] as const);
    this.agree(await this.platform.patch('/config', patch), [status, code]);
    this.note('wrongConfig', JSON.stringify(patch));
    this.same(sortedFees(await expectStatus(200, this.platform.get('/config'))), sortedFees(this.config), 'the configuration');
  }

  /** "A TEST event is sent when the endpoint is changed." */
  private async setEndpoint(url = `${this.receiver.url}/${this.random.int(1, 3)}`): Promise<void> {
    const answer = await this.platform.patch('/config', { webhookEndpoint: url });
    this.note('endpoint', url.slice(-1));
    this.agree(answer, 200);
    const isChanged = this.endpoint !== url;
    this.endpoint = url;
    this.config = { ...this.config, webhookEndpoint: url, updatedAt: wire(this.now) };
    if (isChanged) await this.learn(requestIdOf(answer), [{ type: 'TEST' }]);
    await this.deliver();
  }

  // ---- the console

  /** A call of the console's page, or, with other headers, of somebody else. */
  private async page(method: 'GET' | 'POST' | 'DELETE', path: string, headers: Record<string, string>, body?: unknown): Promise<Answer> {
    const own = { 'x-switchyard-console': '1', 'sec-fetch-site': 'same-origin', origin: this.service.url };
    const answer = await exchange(`${this.service.url}/console${path}`, {
      method,
      headers: { ...own, ...headers, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await answer.body.text();
    const names = Object.entries(answer.headers).flatMap(([name, value = []]) =>
      [value].flat().map((one): [string, string] => [name, one]),
    );
    return { status: answer.statusCode, text, headers: new Headers(names), body: text.startsWith('{') ? JSON.parse(text) : undefined };
  }

  /** A call through the door of the console, which runs the operations of the API for the session. */
  private async atDoor({ cookie, token }: Session, method: 'GET' | 'POST', path: string, body?: unknown): Promise<Answer> {
    const answer = await this.page(method, `/api${path}`, { cookie }, body);
    this.service.contract.check(method, path, answer.status, answer.headers.get('content-type'), answer.text);
    this.keep(method, path, answer, { token: token.id, isConsole: true });
    return answer;
  }

  /** With the credentials of a token, or with a code that "signs in once, within 15 minutes, as that token". */
  private async signIn(): Promise<void> {
    const token = this.random.pick(this.tokens);
    const withCode = this.random.chance(0.5);
    this.note('signIn', withCode ? 'code' : 'secret', token.isDeleted ? 'deleted' : token.permissions);
    let credentials: Json = { tokenId: token.clientId, secret: token.secret };
    if (withCode) {
      const authorization = `Basic ${Buffer.from(`${token.clientId}:${token.secret}`).toString('base64')}`;
      const given = await exchange(`${this.service.url}/console/codes`, { method: 'POST', headers: { authorization } });
      const body = (await given.body.json()) as Resource;
      this.same(given.statusCode, token.isDeleted ? 401 : 201, 'a code for the token');
      if (token.isDeleted) return;
      credentials = { code: body.code };
    }
    const answer = await this.page('POST', '/session', {}, credentials);
    if (token.isDeleted) return this.agree(answer, [401, 'UNAUTHORIZED']);
    this.agree(answer, 204);
    const session: Session = { cookie: answer.headers.getSetCookie()[0]?.split(';')[0] as string, token, isOpen: true };
    this.sessions.push(session);
    await this.compareSession(session);
    if (withCode) this.agree(await this.page('POST', '/session', {}, credentials), [401, 'UNAUTHORIZED']);
  }

  private async wrongSignIn(): Promise<void> {
    const { clientId, secret } = this.random.pick(this.tokens);
    const [credentials, status, code] = this.random.pick([
      [{ tokenId: clientId, secret: `${secret}x` }, 401, 'UNAUTHORIZED'],
      [{ tokenId: 'nobody', secret }, 401, 'UNAUTHORIZED'],
      [{ code: 'x'.repeat(64) }, 401, 'UNAUTHORIZED'],
      [{ tokenId: clientId }, 400, 'INVALID_INPUT'],
    ] as const);
    this.note('wrongSignIn', Object.keys(credentials), status);
    this.agree(await this.page('POST', '/session', {}, credentials), [status, code]);
    // Only the page itself may sign in.
    const foreign = await this.page('POST', '/session', { origin: 'https://evil.example' }, { tokenId: clientId, secret });
    this.agree(foreign, [403, 'FORBIDDEN']);
  }

  private async session(): Promise<void> {
    const session = this.any(this.sessions);
    if (!session) return;
    this.note('session', session.isOpen ? 'open' : 'ended');
    await this.compareSession(session);
  }

  private async compareSession({ cookie, token, isOpen }: Session): Promise<void> {
    const answer = await this.page('GET', '/session', { cookie });
    if (!isOpen) return this.agree(answer, [401, 'UNAUTHORIZED']);
    this.agree(answer, 200);
    const { platformName: _name, version: _version, ...shown } = answer.body;
    const { id: tokenId, name: tokenName, permissions } = token;
    this.same(shown, { tokenName, tokenId, permissions, now: wire(this.now), isSandbox: true, access: 'on' }, 'the session');
  }

  /** "The same operation as the public path, with the permissions of the token that opened the session" */
  private async door(): Promise<void> {
    const session = this.any(this.sessions);
    if (!session) return;
    const kind = this.random.pick(['getPlatformConfig', 'listWebhookSigningSecrets', 'createCustomer', 'createToken'] as const);
    this.note('door', kind, session.isOpen ? session.token.permissions : 'ended');
    const refusal = this.refusalOf({ ...session.token, isDeleted: !session.isOpen }, kind);
    const fields = this.newFields();
    const answer = await {
      getPlatformConfig: () => this.atDoor(session, 'GET', '/config'),
      listWebhookSigningSecrets: () => this.atDoor(session, 'GET', '/webhooks/signing-secrets'),
      createCustomer: () => this.atDoor(session, 'POST', '/customers', { customerType: 'INDIVIDUAL', ...fields }),
      createToken: () => this.atDoor(session, 'POST', '/tokens', { name: 'page', permissions: ['VIEW'] }),
    }[kind]();
    // "The public path never reads the cookie; the door never takes other credentials", and only the page may call.
    const { authorization } = this.platform;
    this.agree(await this.page('GET', '/api/config', { authorization }), [401, 'UNAUTHORIZED']);
    this.agree(await this.page('GET', '/api/config', { cookie: session.cookie, 'sec-fetch-site': 'cross-site' }), [403, 'FORBIDDEN']);
    if (refusal) return this.agree(answer, refusal);
    if (kind === 'getPlatformConfig') {
      this.agree(answer, 200);
      return this.same(sortedFees(answer.body), sortedFees(this.config), 'the configuration');
    }
    if (kind === 'listWebhookSigningSecrets') {
      this.agree(answer, 200);
      return this.same(answer.body, (await this.platform.get('/webhooks/signing-secrets')).body, 'the same answer as on the public path');
    }
    this.agree(answer, 201);
    if (kind === 'createCustomer') {
      await this.enter(answer.body.id, fields, requestIdOf(answer));
      return this.deliver();
    }
    const { id, clientId, clientSecret: secret } = answer.body;
    this.tokens.push({ id, clientId, secret, name: 'page', permissions: ['VIEW'], at: this.now, isDeleted: false });
  }

  /** "A tab has one stream, with events, attempts to deliver them, requests and the clock." The clock comes first. */
  private async tab(): Promise<void> {
    const session = this.any(this.sessions);
    if (!session) return;
    this.note('tab', session.isOpen ? 'open' : 'ended');
    const headers = { 'x-switchyard-console': '1', cookie: session.cookie };
    const { statusCode, body } = await exchange(`${this.service.url}/console/api/live`, { headers });
    this.same(statusCode, session.isOpen ? 200 : 401, 'the stream of a tab');
    let text = '';
    for await (const chunk of body.setEncoding('utf8')) {
      text += chunk;
      if (/\ndata: .*\n\n/.test(text)) break;
    }
    body.on('error', () => undefined).destroy();
    if (!session.isOpen) return;
    const [, event, data] = /event: (\w+)\ndata: (.*)\n/.exec(text) ?? [];
    this.same([event, JSON.parse(data ?? 'null')], ['clock', { now: wire(this.now), frozen: true }], 'its first message');
  }

  private async signOut(): Promise<void> {
    const session = this.any(this.sessions);
    if (!session) return;
    this.note('signOut', session.isOpen ? 'open' : 'ended');
    this.agree(await this.page('DELETE', '/session', { cookie: session.cookie }), 204);
    session.isOpen = false;
    await this.compareSession(session);
  }

  protected override async finish(): Promise<void> {
    await super.finish();
    for (const session of this.sessions) await this.compareSession(session);
    this.same(await this.listed('/tokens', 100), this.live.map(tokenShown).reverse(), 'the tokens');
  }
}

const tokenShown = ({ id, name, permissions, clientId, at }: Token) => ({
  id,
  name,
  permissions,
  clientId,
  createdAt: wire(at),
  updatedAt: wire(at),
});

const currency = (currencyCode: string, minAmount: number, maxAmount: number) => ({
  currencyCode,
  minAmount,
  maxAmount,
  requiredCounterpartyFields: [],
  enabledTransactionTypes: ['INCOMING', 'OUTGOING'],
});

const feeKey = ({ feeType, sourceCurrency, rail, direction, originator }: Json): string =>
  [feeType, sourceCurrency, rail, direction, originator].join();

/** The order of fees is not defined. */
const sortedFees = ({ feeConfigs, ...config }: Json): Json => ({
  ...config,
  ...(feeConfigs && { feeConfigs: [...feeConfigs].sort((a: Json, b: Json) => (feeKey(a) < feeKey(b) ? -1 : 1)) }),
});

const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value);

/** Objects merge member by member, and null clears a member. */
function merged(base: unknown, patch: unknown): unknown {
  if (!isObject(base) || !isObject(patch)) return patch;
  const all = Object.entries(patch).map(([name, value]): [string, unknown] => [
    name,
    isObject(value) ? merged(base[name] ?? {}, value) : value,
  ]);
  return Object.fromEntries(Object.entries({ ...base, ...Object.fromEntries(all) }).filter(([, value]) => value !== null));
}
