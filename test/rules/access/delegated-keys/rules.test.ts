import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { decideDelegation, decideKeyRevocation, KEY_MOVES } from '../../../../src/domains/access/delegated-keys/rules.js';
import { ApiError, type ErrorCode } from '../../../../src/kernel/errors.js';

/** `word`: what the details name, the cause or the field. */
const refuses = (code: ErrorCode, work: () => unknown, word = '') =>
  assert.throws(work, (error) => error instanceof ApiError && error.code === code && JSON.stringify(error.details ?? '').includes(word));

describe('delegation', () => {
  const good = { fundingSource: 'CardFundingSource:1', isEmbeddedWallet: true, provisioned: true, hasActiveKey: false };

  test('the first refusal that applies is the answer: 404, 409, 400', () => {
    decideDelegation(good);
    refuses('NOT_FOUND', () =>
      decideDelegation({ fundingSource: undefined, isEmbeddedWallet: false, provisioned: false, hasActiveKey: true }),
    );
    refuses('CONFLICT', () => decideDelegation({ ...good, hasActiveKey: true, isEmbeddedWallet: false }), '"ACTIVE_KEY_EXISTS"');
    refuses('INVALID_INPUT', () => decideDelegation({ ...good, isEmbeddedWallet: false }), '"internalAccountId"');
    refuses('WALLET_NOT_PROVISIONED', () => decideDelegation({ ...good, provisioned: false }));
  });

  test('a key is PENDING until it is signed, then ACTIVE until it is revoked, and ends with its customer', () => {
    assert.deepEqual(KEY_MOVES, {
      PENDING: { SIGNED: 'ACTIVE', CUSTOMER_DELETED: 'REVOKED' },
      ACTIVE: { REVOKED: 'REVOKED', CUSTOMER_DELETED: 'REVOKED' },
      REVOKED: {},
    });
  });

  test('only an ACTIVE key can be revoked', () => {
    decideKeyRevocation({ status: 'ACTIVE' });
    for (const status of ['PENDING', 'REVOKED'] as const)
      refuses('INVALID_INPUT', () => decideKeyRevocation({ status }), '"KEY_NOT_ACTIVE"');
  });
});
