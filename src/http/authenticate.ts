// Who is calling. HTTP Basic carries `<token id>:<secret>`; another scheme (agents' bearer tokens) would be a second entry in SCHEMES.
// The processor of a card issuer signs its requests instead.
import { ApiError } from '../kernel/errors.js';
import type { LoginThrottle } from './login-throttle.js';
import type { Caller, IssuerCaller, Permission } from './operation.js';

/** Looks a credential up; undefined for unknown, wrong, expired and deleted alike. */
export type FindCaller = (tokenId: string, secret: string) => Promise<Caller | undefined>;

/**
 * The `details.cause` of a 401 about the Authorization header. The form of the header is the caller's own and may be named. A credential
 * that is unknown, wrong, expired or deleted has one cause, so that nobody learns which token ids exist.
 */
export const AUTHORIZATION_CAUSES = {
  AUTHORIZATION_MISSING: 'The request has no Authorization header.',
  AUTHORIZATION_MALFORMED: 'The Authorization header cannot be read: it is sent once, as `Basic` and the base64 of `<token id>:<secret>`.',
  AUTHORIZATION_SCHEME_UNSUPPORTED: 'The scheme of the Authorization header is not supported: use Basic.',
  INVALID_CREDENTIALS: 'The API credentials were not accepted.',
} as const;

const unauthorized = (cause: keyof typeof AUTHORIZATION_CAUSES): ApiError =>
  new ApiError(
    'UNAUTHORIZED',
    { cause },
    { reason: AUTHORIZATION_CAUSES[cause], headers: { 'www-authenticate': 'Basic realm="switchyard", charset="UTF-8"' } },
  );

export type LoginOptions = { readonly findCaller: FindCaller; readonly loginThrottle: LoginThrottle };

type Scheme = (value: string, address: string | undefined, options: LoginOptions) => Promise<Caller | undefined>;

const basic: Scheme = async (value, address, { findCaller, loginThrottle }) => {
  const text = /^[A-Za-z0-9+/_-]+={0,2}$/.test(value) ? Buffer.from(value, 'base64').toString('utf8') : '';
  const colon = text.indexOf(':');
  if (colon < 1) throw unauthorized('AUTHORIZATION_MALFORMED');
  const attempt = { clientId: text.slice(0, colon), secret: text.slice(colon + 1), address };
  const end = loginThrottle(attempt);
  let accepted: boolean | undefined;
  try {
    const caller = await findCaller(attempt.clientId, attempt.secret);
    accepted = caller !== undefined;
    return caller;
  } finally {
    end(accepted);
  }
};

/** A map and no object: the caller chooses the name, and every object has a `constructor`. */
const SCHEMES: ReadonlyMap<string, Scheme> = new Map([['basic', basic]]);

/**
 * The one Authorization header of a request. Node keeps the first of several, so they are counted in the headers as sent. Several cannot
 * be read any more than an empty one.
 */
export function credentialsOf(headers: { readonly authorization?: string | undefined }, rawHeaders: readonly string[]): string | undefined {
  const sent = rawHeaders.filter((name, i) => i % 2 === 0 && name.toLowerCase() === 'authorization').length;
  return sent > 1 ? '' : headers.authorization;
}

export async function authenticate(header: string | undefined, address: string | undefined, options: LoginOptions): Promise<Caller> {
  if (header === undefined) throw unauthorized('AUTHORIZATION_MISSING');
  const [, name = '', value = ''] = /^(\S+) +(\S.*)$/.exec(header) ?? [];
  if (name === '') throw unauthorized('AUTHORIZATION_MALFORMED');
  const scheme = SCHEMES.get(name.toLowerCase());
  if (!scheme) throw unauthorized('AUTHORIZATION_SCHEME_UNSUPPORTED');
  const caller = await scheme(value, address, options);
  if (!caller) throw unauthorized('INVALID_CREDENTIALS');
  return caller;
}

/** Whoever may move money or manage may also look. Moving and managing do not include each other. */
const GRANTS: Readonly<Record<Permission, readonly Permission[]>> = {
  VIEW: ['VIEW', 'TRANSACT', 'MANAGE'],
  TRANSACT: ['TRANSACT'],
  MANAGE: ['MANAGE'],
};

export function authorize(caller: Caller, needed: Permission): void {
  if (!GRANTS[needed].some((permission) => caller.permissions.includes(permission))) throw new ApiError('FORBIDDEN');
}

// ---- issuers

export const ISSUER_HEADERS = { keyId: 'Issuer-Key-Id', timestamp: 'Issuer-Timestamp', signature: 'Issuer-Signature' } as const;

/** What a request offers as proof that an issuer's processor sent it. Absent and repeated headers are empty. */
export type IssuerProof = {
  readonly keyId: string;
  /** Seconds since 1970, as sent. */
  readonly timestamp: string;
  /** HMAC-SHA256 in hex over `<timestamp>.<body>`. */
  readonly signature: string;
  /** Fingerprint of the client certificate that a proxy checked; empty unless the operator named the proxy's header. */
  readonly certificate: string;
  /** The bytes as received. */
  readonly body: Buffer;
};

/** Undefined for an unknown, revoked or foreign key and for a wrong, old or missing proof alike. */
export type FindIssuer = (proof: IssuerProof) => Promise<IssuerCaller | undefined>;

export type IssuerAccess = {
  readonly find: FindIssuer;
  /** Whether the interface is served at all: in live mode only once there is a credential for it. */
  readonly isServed: () => Promise<boolean>;
  /** Header in which a proxy passes the fingerprint of the client certificate that it checked. */
  readonly certificateHeader: string | undefined;
};

type Headers = Readonly<Record<string, string | string[] | undefined>>;

export async function authenticateIssuer(headers: Headers, body: Buffer, access: IssuerAccess): Promise<IssuerCaller> {
  const headerValue = (name: string | undefined): string => {
    const value = name === undefined ? undefined : headers[name.toLowerCase()];
    return typeof value === 'string' ? value : '';
  };
  const issuer = await access.find({
    keyId: headerValue(ISSUER_HEADERS.keyId),
    timestamp: headerValue(ISSUER_HEADERS.timestamp),
    signature: headerValue(ISSUER_HEADERS.signature),
    certificate: headerValue(access.certificateHeader),
    body,
  });
  if (issuer) return issuer;
  if (!(await access.isServed())) throw new ApiError('NOT_FOUND');
  throw new ApiError('UNAUTHORIZED', undefined, { headers: { 'www-authenticate': `${ISSUER_HEADERS.signature} realm="switchyard"` } });
}
