// A request of a platform and its answer, as those see it that observe and do not take part: the request log.
import type { FastifyRequest } from 'fastify';
import type { AnyCaller, Operation, SignedCall } from './operation.js';

export type Exchange = {
  readonly requestId: string;
  readonly caller: AnyCaller;
  /** The operation id. */
  readonly operation: string;
  /** Undefined for an operation that is documented and not served. */
  readonly declared: Operation | undefined;
  readonly method: string;
  /** As declared, with parameters in braces. */
  readonly template: string;
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, unknown>>;
  readonly idempotencyKey: string | undefined;
  readonly signed: NotedSignature | undefined;
  readonly status: number;
  readonly ms: number;
  /** The bytes of the request; undefined for an upload, which is read piece by piece. */
  readonly requestBody: Buffer | undefined;
  /** What was sent. A stream is not kept. */
  readonly answerBody: string | Buffer | undefined;
  /** The answer holds a secret and is shown to its caller only. */
  readonly isSecret: boolean;
  /** It came through the door of the console. */
  readonly isConsole: boolean;
};

/** Called when a request of a platform has ended, also when it was refused. It must not throw and must not wait. */
export type ObserveExchange = (exchange: Exchange) => void;

/** Of a call that the end user signs, without the signature. */
export type NotedSignature = { readonly kind: SignedCall['kind']; readonly requestId?: string };

/** What the server notes on a request while it is answered. */
export type Noted = {
  caller: AnyCaller;
  signed?: NotedSignature;
  answerBody?: string | Buffer | undefined;
  isSecret?: boolean;
  isConsole?: boolean;
};

declare module 'fastify' {
  interface FastifyRequest {
    /** Set once the caller is known. */
    noted: Noted | null;
  }
}

/** Text and bytes are kept until the request has ended, streams are not. */
export const keptBody = (payload: unknown): string | Buffer | undefined =>
  typeof payload === 'string' || Buffer.isBuffer(payload) ? payload : undefined;

/** Tells the observers of a request whose platform is known. */
export function observerOf(observers: readonly ObserveExchange[]): (request: FastifyRequest, status: number, ms: number) => void {
  return (request, status, ms) => {
    const { noted, routeOptions, params, query, body, headers } = request;
    const { operation, template, declared } = routeOptions.config;
    if (noted === null || operation === undefined || template === undefined) return;
    const key = headers['idempotency-key'];
    for (const observe of observers)
      observe({
        requestId: request.id,
        caller: noted.caller,
        operation,
        declared,
        method: request.method,
        template,
        params: params as Readonly<Record<string, string>>,
        query: query as Readonly<Record<string, unknown>>,
        idempotencyKey: typeof key === 'string' ? key : undefined,
        signed: noted.signed,
        status,
        ms,
        requestBody: Buffer.isBuffer(body) ? body : undefined,
        answerBody: noted.answerBody,
        isSecret: noted.isSecret ?? false,
        isConsole: noted.isConsole ?? false,
      });
  };
}
