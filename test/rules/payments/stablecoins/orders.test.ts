// Which orders to mint and burn can be given, by which links, and how an accepted one goes on. The tables are in rules.test.ts.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  type AccountFacts,
  acceptedOperation,
  afterReport,
  checkOrder,
  ENABLEMENT_STEP_MS,
  FUNDING_MS,
  isFunded,
  isOver,
  isWaitingForApproval,
  LINK_MOVES,
  type OrderFacts,
  onlyLink,
  RETRY_MS,
  refuseUnusable,
  TIMINGS,
} from '../../../../src/domains/payments/stablecoins/rules.js';
import {
  BURN_SOURCES,
  type BurnDraft,
  GRID_STATUSES,
  ISSUANCE_STATUSES,
  type Link,
  MINT_SOURCES,
  type MintDraft,
  OPERATION_STATUSES,
  type StablecoinOperation,
} from '../../../../src/domains/payments/stablecoins/stablecoin.js';
import { answerOf, refusalBy } from '../../../support/refusal.js';

const link = (status: Link['status'] = 'ACTIVE', id = 1): Link => ({
  id: `StablecoinProviderAccount:${id}`,
  provider: 'EXTERNAL_ISSUER',
  environment: 'SANDBOX',
  providerAccountId: 'acct',
  status,
  credentialsSealed: null,
  lastVerifiedAt: new Date(0),
  createdAt: new Date(0),
  updatedAt: new Date(0),
});

describe('links', () => {
  test('REVOKED and INVALID ones cannot be used', () => {
    assert.deepEqual(
      (['ACTIVE', 'INVALID', 'REVOKED'] as const).map((status) => refusalBy(() => refuseUnusable({ status }))),
      ['allowed', 'STABLECOIN_PROVIDER_ACCOUNT_INVALID', 'STABLECOIN_PROVIDER_ACCOUNT_REVOKED'],
    );
  });

  test('a registration that names none takes the only active one', () => {
    const one = link();
    assert.equal(onlyLink([one]), one);
    assert.equal(
      refusalBy(() => onlyLink([])),
      'STABLECOIN_PROVIDER_ACCOUNT_NOT_FOUND',
    );
    assert.equal(
      refusalBy(() => onlyLink([one, link('ACTIVE', 2)])),
      'STABLECOIN_PROVIDER_ACCOUNT_SELECTION_REQUIRED',
    );
  });

  test('status × event', () => {
    assert.deepEqual(LINK_MOVES, {
      ACTIVE: { REJECTED: 'INVALID', REVOKED: 'REVOKED' },
      INVALID: { LINKED: 'ACTIVE', REVOKED: 'REVOKED' },
      REVOKED: { LINKED: 'ACTIVE' },
    });
  });
});

const ends = {
  bank: { kind: 'BANK_USD', isActive: true },
  wallet: { kind: 'SPARK_WALLET', isActive: true },
  fiat: { kind: 'FIAT_USD', isActive: true },
  other: { kind: 'OTHER', isActive: true },
} as const satisfies Readonly<Record<string, AccountFacts>>;
const off = (end: AccountFacts): AccountFacts => ({ ...end, isActive: false });

const facts = (fields: Partial<OrderFacts>, stablecoin: Partial<OrderFacts['stablecoin']> = {}): OrderFacts => ({
  link: { status: 'ACTIVE' },
  stablecoin: { decimals: 6, issuanceStatus: 'PROVISIONED', gridStatus: 'NOT_ENABLED', ...stablecoin },
  ...fields,
});
const mint = (source: MintDraft['source'] = { type: 'WIRE' }, accountId = 'ExternalAccount:1'): MintDraft => ({
  type: 'MINT',
  amount: 1_000_000n,
  source,
  destination: { accountId },
  description: null,
});
const burn = (source: BurnDraft['source'] = { type: 'EXTERNAL_ACCOUNT' }, destination?: BurnDraft['destination']): BurnDraft => ({
  type: 'BURN',
  amount: 1_000_000n,
  source,
  destination: destination ?? { type: 'EXTERNAL_ACCOUNT', externalAccountId: 'ExternalAccount:1', rail: 'WIRE' },
  description: null,
});
const toGrid = { type: 'GRID_INTERNAL_ACCOUNT', accountId: 'InternalAccount:1', rail: 'WIRE' } as const;
const outcome = (draft: MintDraft | BurnDraft, given: OrderFacts) => refusalBy(() => checkOrder(draft, given));

describe('an order to mint', () => {
  test('pays in US dollars and delivers to a Spark wallet outside; the amount comes back in cents', () => {
    assert.equal(checkOrder(mint(), facts({ destination: ends.wallet })), 100n);
    for (const destination of [ends.bank, ends.fiat, ends.other, undefined])
      assert.equal(outcome(mint(), facts({ destination })), 'STABLECOIN_EXTERNAL_ACCOUNT_NOT_SUPPORTED');
  });

  test('a debit is of a USD bank account', () => {
    for (const type of ['ACH_DEBIT', 'SAME_DAY_ACH_DEBIT'] as const) {
      const draft = mint({ type, externalAccountId: 'ExternalAccount:2' });
      assert.equal(outcome(draft, facts({ source: ends.bank, destination: ends.wallet })), 'allowed');
      assert.equal(outcome(draft, facts({ source: ends.wallet, destination: ends.wallet })), 'STABLECOIN_EXTERNAL_ACCOUNT_NOT_SUPPORTED');
      assert.equal(outcome(draft, facts({ source: off(ends.bank), destination: ends.wallet })), 'STABLECOIN_EXTERNAL_ACCOUNT_NOT_LINKED');
    }
    assert.equal(outcome(mint(), facts({ destination: off(ends.wallet) })), 'STABLECOIN_EXTERNAL_ACCOUNT_NOT_LINKED');
  });

  test('accounts in the service are reserved: not enabled before enablement, not supported after', () => {
    for (const gridStatus of GRID_STATUSES) {
      const expected = gridStatus === 'ENABLED' ? 'STABLECOIN_OPERATION_NOT_SUPPORTED' : 'STABLECOIN_GRID_OPERATIONS_NOT_ENABLED';
      const given = facts({ destination: ends.wallet }, { gridStatus });
      assert.equal(outcome(mint({ type: 'GRID_INTERNAL_ACCOUNT', accountId: 'InternalAccount:1' }), given), expected);
      assert.equal(outcome(mint({ type: 'WIRE' }, 'InternalAccount:1'), given), expected);
    }
    const balance = { type: 'PROVIDER_INTERNAL_BALANCE', sourceTokenIdentifier: 'x', cryptoNetwork: 'SPARK' } as const;
    assert.equal(outcome(mint(balance), facts({ destination: ends.wallet })), 'STABLECOIN_OPERATION_NOT_SUPPORTED');
  });
});

describe('an order to burn', () => {
  test('from outside to a USD bank account', () => {
    assert.equal(outcome(burn(), facts({ destination: ends.bank })), 'allowed');
    assert.equal(outcome(burn({ type: 'PROVIDER_INTERNAL_BALANCE' }), facts({ destination: ends.bank })), 'allowed');
    for (const destination of [ends.wallet, ends.fiat, ends.other, undefined])
      assert.equal(outcome(burn(), facts({ destination })), 'STABLECOIN_EXTERNAL_ACCOUNT_NOT_SUPPORTED');
    assert.equal(outcome(burn(), facts({ destination: off(ends.bank) })), 'STABLECOIN_EXTERNAL_ACCOUNT_NOT_LINKED');
  });

  test('to a USD account in the service', () => {
    const draft = burn({ type: 'EXTERNAL_ACCOUNT' }, toGrid);
    assert.equal(outcome(draft, facts({ destination: ends.fiat })), 'allowed');
    for (const destination of [off(ends.fiat), ends.bank, ends.other, undefined])
      assert.equal(outcome(draft, facts({ destination })), 'INVALID_INPUT destination.accountId');
  });

  test('not from an account in the service', () => {
    const draft = burn({ type: 'GRID_INTERNAL_ACCOUNT', accountId: 'InternalAccount:1' });
    assert.equal(outcome(draft, facts({ destination: ends.bank })), 'STABLECOIN_BURN_SOURCE_NOT_SUPPORTED');
  });
});

test('link, issuance, reserved ends, kinds of accounts, their state, the amount: the first reason wins', () => {
  const draft = { ...mint({ type: 'WIRE' }, 'InternalAccount:1'), amount: 1n };
  const steps: [MintDraft, OrderFacts, string][] = [
    [draft, facts({ link: { status: 'REVOKED' } }, { issuanceStatus: 'FAILED' }), 'STABLECOIN_PROVIDER_ACCOUNT_REVOKED'],
    [draft, facts({}, { issuanceStatus: 'FAILED' }), 'STABLECOIN_NOT_PROVISIONED'],
    [draft, facts({ destination: ends.other }), 'STABLECOIN_GRID_OPERATIONS_NOT_ENABLED'],
    [{ ...mint(), amount: 1n }, facts({ destination: off(ends.other) }), 'STABLECOIN_EXTERNAL_ACCOUNT_NOT_SUPPORTED'],
    [{ ...mint(), amount: 1n }, facts({ destination: off(ends.wallet) }), 'STABLECOIN_EXTERNAL_ACCOUNT_NOT_LINKED'],
    [{ ...mint(), amount: 1n }, facts({ destination: ends.wallet }), 'STABLECOIN_AMOUNT_NOT_REPRESENTABLE'],
  ];
  for (const [order, given, expected] of steps) assert.equal(outcome(order, given), expected);
  for (const issuanceStatus of ISSUANCE_STATUSES)
    assert.equal(
      outcome(mint(), facts({ destination: ends.wallet }, { issuanceStatus })),
      issuanceStatus === 'PROVISIONED' ? 'allowed' : 'STABLECOIN_NOT_PROVISIONED',
    );
  assert.deepEqual(
    answerOf(() => checkOrder(mint(), facts({ link: { status: 'INVALID' } }))),
    ['STABLECOIN_PROVIDER_ACCOUNT_INVALID', undefined],
  );
});

test('who sends funds after the order, how long they may take, and when somebody is asked again', () => {
  const funded = [...new Set([...MINT_SOURCES, ...BURN_SOURCES])].filter((type) => isFunded({ type }));
  assert.deepEqual(funded, ['WIRE', 'EXTERNAL_ACCOUNT']);
  assert.deepEqual([FUNDING_MS, RETRY_MS, ENABLEMENT_STEP_MS], [7 * 86_400_000, 60_000, 60_000]);
  assert.deepEqual(GRID_STATUSES.filter(isWaitingForApproval), ['PENDING_APPROVAL', 'ENABLING']);
  assert.deepEqual(OPERATION_STATUSES.filter(isOver), ['COMPLETED', 'FAILED', 'EXPIRED']);
  assert.deepEqual(TIMINGS, {
    WIRE: 'same business day',
    SAME_DAY_ACH_CREDIT: 'same business day',
    ACH_CREDIT: '1-3 business days',
    RTP_CREDIT: 'within minutes',
  });
});

describe('an operation that the provider has accepted', () => {
  const at = (ms: number) => new Date(Date.UTC(2031, 0, 1) + ms);
  const operation = (fields: Partial<StablecoinOperation> = {}): StablecoinOperation => ({
    id: 'StablecoinOperation:1',
    stablecoinId: 'Stablecoin:1',
    linkId: 'StablecoinProviderAccount:1',
    type: 'MINT',
    status: 'CREATED',
    amount: 1n,
    cents: 1n,
    source: { type: 'WIRE' },
    destination: { accountId: 'ExternalAccount:1' },
    description: null,
    fundingInstructions: null,
    providerStatus: null,
    failureReason: null,
    expiresAt: null,
    dueAt: null,
    isAbandoned: true,
    createdAt: at(0),
    updatedAt: at(0),
    ...fields,
  });

  test('is shown, and waits seven days for funds that the payer sends', () => {
    const funded = acceptedOperation(operation(), { stage: 'FUNDING' }, undefined, at(5));
    assert.deepEqual(
      [funded.status, funded.isAbandoned, funded.expiresAt, funded.fundingInstructions],
      ['PENDING_FUNDING', false, at(7 * 86_400_000), null],
    );
    const pulled = acceptedOperation(operation({ source: { type: 'ACH_DEBIT' } }), { stage: 'QUEUED' }, undefined, at(5));
    assert.deepEqual([pulled.status, pulled.expiresAt], ['PENDING_PROVIDER', null]);
    const instructions = { reference: 'R1' } as unknown as NonNullable<StablecoinOperation['fundingInstructions']>;
    assert.equal(acceptedOperation(operation(), { stage: 'FUNDING' }, instructions, at(5)).fundingInstructions, instructions);
  });

  test('is accepted after the time for its funds is over: without funds it ends EXPIRED, with funds it goes on', () => {
    const late = at(7 * 86_400_000);
    const unfunded = acceptedOperation(operation(), { stage: 'FUNDING' }, undefined, late);
    assert.deepEqual([unfunded.status, unfunded.dueAt, unfunded.updatedAt], ['EXPIRED', null, late]);
    assert.equal(acceptedOperation(operation(), { stage: 'FUNDING' }, undefined, at(7 * 86_400_000 - 1)).status, 'PENDING_FUNDING');
    assert.equal(acceptedOperation(operation(), { stage: 'QUEUED' }, undefined, late).status, 'PENDING_PROVIDER');
  });

  test('is accepted once: a later answer changes nothing', () => {
    const processing = operation({ status: 'PROCESSING' });
    assert.equal(acceptedOperation(processing, { stage: 'COMPLETED' }, undefined, at(5)), processing);
  });

  test("the provider's status of every stage", () => {
    const STAGES = {
      FUNDING: 'pending',
      QUEUED: 'pending',
      PROCESSING: 'processing',
      COMPLETED: 'complete',
      FAILED: 'failed',
      CANCELED: 'canceled',
    };
    for (const [stage, expected] of Object.entries(STAGES) as [keyof typeof STAGES, string][])
      assert.equal(afterReport(operation(), { stage }, at(5)).providerStatus, expected, stage);
  });

  test('a failure without a reason is PROVIDER_TRANSFER_FAILED; funds that nobody waits for never expire', () => {
    assert.equal(afterReport(operation({ status: 'PROCESSING' }), { stage: 'FAILED' }, at(5)).failureReason, 'PROVIDER_TRANSFER_FAILED');
    assert.equal(afterReport(operation({ status: 'PENDING_FUNDING' }), { stage: 'FUNDING' }, at(5)).status, 'PENDING_FUNDING');
  });

  test('the provider is asked again in one millisecond at the earliest', () => {
    const due = (checkAfterMs: number) =>
      afterReport(operation({ status: 'PROCESSING' }), { stage: 'PROCESSING', checkAfterMs }, at(5)).dueAt;
    assert.deepEqual([due(0), due(1), due(2)], [at(6), at(6), at(7)]);
  });

  test('an earlier stage than the one that is known moves neither status', () => {
    const processing = operation({ status: 'PROCESSING', providerStatus: 'processing' });
    for (const stage of ['FUNDING', 'QUEUED', 'PROCESSING'] as const) {
      const { status, providerStatus, updatedAt } = afterReport(processing, { stage }, at(50));
      assert.deepEqual([status, providerStatus, updatedAt], ['PROCESSING', 'processing', at(0)], stage);
    }
  });

  test('an operation that is over stays as it is, whatever the provider says', () => {
    for (const status of ['COMPLETED', 'FAILED', 'EXPIRED'] as const) {
      const over = operation({ status });
      assert.equal(afterReport(over, { stage: 'QUEUED' }, at(5)), over);
    }
  });
});
