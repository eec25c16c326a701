// The state tables and amounts of stablecoins, restated.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  afterReport,
  centsOf,
  movesIssuance,
  NEXT_ENABLEMENT,
  parseTokenAmount,
  pathOf,
  requestedStatus,
  restMs,
  silenceMs,
} from '../../../../src/domains/payments/stablecoins/rules.js';
import {
  GRID_STATUSES,
  ISSUANCE_STATUSES,
  OPERATION_STATUSES,
  type StablecoinOperation,
} from '../../../../src/domains/payments/stablecoins/stablecoin.js';
import { refusalBy } from '../../../support/refusal.js';

const codeOf = (work: () => unknown): string => {
  try {
    work();
    return 'OK';
  } catch (error) {
    return (error as { code?: string }).code ?? String(error);
  }
};

describe('operations: status × event', () => {
  const EVENTS = ['FUNDING', 'QUEUED', 'PROCESSING', 'COMPLETED', 'FAILED', 'CANCELED', 'EXPIRED'] as const;
  /** Where each event leads, by way of every status in between. A dash: nothing changes. */
  const TABLE: Record<(typeof OPERATION_STATUSES)[number], Record<(typeof EVENTS)[number], string>> = {
    CREATED: {
      FUNDING: 'PENDING_FUNDING',
      QUEUED: 'PENDING_PROVIDER',
      PROCESSING: 'PENDING_PROVIDER PROCESSING',
      COMPLETED: 'PENDING_PROVIDER PROCESSING COMPLETED',
      FAILED: 'FAILED',
      CANCELED: 'FAILED',
      EXPIRED: '',
    },
    PENDING_FUNDING: {
      FUNDING: '',
      QUEUED: 'PENDING_PROVIDER',
      PROCESSING: 'PENDING_PROVIDER PROCESSING',
      COMPLETED: 'PENDING_PROVIDER PROCESSING COMPLETED',
      FAILED: 'PENDING_PROVIDER FAILED',
      CANCELED: 'PENDING_PROVIDER FAILED',
      EXPIRED: 'EXPIRED',
    },
    PENDING_PROVIDER: {
      FUNDING: '',
      QUEUED: '',
      PROCESSING: 'PROCESSING',
      COMPLETED: 'PROCESSING COMPLETED',
      FAILED: 'FAILED',
      CANCELED: 'FAILED',
      EXPIRED: '',
    },
    PROCESSING: { FUNDING: '', QUEUED: '', PROCESSING: '', COMPLETED: 'COMPLETED', FAILED: 'FAILED', CANCELED: 'FAILED', EXPIRED: '' },
    COMPLETED: { FUNDING: '', QUEUED: '', PROCESSING: '', COMPLETED: '', FAILED: '', CANCELED: '', EXPIRED: '' },
    FAILED: { FUNDING: '', QUEUED: '', PROCESSING: '', COMPLETED: '', FAILED: '', CANCELED: '', EXPIRED: '' },
    EXPIRED: { FUNDING: '', QUEUED: '', PROCESSING: '', COMPLETED: '', FAILED: '', CANCELED: '', EXPIRED: '' },
  };
  for (const status of OPERATION_STATUSES)
    for (const event of EVENTS)
      test(`${status} + ${event} → ${TABLE[status][event] || 'no change'}`, () =>
        assert.equal(pathOf(status, event).join(' '), TABLE[status][event]));
});

describe('the report of a provider', () => {
  const at = (ms: number) => new Date(Date.UTC(2031, 0, 1) + ms);
  const operation = (fields: Partial<StablecoinOperation>): StablecoinOperation => ({
    id: 'StablecoinOperation:1',
    stablecoinId: 'Stablecoin:1',
    linkId: 'StablecoinProviderAccount:1',
    type: 'MINT',
    status: 'PENDING_FUNDING',
    amount: 1n,
    cents: 1n,
    source: { type: 'WIRE' },
    destination: { accountId: 'ExternalAccount:1' },
    description: null,
    fundingInstructions: null,
    providerStatus: 'pending',
    failureReason: null,
    expiresAt: at(100),
    dueAt: at(1),
    isAbandoned: false,
    createdAt: at(0),
    updatedAt: at(0),
    ...fields,
  });

  test('funds that have arrived count although the time for them is over', () => {
    assert.equal(afterReport(operation({}), { stage: 'QUEUED', checkAfterMs: 5 }, at(1_000)).status, 'PENDING_PROVIDER');
    assert.equal(afterReport(operation({}), { stage: 'FUNDING' }, at(100)).status, 'EXPIRED');
    assert.equal(afterReport(operation({}), { stage: 'FUNDING' }, at(99)).status, 'PENDING_FUNDING');
  });

  test('funds that arrive after EXPIRED change nothing', () => {
    const expired = operation({ status: 'EXPIRED', dueAt: null });
    assert.deepEqual(afterReport(expired, { stage: 'COMPLETED' }, at(200)), expired);
  });

  test('the provider is asked again when it says so, at the expiry at the latest, and never once the operation has ended', () => {
    assert.deepEqual(afterReport(operation({}), { stage: 'FUNDING', checkAfterMs: 10 }, at(1)).dueAt, at(11));
    assert.deepEqual(afterReport(operation({}), { stage: 'FUNDING', checkAfterMs: 1_000 }, at(1)).dueAt, at(100));
    assert.deepEqual(afterReport(operation({}), { stage: 'FUNDING' }, at(1)).dueAt, at(100));
    assert.deepEqual(afterReport(operation({ status: 'PROCESSING' }), { stage: 'PROCESSING' }, at(1)).dueAt, at(60_001));
    assert.equal(afterReport(operation({ status: 'PROCESSING' }), { stage: 'COMPLETED' }, at(1)).dueAt, null);
  });

  test('failureReason is there only on FAILED; a cancellation by the provider is FAILED', () => {
    const failed = afterReport(operation({ status: 'PROCESSING' }), { stage: 'FAILED', failure: 'PROVIDER_INSUFFICIENT_BALANCE' }, at(1));
    assert.deepEqual([failed.status, failed.failureReason], ['FAILED', 'PROVIDER_INSUFFICIENT_BALANCE']);
    const canceled = afterReport(operation({ status: 'PENDING_PROVIDER' }), { stage: 'CANCELED' }, at(1));
    assert.deepEqual([canceled.status, canceled.failureReason, canceled.providerStatus], ['FAILED', 'PROVIDER_CANCELED', 'canceled']);
    assert.equal(afterReport(operation({}), { stage: 'QUEUED' }, at(1)).failureReason, null);
  });

  test('updatedAt moves with the status', () => {
    assert.deepEqual(afterReport(operation({}), { stage: 'FUNDING' }, at(50)).updatedAt, at(0));
    assert.deepEqual(afterReport(operation({}), { stage: 'QUEUED' }, at(50)).updatedAt, at(50));
  });
});

test('an issuance whose account has no credentials rests as long as it did so far: a minute at least, a day at most', () => {
  const revoked = new Date(Date.UTC(2031, 0, 1));
  const restAfter = (ms: number) => restMs({ updatedAt: revoked }, new Date(revoked.getTime() + ms));
  assert.deepEqual([0, 60_000, 60_001, 86_400_000, 86_400_001].map(restAfter), [60_000, 60_000, 60_001, 86_400_000, 86_400_000]);
});

test('a provider that gave no answer is left alone for a tenth of the time since the last move: a minute at least, an hour at most', () => {
  const moved = new Date(Date.UTC(2031, 0, 1));
  const silenceAfter = (ms: number) => silenceMs({ updatedAt: moved }, new Date(moved.getTime() + ms));
  const MINUTE = 60_000;
  assert.deepEqual([-MINUTE, 0, 10 * MINUTE, 10 * MINUTE + 9].map(silenceAfter), [MINUTE, MINUTE, MINUTE, MINUTE]);
  assert.deepEqual([10 * MINUTE + 10, 600 * MINUTE, 6_000 * MINUTE].map(silenceAfter), [MINUTE + 1, 60 * MINUTE, 60 * MINUTE]);
});

describe('issuance: status × status', () => {
  const MOVES = new Set([
    'PENDING_REVIEW PROVISIONING',
    'PENDING_REVIEW REJECTED',
    'PROVISIONING PROVISIONED',
    'PROVISIONING FAILED',
    // Asked late: the provider has passed through PROVISIONING.
    'PENDING_REVIEW PROVISIONED',
    'PENDING_REVIEW FAILED',
  ]);
  for (const from of ISSUANCE_STATUSES)
    for (const to of ISSUANCE_STATUSES) test(`${from} → ${to}`, () => assert.equal(movesIssuance(from, to), MOVES.has(`${from} ${to}`)));
});

describe('enablement: status × request and step', () => {
  const TABLE = {
    NOT_ENABLED: ['PENDING_APPROVAL', undefined],
    PENDING_APPROVAL: ['PENDING_APPROVAL', 'ENABLING'],
    ENABLING: [409, 'ENABLED'],
    ENABLED: [409, 'DISABLED'],
    DISABLED: [409, 'ENABLED'],
  } as const;
  for (const status of GRID_STATUSES)
    test(status, () => {
      const [requested, next] = TABLE[status];
      if (requested === 409)
        assert.equal(
          codeOf(() => requestedStatus(status)),
          'STABLECOIN_GRID_ENABLEMENT_NOT_REQUESTABLE',
        );
      else assert.equal(requestedStatus(status), requested);
      assert.equal(NEXT_ENABLEMENT[status], next);
    });
});

describe('amounts', () => {
  test('a digit string from 1 to 2^127 − 1', () => {
    assert.equal(parseTokenAmount('1'), 1n);
    assert.equal(parseTokenAmount(`000${2n ** 127n - 1n}`), 2n ** 127n - 1n);
    for (const digits of ['0', '', '0000', String(2n ** 127n), '9'.repeat(60_000)])
      assert.equal(
        refusalBy(() => parseTokenAmount(digits)),
        'INVALID_INPUT amount',
      );
  });

  test('with d > 2 decimals an amount is a multiple of 10^(d − 2), with d ≤ 2 any', () => {
    assert.equal(centsOf(1_000_000n, 6), 100n);
    assert.equal(centsOf(10_000n, 6), 1n);
    assert.equal(
      codeOf(() => centsOf(10_001n, 6)),
      'STABLECOIN_AMOUNT_NOT_REPRESENTABLE',
    );
    for (let decimals = 0; decimals <= 18; decimals += 1) {
      const unit = 10n ** BigInt(decimals);
      assert.equal(centsOf(5n * unit, decimals), 500n, `${decimals} decimals`);
      if (decimals > 2)
        assert.equal(
          codeOf(() => centsOf(5n * unit + 1n, decimals)),
          'STABLECOIN_AMOUNT_NOT_REPRESENTABLE',
        );
      else assert.equal(centsOf(5n * unit + 1n, decimals), 500n + 10n ** BigInt(2 - decimals));
    }
  });

  test('cents beyond what JSON carries exactly are out of range', () => {
    assert.equal(centsOf(9_007_199_254_740_991n, 2), 9_007_199_254_740_991n);
    assert.equal(
      codeOf(() => centsOf(9_007_199_254_740_992n, 2)),
      'AMOUNT_OUT_OF_RANGE',
    );
    assert.equal(
      codeOf(() => centsOf(2n ** 127n - 1n, 0)),
      'AMOUNT_OUT_OF_RANGE',
    );
  });
});
