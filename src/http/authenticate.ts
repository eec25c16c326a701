// Who is calling. HTTP Basic carries `<token id>:<secret>`; another scheme (agents' bearer tokens) would be a second entry in SCHEMES.
// The processor of a card issuer signs its requests instead.
import { ApiError } from '../kernel/errors.js';
import type { Caller, IssuerCaller, Permission } from './operation.js';

/** Looks a credential up; undefined for unknown, wrong, expired and deleted alike. */
export type FindCaller = (tokenId: string, secret: string) => Promise<Caller | undefined>;

type Scheme = (value: string, find: FindCaller) => Promise<Caller | undefined>;

const basic: Scheme = async (value, find) => {
  if (!/^[A-Za-z0-9+/_-]+={0,2}$/.test(value)) return undefined;
  const text = Buffer.from(value, 'base64').toString('utf8');
  const colon = text.indexOf(':');
  return colon < 1 ? undefined : find(text.slice(0, colon), text.slice(colon + 1));
};

/** A map and no object: the caller chooses the name, and every object has a `constructor`. */
const SCHEMES: ReadonlyMap<string, Scheme> = new Map([['basic', basic]]);

/** The one Authorization header of a request. Node keeps the first of several, so they are counted in the headers as sent. */
export function credentialsOf(headers: { readonly authorization?: string | undefined }, rawHeaders: readonly string[]): string | undefined {
  const sent = rawHeaders.filter((name, i) => i % 2 === 0 && name.toLowerCase() === 'authorization').length;
  return sent > 1 ? undefined : headers.authorization;
}

export async function authenticate(header: string | undefined, find: FindCaller): Promise<Caller> {
  const [, scheme = '', value = ''] = /^(\S+) +(\S+)$/.exec(header ?? '') ?? [];
  const caller = await SCHEMES.get(scheme.toLowerCase())?.(value, find);
  if (!caller)
    throw new ApiError('UNAUTHORIZED', undefined, { headers: { 'www-authenticate': 'Basic realm="switchyard", charset="UTF-8"' } });
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
