// Every combination of status, request, delegated key and program against a model. A refusal changes nothing.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type RequestedChange, verdict, type World } from '../../../support/card-oracle.js';
import { eventsOf, givenHolder, type Holder, historyOf, placeCard, recordOf } from '../../../support/cards.js';
import type { Client } from '../../../support/client.js';
import { startTestService, type TestService } from '../../../support/service.js';

let service: TestService;
let platform: Client;
let holder: Holder;
before(async () => {
  service = await startTestService();
  platform = service.platform;
  holder = await givenHolder(platform, service.db);
});
after(() => service.stop());

const STATUSES = ['PENDING_KYC', 'PROCESSING', 'PENDING', 'ACTIVE', 'FROZEN', 'CLOSED'] as const;
const TARGETS = [undefined, 'ACTIVE', 'FROZEN', 'CLOSED'] as const;
const FUNDINGS = [undefined, 'USD', 'USDB'] as const;
const PROGRAMS = { SERVICE: 'service_full', ISSUER: 'issuer_decided' } as const;

type Cell = { readonly world: World; readonly asked: RequestedChange; readonly freezes: number };

/** All combinations of a status, except the impossible ones: ACTIVE on USDB without a key, PENDING on USD. */
function cellsOf(status: World['status']): Cell[] {
  const statusReason = status === 'PENDING' ? 'DELEGATION_REQUIRED' : status === 'CLOSED' ? 'CLOSED_BY_PLATFORM' : null;
  return (['SERVICE', 'ISSUER'] as const)
    .flatMap((decides) => [true, false].map((hasKey) => ({ decides, hasKey })))
    .flatMap((facts) => (['USD', 'USDB'] as const).map((funding): World => ({ ...facts, funding, status, statusReason })))
    .filter(
      ({ funding, hasKey }) => !(status === 'ACTIVE' && funding === 'USDB' && !hasKey) && !(status === 'PENDING' && funding === 'USD'),
    )
    .flatMap((world) => [0, 1].map((freezes) => ({ world, freezes })))
    .flatMap((cell) => TARGETS.map((target) => ({ ...cell, asked: target ? { status: target } : {} })))
    .flatMap((cell) => FUNDINGS.map((funding) => ({ ...cell, asked: { ...cell.asked, ...(funding ? { funding } : {}) } })));
}

async function check({ world, asked, freezes }: Cell): Promise<void> {
  const name = JSON.stringify({ world, asked, freezes });
  const id = await placeCard(service.db, holder, { ...world, program: PROGRAMS[world.decides], freezes });
  const before = await recordOf(service.db, id);
  const body = {
    ...(asked.status ? { status: asked.status, substatus: 'OTHER', reason: name } : {}),
    ...(asked.funding ? { fundingSource: `InternalAccount:${holder.accounts[asked.funding]}` } : {}),
    // A request must contain a change; a limit changes neither status nor funding source.
    ...(asked.status || asked.funding ? {} : { maxSpendPerDay: 7 }),
  };
  const expected = verdict(world, asked);

  const answer = await platform.patch(`/cards/${id}`, body);

  if (expected.refusal) {
    assert.deepEqual([answer.status, answer.body.code], expected.refusal, name);
    assert.deepEqual(await recordOf(service.db, id), before, `${name}: a refusal changes nothing`);
    return;
  }
  assert.equal(answer.status, 200, `${name}: ${answer.text}`);
  const { status, statusReason = null, fundingSource } = answer.body;
  assert.deepEqual(
    { status, statusReason, fundingSource },
    {
      status: expected.world.status,
      statusReason: expected.world.statusReason,
      fundingSource: `InternalAccount:${holder.accounts[expected.world.funding]}`,
    },
    name,
  );
  assert.deepEqual((await platform.get(`/cards/${id}`)).body, answer.body, name);
  assert.deepEqual(
    (await eventsOf(service.db, id)).map(({ type, data }) => ({ type, data })),
    expected.webhook ? [{ type: 'card.status_change', data: answer.body }] : [],
    name,
  );
  const history = await historyOf(service.db, id);
  assert.equal(history.length, 2 * freezes + 2, `${name}: one row is added`);
  const last = history.at(-1);
  assert.deepEqual(
    [last?.from_status, last?.to_status, last?.reason, last?.funding_account_id],
    [world.status, expected.world.status, asked.status ? name : null, holder.accounts[expected.world.funding]],
    name,
  );
}

describe('PATCH /cards/{id}: every combination of status, request, delegated key and program', () => {
  for (const status of STATUSES) {
    const cells = cellsOf(status);
    test(`${status}: ${cells.length} combinations`, async () => {
      for (let i = 0; i < cells.length; i += 8) await Promise.all(cells.slice(i, i + 8).map(check));
    });
  }
});
