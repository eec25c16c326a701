// One way to declare an operation. Routing, validation, the OpenAPI document, metrics and the test harness all follow from it.
import type { Readable } from 'node:stream';
import type { Static, TObject, TSchema } from 'typebox';
import type { Tx } from '../db/pool.js';
import type { AgentPermission, AgentRights } from '../kernel/agent.js';
import type { ApiError, ErrorCode } from '../kernel/errors.js';
import type { AgentId, CustomerId, Id, PlatformId } from '../kernel/ids.js';
import type { Tag } from './tags.js';

export const PERMISSIONS = ['VIEW', 'TRANSACT', 'MANAGE'] as const;
export type Permission = (typeof PERMISSIONS)[number];

/** The authenticated caller, and the time of its platform's clock. */
export type Caller = {
  readonly platformId: PlatformId;
  readonly tokenId: Id<'Token'>;
  readonly permissions: readonly Permission[];
  readonly now: Date;
};

/** The processor of a card issuer, which decides and reports for the cards of one program of a platform. */
export type IssuerCaller = {
  readonly platformId: PlatformId;
  readonly credentialId: Id<'IssuerCredential'>;
  readonly program: string;
  readonly now: Date;
};

/** An agent, which acts for one customer within its policy. */
export type AgentCaller = AgentRights & {
  readonly platformId: PlatformId;
  readonly agentId: AgentId;
  readonly customerId: CustomerId;
  readonly now: Date;
};

export type AnyCaller = Caller | IssuerCaller | AgentCaller;

/**
 * Who may call an operation: a platform's token with a permission, an agent with its access token, an issuer's processor with a credential
 * of its own, or anybody. Each is refused where another is asked for.
 */
export type Access = Permission | 'AGENT' | 'ISSUER' | 'PUBLIC';

type CallerOf<Allowed extends Access> = [Allowed] extends ['ISSUER'] ? IssuerCaller : [Allowed] extends ['AGENT'] ? AgentCaller : Caller;

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

export type Request<Params = Readonly<Record<string, string>>, Query = unknown, Body = unknown, By = Caller> = {
  readonly caller: By;
  readonly platformId: PlatformId;
  readonly now: Date;
  readonly params: Params;
  readonly query: Query;
  readonly body: Body;
  /** The bytes that `body` was read from, for signatures. Empty for an upload. */
  readonly rawBody: Buffer;
  readonly requestId: string;
  /** The address of the caller; undefined once the connection is closing. */
  readonly address: string | undefined;
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
  /** What a repeat with the same Idempotency-Key gets, where the answer holds a secret: this is stored, and the answer is not. */
  readonly replay?: ApiError;
  /** The answer holds a secret: what a repeat with the same Idempotency-Key gets again is stored sealed, and the request log keeps no body. */
  readonly isSealed?: true;
  /** Set by `commitThenRefuse`: what was written stays, the caller is refused all the same. */
  readonly refusal?: ApiError;
};

export const ok = (body: unknown, headers?: Record<string, string>): Answer => ({ status: 200, body, ...(headers ? { headers } : {}) });
export const created = (body: unknown, headers: Record<string, string> = {}): Answer => ({ status: 201, body, headers });
/** The answer holds a secret that is shown this once. */
export const createdSecret = (body: unknown, replay: ApiError): Answer => ({ status: 201, body, replay });
/** The answer holds a secret that repeats of the request show again. */
export const createdSealed = (body: unknown): Answer => ({ status: 201, body, isSealed: true });
/** The answer may hold a secret at a place that its schema cannot mark. */
export const okSealed = (body: unknown): Answer => ({ status: 200, body, isSealed: true });
export const accepted = (body: unknown): Answer => ({ status: 202, body });
export const noContent = (): Answer => ({ status: 204 });
/** The refusal is itself an outcome that must be remembered (a failed verification): commit, then answer the error. */
export const commitThenRefuse = (refusal: ApiError): Answer => ({ status: refusal.status, refusal });

/** Bounds of a request that is sent as multipart/form-data. */
export type Multipart = {
  /** A larger file is refused by name. */
  readonly maxFileBytes: number;
  /** A larger request is refused as a whole. */
  readonly maxRequestBytes: number;
  readonly maxFields?: number;
  readonly maxFiles?: number;
  /** Of a PUBLIC operation: whose files they are. Undefined: they are read and dropped. */
  readonly platformOf?: (params: Readonly<Record<string, string>>) => Promise<PlatformId | undefined>;
  /** The form of a page: parts that cannot be taken are not refused but told to the handler (`partProblems`), which shows the page again. */
  readonly isOfPage?: true;
};

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

type Declaration<Path extends string, Query extends TObject, Body extends TSchema, Allowed extends Access> = {
  /** The operation id of the API document; code, tests and metrics go by it. */
  readonly id: string;
  readonly method: Method;
  /** Below the versioned base path, parameters in braces: `/cards/{id}`. */
  readonly path: Path;
  /** A page for people: its path is outside the versioned base path, and the API document leaves it out. */
  readonly page?: true;
  readonly tag: Tag;
  readonly summary: string;
  /** What it does and what a caller must know beyond the summary, in Markdown; part of the API document. */
  readonly description?: string;
  /** Its command, where the rule of `command.ts` reads badly: nouns, then a verb. */
  readonly command?: string;
  /** `PUBLIC` operations take no credential: their caller is nobody. */
  readonly permission: Allowed;
  /** Of an AGENT operation: what the policy of the agent must grant. */
  readonly agentPermission?: AgentPermission;
  readonly query?: Query;
  readonly body?: Body;
  readonly bodyOptional?: boolean;
  /** The body is sent as multipart/form-data, not as JSON. Its files are members made with `FilePart`. */
  readonly multipart?: Multipart;
  /** The body may also be sent as YAML. */
  readonly yaml?: true;
  /** Success statuses and their schemas; null for an empty answer. */
  readonly success: Readonly<Record<number, TSchema | null>>;
  /** Media type of the success answer when it is not JSON. */
  readonly produces?: readonly string[];
  /** Codes beyond the ones every operation can answer. */
  readonly errors?: readonly ErrorCode[];
  readonly idempotency?: 'required' | 'optional';
  /** Takes signed retries; `or-named` also a Request-Id alone. */
  readonly signedRetry?: true | 'or-named';
  /** How many signatures of the owner a call with signed retries takes, one after the other. Absent: one. */
  readonly signatures?: number;
  /** Absent in live mode. */
  readonly sandbox?: boolean;
  readonly deprecated?: boolean;
  /**
   * Not counted among the requests that a platform may have in work at a time: calls that arrive together share statements, or the
   * operation mostly waits for something else than the database.
   */
  readonly ungated?: 'SHARES_STATEMENTS' | 'WAITS';
  /** Header parameters beyond the ones that follow from the declaration. */
  readonly headerParameters?: readonly { name: string; description: string; required?: boolean }[];
};

/** An operation may have both: `write` then serves calls with an Idempotency-Key, and `handle` may gather the others into one transaction. */
type Handler<Path extends string, Query extends TObject, Body extends TSchema, By> =
  /** Reads, and the few writes that open their own transactions. */
  | { readonly handle: (request: Request<PathParams<Path>, Static<Query>, Static<Body>, By>) => Promise<Answer> }
  /** Writes: one transaction, opened by the server together with the idempotency record. */
  | { readonly write: (tx: Tx, request: Request<PathParams<Path>, Static<Query>, Static<Body>, By>) => Promise<Answer> }
  /**
   * Writes that call an external party first, outside any transaction. The result is run like `write`.
   * A repeat of a request that was answered does not come here.
   */
  | {
      readonly begin: (request: Request<PathParams<Path>, Static<Query>, Static<Body>, By>, attempt: Attempt) => Promise<Write>;
    }
  /** Writes of which only some call an external party first: those for which `callsOut`. The others are run by `write`. */
  | {
      readonly write: (tx: Tx, request: Request<PathParams<Path>, Static<Query>, Static<Body>, By>) => Promise<Answer>;
      readonly callsOut: (request: Request<PathParams<Path>, Static<Query>, Static<Body>, By>) => boolean;
      /** The attempt is there if the request has an Idempotency-Key. */
      readonly begin: (request: Request<PathParams<Path>, Static<Query>, Static<Body>, By>, attempt: Attempt) => Promise<Write>;
    };

/** Names a request that may be repeated: repeats with the same Idempotency-Key have the same `key`, and the same `hash` if nothing else differs. */
export type Attempt = {
  readonly key: string;
  readonly hash: Buffer;
  /** Whether a request with this key was answered in the meantime. Then `begin` returns `replay`, and the caller gets the stored answer. */
  isAnswered(tx: Pick<Tx, 'one'>): Promise<boolean>;
  readonly replay: Write;
};
export type Write = (tx: Tx) => Promise<Answer>;

/** A request as the server hands it over: the caller is of the kind that the operation asks for. */
export type ServedRequest = Request<Readonly<Record<string, string>>, unknown, unknown, AnyCaller>;

/** An operation as the server sees it. Methods, not function members: the server has checked the request when it calls them. */
export type Operation = Declaration<string, TObject, TSchema, Access> & {
  handle?(request: ServedRequest): Promise<Answer>;
  write?(tx: Tx, request: ServedRequest): Promise<Answer>;
  callsOut?(request: ServedRequest): boolean;
  begin?(request: ServedRequest, attempt: Attempt | undefined): Promise<Write>;
};

export const operation = <const Path extends string, Query extends TObject, Body extends TSchema, const Allowed extends Access>(
  declaration: Declaration<Path, Query, Body, Allowed> & Handler<Path, Query, Body, CallerOf<Allowed>>,
): Operation => declaration;

/** The names in braces of a path. */
export const pathParameters = (path: string): string[] => [...path.matchAll(/(?<=\{)\w+(?=\})/g)].map(([name]) => name);

/** Every code an operation can answer: its own and those that come with how it is declared. */
export function errorCodesOf(op: Operation): ErrorCode[] {
  const codes = new Set<ErrorCode>(['INTERNAL_ERROR', 'SERVICE_UNAVAILABLE', 'INVALID_INPUT', 'REQUEST_TIMEOUT']);
  if (op.permission !== 'PUBLIC') codes.add('UNAUTHORIZED');
  if (op.permission !== 'PUBLIC' && op.permission !== 'ISSUER') for (const code of ['FORBIDDEN', 'RATE_LIMITED'] as const) codes.add(code);
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
