// Who is calling. A platform sends HTTP Basic with `<token id>:<secret>`, an agent sends its access token as Bearer. Every operation takes one
// of the two. The processor of a card issuer signs its requests instead.
import { accessTokenRefused, BEARER_CHALLENGE, refuseAgent } from '../kernel/agent.js';
import { ApiError } from '../kernel/errors.js';
import type { LoginThrottle } from './login-throttle.js';
import type { AgentCaller, Caller, IssuerCaller, Operation, Permission } from './operation.js';

/** Looks a credential up; undefined for unknown, wrong, expired and deleted alike. */
export type FindCaller = (tokenId: string, secret: string) => Promise<Caller | undefined>;

/** Looks the access token of an agent up; undefined for an unknown one and for one of a deleted agent alike. */
export type FindAgent = (accessToken: string) => Promise<AgentCaller | undefined>;

type Scheme = {
  /** In lower case, as it is compared. */
  readonly name: string;
  /** The value of WWW-Authenticate. */
  readonly challenge: string;
  readonly causes: Readonly<Record<AuthorizationCause, string>>;
};

/**
 * The `details.cause` of a 401 about the form of the Authorization header, which is the caller's own and may be named. A credential that is
 * unknown, wrong, expired or deleted has one cause, `INVALID_CREDENTIALS`, so that nobody learns which token ids exist.
 */
type AuthorizationCause = 'AUTHORIZATION_MISSING' | 'AUTHORIZATION_MALFORMED' | 'AUTHORIZATION_SCHEME_UNSUPPORTED';

const BASIC: Scheme = {
  name: 'basic',
  challenge: 'Basic realm="switchyard", charset="UTF-8"',
  causes: {
    AUTHORIZATION_MISSING: 'The request has no Authorization header.',
    AUTHORIZATION_MALFORMED:
      'The Authorization header cannot be read: it is sent once, as `Basic` and the base64 of `<token id>:<secret>`.',
    AUTHORIZATION_SCHEME_UNSUPPORTED: 'The scheme of the Authorization header is not supported: use Basic.',
  },
};

const BEARER: Scheme = {
  name: 'bearer',
  challenge: BEARER_CHALLENGE,
  causes: {
    AUTHORIZATION_MISSING: 'The request has no Authorization header.',
    AUTHORIZATION_MALFORMED: 'The Authorization header cannot be read: it is sent once, as `Bearer` and the access token of the agent.',
    AUTHORIZATION_SCHEME_UNSUPPORTED: 'The scheme of the Authorization header is not supported: agents use Bearer.',
  },
};

const unauthorized = ({ causes, challenge }: Scheme, cause: AuthorizationCause): ApiError =>
  new ApiError('UNAUTHORIZED', { cause }, { reason: causes[cause], headers: { 'www-authenticate': challenge } });

const credentialsRefused = (): ApiError =>
  new ApiError(
    'UNAUTHORIZED',
    { cause: 'INVALID_CREDENTIALS' },
    { reason: 'The API credentials were not accepted.', headers: { 'www-authenticate': BASIC.challenge } },
  );

export type LoginOptions = { readonly findCaller: FindCaller; readonly loginThrottle: LoginThrottle };

/**
 * The one Authorization header of a request. Node keeps the first of several, so they are counted in the headers as sent. Several cannot
 * be read any more than an empty one.
 */
export function credentialsOf(headers: { readonly authorization?: string | undefined }, rawHeaders: readonly string[]): string | undefined {
  const sent = rawHeaders.filter((name, i) => i % 2 === 0 && name.toLowerCase() === 'authorization').length;
  return sent > 1 ? '' : headers.authorization;
}

/** What follows the name of the scheme. */
function credentialsIn(header: string | undefined, scheme: Scheme): string {
  if (header === undefined) throw unauthorized(scheme, 'AUTHORIZATION_MISSING');
  const [, name = '', value = ''] = /^(\S+) +(\S.*)$/.exec(header) ?? [];
  if (name === '') throw unauthorized(scheme, 'AUTHORIZATION_MALFORMED');
  if (name.toLowerCase() !== scheme.name) throw unauthorized(scheme, 'AUTHORIZATION_SCHEME_UNSUPPORTED');
  return value;
}

/** The platform whose token the header carries. */
export async function authenticate(
  header: string | undefined,
  address: string | undefined,
  { findCaller, loginThrottle }: LoginOptions,
): Promise<Caller> {
  const value = credentialsIn(header, BASIC);
  const text = /^[A-Za-z0-9+/_-]+={0,2}$/.test(value) ? Buffer.from(value, 'base64').toString('utf8') : '';
  const colon = text.indexOf(':');
  if (colon < 1) throw unauthorized(BASIC, 'AUTHORIZATION_MALFORMED');
  const attempt = { clientId: text.slice(0, colon), secret: text.slice(colon + 1), address };
  const end = loginThrottle(attempt);
  let accepted: boolean | undefined;
  try {
    const caller = await findCaller(attempt.clientId, attempt.secret);
    accepted = caller !== undefined;
    if (!caller) throw credentialsRefused();
    return caller;
  } finally {
    end(accepted);
  }
}

/** The agent whose access token the header carries. No throttle: a token is 256 random bits. */
export async function authenticateAgent(header: string | undefined, findAgent: FindAgent): Promise<AgentCaller> {
  const caller = await findAgent(credentialsIn(header, BEARER));
  if (!caller) throw accessTokenRefused();
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

/** All that an agent starts is sent with another method than GET. */
export const authorizeAgent = (caller: AgentCaller, { method, agentPermission }: Pick<Operation, 'method' | 'agentPermission'>): void =>
  refuseAgent(caller, agentPermission, method !== 'GET');

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
