// Faults of a sandbox platform on the way of a request: an answer, a delay or a cut connection instead of what would have happened.
import { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ApiError, type ErrorCode } from '../kernel/errors.js';
import type { PlatformId } from '../kernel/ids.js';
import type { RawReply } from './answer.js';
import type { Operation } from './operation.js';

export type RequestFault =
  | { readonly kind: 'ANSWER'; readonly code: ErrorCode }
  | { readonly kind: 'DELAY'; readonly delayMs: number }
  | { readonly kind: 'CUT_BEFORE_COMMIT' | 'CUT_AFTER_COMMIT' };

export type PlatformFaults = {
  /** The faults of this request, in their order. Each is counted. */
  onRequest(op: Operation, request: Pick<FastifyRequest, 'params' | 'body'>): Promise<readonly RequestFault[]>;
  /** Runs a request with the faults of providers. `onFault` is told of each that happens. */
  during<Result>(work: () => Promise<Result>, onFault: (kind: string) => void): Promise<Result>;
  /** The same for a job, which must not be held up. */
  duringJob<Result>(work: () => Promise<Result>): Promise<Result>;
};

/** Undefined if the platform has no faults, as nearly all have. A promise only where the answer is not known yet. */
export type FindFaults = (platformId: PlatformId) => PlatformFaults | undefined | Promise<PlatformFaults | undefined>;

/** Answers that a fault made, or had a part in, name it. What providers are asked for after the answer shows in the objects. */
export const FAULT_HEADER = 'switchyard-fault';

/** Runs a request through the faults of its platform. */
export async function withFaults(
  faults: PlatformFaults,
  op: Operation,
  raw: FastifyRequest,
  reply: FastifyReply,
  work: (reply: RawReply) => Promise<void>,
): Promise<void> {
  const mark = (kind: string) => void reply.header(FAULT_HEADER, kind);
  let cutsAfter = false;
  for (const fault of await faults.onRequest(op, raw)) {
    switch (fault.kind) {
      case 'DELAY':
        mark(fault.kind);
        await pause(fault.delayMs);
        break;
      case 'ANSWER':
        mark(fault.kind);
        throw new ApiError(fault.code, undefined, fault.code === 'RATE_LIMITED' || fault.code === 'SERVICE_UNAVAILABLE' ? RETRY : {});
      case 'CUT_BEFORE_COMMIT':
        return cut(raw, reply);
      case 'CUT_AFTER_COMMIT':
        cutsAfter = true;
    }
  }
  if (!cutsAfter) return faults.during(() => work(reply), mark);
  try {
    await faults.during(
      () => work(UNSENT),
      () => {},
    );
  } finally {
    cut(raw, reply);
  }
}

const RETRY = { headers: { 'retry-after': '1' } };
/** A stream that nobody reads is closed: it would keep what it holds open. */
const UNSENT: RawReply = {
  code: () => {},
  header: () => {},
  send: (payload) => {
    if (payload instanceof Readable) payload.destroy();
  },
};

/** The caller sees a connection that ends without an answer. */
function cut(raw: FastifyRequest, reply: FastifyReply): void {
  reply.hijack();
  raw.raw.socket.destroy();
}
