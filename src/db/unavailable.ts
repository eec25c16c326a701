// Which errors mean that the database cannot be used now: the caller gets 503 and repeats the request.
import { ApiError, describeError } from '../kernel/errors.js';

/** A statement or a lock took too long. */
const TIMED_OUT: ReadonlySet<string> = new Set(['57014', '55P03']);

/** SQLSTATE classes: connection exceptions, a server that is starting, stopping, crashed or in recovery, a lack of resources. */
const UNAVAILABLE_CLASSES = /^(08|57P0|53)/;

const UNAVAILABLE_STATES: ReadonlySet<string> = new Set([
  // The server is a standby, or became one: the primary is elsewhere.
  '25006',
  // The server ended the session, because it was idle in a transaction or the transaction took too long.
  '25P03',
  '25P04',
  // Nobody knows whether the statement was completed.
  '40003',
]);

/** Errors of the operating system and of streams: a connection that was refused, lost or cannot be made. */
const LOST_CONNECTION: ReadonlySet<string> = new Set([
  'EADDRNOTAVAIL',
  'EAI_AGAIN',
  'ECONNABORTED',
  'ECONNREFUSED',
  'ECONNRESET',
  'EHOSTDOWN',
  'EHOSTUNREACH',
  'ENETDOWN',
  'ENETUNREACH',
  'ENOENT',
  'ENOTFOUND',
  'EPIPE',
  'ERR_STREAM_DESTROYED',
  'ERR_STREAM_WRITE_AFTER_END',
  'ETIMEDOUT',
]);

/** Errors of the driver, which have no code, and of a coordinator that has lost a node in the middle of a commit. */
const DRIVER_MESSAGES =
  /could not commit transaction for shard|Connection terminated|connection timeout|Client has encountered a connection error|timeout exceeded when trying to connect|timeout expired|Query read timeout|not queryable|after calling end on the pool/i;

/** The session is on a server that takes no writes. The connection is of no use, though it still answers. */
export const isReadOnly = (error: unknown): boolean => describeError(error).code === '25006';

/** The role of the service lacks a right. */
export const isRefused = (error: unknown): boolean => describeError(error).code === '42501';

/** Whether an error is a 503 for one statement or lock that took too long, while the database itself answers. */
export const isTimeout = (error: unknown): boolean => error instanceof ApiError && TIMED_OUT.has(describeError(error.cause).code ?? '');

export const isUnavailable = (error: unknown): boolean => {
  if (error instanceof ApiError) return error.code === 'SERVICE_UNAVAILABLE';
  const { code = '', message = '' } = describeError(error);
  return (
    TIMED_OUT.has(code) ||
    UNAVAILABLE_CLASSES.test(code) ||
    UNAVAILABLE_STATES.has(code) ||
    LOST_CONNECTION.has(code) ||
    DRIVER_MESSAGES.test(message)
  );
};

/** The database cannot be reached, went away, or did not answer in time: 503, retry. Everything else is passed on. */
export function unavailable(error: unknown): never {
  throw orUnavailable(error);
}

export const orUnavailable = (error: unknown): unknown =>
  !(error instanceof ApiError) && isUnavailable(error)
    ? Object.assign(new ApiError('SERVICE_UNAVAILABLE', undefined, { headers: { 'retry-after': '1' } }), { cause: error })
    : error;
