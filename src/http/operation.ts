// One way to declare an operation. Routing, validation, the OpenAPI document, metrics and the test harness all follow from it.
import type { Readable } from 'node:stream';
import type { Static, TObject, TSchema } from 'typebox';
import type { Tx } from '../db/pool.js';
import type { ApiError, ErrorCode } from '../kernel/errors.js';
import type { Id, PlatformId } from '../kernel/ids.js';

export const PERMISSIONS = ['VIEW', 'TRANSACT', 'MANAGE'] as const;
export type Permission = (typeof PERMISSIONS)[number];

/** The authenticated caller, and the time of its platform's clock. */
export type Caller = {
  readonly platformId: PlatformId;
  readonly tokenId: Id<'Token'>;
  readonly permissions: readonly Permission[];
  readonly now: Date;
};

/**
 * Without signature headers it is the initial call, with both of them the signed retry. One of them alone is refused, except that an
 * operation may take a `Request-Id` alone when the proof is in the body.
 */
export type SignedCall =
  | { readonly kind: 'initial' }
  | { readonly kind: 'retry'; readonly requestId: string; readonly stamp: string }
  | { readonly kind: 'named'; readonly requestId: string };

type NamesIn<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}` ? Name | NamesIn<Rest> : never;

/** The parameters of a path, named by the path itself: `/cards/{id}` has `id`. */
export type PathParams<Path extends string> = Readonly<Record<NamesIn<Path>, string>>;

export type Request<Params = Readonly<Record<string, string>>, Query = unknown, Body = unknown> = {
  readonly caller: Caller;
  readonly platformId: PlatformId;
  readonly now: Date;
  readonly params: Params;
  readonly query: Query;
  readonly body: Body;
  readonly requestId: string;
  readonly signed: SignedCall;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
};

export type Answer = {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** Instead of a JSON body: a page or a stream, with its content-type in `headers`. */
  readonly text?: string;
  readonly stream?: Readable;
  /** Set by `commitThenRefuse`: what was written stays, the caller is refused all the same. */
  readonly refusal?: ApiError;
};

export const ok = (body: unknown, headers?: Record<string, string>): Answer => ({ status: 200, body, ...(headers ? { headers } : {}) });
export const created = (body: unknown, headers: Record<string, string> = {}): Answer => ({ status: 201, body, headers });
export const accepted = (body: unknown): Answer => ({ status: 202, body });
export const noContent = (): Answer => ({ status: 204 });
/** The refusal is itself an outcome that must be remembered (a failed verification): commit, then answer the error. */
export const commitThenRefuse = (refusal: ApiError): Answer => ({ status: refusal.status, refusal });

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

type Declaration<Path extends string, Query extends TObject, Body extends TSchema> = {
  /** The operation id of the API document; code, tests and metrics go by it. */
  readonly id: string;
  readonly method: Method;
  /** Below the versioned base path, parameters in braces: `/cards/{id}`. */
  readonly path: Path;
  readonly tag: string;
  readonly summary: string;
  /** `PUBLIC` operations take no credential: their caller is nobody. */
  readonly permission: Permission | 'PUBLIC';
  readonly query?: Query;
  readonly body?: Body;
  readonly bodyOptional?: boolean;
  /** Success statuses and their schemas; null for an empty answer. */
  readonly success: Readonly<Record<number, TSchema | null>>;
  /** Media type of the success answer when it is not JSON. */
  readonly produces?: readonly string[];
  /** Codes beyond the ones every operation can answer. */
  readonly errors?: readonly ErrorCode[];
  readonly idempotency?: 'required' | 'optional';
  /** The answer holds a secret: an idempotency record keeps it sealed. */
  readonly secretAnswer?: boolean;
  /** Takes signed retries; `or-named` also a Request-Id alone. */
  readonly signedRetry?: true | 'or-named';
  /** Absent in live mode. */
  readonly sandbox?: boolean;
  readonly deprecated?: boolean;
  /** Header parameters beyond the ones that follow from the declaration. */
  readonly headerParameters?: readonly { name: string; description: string; required?: boolean }[];
};

/** An operation may have both: `write` then serves calls with an Idempotency-Key, and `handle` may gather the others into one transaction. */
type Handler<Path extends string, Query extends TObject, Body extends TSchema> =
  /** Reads, and the few writes that open their own transactions. */
  | { readonly handle: (request: Request<PathParams<Path>, Static<Query>, Static<Body>>) => Promise<Answer> }
  /** Writes: one transaction, opened by the server together with the idempotency record. */
  | { readonly write: (tx: Tx, request: Request<PathParams<Path>, Static<Query>, Static<Body>>) => Promise<Answer> };

/** An operation as the server sees it. Methods, not function members: the server has checked the request when it calls them. */
export type Operation = Declaration<string, TObject, TSchema> & {
  handle?(request: Request): Promise<Answer>;
  write?(tx: Tx, request: Request): Promise<Answer>;
};

export const operation = <const Path extends string, Query extends TObject, Body extends TSchema>(
  declaration: Declaration<Path, Query, Body> & Handler<Path, Query, Body>,
): Operation => declaration;

/** The names in braces of a path. */
export const pathParameters = (path: string): string[] => [...path.matchAll(/(?<=\{)\w+(?=\})/g)].map(([name]) => name);

/** Every code an operation can answer: its own and those that come with how it is declared. */
export function errorCodesOf(op: Operation): ErrorCode[] {
  const codes = new Set<ErrorCode>(['INTERNAL_ERROR', 'SERVICE_UNAVAILABLE', 'INVALID_INPUT', 'REQUEST_TIMEOUT']);
  if (op.permission !== 'PUBLIC') for (const code of ['UNAUTHORIZED', 'FORBIDDEN', 'RATE_LIMITED'] as const) codes.add(code);
  if (op.method !== 'GET')
    for (const code of ['PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE', 'INVALID_REQUEST_FORMAT'] as const) codes.add(code);
  if (op.idempotency) codes.add('CONFLICT');
  if (op.signedRetry) {
    for (const code of [
      'WALLET_SIGNATURE_MISSING',
      'WALLET_SIGNATURE_MALFORMED',
      'WALLET_SIGNATURE_BODY_MISMATCH',
      'WALLET_SIGNATURE_INVALID',
      'REQUEST_ID_MISSING',
    ] as const) {
      codes.add(code);
    }
  }
  for (const code of op.errors ?? []) codes.add(code);
  return [...codes];
}
