import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { sql } from '../../../../src/db/sql.js';
import { assertInvalid, assertRefused, expectStatus } from '../../../support/client.js';
import { given } from '../../../support/given.js';
import { givenInvitation } from '../../../support/invitations.js';
import { startTestService, type TestService } from '../../../support/service.js';
import { platformIdOf } from '../../../support/webhooks/platform.js';

let service: TestService;
before(async () => {
  service = await startTestService();
});
after(() => service.stop());

const create = (body: Record<string, unknown>) => service.platform.post('/invitations', body);

test('201: pending, with a code of twelve signs and the address of its page', async () => {
  const customer = await given(service.platform).customer();
  await service.platform.clock.freeze('2031-03-01T12:00:00.000Z');
  const invitation = await expectStatus(201, create({ inviterUma: customer.umaAddress }));
  assert.match(invitation.code, /^[2-9a-hjkmnp-tv-z]{12}$/);
  assert.deepEqual(invitation, {
    code: invitation.code,
    status: 'PENDING',
    url: `${service.url}/i/${invitation.code}`,
    inviterUma: customer.umaAddress,
    createdAt: '2031-03-01T12:00:00.000Z',
  });
  assert.deepEqual(await expectStatus(200, service.platform.get(`/invitations/${invitation.code}`)), invitation);
  await service.platform.clock.resume();
});

test('201: firstName and expiresAt are echoed; the amount is in the first of the inviter’s currencies', async () => {
  const customer = await given(service.platform).customer({ currencies: ['USDB', 'USD'] });
  const body = { inviterUma: customer.umaAddress, firstName: 'Grace', amountToSend: 1250, expiresAt: '2099-01-01T00:00:00.000Z' };
  const invitation = await expectStatus(201, create(body));
  assert.equal(invitation.firstName, 'Grace');
  assert.equal(invitation.expiresAt, body.expiresAt);
  assert.equal(invitation.amountToSend.amount, 1250);
  assert.equal(invitation.amountToSend.currency.code, 'USDB');
});

test('the amount is for display: no balance changes', async () => {
  const account = await given(service.platform).fundedAccount('USD', 500);
  const customer = await expectStatus(200, service.platform.get(`/customers/${account.customerId}`));
  await expectStatus(201, create({ inviterUma: customer.umaAddress, amountToSend: 400 }));
  const after = await expectStatus(200, service.platform.get(`/internal-accounts/${account.id}`));
  assert.deepEqual(after.balance, account.balance);
});

test('the address of the inviter is found in any case and answered as the customer has it', async () => {
  const customer = await given(service.platform).customer();
  const invitation = await expectStatus(201, create({ inviterUma: customer.umaAddress.toUpperCase() }));
  assert.equal(invitation.inviterUma, customer.umaAddress);
});

describe('400', () => {
  test('INVALID_UMA_ADDRESS: a malformed address', async () => {
    assertRefused(await create({ inviterUma: 'ada@example.com' }), 400, 'INVALID_UMA_ADDRESS');
  });

  test('INVALID_INPUT: a well-formed address of nobody, of a deleted customer, of another platform', async () => {
    assertInvalid(await create({ inviterUma: '$nobody@example.com' }), 'inviterUma');
    const deleted = await given(service.platform).customer();
    await service.platform.delete(`/customers/${deleted.id}`);
    assertInvalid(await create({ inviterUma: deleted.umaAddress }), 'inviterUma');
    const foreign = await given(await service.newPlatform()).customer();
    assertInvalid(await create({ inviterUma: foreign.umaAddress }), 'inviterUma');
  });

  test('INVALID_INPUT: expiresAt without zone, past the year 9999 in UTC, or not later than now', async () => {
    const { umaAddress: inviterUma } = await given(service.platform).customer();
    assertInvalid(await create({ inviterUma, expiresAt: '2099-01-01T00:00:00' }), 'expiresAt');
    assertInvalid(await create({ inviterUma, expiresAt: '9999-12-31T23:59:59-14:00' }), 'expiresAt');
    const now = await service.platform.clock.freeze();
    assertInvalid(await create({ inviterUma, expiresAt: now.toISOString() }), 'expiresAt');
    await expectStatus(201, create({ inviterUma, expiresAt: new Date(now.getTime() + 1).toISOString() }));
    await service.platform.clock.resume();
  });

  test('INVALID_INPUT names every field of wrong shape, unknown fields included', async () => {
    assertInvalid(
      await create({ amountToSend: 0, firstName: '', inviteeUma: '$a@b.c' }),
      'inviterUma',
      'amountToSend',
      'firstName',
      'inviteeUma',
    );
    const { umaAddress: inviterUma } = await given(service.platform).customer();
    assertInvalid(await create({ inviterUma, amountToSend: 1.5, firstName: 'x'.repeat(101) }), 'amountToSend', 'firstName');
    await expectStatus(201, create({ inviterUma, amountToSend: Number.MAX_SAFE_INTEGER, firstName: 'x'.repeat(100) }));
  });

  test('INVITATIONS_NOT_CONFIGURED: the platform has no UMA domain', async () => {
    const platform = await service.newPlatform();
    const { umaAddress: inviterUma } = await given(platform).customer();
    const id = (await platformIdOf(service, platform)).slice('Platform:'.length);
    await service.db.run(sql`update platforms set config = jsonb_set(config::jsonb, '{umaDomain}', '""') where id = ${id}`);
    assertRefused(await platform.post('/invitations', { inviterUma }), 400, 'INVITATIONS_NOT_CONFIGURED');
  });
});

test('codes are random: none of 40 repeats or shares a beginning of six signs', async () => {
  const customer = await given(service.platform).customer();
  const codes = await Promise.all(
    Array.from({ length: 40 }, async () => (await expectStatus(201, create({ inviterUma: customer.umaAddress }))).code as string),
  );
  assert.equal(new Set(codes.map((code) => code.slice(0, 6))).size, 40);
});

describe('getInvitation', () => {
  test('200 for any platform of the installation, in any case', async () => {
    const invitation = await givenInvitation(service.platform, { firstName: 'Grace', amountToSend: 5 });
    const other = await service.newPlatform();
    assert.deepEqual(await expectStatus(200, other.get(`/invitations/${invitation.code}`)), invitation);
    assert.deepEqual(await expectStatus(200, other.get(`/invitations/${invitation.code.toUpperCase()}`)), invitation);
  });

  test('404 INVITATION_NOT_FOUND for a code that is unknown or malformed', async () => {
    for (const code of ['222222222222', 'abc', 'o'.repeat(12), `${'a'.repeat(12)}b`, '%00', '$$$'])
      assertRefused(await service.platform.get(`/invitations/${code}`), 404, 'INVITATION_NOT_FOUND');
  });

  test('an invitation past its expiry is EXPIRED, by the clock of its creator', async () => {
    const creator = await service.newPlatform();
    const now = await creator.clock.freeze();
    const expiresAt = new Date(now.getTime() + 60_000);
    const { code } = await givenInvitation(creator, { expiresAt: expiresAt.toISOString() });
    const reader = await service.newPlatform();
    await reader.clock.freeze(new Date(now.getTime() + 999_999));
    const status = async () => (await expectStatus(200, reader.get(`/invitations/${code}`))).status;
    // Moving the clock without an advance runs no job: the read alone decides.
    await creator.clock.set(new Date(expiresAt.getTime() - 1));
    assert.equal(await status(), 'PENDING');
    await creator.clock.set(expiresAt);
    assert.equal(await status(), 'EXPIRED');
    const stored = () => service.db.one<{ status: string }>(sql`select status from invitations where code = ${code}`);
    await creator.clock.advance(1);
    assert.deepEqual(await stored(), { status: 'EXPIRED' });
  });

  test('deleting the inviter cancels the invitations that nobody has claimed', async () => {
    const customer = await given(service.platform).customer();
    const open = await expectStatus(201, create({ inviterUma: customer.umaAddress }));
    const claimed = await expectStatus(201, create({ inviterUma: customer.umaAddress }));
    const { umaAddress: inviteeUma } = await given(service.platform).customer();
    await expectStatus(200, service.platform.post(`/invitations/${claimed.code}/claim`, { inviteeUma }));
    await service.platform.delete(`/customers/${customer.id}`);
    const status = async ({ code }: { code: string }) => (await expectStatus(200, service.platform.get(`/invitations/${code}`))).status;
    assert.deepEqual([await status(open), await status(claimed)], ['CANCELLED', 'CLAIMED']);
  });
});
