// Runs an operation and sends its answer. A write runs in one transaction with its idempotency record.
import type { FastifyRequest } from 'fastify';
import { type Db, repeated, type Tx } from '../db/pool.js';
import { ApiError, assert } from '../kernel/errors.js';
import { errorHeaders, JSON_HEADER, type RenderError } from './error-boundary.js';
import {
  type Effect,
  type IdempotencyOptions,
  idempotencyKeyOf,
  isAnswered,
  type KeyedRequest,
  once,
  type Reply,
  requestHash,
} from './idempotency.js';
import { comparable } from './multipart.js';
import type { Answer, AnyCaller, Attempt, Operation, ServedRequest, Write } from './operation.js';

export type AnswerOptions = { readonly db: Db; readonly idempotency: IdempotencyOptions; readonly renderError: RenderError };

/** Not now: retry shortly. */
export const unavailable = () => new ApiError('SERVICE_UNAVAILABLE', undefined, { headers: { 'retry-after': '1' } });

type RawRequest = Pick<FastifyRequest, 'headers' | 'url' | 'noted'>;
export type RawReply = { code(status: number): unknown; header(name: string, value: string): unknown; send(payload?: unknown): unknown };

/** Runs the operation and sends its answer; writes run in one transaction with their idempotency record. */
export async function answer(
  op: Operation,
  request: ServedRequest,
  raw: RawRequest,
  reply: RawReply,
  options: AnswerOptions,
): Promise<void> {
  if (op.handle && !(op.write && raw.headers['idempotency-key'] !== undefined)) {
    const result = await op.handle(request);
    noteSecret(raw, result);
    return sendAnswer(reply, result);
  }
  const key = op.idempotency ? idempotencyKeyOf(raw.headers['idempotency-key'], op.idempotency === 'required') : undefined;
  const keyed: KeyedRequest | undefined =
    key === undefined
      ? undefined
      : {
          platformId: request.platformId,
          key: keyOf(request.caller, key),
          operation: op.id,
          target: raw.url,
          body: (op.multipart ? comparable(request.body) : request.body) ?? null,
        };
  const perform = () => performWrite(op, request, keyed, raw, reply, options);
  // What an operation read before its transaction may be gone by then; the transaction alone would be repeated in vain.
  await (beginsOutside(op, request) ? repeated(perform) : perform());
}

async function performWrite(
  op: Operation,
  request: ServedRequest,
  keyed: KeyedRequest | undefined,
  raw: RawRequest,
  reply: RawReply,
  options: AnswerOptions,
): Promise<void> {
  const write = await writeOf(op, request, keyed, options);
  let refusal: ApiError | undefined;
  let headers: Answer['headers'];
  const effect = async (tx: Tx): Promise<Effect> => {
    const result = await write(tx);
    refusal = result.refusal;
    headers = result.headers;
    if (result.refusal) return refusalReply(result.refusal, options);
    noteSecret(raw, result);
    return {
      ...toReply(result),
      ...(result.replay && { replay: refusalReply(result.replay, options) }),
      ...(result.isSealed && { isSealed: true }),
    };
  };
  const outcome = await options.db.transaction(
    async (tx) => {
      if (keyed === undefined) return { ...(await effect(tx)), replayed: false };
      return once(tx, keyed, options.idempotency, () => effect(tx));
    },
    { requestId: request.requestId },
  );
  if (outcome.replayed) reply.header('idempotent-replayed', 'true');
  // A stored refusal is the same every time.
  if (outcome.replayed && outcome.status >= 400) reply.header('x-should-retry', 'false');
  for (const [name, value] of Object.entries(refusal ? errorHeaders(refusal) : (headers ?? {}))) reply.header(name, value);
  send(reply, outcome);
}

/** The request log does not keep an answer that holds a secret. */
function noteSecret({ noted }: RawRequest, { replay, isSealed }: Answer): void {
  if (noted && (replay || isSealed)) noted.isSecret = true;
}

/** Whether the request does something before its transaction. */
const beginsOutside = (op: Operation, request: ServedRequest): boolean => op.begin !== undefined && (op.callsOut?.(request) ?? true);

/** What the transaction of a request does. An operation that calls an external party first does so here, unless the answer is stored. */
async function writeOf(op: Operation, request: ServedRequest, keyed: KeyedRequest | undefined, options: AnswerOptions): Promise<Write> {
  if (op.begin && beginsOutside(op, request)) {
    if (!keyed) {
      assert(op.callsOut, 'an operation that always calls an external party requires an Idempotency-Key');
      return op.begin(request, undefined);
    }
    const attempt: Attempt = {
      key: keyed.key,
      hash: requestHash(options.idempotency, keyed),
      isAnswered: (tx) => isAnswered(tx, keyed),
      // Never run, unless the record is swept away before it is read again. A retry then finds the key free.
      replay: () => Promise.reject(unavailable()),
    };
    if (await attempt.isAnswered(options.db)) return attempt.replay;
    return op.begin(request, attempt).catch(async (error: unknown) => {
      // Another call of this request may have been answered meanwhile, and its effect be what refuses this one.
      if (error instanceof ApiError && (await attempt.isAnswered(options.db))) return attempt.replay;
      throw error;
    });
  }
  const write = op.write?.bind(op);
  assert(write, 'an operation without a write handles every request');
  return (tx) => write(tx, request);
}

/** The keys of an agent and of an issuer's processor are their own: neither the platform nor another of them meets them. */
function keyOf(caller: AnyCaller, key: string): string {
  if ('agentId' in caller) return `agent ${caller.agentId} ${key}`;
  return 'program' in caller ? `issuer ${caller.program} ${key}` : key;
}

function sendAnswer(reply: RawReply, result: Answer): void {
  if (result.refusal) throw result.refusal;
  for (const [name, value] of Object.entries(result.headers ?? {})) reply.header(name, value);
  const other = result.stream ?? result.text;
  if (other === undefined) send(reply, toReply(result));
  else {
    reply.code(result.status);
    reply.send(other);
  }
}

const refusalReply = (refusal: ApiError, { renderError }: Pick<AnswerOptions, 'renderError'>): Reply => ({
  status: refusal.status,
  payload: JSON.stringify(renderError(refusal)),
});

const toReply = (result: Answer): Reply => ({
  status: result.status,
  payload: result.body === undefined ? '' : JSON.stringify(result.body),
});

function send(reply: RawReply, { status, payload }: Reply): void {
  reply.code(status);
  if (payload.length === 0) {
    reply.send();
    return;
  }
  reply.header('content-type', JSON_HEADER);
  reply.send(payload);
}
