// The console: its files, its session, and the door through which its page calls the operations of the API. The public API never sees the
// cookie, and the door never takes other credentials.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ApiError, invalidField } from '../kernel/errors.js';
import type { PlatformId, TokenId } from '../kernel/ids.js';
import { decodeUtf8, isJsonObject, parseJson } from '../kernel/json.js';
import { authenticate, authorize, credentialsOf, type LoginOptions } from './authenticate.js';
import { JSON_HEADER } from './error-boundary.js';
import { STREAM_HEADERS } from './event-stream.js';
import { type Access, type Caller, PERMISSIONS, type Permission } from './operation.js';
import { encodingOf, type StaticText, sendStatic, staticText } from './static-text.js';

export const CONSOLE_PATH = '/console';
export const DOCS_PATH = '/docs';
const DOOR = `${CONSOLE_PATH}/api/`;
const LIVE = `${DOOR}live`;
const SESSION = `${CONSOLE_PATH}/session`;
const CODES = `${CONSOLE_PATH}/codes`;
const ASSETS = `${CONSOLE_PATH}/assets/`;
const COOKIE = 'switchyard_console';
/** The token that a page shows as signed in. All tabs of a browser have one cookie, and another tab may have signed in with another token. */
const SHOWN_TOKEN = 'x-switchyard-console-token';
const LIFE_SECONDS = 12 * 3_600;

export type ConsoleSession = Caller & { readonly platformName: string; readonly tokenName: string };

export type SandboxToken = {
  readonly tokenId: TokenId;
  readonly clientId: string;
  readonly secret: string;
  readonly baseUrl: string;
};

export type ConsoleOptions = {
  readonly access: 'on' | 'read-only';
  readonly isSandbox: boolean;
  readonly version: string;
  readonly publicUrl: string | undefined;
  /** Where the built files are. */
  readonly files: string;
  /** The token of the start message, in sandbox; known once the service has started. */
  readonly sandboxToken: () => SandboxToken | undefined;
  readonly sessions: {
    open(caller: Caller): Promise<string>;
    openWithCode(code: string): Promise<string | undefined>;
    /** A code that opens one session. */
    newCode(caller: Caller): Promise<{ readonly code: string; readonly expiresAt: Date }>;
    find(cookie: string): Promise<ConsoleSession | undefined>;
    isOpen(cookie: string): Promise<boolean>;
    close(cookie: string): Promise<void>;
  };
  /** The stream of a tab: what happens on the platform. */
  readonly live: (reader: {
    readonly platformId: PlatformId;
    readonly last: string | undefined;
    readonly isAllowed: () => Promise<boolean>;
  }) => Promise<Readable>;
};

/** The style of a page is in the page: the policy names its hash and allows no other. */
const policyOf = (style: string): string =>
  `default-src 'none'; script-src 'self'; style-src ${style}; img-src 'self' data:; font-src 'self'; connect-src 'self'; base-uri 'none'; ` +
  "form-action 'self'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'";

const headersOf = (style: string) => ({
  'content-security-policy': policyOf(style),
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
});
const FILE_HEADERS = headersOf("'none'");

// ---- the door

/** Requests that came in under the path of the console. */
const atTheDoor = new WeakSet<IncomingMessage>();

/** A request under the console's path is routed like one of the API, and remembered as the console's. The stream of a tab is its own. */
export function consoleRewrite(basePath: string): (request: IncomingMessage) => string {
  return (request) => {
    const url = request.url ?? '/';
    if (!url.startsWith(DOOR)) return url;
    atTheDoor.add(request);
    if (url === LIVE) return url;
    return `${basePath}/${url.slice(DOOR.length)}`;
  };
}

export const isAtTheDoor = (request: IncomingMessage): boolean => atTheDoor.has(request);

/** The caller of an operation that the console's page calls, and what refuses the call when it is noted and counted. */
export async function callerAtTheDoor(
  request: FastifyRequest,
  permission: Access,
  { access, sessions }: ConsoleOptions,
): Promise<{ readonly caller: Caller; authorize(): void }> {
  // Issuers, agents and end users have no page here.
  if (!isOfTokens(permission)) throw new ApiError('NOT_FOUND');
  const { platformId, tokenId, permissions, now } = await sessionOf(request, sessions);
  const caller = { platformId, tokenId, permissions, now };
  return {
    caller,
    authorize() {
      if (access === 'read-only' && request.method !== 'GET')
        throw new ApiError('FORBIDDEN', { cause: 'CONSOLE_READ_ONLY' }, { reason: 'This console is read-only.' });
      authorize(caller, permission);
    },
  };
}

const isOfTokens = (permission: Access): permission is Permission => (PERMISSIONS as readonly string[]).includes(permission);

async function sessionOf(request: FastifyRequest, sessions: ConsoleOptions['sessions']): Promise<ConsoleSession> {
  const cookie = cookieOf(request);
  const session = cookie === undefined ? undefined : await sessions.find(cookie);
  const shown = request.headers[SHOWN_TOKEN];
  if (!session || (shown !== undefined && shown !== session.tokenId))
    throw new ApiError('UNAUTHORIZED', { cause: 'CONSOLE_SESSION_ENDED' }, { reason: 'Sign in to the console.' });
  return session;
}

function cookieOf({ headers }: FastifyRequest): string | undefined {
  for (const part of (headers.cookie ?? '').split(';')) {
    const [name, value] = part.trim().split('=', 2);
    if (name === COOKIE && value) return value;
  }
  return undefined;
}

/**
 * What the samples of the reference may show to this visitor: the token of the start message, and only to whoever is signed in with it.
 * Of other tokens the service knows no secret.
 */
export async function shownToken(request: FastifyRequest, { sandboxToken, sessions }: ConsoleOptions): Promise<SandboxToken | undefined> {
  const [cookie, token] = [cookieOf(request), sandboxToken()];
  const session = cookie !== undefined && token ? await sessions.find(cookie) : undefined;
  return session && session.tokenId === token?.tokenId ? token : undefined;
}

const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d+)?$/i;

/**
 * Refuses what another page, or a name that was pointed at this address, could have made the browser send. `Sec-Fetch-Site` is missing in
 * old browsers and other programs; the header of the page's own calls cannot be set across origins without a question to the server.
 */
function requireOwnPage(request: FastifyRequest, publicUrl: string | undefined): void {
  const { host = '', origin } = request.headers;
  const site = request.headers['sec-fetch-site'];
  const isOwnHost = LOOPBACK.test(host) || (publicUrl !== undefined && host === new URL(publicUrl).host);
  const isOwnOrigin = request.method === 'GET' ? true : origin !== undefined && originHost(origin) === host;
  if (!isOwnHost || (site !== undefined && site !== 'same-origin') || request.headers['x-switchyard-console'] !== '1' || !isOwnOrigin)
    throw new ApiError('FORBIDDEN', { cause: 'CONSOLE_ORIGIN' }, { reason: 'Only the page of the console may call this.' });
}

const originHost = (origin: string): string | undefined => (URL.canParse(origin) ? new URL(origin).host : undefined);

// ---- the session

const BODY_MAX = 8 * 1024;

function credentialsIn(body: unknown): { readonly code: string } | { readonly tokenId: string; readonly secret: string } {
  const read = Buffer.isBuffer(body) && body.length <= BODY_MAX ? readJson(body) : undefined;
  const { code, tokenId, secret } = isJsonObject(read) ? read : {};
  if (typeof code === 'string') return { code };
  if (typeof tokenId === 'string' && typeof secret === 'string') return { tokenId, secret };
  throw invalidField('', 'takes tokenId and secret, or code');
}

function readJson(bytes: Buffer): unknown {
  try {
    return parseJson(decodeUtf8(bytes));
  } catch {
    return undefined;
  }
}

/** `countRequest` refuses whoever has sent too many requests. A code was counted when it was given. */
type SignInOptions = LoginOptions & { countRequest(platformId: PlatformId, tokenId: TokenId): void | Promise<void> };

const wrongCredentials = () =>
  new ApiError('UNAUTHORIZED', { cause: 'INVALID_CREDENTIALS' }, { reason: 'The credentials were not accepted.' });

async function signIn(request: FastifyRequest, { sessions }: ConsoleOptions, login: SignInOptions): Promise<string> {
  const credentials = credentialsIn(request.body);
  if ('code' in credentials) {
    const cookie = await sessions.openWithCode(credentials.code);
    if (cookie === undefined)
      throw new ApiError('UNAUTHORIZED', { cause: 'CONSOLE_CODE' }, { reason: 'The link was used or has expired.' });
    return cookie;
  }
  const { tokenId, secret } = credentials;
  if (tokenId === '' || tokenId.includes(':')) throw wrongCredentials();
  const header = `Basic ${Buffer.from(`${tokenId}:${secret}`).toString('base64')}`;
  const caller = await authenticate(header, request.ip, login).catch((error: unknown) => {
    throw error instanceof ApiError && error.status === 401 ? wrongCredentials() : error;
  });
  await login.countRequest(caller.platformId, caller.tokenId);
  return sessions.open(caller);
}

// ---- files

type Served = { readonly type: string; readonly plain: Buffer; readonly br: Buffer | undefined; readonly gzip: Buffer | undefined };

const TYPES: Readonly<Record<string, string>> = {
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml',
  woff2: 'font/woff2',
  txt: 'text/plain; charset=utf-8',
};

/** Everything that was built, by name. The files are small and few. */
function readFiles(folder: string): ReadonlyMap<string, Served> {
  const names = existsSync(folder) ? readdirSync(folder) : [];
  const optional = (name: string) => (names.includes(name) ? readFileSync(join(folder, name)) : undefined);
  return new Map(
    names
      .filter((name) => !/\.(?:br|gz|map|json|html)$/.test(name))
      .map((name) => [
        name,
        {
          type: TYPES[name.slice(name.lastIndexOf('.') + 1)] ?? 'application/octet-stream',
          plain: readFileSync(join(folder, name)),
          br: optional(`${name}.br`),
          gzip: optional(`${name}.gz`),
        },
      ]),
  );
}

/** The name of a file carries a hash of what it holds. */
function sendFile(request: FastifyRequest, reply: FastifyReply, { type, plain, br, gzip }: Served): FastifyReply {
  const encoding = encodingOf(request.headers['accept-encoding'] as string | undefined);
  const encoded = encoding && { br, gzip }[encoding];
  reply.headers({ 'content-type': type, vary: 'accept-encoding', 'cache-control': 'public, max-age=31536000, immutable' });
  if (encoded) reply.header('content-encoding', encoding);
  return reply.send(encoded ?? plain);
}

type ServedPage = { readonly text: StaticText; readonly headers: Readonly<Record<string, string>> };

function readPage(path: string): ServedPage {
  const html = readFileSync(path, 'utf8');
  const [, style = ''] = /<style>([\s\S]*?)<\/style>/.exec(html) ?? [];
  const hash = createHash('sha256').update(style).digest('base64');
  return { text: staticText(html, 'text/html; charset=utf-8'), headers: headersOf(`'sha256-${hash}'`) };
}

/** The pages, each with what is seen first: without a session the form of the sign-in, with one the frame of the mode. */
function readPages(folder: string, mode: 'sandbox' | 'live'): (isSignedIn: boolean) => ServedPage | undefined {
  const read = (name: string) => {
    const path = join(folder, `${name}.html`);
    return existsSync(path) ? readPage(path) : undefined;
  };
  const [signIn, frame] = [read('sign-in'), read(mode)];
  return (isSignedIn) => (isSignedIn ? frame : signIn);
}

// ---- routes

export function registerConsole(app: FastifyInstance, options: ConsoleOptions, login: SignInOptions): void {
  const { sessions, publicUrl, isSandbox, access, version, live } = options;
  const files = readFiles(options.files);
  const pageFor = readPages(options.files, isSandbox ? 'sandbox' : 'live');
  const isSecure = publicUrl?.startsWith('https://') ?? false;
  const setCookie = (reply: FastifyReply, value: string, seconds: number) =>
    reply.header(
      'set-cookie',
      [CONSOLE_PATH, DOCS_PATH].map(
        (path) => `${COOKIE}=${value}; Max-Age=${seconds}; Path=${path}; HttpOnly; SameSite=Strict${isSecure ? '; Secure' : ''}`,
      ),
    );

  // By the route: the router takes several spellings of one path, and a query after each.
  const isOwnPageOnly = ({ raw, routeOptions: { url } }: FastifyRequest): boolean => isAtTheDoor(raw) || url === SESSION || url === LIVE;

  app.addHook('onRequest', (request, _reply, done) => {
    if (isOwnPageOnly(request)) requireOwnPage(request, publicUrl);
    done();
  });
  // The browser would ask for a password in a box of its own.
  app.addHook('onSend', (request, reply, payload, done) => {
    if (isOwnPageOnly(request)) reply.removeHeader('www-authenticate');
    done(null, payload);
  });

  const config = { operation: 'console' };
  app.post(SESSION, { config }, async (request, reply) => {
    setCookie(reply, await signIn(request, options, login), LIFE_SECONDS);
    return reply.code(204).send();
  });
  app.delete(SESSION, { config }, async (request, reply) => {
    const cookie = cookieOf(request);
    if (cookie !== undefined) await sessions.close(cookie);
    setCookie(reply, '', 0);
    return reply.code(204).send();
  });
  app.get(SESSION, { config }, async (request, reply) => {
    const { platformName, tokenName, tokenId, permissions, now } = await sessionOf(request, sessions);
    const body = { platformName, tokenName, tokenId, permissions, now, isSandbox, access, version };
    return reply.header('content-type', JSON_HEADER).send(JSON.stringify(body));
  });

  app.get(LIVE, { config }, async (request, reply) => {
    const session = await sessionOf(request, sessions);
    authorize(session, 'VIEW');
    const last = request.headers['last-event-id'];
    const stream = await live({
      platformId: session.platformId,
      last: typeof last === 'string' ? last : undefined,
      isAllowed: () => sessions.isOpen(cookieOf(request) ?? ''),
    });
    return reply.headers(STREAM_HEADERS).send(stream);
  });

  // For programs such as the command line, with the credentials of a token. In live mode people sign in with a form, on the page itself.
  if (isSandbox)
    app.post(CODES, { config }, async (request, reply) => {
      // Every browser sends the header, and no page needs a code.
      if (request.headers['sec-fetch-site'] !== undefined) throw new ApiError('FORBIDDEN', { cause: 'CROSS_SITE' });
      const caller = await authenticate(credentialsOf(request.headers, request.raw.rawHeaders), request.ip, login);
      await login.countRequest(caller.platformId, caller.tokenId);
      const { code, expiresAt } = await sessions.newCode(caller);
      reply.code(201).header('content-type', JSON_HEADER).header('cache-control', 'no-store');
      return reply.send(JSON.stringify({ code, expiresAt: expiresAt.toISOString() }));
    });

  // Whether the session of the cookie still stands is asked by the page, after it is seen.
  const page = (request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    const found = pageFor(cookieOf(request) !== undefined);
    if (!found) throw new ApiError('NOT_FOUND');
    return sendStatic(request, reply.headers(found.headers), found.text, 'accept-encoding, cookie');
  };
  app.get(CONSOLE_PATH, { config }, async (request, reply) => page(request, reply));
  app.get(`${CONSOLE_PATH}/*`, { config }, async (request, reply) => {
    if (!request.url.startsWith(ASSETS)) return page(request, reply);
    const file = files.get(request.url.slice(ASSETS.length));
    if (!file) throw new ApiError('NOT_FOUND');
    return sendFile(request, reply.headers(FILE_HEADERS), file);
  });
}
