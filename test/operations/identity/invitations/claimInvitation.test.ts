// Claiming and cancelling: every status of an invitation against every call.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { sql } from '../../../../src/db/sql.js';
import { assertInvalid, assertRefused, type Client, expectStatus } from '../../../support/client.js';
import { given } from '../../../support/given.js';
import { cancel, claim, givenInvitation } from '../../../support/invitations.js';
import { race } from '../../../support/race.js';
import { startTestService, type TestService } from '../../../support/service.js';
import { platformIdOf } from '../../../support/webhooks/platform.js';

let service: TestService;
let creator: Client;
let other: Client;
before(async () => {
  service = await startTestService();
  creator = service.platform;
  other = await service.newPlatform();
});
after(() => service.stop());

const newUma = async (client: Client): Promise<string> => (await given(client).customer()).umaAddress;
const read = (code: string) => expectStatus(200, creator.get(`/invitations/${code}`));

/** Events of invitations on a platform, in order. */
async function claimedEvents(client: Client, code: string) {
  const platform = (await platformIdOf(service, client)).slice('Platform:'.length);
  const rows = await service.db.many<{ data: Record<string, unknown> }>(
    sql`select data from webhook_events where platform_id = ${platform} and type = 'INVITATION.CLAIMED'`,
  );
  return rows.map(({ data }) => data).filter((data) => data['code'] === code);
}

test('200: claimed by a customer of another platform; the creator alone is notified, once', async () => {
  const invitation = await givenInvitation(creator, { firstName: 'Grace', amountToSend: 700 });
  const now = await creator.clock.freeze('2032-05-05T05:05:05.000Z');
  await other.clock.freeze('2040-01-01T00:00:00.000Z');
  const inviteeUma = await newUma(other);
  const claimed = await expectStatus(200, claim(other, invitation.code.toUpperCase(), inviteeUma.toUpperCase()));
  assert.deepEqual(claimed, { ...invitation, status: 'CLAIMED', inviteeUma, claimedAt: now.toISOString() });
  assert.deepEqual(await read(invitation.code), claimed);
  assert.deepEqual(await claimedEvents(creator, invitation.code), [claimed]);
  assert.deepEqual(await claimedEvents(other, invitation.code), []);
  await creator.clock.resume();
  await other.clock.resume();
});

test('200: claimed on the platform that created it', async () => {
  const { code } = await givenInvitation(creator);
  await expectStatus(200, claim(creator, code, await newUma(creator)));
  assert.equal((await claimedEvents(creator, code)).length, 1);
});

describe('claim: 400', () => {
  test('INVALID_UMA_ADDRESS: a malformed address', async () => {
    const { code } = await givenInvitation(creator);
    assertRefused(await claim(other, code, 'grace'), 400, 'INVALID_UMA_ADDRESS');
  });

  test('INVALID_INPUT: nobody’s address, or that of a customer of another platform than the caller', async () => {
    const { code } = await givenInvitation(creator);
    assertInvalid(await claim(other, code, '$nobody@example.com'), 'inviteeUma');
    assertInvalid(await claim(other, code, await newUma(creator)), 'inviteeUma');
    assert.equal((await read(code)).status, 'PENDING');
  });

  test('SELF_PAYMENT: the inviter', async () => {
    const { code, inviterUma } = await givenInvitation(creator);
    assertRefused(await claim(creator, code, inviterUma.toUpperCase()), 400, 'SELF_PAYMENT');
  });

  test('SELF_PAYMENT: the inviter, also under an address that it took after the invitation', async () => {
    const inviter = await given(creator).customer();
    const { code } = await givenInvitation(creator, { inviterUma: inviter.umaAddress });
    const umaAddress = inviter.umaAddress.replace('$', '$renamed.');
    await expectStatus(200, creator.patch(`/customers/${inviter.id}`, { customerType: inviter.customerType, umaAddress }));
    assertRefused(await claim(creator, code, umaAddress), 400, 'SELF_PAYMENT');
    assert.equal((await read(code)).status, 'PENDING');
  });

  test('INVALID_INPUT: no body, an unknown field', async () => {
    const { code } = await givenInvitation(creator);
    assertInvalid(await creator.post(`/invitations/${code}/claim`, { inviterUma: '$a@b.c' }), 'inviteeUma', 'inviterUma');
  });
});

test('404 INVITATION_NOT_FOUND, also for a platform that may not cancel', async () => {
  const inviteeUma = await newUma(other);
  for (const code of ['222222222222', 'x']) {
    assertRefused(await claim(other, code, inviteeUma), 404, 'INVITATION_NOT_FOUND');
    assertRefused(await cancel(other, code), 404, 'INVITATION_NOT_FOUND');
  }
});

describe('status × call', () => {
  const STATUSES = ['PENDING', 'CLAIMED', 'CANCELLED', 'EXPIRED'] as const;
  type Status = (typeof STATUSES)[number];

  /** An invitation in a status; the creator's clock stands still. */
  async function givenStatus(status: Status): Promise<string> {
    const now = await creator.clock.freeze();
    const { code } = await givenInvitation(creator, { expiresAt: new Date(now.getTime() + 1_000).toISOString() });
    if (status === 'CLAIMED') await expectStatus(200, claim(other, code, await newUma(other)));
    if (status === 'CANCELLED') await expectStatus(200, cancel(creator, code));
    if (status === 'EXPIRED') await creator.clock.set(new Date(now.getTime() + 1_000));
    return code;
  }

  const REFUSALS = {
    CLAIMED: { code: 'INVITATION_ALREADY_CLAIMED', details: { status: 'CLAIMED' } },
    CANCELLED: { code: 'INVITATION_CANCELLED', details: { status: 'CANCELLED' } },
    EXPIRED: { code: 'INVALID_INPUT', details: { cause: 'INVITATION_EXPIRED', status: 'EXPIRED' } },
  } as const;

  for (const status of STATUSES) {
    test(`${status}: claim`, async () => {
      const code = await givenStatus(status);
      const answer = await claim(other, code, await newUma(other));
      if (status === 'PENDING') assert.equal(answer.status, 200, answer.text);
      else {
        assertRefused(answer, 400, REFUSALS[status].code);
        assert.deepEqual(answer.body.details, REFUSALS[status].details);
        assert.equal((await claimedEvents(creator, code)).length, status === 'CLAIMED' ? 1 : 0);
      }
      assert.equal((await read(code)).status, status === 'PENDING' ? 'CLAIMED' : status);
      await creator.clock.resume();
    });

    test(`${status}: cancel by the creator`, async () => {
      const code = await givenStatus(status);
      const answer = await cancel(creator, code);
      if (status === 'PENDING') assert.equal(answer.body.status, 'CANCELLED', answer.text);
      else {
        assertRefused(answer, 400, REFUSALS[status].code);
        assert.deepEqual(answer.body.details, REFUSALS[status].details);
      }
      assert.equal((await read(code)).status, status === 'PENDING' ? 'CANCELLED' : status);
      await creator.clock.resume();
    });

    test(`${status}: cancel by another platform is 403 FORBIDDEN`, async () => {
      const code = await givenStatus(status);
      assertRefused(await cancel(other, code), 403, 'FORBIDDEN');
      assert.equal((await read(code)).status, status);
      await creator.clock.resume();
    });
  }

  test('whoever repeats a claim gets INVITATION_ALREADY_CLAIMED, too', async () => {
    const { code } = await givenInvitation(creator);
    const inviteeUma = await newUma(other);
    await expectStatus(200, claim(other, code, inviteeUma));
    assertRefused(await claim(other, code, inviteeUma), 400, 'INVITATION_ALREADY_CLAIMED');
  });
});

race('64 claims and cancels at once: one wins, and one event at most', async () => {
  const { code } = await givenInvitation(creator);
  const umas = await Promise.all(Array.from({ length: 4 }, () => newUma(other)));
  const answers = await Promise.all(
    Array.from({ length: 64 }, (_, i) => (i % 8 === 7 ? cancel(creator, code) : claim(other, code, umas[i % 4] as string))),
  );
  const won = answers.filter(({ status }) => status === 200);
  assert.equal(won.length, 1);
  const { status } = await read(code);
  assert.equal(status, won[0]?.body.status);
  const lost = status === 'CLAIMED' ? 'INVITATION_ALREADY_CLAIMED' : 'INVITATION_CANCELLED';
  for (const answer of answers) if (answer !== won[0]) assertRefused(answer, 400, lost);
  assert.equal((await claimedEvents(creator, code)).length, status === 'CLAIMED' ? 1 : 0);
});

race('a claim while the invitee is deleted: either the claim comes first, or the customer is nobody any more', async () => {
  for (let round = 0; round < 4; round += 1) {
    const { code } = await givenInvitation(creator);
    const customer = await given(other).customer();
    const [claimed, deleted] = await Promise.all([claim(other, code, customer.umaAddress), other.delete(`/customers/${customer.id}`)]);
    assert.ok(deleted.status < 300, deleted.text);
    if (claimed.status !== 200) assertInvalid(claimed, 'inviteeUma');
    assert.equal((await read(code)).status, claimed.status === 200 ? 'CLAIMED' : 'PENDING');
  }
});
