// Calls an operation from inside the service: the same checks, the same transaction, the same answer as over HTTP, without a connection.
import { ApiError, assert } from '../kernel/errors.js';
import { newUuid } from '../kernel/ids.js';
import { type AnswerOptions, answer } from './answer.js';
import { authorize } from './authenticate.js';
import type { Caller, Operation, ServedRequest } from './operation.js';
import { PERMISSIONS, type Permission } from './operation.js';
import { type RequestChecks, requestChecksOf } from './request-checks.js';
import { SIGNATURE_HEADER, signedCallOf } from './signed-call.js';

export type OperationCall = {
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
  /** The request that the call belongs to, if there is one. */
  readonly requestId?: string;
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
};

/** Refusals are thrown, as a handler throws them. */
export type CallOperation = (op: Operation, caller: Caller, call: OperationCall) => Promise<{ status: number; body: unknown }>;

/** Takes a token, and answers JSON at once: no uploads, pages and streams. */
export const isCallable = (op: Operation): boolean =>
  (PERMISSIONS as readonly string[]).includes(op.permission) && !op.multipart && !op.page && op.produces === undefined;

/** `maxBodyBytes`: of calls that somebody else wrote. Without it a body may have any length. */
export function createCallOperation(options: AnswerOptions & { readonly maxBodyBytes?: number }): CallOperation {
  const { maxBodyBytes = Number.POSITIVE_INFINITY } = options;
  const known = new Map<Operation, RequestChecks>();
  return async (op, caller, { params, query, body, headers, requestId = newUuid() }) => {
    assert(isCallable(op), 'the operation is one that can be called from inside');
    authorize(caller, op.permission as Permission);
    const checks = known.get(op) ?? requestChecksOf(op);
    known.set(op, checks);
    const bytes = body === undefined ? Buffer.alloc(0) : Buffer.from(JSON.stringify(body));
    if (bytes.length > maxBodyBytes) throw new ApiError('PAYLOAD_TOO_LARGE');
    const all = { ...headers, ...(body === undefined ? {} : { 'content-type': 'application/json' }) };
    const url = op.path.replaceAll(/\{(\w+)\}/g, (_all, name: string) => encodeURIComponent(params[name] ?? ''));
    const request: ServedRequest = {
      caller,
      platformId: caller.platformId,
      now: caller.now,
      params,
      query: checks.query({ url: '', query, body: undefined, headers: {} }),
      body: checks.body({ url: '', query: {}, body: bytes, headers: all }),
      rawBody: bytes,
      requestId,
      address: undefined,
      signed: op.signedRetry ? signedCallOf(all, [SIGNATURE_HEADER], op.signedRetry === 'or-named') : { kind: 'initial' },
      headers: all,
    };
    const reply = { status: 200, payload: '' };
    const kept = {
      code: (status: number) => {
        reply.status = status;
      },
      header: () => {},
      send: (payload?: unknown) => {
        reply.payload = payload === undefined ? '' : String(payload);
      },
    };
    await answer(op, request, { headers: all, url, noted: null }, kept, options);
    return { status: reply.status, body: reply.payload === '' ? null : JSON.parse(reply.payload) };
  };
}
