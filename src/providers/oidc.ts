// Verification of OpenID Connect tokens. Trusted issuers come from the configuration, never from the token.
import { createPublicKey, type JsonWebKey, type KeyObject, verify } from 'node:crypto';
import { ApiError } from '../kernel/errors.js';
import { decodeUtf8, type Json, parseJson } from '../kernel/json.js';

export type OidcIdentity = { readonly issuer: string; readonly audience: string; readonly subject: string };
export type OidcToken = OidcIdentity & { readonly nonce: string | undefined; readonly email: string | undefined };
export type OidcProblem = 'MALFORMED' | 'UNKNOWN_ISSUER' | 'UNKNOWN_KEY' | 'SIGNATURE_INVALID' | 'EXPIRED' | 'NOT_FRESH';

export type Jwk = JsonWebKey & { readonly kid?: string; readonly use?: string; readonly alg?: string };

export type KeyQuery = { readonly issuer: string; readonly audience: string; readonly kid: string | undefined };

/** Stands for the keys of an issuer that the sandbox plays. */
export const ANY_SIGNATURE = 'ANY_SIGNATURE';

/** The published keys of a trusted issuer; undefined when the issuer is not configured for that audience. */
export type OidcIssuers = { keysOf(query: KeyQuery): Promise<readonly Jwk[] | typeof ANY_SIGNATURE | undefined> };

type Algorithm = 'RS256' | 'ES256';
type Parsed = { algorithm: Algorithm; kid: string | undefined; claims: Claims; signed: Buffer; signature: Buffer | undefined };
type Claims = OidcToken & { issuedAt: number; expiresAt: number };

const MAX_LENGTH = 8192;
const MAX_AGE_S = 60;
const SKEW_S = 5;
const MIN_RSA_BITS = 2048;

/** Parses and verifies a token: RS256 or ES256, a configured issuer, issued at most a minute ago, not expired. */
export async function verifyOidcToken(issuers: OidcIssuers, token: string, now: Date): Promise<OidcToken | OidcProblem> {
  const parsed = parseToken(token);
  if (!parsed) return 'MALFORMED';
  const { claims, kid } = parsed;
  const published = await issuers.keysOf({ issuer: claims.issuer, audience: claims.audience, kid }).catch(unreachable);
  if (!published) return 'UNKNOWN_ISSUER';
  const problem = published === ANY_SIGNATURE ? undefined : findSignatureProblem(parsed, published);
  if (problem) return problem;

  const nowS = now.getTime() / 1000;
  if (claims.expiresAt <= nowS) return 'EXPIRED';
  if (claims.issuedAt < nowS - MAX_AGE_S || claims.issuedAt > nowS + SKEW_S) return 'NOT_FRESH';
  const { issuer, audience, subject, nonce, email } = claims;
  return { issuer, audience, subject, nonce, email };
}

function findSignatureProblem({ algorithm, kid, signed, signature }: Parsed, published: readonly Jwk[]): OidcProblem | undefined {
  if (!signature) return 'MALFORMED';
  const keys = published.filter((jwk) => kid === undefined || jwk.kid === kid).flatMap((jwk) => keyFor(algorithm, jwk));
  if (keys.length === 0) return 'UNKNOWN_KEY';
  return keys.some((key) => verify('sha256', signed, { key, dsaEncoding: 'ieee-p1363' }, signature)) ? undefined : 'SIGNATURE_INVALID';
}

/** The issuer's keys cannot be read now, so nothing is known about the token. */
function unreachable(cause: unknown): never {
  const refusal = new ApiError('SERVICE_UNAVAILABLE', { cause: 'OIDC_ISSUER_UNREACHABLE' }, { headers: { 'retry-after': '5' } });
  throw Object.assign(refusal, { cause });
}

function parseToken(token: string): Parsed | undefined {
  const parts = token.length <= MAX_LENGTH ? token.split('.') : [];
  const [header, payload, signature] = parts.map(fromBase64Url);
  if (parts.length !== 3 || !header || !payload || parts[2] === '') return undefined;
  const head = readObject(header);
  const body = readObject(payload);
  // No critical extension is supported.
  if (!head || !body || 'crit' in head) return undefined;
  const { alg, kid, typ } = head;
  if ((alg !== 'RS256' && alg !== 'ES256') || (kid !== undefined && typeof kid !== 'string')) return undefined;
  if (typ !== undefined && (typeof typ !== 'string' || typ.toUpperCase() !== 'JWT')) return undefined;
  const claims = readClaims(body);
  const isWhole = alg === 'RS256' || signature?.length === 64;
  return (
    claims && { algorithm: alg, kid, claims, signed: Buffer.from(`${parts[0]}.${parts[1]}`), signature: isWhole ? signature : undefined }
  );
}

function readClaims(body: Record<string, Json>): Claims | undefined {
  const { iss, aud, sub, iat, exp, nonce, email } = body;
  const audience = Array.isArray(aud) && aud.length === 1 ? aud[0] : aud;
  const named = (value: Json | undefined): value is string => typeof value === 'string' && value.length > 0 && value.length <= 255;
  if (!named(iss) || !named(audience) || !named(sub)) return undefined;
  if (typeof iat !== 'number' || typeof exp !== 'number' || (nonce !== undefined && typeof nonce !== 'string')) return undefined;
  return { issuer: iss, audience, subject: sub, issuedAt: iat, expiresAt: exp, nonce, email: named(email) ? email : undefined };
}

/** The key, if it is made for this algorithm: a token must not choose how a key is used. */
function keyFor(algorithm: Algorithm, jwk: Jwk): KeyObject[] {
  if ((jwk.use !== undefined && jwk.use !== 'sig') || (jwk.alg !== undefined && jwk.alg !== algorithm)) return [];
  try {
    const key = createPublicKey({ key: jwk, format: 'jwk' });
    const { modulusLength = 0, namedCurve } = key.asymmetricKeyDetails ?? {};
    const fits =
      algorithm === 'RS256'
        ? key.asymmetricKeyType === 'rsa' && modulusLength >= MIN_RSA_BITS
        : key.asymmetricKeyType === 'ec' && namedCurve === 'prime256v1';
    return fits ? [key] : [];
  } catch {
    return [];
  }
}

function readObject(bytes: Buffer): Record<string, Json> | undefined {
  try {
    const json = parseJson(decodeUtf8(bytes));
    return json !== null && typeof json === 'object' && !Array.isArray(json) ? json : undefined;
  } catch {
    return undefined;
  }
}

function fromBase64Url(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, 'base64url');
  return bytes.toString('base64url') === text ? bytes : undefined;
}

// ---- keys of issuers

export type TrustedIssuer = { readonly issuer: string; readonly jwksUrl: string; readonly audience: string };
export type FetchJwks = (url: string) => Promise<readonly Jwk[]>;

const CACHE_MS = 10 * 60_000;
const REFETCH_MS = 30_000;

type CachedKeys = { readonly keys: Promise<readonly Jwk[]>; readonly fetchedAt: number; readonly triedAt: number };

/**
 * Issuers whose keys are fetched and cached. An unknown key id causes another fetch, at most one every 30 seconds. When that one fails, the
 * cached keys stay: whoever sends an unknown key id must not end the sign-in of everybody else.
 */
export function remoteIssuers(
  trusted: readonly TrustedIssuer[],
  fetchJwks: FetchJwks = fetchJwksOverHttps,
  monotonicMs = () => performance.now(),
): OidcIssuers {
  const cache = new Map<string, CachedKeys>();
  const fetchInto = (url: string, kept: CachedKeys | undefined): Promise<readonly Jwk[]> => {
    const now = monotonicMs();
    const keys = fetchJwks(url).catch((error: unknown) => {
      if (cache.get(url) === entry) {
        if (kept) cache.set(url, { ...kept, triedAt: now });
        else cache.delete(url);
      }
      if (kept) return kept.keys;
      throw error;
    });
    const entry: CachedKeys = { keys, fetchedAt: now, triedAt: now };
    cache.set(url, entry);
    return keys;
  };
  return {
    async keysOf({ issuer, audience, kid }) {
      const url = trusted.find((each) => each.issuer === issuer && each.audience === audience)?.jwksUrl;
      if (url === undefined) return undefined;
      const last = cache.get(url);
      const now = monotonicMs();
      if (!last || now - last.fetchedAt >= CACHE_MS) return fetchInto(url, undefined);
      const keys = await last.keys;
      if (now - last.triedAt < REFETCH_MS || kid === undefined || keys.some((key) => key.kid === kid)) return keys;
      const current = cache.get(url);
      return current && current !== last ? current.keys : fetchInto(url, last);
    },
  };
}

const FETCH_TIMEOUT_MS = 5_000;
const MAX_JWKS_BYTES = 256 * 1024;

async function fetchJwksOverHttps(url: string): Promise<readonly Jwk[]> {
  const response = await fetch(url, { redirect: 'error', signal: AbortSignal.timeout(FETCH_TIMEOUT_MS) });
  if (!response.ok) throw new Error(`the issuer's keys could not be fetched: ${response.status}`);
  const text = await response.text();
  if (text.length > MAX_JWKS_BYTES) throw new Error("the issuer's keys are too large");
  const { keys }: { readonly keys?: unknown } = JSON.parse(text);
  return Array.isArray(keys) ? keys.filter((key): key is Jwk => typeof key === 'object' && key !== null) : [];
}

/** Asks each source in turn; the first that knows the issuer answers. */
export const anyOfIssuers = (...sources: readonly OidcIssuers[]): OidcIssuers => ({
  async keysOf(query) {
    for (const source of sources) {
      const keys = await source.keysOf(query);
      if (keys) return keys;
    }
    return undefined;
  },
});
