import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { decideRetry, statusOf } from '../../../../src/domains/access/signed-requests/rules.js';
import type { SignedRequest } from '../../../../src/domains/access/signed-requests/signed-request.js';
import { ApiError, type ErrorCode } from '../../../../src/kernel/errors.js';
import { newId } from '../../../../src/kernel/ids.js';
import { plusMs } from '../../../../src/kernel/time.js';

const now = new Date('2026-03-01T12:00:00Z');
const refuses = (code: ErrorCode, work: () => unknown, cause?: string) =>
  assert.throws(
    work,
    (error) => error instanceof ApiError && error.code === code && (cause === undefined || error.details?.['cause'] === cause),
  );

describe('a signed retry', () => {
  const bodyHash = Buffer.alloc(32, 1);
  const request: SignedRequest = {
    id: newId('Request'),
    operation: 'createDelegatedKey',
    target: '',
    bodyHash,
    accountId: 'InternalAccount:1',
    leg: 1,
    payload: '{}',
    expectedKey: undefined,
    facts: {},
    secretSealed: undefined,
    createdAt: plusMs(now, -1),
    expiresAt: plusMs(now, 1),
    usedAt: undefined,
  };
  const facts = { request, operation: 'createDelegatedKey', target: '', bodyHash, now };

  test('is accepted for the call it was issued for', () => {
    assert.equal(decideRetry(facts), request);
  });

  test('unknown, of another operation or resource, used, expired: one code, each with its cause', () => {
    refuses('WALLET_SIGNATURE_INVALID', () => decideRetry({ ...facts, request: undefined }), 'REQUEST_UNKNOWN');
    refuses('WALLET_SIGNATURE_INVALID', () => decideRetry({ ...facts, operation: 'revokeAuthSession' }), 'REQUEST_UNKNOWN');
    refuses('WALLET_SIGNATURE_INVALID', () => decideRetry({ ...facts, target: 'Session:1' }), 'REQUEST_UNKNOWN');
    refuses('WALLET_SIGNATURE_INVALID', () => decideRetry({ ...facts, request: { ...request, usedAt: now } }), 'REQUEST_USED');
    refuses('WALLET_SIGNATURE_INVALID', () => decideRetry({ ...facts, now: request.expiresAt }), 'REQUEST_EXPIRED');
  });

  test('is OPEN until it expires, EXPIRED from that moment, and USED whenever it was used', () => {
    const { expiresAt } = request;
    assert.equal(statusOf(request, plusMs(expiresAt, -1)), 'OPEN');
    assert.equal(statusOf(request, expiresAt), 'EXPIRED');
    for (const at of [now, plusMs(expiresAt, 1)]) assert.equal(statusOf({ ...request, usedAt: now }, at), 'USED');
  });

  test('is refused for another body', () => {
    refuses('WALLET_SIGNATURE_BODY_MISMATCH', () => decideRetry({ ...facts, bodyHash: Buffer.alloc(32, 2) }));
    assert.ok(decideRetry({ ...facts, request: { ...request, bodyHash: undefined }, bodyHash: Buffer.alloc(32, 2) }));
  });
});
