// Which database errors are a 503 with Retry-After, and which are passed on.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isTimeout, orUnavailable } from '../../../src/db/unavailable.js';
import { ApiError } from '../../../src/kernel/errors.js';

const of = (code: string | undefined, message = '') => Object.assign(new Error(message), code === undefined ? {} : { code });

const UNAVAILABLE: readonly (readonly [string, Error])[] = [
  ['terminating connection due to administrator command', of('57P01')],
  ['terminating connection because of crash of another server process', of('57P02')],
  ['the database system is starting up, shutting down or in recovery', of('57P03')],
  ['terminating connection due to idle-session timeout', of('57P05')],
  ['cannot execute INSERT in a read-only transaction', of('25006')],
  ['terminating connection due to idle-in-transaction timeout', of('25P03')],
  ['terminating connection due to transaction timeout', of('25P04')],
  ['statement completion unknown', of('40003')],
  ['connection failure', of('08006')],
  ['a pooler that cannot reach its server', of('08P01')],
  ['sorry, too many clients already', of('53300')],
  ['disk full', of('53100')],
  ['canceling statement due to statement timeout', of('57014')],
  ['canceling statement due to lock timeout', of('55P03')],
  ['the server process is gone', of('ECONNREFUSED')],
  ['the connection was reset', of('ECONNRESET')],
  ['the machine is gone', of('EHOSTUNREACH')],
  ['no answer of the network', of('ETIMEDOUT')],
  ['the name is not known at the moment', of('EAI_AGAIN')],
  ['the socket file is gone', of('ENOENT')],
  ['a write to a connection that ended', of('EPIPE', 'This socket has been ended by the other party')],
  ['a write to a destroyed connection', of('ERR_STREAM_DESTROYED')],
  ['a connection lost during a statement', of(undefined, 'Connection terminated unexpectedly')],
  ['a statement on a lost connection', of(undefined, 'Client has encountered a connection error and is not queryable')],
  ['no free connection', of(undefined, 'timeout exceeded when trying to connect')],
  ['a connection that takes too long', of(undefined, 'timeout expired')],
  ['a process that is stopping', of(undefined, 'Cannot use a pool after calling end on the pool')],
];

for (const [what, error] of UNAVAILABLE)
  test(`503: ${what}`, () => {
    const shown = orUnavailable(error);
    assert.ok(shown instanceof ApiError);
    assert.deepEqual([shown.status, shown.code, shown.headers], [503, 'SERVICE_UNAVAILABLE', { 'retry-after': '1' }]);
    assert.equal(shown.cause, error);
  });

test('defects, refusals and violated constraints are passed on', () => {
  const others = [
    of('42601', 'syntax error'),
    of('23505'),
    of('40001'),
    of('22003'),
    of(undefined, 'x is undefined'),
    new ApiError('CONFLICT'),
  ];
  for (const error of others) assert.equal(orUnavailable(error), error);
});

test('a 503 stays the same 503, and a timeout is told from a lost connection', () => {
  const [timeout, lost] = [orUnavailable(of('57014')), orUnavailable(of('57P01'))];
  assert.equal(orUnavailable(timeout), timeout);
  assert.deepEqual([isTimeout(timeout), isTimeout(lost)], [true, false]);
});
