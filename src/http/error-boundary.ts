// The one place where an error becomes a response.
import type { Socket } from 'node:net';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { ApiError, describeError, messageForLog } from '../kernel/errors.js';
import { newUuid } from '../kernel/ids.js';

export const JSON_HEADER = 'application/json; charset=utf-8';

/** Makes the body of a refusal. */
export type RenderError = (error: ApiError) => Readonly<Record<string, unknown>>;

export const errorBody: RenderError = (error) => ({
  code: error.code,
  reason: error.message,
  ...error.beside,
  ...(error.details ? { details: error.details } : {}),
});

/** As `errorBody`, with the members that published clients read in addition. */
export const compatibleErrorBody: RenderError = (error) => ({ ...errorBody(error), message: error.message, status: error.status });

/** Clients that retry by themselves read `x-should-retry`: a permanent refusal is not worth a second request. */
export const errorHeaders = (error: ApiError): Readonly<Record<string, string>> => ({
  ...error.headers,
  ...(error.isPermanent ? { 'x-should-retry': 'false' } : {}),
});

const FRAMEWORK_CODES: ReadonlyMap<string | undefined, ApiError> = new Map([
  ['FST_ERR_CTP_BODY_TOO_LARGE', new ApiError('PAYLOAD_TOO_LARGE')],
  ['FST_ERR_CTP_INVALID_MEDIA_TYPE', new ApiError('UNSUPPORTED_MEDIA_TYPE')],
  ['FST_ERR_CTP_INVALID_CONTENT_LENGTH', new ApiError('INVALID_INPUT', { cause: 'CONTENT_LENGTH' })],
  ['FST_ERR_BAD_URL', new ApiError('INVALID_INPUT', { cause: 'URL' })],
  ['FST_ERR_NOT_FOUND', new ApiError('NOT_FOUND')],
]);

function refusalFrom(error: unknown): ApiError | undefined {
  if (error instanceof ApiError) return error;
  const { code, statusCode = 500 } = describeError(error);
  return FRAMEWORK_CODES.get(code) ?? (statusCode >= 400 && statusCode < 500 ? new ApiError('INVALID_INPUT') : undefined);
}

type Exchange = { readonly request: Pick<FastifyRequest, 'id'>; readonly reply: Pick<FastifyReply, 'code' | 'header' | 'send'> };

export type ErrorOptions = { readonly log: Logger; readonly renderError: RenderError };

export function sendError({ log, renderError }: ErrorOptions, error: unknown, { request, reply }: Exchange): void {
  const refusal = refusalFrom(error);
  if (!refusal) {
    // The text of an unexpected error may hold anything; it goes to the log, never to the caller.
    const { message, stack, code } = describeError(error);
    log.error({ requestId: request.id, errorCode: code, errorMessage: message, stack }, 'failed');
  } else if (refusal.cause !== undefined) {
    // Of what the service lacks, the caller learns only that; the operator learns why.
    const { code } = describeError(refusal.cause);
    log.warn({ requestId: request.id, errorCode: code, errorMessage: messageForLog(refusal) }, 'not available');
  }
  const shown = refusal ?? new ApiError('INTERNAL_ERROR', { requestId: request.id });
  for (const [name, value] of Object.entries({ ...errorHeaders(shown), 'x-request-id': request.id, 'content-type': JSON_HEADER }))
    reply.header(name, value);
  reply.code(shown.status);
  reply.send(JSON.stringify(renderError(shown)));
}

/** Bytes that are not HTTP, or that arrive too slowly, get one short answer and the connection is closed. */
export const clientErrorHandler =
  (renderError: RenderError) =>
  (error: Error & { code?: string }, socket: Socket): void => {
    if (!socket.writable || error.code === 'ECONNRESET') {
      socket.destroy();
      return;
    }
    const timedOut = error.code === 'ERR_HTTP_REQUEST_TIMEOUT';
    const body = JSON.stringify(
      renderError(new ApiError(timedOut ? 'REQUEST_TIMEOUT' : 'INVALID_INPUT', timedOut ? undefined : { cause: 'HTTP' })),
    );
    const status = timedOut ? '408 Request Timeout' : '400 Bad Request';
    socket.end(
      `HTTP/1.1 ${status}\r\nconnection: close\r\ncontent-type: ${JSON_HEADER}\r\nx-request-id: ${newUuid()}\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
    );
  };
