// "`x-transitions` on status schemas, made from the tables in `rules.ts`, automatic moves included: the picture cannot lie."
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { SIGNATURES_OF_DELEGATION } from '../../src/domains/access/delegated-keys/actions.js';
import { DELEGATED_KEY_STATUSES } from '../../src/domains/access/delegated-keys/delegated-key.js';
import { decideKeyRevocation } from '../../src/domains/access/delegated-keys/rules.js';
import { completeReset, concludeLiveness, resetAt } from '../../src/domains/access/sca/rules.js';
import { RESET_STATES, type Reset, type ResetState } from '../../src/domains/access/sca/sca.js';
import { ACTION_STATUSES, type ActionStatus, type AgentAction } from '../../src/domains/agents/agent-actions/agent-action.js';
import { actionAt, approvalOf, failAction, rejectAction, startAction } from '../../src/domains/agents/agent-actions/rules.js';
import { DECLINES } from '../../src/domains/cards/authorizations/authorization.js';
import { CARD_STATUSES, type Card, type CardStatus, PIN_STATUSES, type PinStatus } from '../../src/domains/cards/cards/card.js';
import {
  blockPin,
  closeByService,
  completeDelegation,
  provisionCard,
  REQUESTED_MOVES,
  rejectCard,
  revokeDelegation,
  setPin,
  unblockPin,
} from '../../src/domains/cards/cards/rules.js';
import type { Dispute } from '../../src/domains/cards/disputes/dispute.js';
import { closeDispute, creditProvisionally } from '../../src/domains/cards/disputes/rules.js';
import { VERIFICATION_STATUSES } from '../../src/domains/identity/customers/customer.js';
import type { ImportJob } from '../../src/domains/identity/imports/import-job.js';
import { advance, finish } from '../../src/domains/identity/imports/rules.js';
import { INVITATION_STATUSES, type Invitation } from '../../src/domains/identity/invitations/invitation.js';
import { asOf, refuseDecided } from '../../src/domains/identity/invitations/rules.js';
import { STATUS_CAUSES, statusAfter } from '../../src/domains/identity/verifications/rules.js';
import { statusAt } from '../../src/domains/payments/payment-documents/rules.js';
import { ApiError } from '../../src/kernel/errors.js';
import { canMove, mergedMoves, movesBy, movesByEvent, type ShownMove } from '../../src/kernel/lifecycle.js';
import { DELEGATED_POLICIES } from '../../src/providers/wallet-signer/signer.js';
import { startTestService, type TestService } from '../support/service.js';

let service: TestService;
before(async () => {
  service = await startTestService();
});
after(() => service.stop());

type Status = { readonly enum: readonly string[]; readonly 'x-transitions'?: Readonly<Record<string, readonly ShownMove[]>> };
const schemas = (): Record<string, Status> =>
  (service.contract.document as { components: { schemas: Record<string, Status> } }).components.schemas;
const movesOf = (name: string): string[] =>
  Object.entries(schemas()[name]?.['x-transitions'] ?? {})
    .flatMap(([from, moves]) => moves.map(({ to, by, of }) => [from, to, by, of].filter((part) => part !== undefined).join(' ')))
    .sort();

/** Statuses that nothing moves through. */
const NO_LIFE: Readonly<Record<string, string>> = {
  BeneficiaryVerificationStatus: 'the result of a check',
  CardUpdateStatus: 'what a caller may ask for; the moves are those of CardStatus',
  ContactVerificationStatus: 'whether there is a time of verification',
  PepStatus: 'a fact about a person',
};

test('the rules that decline an authorization are served in their order, one for each reason, and the policies of a delegated key in words', () => {
  type Rules = readonly { readonly value: string; readonly rule: string }[];
  const all = schemas() as unknown as Record<string, { enum: string[]; 'x-rules'?: Rules; 'x-policies'?: Rules }>;
  const rules = all['CardDeclinedReason']?.['x-rules'] ?? [];
  assert.deepEqual(
    rules.map(({ value }) => value),
    DECLINES.map(({ reason }) => reason),
  );
  assert.deepEqual(rules.map(({ value }) => value).sort(), all['CardDeclinedReason']?.enum.toSorted());
  const policies = all['DelegatedKey']?.['x-policies'] ?? [];
  assert.deepEqual(
    policies.map(({ value }) => value),
    DELEGATED_POLICIES,
  );
  for (const { rule } of [...rules, ...policies]) assert.match(rule, /^[A-Z].*\.$/);
});

describe('x-transitions', () => {
  test('stand on these status schemas, between their own values alone', () => {
    const isStatus = ([name, schema]: [string, Status]) => /(?:Status|State)$/.test(name) && schema.enum !== undefined;
    const shown = Object.entries(schemas()).filter(([, schema]) => schema['x-transitions'] !== undefined);
    const missing = Object.entries(schemas())
      .filter((entry) => isStatus(entry) && entry[1]['x-transitions'] === undefined)
      .map(([name]) => name);
    assert.deepEqual(missing, Object.keys(NO_LIFE).sort(), 'every other status schema shows its moves');
    assert.ok(shown.length >= 22 && shown.every(isStatus), shown.map(([name]) => name).join(' '));
    for (const [name, { enum: values, 'x-transitions': table = {} }] of shown) {
      for (const [from, moves] of Object.entries(table)) {
        assert.ok(values.includes(from), `${name}: ${from}`);
        for (const { to } of moves) assert.ok(values.includes(to) && to !== from, `${name}: ${from} to ${to}`);
      }
      assert.ok(movesOf(name).length > 0, name);
    }
  });

  test('of a card are those that its rules make, by request and by themselves', () => {
    const now = new Date();
    const source = 'CardFundingSource:1';
    const base = { fundingSourceId: source, version: 1, updatedAt: now, details: null } as unknown as Card;
    const made: string[] = [];
    const note = (before: Card, after: Card | undefined, by: string): void => {
      if (after && after.status !== before.status) made.push(`${before.status} ${after.status} ${by}`);
    };
    for (const status of CARD_STATUSES) {
      for (const to of ['ACTIVE', 'FROZEN', 'CLOSED'] as const)
        if (canMove(REQUESTED_MOVES, status, to)) made.push(`${status} ${to} REQUESTED`);
      for (const fundingCurrency of ['USD', 'USDB']) {
        const card = { ...base, status: status as CardStatus, fundingCurrency };
        for (const hasKey of [true, false]) note(card, provisionCard(card, {} as never, hasKey, now), 'PROVISIONED');
        note(card, rejectCard(card, now), 'REJECTED');
        note(card, closeByService(card, now), 'CUSTOMER_DELETED');
        note(card, completeDelegation(card, source, now), 'DELEGATION_COMPLETED');
        note(card, revokeDelegation(card, source, now), 'DELEGATION_REVOKED');
      }
    }
    const byFunding = ['ACTIVE PENDING FUNDING_CHANGED', 'PENDING ACTIVE FUNDING_CHANGED'];
    assert.deepEqual(movesOf('CardStatus'), [...new Set([...made, ...byFunding])].sort());
  });

  test('of a customer are those of `statusAfter`', () => {
    const made = VERIFICATION_STATUSES.flatMap((from) =>
      STATUS_CAUSES.flatMap((by) => (statusAfter(from, by) === from ? [] : [`${from} ${statusAfter(from, by)} ${by}`])),
    );
    assert.deepEqual(movesOf('KycStatus'), made.sort());
    assert.deepEqual(movesOf('KybStatus'), made);
  });

  test('of delegated keys, PINs, agent actions, invitations, imports, documents, disputes and resets are those that their rules make', () => {
    const [now, later, past] = [new Date(1_000), new Date(2_000), new Date(0)];
    const made: Record<string, string[]> = {};
    /** Notes the status that a rule makes of each status; a rule that refuses makes none. */
    const note = <S extends string>(name: string, statuses: readonly S[], by: string, rule: (from: S) => string): void => {
      for (const from of statuses) {
        let to: string | undefined;
        try {
          to = rule(from);
        } catch (error) {
          if (!(error instanceof ApiError)) throw error;
        }
        made[name] ??= [];
        if (to !== undefined && to !== from) made[name].push(`${from} ${to} ${by}`);
      }
    };
    note('DelegatedKeyStatus', DELEGATED_KEY_STATUSES, 'REVOKED', (status) => {
      decideKeyRevocation({ status });
      return 'REVOKED';
    });
    made['DelegatedKeyStatus']?.push('PENDING ACTIVE SIGNED', 'PENDING REVOKED CUSTOMER_DELETED', 'ACTIVE REVOKED CUSTOMER_DELETED');

    const pin = (change: typeof setPin) => (pinStatus: PinStatus) =>
      String(change({ status: 'ACTIVE', pinStatus, details: {}, version: 1, updatedAt: now } as unknown as Card, now).card.pinStatus);
    note('CardPinStatus', PIN_STATUSES, 'SET', pin(setPin));
    note('CardPinStatus', PIN_STATUSES, 'UNBLOCKED', pin(unblockPin));
    note('CardPinStatus', PIN_STATUSES, 'BLOCKED', pin(blockPin));

    const action = (status: ActionStatus) => ({ status, expiresAt: now, undecided: false }) as unknown as AgentAction;
    note('AgentActionStatus', ACTION_STATUSES, 'EXPIRED', (status) => actionAt(action(status), later).status);
    note('AgentActionStatus', ACTION_STATUSES, 'REJECTED', (status) => rejectAction(action(status), undefined, past).status);
    for (const outcome of [failAction(action('PENDING_APPROVAL'), past), startAction(action('PENDING_APPROVAL'), {} as never, past)])
      note('AgentActionStatus', ACTION_STATUSES, 'APPROVED', (status) =>
        approvalOf(action(status)) === 'JUDGE' ? outcome.status : status,
      );
    made['AgentActionStatus']?.push('PENDING_APPROVAL REJECTED AGENT_DELETED', 'APPROVED FAILED PAYMENT_FAILED');

    const invitation = (status: string) => ({ status, expiresAt: now }) as unknown as Invitation;
    note('UmaInvitationStatus', INVITATION_STATUSES, 'EXPIRED', (status) => asOf(invitation(status), later).status);
    for (const to of ['CLAIMED', 'CANCELLED'])
      note('UmaInvitationStatus', INVITATION_STATUSES, to, (status) => {
        refuseDecided(invitation(status));
        return to;
      });
    made['UmaInvitationStatus']?.push('PENDING CANCELLED CUSTOMER_DELETED');

    const job = (status: string, successful: number) => ({ status, successful, failed: 0 }) as unknown as ImportJob;
    made['BulkCustomerImportJobStatus'] = [
      `PENDING ${advance(job('PENDING', 0), { next: {} as never, successful: 0, failed: 0 }).status} STARTED`,
      `PENDING ${finish(job('PENDING', 0), now).status} UNREADABLE`,
      ...[0, 1].map((successful) => `PROCESSING ${finish(job('PROCESSING', successful), now).status} ENDED`),
    ];

    const unused = { quoteId: null, fileId: 'File:1', expiresAt: now } as const;
    const used = { quoteId: 'Quote:1', fileId: null, expiresAt: now } as never;
    made['PaymentDocumentStatus'] = [
      `${statusAt(unused, past)} ${statusAt(used, past)} ATTACHED`,
      `${statusAt(unused, past)} ${statusAt(unused, later)} EXPIRED`,
    ];
    assert.equal(statusAt(used, later), 'ATTACHED', 'a document that was used does not expire');

    const dispute = { status: 'OPEN', amount: 100n, credited: 0n } as unknown as Dispute;
    made['SandboxCardDisputeStatus'] = [
      `OPEN ${closeDispute(dispute, 'LOST', undefined, { available: 0n } as never).dispute.status} CLOSED`,
    ];
    assert.equal(creditProvisionally(dispute, 50n).dispute.status, 'OPEN');

    const reset = (status: ResetState) => ({ status, expiresAt: now }) as unknown as Reset;
    for (const outcome of ['PASS', 'FAIL', 'REVIEW'] as const)
      note('TwoFactorResetState', RESET_STATES, outcome, (status) => concludeLiveness(reset(status), outcome, past).status);
    note('TwoFactorResetState', RESET_STATES, 'EXPIRED', (status) => resetAt(reset(status), later).status);
    note('TwoFactorResetState', RESET_STATES, 'CONFIRMED', (status) => completeReset(reset(status), past).status);

    for (const [name, moves] of Object.entries(made)) assert.deepEqual(movesOf(name), moves.sort(), name);
  });

  test('of a quote and of an outgoing transaction are those of outgoing payments', () => {
    const outgoing = movesOf('TransactionStatus').flatMap((move) =>
      move.endsWith(' OUTGOING') ? [move.slice(0, -' OUTGOING'.length)] : [],
    );
    assert.deepEqual(movesOf('QuoteStatus'), outgoing);
    assert.deepEqual(movesOf('OutgoingTransactionStatus'), outgoing);
  });

  test('of a transaction name whether the payment goes out or comes in', () => {
    const moves = movesOf('TransactionStatus');
    for (const move of [
      'PENDING PROCESSING EXECUTED OUTGOING',
      'PROCESSING COMPLETED SETTLED OUTGOING',
      'PROCESSING COMPLETED COLLECTED INCOMING',
    ])
      assert.ok(moves.includes(move), `${move} is one of ${moves.join(', ')}`);
    assert.ok(moves.every((move) => !move.startsWith('REJECTED') && / (OUTGOING|INCOMING)$/.test(move)));
  });
});

test('tables of moves: an event that changes nothing is no move, and merged tables hold each move once', () => {
  const byEvent = movesByEvent({ A: { GO: 'B', STAY: 'A', SPLIT: ['B', 'C'] }, B: {}, C: {} });
  assert.deepEqual(byEvent, {
    A: [
      { to: 'B', by: 'GO' },
      { to: 'B', by: 'SPLIT' },
      { to: 'C', by: 'SPLIT' },
    ],
    B: [],
    C: [],
  });
  assert.deepEqual(mergedMoves(byEvent, movesBy('GO', { A: ['B'], B: 'C', C: undefined })), {
    ...byEvent,
    B: [{ to: 'C', by: 'GO' }],
  });
});

test('an operation with signed retries says how many signatures it takes', () => {
  type Signed = { readonly operationId: string; readonly parameters: readonly { $ref?: string }[]; readonly 'x-signatures'?: number };
  const all = Object.values(service.contract.document['paths'] as Record<string, Record<string, Signed>>).flatMap((path) =>
    Object.values(path),
  );
  const takes = all.filter(({ parameters }) => parameters.some(({ $ref }) => $ref?.endsWith('/SignedRequestId')));
  const said = Object.fromEntries(
    all.flatMap((one) => (one['x-signatures'] === undefined ? [] : [[one.operationId, one['x-signatures']]])),
  );
  assert.deepEqual(Object.keys(said).sort(), takes.map(({ operationId }) => operationId).sort());
  // The other operations are signed once; the three legs of a delegated key hold two signatures.
  assert.deepEqual(
    Object.entries(said).filter(([, count]) => count !== 1),
    [['createDelegatedKey', SIGNATURES_OF_DELEGATION]],
  );
  assert.equal(SIGNATURES_OF_DELEGATION, 2);
});
