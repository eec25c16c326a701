// What may happen to an invitation, without a database.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { INVITATION_STATUSES, type Invitation, type InvitationStatus } from '../../../../src/domains/identity/invitations/invitation.js';
import {
  asOf,
  type Claimer,
  CODE_LENGTH,
  CODE_SIGNS,
  currencyFor,
  INVITATION_MOVES,
  parseCode,
  refuseDecided,
  refusePast,
  refuseSelf,
  refuseStranger,
} from '../../../../src/domains/identity/invitations/rules.js';
import { newId } from '../../../../src/kernel/ids.js';
import { answerOf, fieldsOf } from '../../../support/refusal.js';

const NOW = new Date('2026-06-01T00:00:00.000Z');
const EARLIER = new Date('2026-05-31T23:59:59.999Z');
const LATER = new Date('2026-06-01T00:00:00.001Z');

describe('the code', () => {
  test('has twelve of 30 signs, without 0, 1, i, l, o and u', () => {
    assert.deepEqual([CODE_SIGNS, CODE_LENGTH], ['23456789abcdefghjkmnpqrstvwxyz', 12]);
  });
  test('is read in either case; any other text is none', () => {
    assert.equal(parseCode('23456789abcd'), '23456789abcd');
    assert.equal(parseCode('23456789ABCd'), '23456789abcd');
    for (const text of ['', '23456789abc', '23456789abcde', ...[...'01ilou-'].map((sign) => `23456789abc${sign}`)])
      assert.equal(parseCode(text), undefined, text);
  });
});

describe('the life of an invitation', () => {
  // Columns: claimed, cancelled, its inviter deleted, expired. A dash changes nothing.
  const EVENTS = ['CLAIMED', 'CANCELLED', 'CUSTOMER_DELETED', 'EXPIRED'];
  const TABLE: Record<InvitationStatus, string> = {
    PENDING: 'CLAIMED CANCELLED CANCELLED EXPIRED',
    CLAIMED: '- - - -',
    EXPIRED: '- - - -',
    CANCELLED: '- - - -',
  };
  for (const status of INVITATION_STATUSES)
    test(`${status}: ${TABLE[status]}`, () => {
      const moves: Readonly<Record<string, string>> = INVITATION_MOVES[status];
      assert.equal(EVENTS.map((event) => moves[event] ?? '-').join(' '), TABLE[status]);
    });

  test('"expired means now >= expiresAt", for a pending one that expires at all', () => {
    const at = (status: InvitationStatus, expiresAt: Date | null) => asOf({ status, expiresAt } as Invitation, NOW).status;
    assert.deepEqual(
      [EARLIER, NOW, LATER, null].map((expiresAt) => at('PENDING', expiresAt)),
      ['EXPIRED', 'EXPIRED', 'PENDING', 'PENDING'],
    );
    for (const status of ['CLAIMED', 'CANCELLED'] as const) assert.equal(at(status, EARLIER), status);
  });

  test('what is no longer pending is neither claimed nor cancelled, and says what became of it', () => {
    const refused = (status: InvitationStatus) => answerOf(() => refuseDecided({ status }));
    refuseDecided({ status: 'PENDING' });
    assert.deepEqual(refused('CLAIMED'), ['INVITATION_ALREADY_CLAIMED', { status: 'CLAIMED' }]);
    assert.deepEqual(refused('CANCELLED'), ['INVITATION_CANCELLED', { status: 'CANCELLED' }]);
    assert.deepEqual(refused('EXPIRED'), ['INVALID_INPUT', { cause: 'INVITATION_EXPIRED', status: 'EXPIRED' }]);
  });
});

test('only the platform that created an invitation cancels it', () => {
  refuseStranger({ platformId: 'Platform:1' }, 'Platform:1');
  assert.deepEqual(
    answerOf(() => refuseStranger({ platformId: 'Platform:1' }, 'Platform:2')),
    ['FORBIDDEN', undefined],
  );
});

test('the inviter does not claim the own invitation, in whatever case the address is written, or under a later address', () => {
  const [platformId, otherPlatform] = [newId('Platform'), newId('Platform')];
  const [ada, bob] = [newId('Customer'), newId('Customer')];
  const invitation = { platformId, customerId: ada, inviterUma: '$Ada@bank.example' };
  const refuse = (claimer: Partial<Claimer>) =>
    refuseSelf(invitation, { platformId, customerId: bob, inviteeUma: '$bob@bank.example', ...claimer });

  for (const claimer of [{}, { customerId: undefined }, { platformId: otherPlatform, customerId: ada }]) refuse(claimer);
  for (const claimer of [{ inviteeUma: '$ada@bank.example' }, { inviteeUma: '$ADA@Bank.example' }, { customerId: ada }])
    assert.deepEqual(
      answerOf(() => refuse(claimer)),
      ['SELF_PAYMENT', undefined],
    );
});

test('expiresAt is later than now, or absent', () => {
  refusePast(null, NOW);
  refusePast(LATER, NOW);
  for (const expiresAt of [NOW, EARLIER])
    assert.deepEqual(
      fieldsOf(() => refusePast(expiresAt, NOW)),
      ['expiresAt'],
    );
});

test("the amount is in the first of the customer's currencies, else the platform's first", () => {
  assert.equal(currencyFor(['EUR', 'USD'], ['MXN']), 'EUR');
  assert.equal(currencyFor([], ['MXN', 'USD']), 'MXN');
  assert.deepEqual(
    fieldsOf(() => currencyFor([], [])),
    ['amountToSend'],
  );
});
