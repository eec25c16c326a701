// The answers of the stablecoin issuer are late, lost or missing. An order is given once, and nothing is half done.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, beforeEach, describe, test } from 'node:test';
import { sql } from '../../../src/db/sql.js';
import { IssuerUnreachable, type StablecoinIssuer } from '../../../src/providers/stablecoin-issuer.js';
import { type Answer, assertRefused, type Client, expectStatus } from '../../support/client.js';
import { given } from '../../support/given.js';
import { assertLedgerHolds } from '../../support/ledger.js';
import { startOwnService, type TestService } from '../../support/service.js';
import { MINUTE, type StablecoinBuilder, stablecoins } from '../../support/stablecoins.js';
import { platformIdOf } from '../../support/webhooks/platform.js';

// biome-ignore lint/suspicious/noExplicitAny: tests read answers freely; their shape is checked against the document.
type Resource = any;

const DAY = 24 * 60 * MINUTE;

/** What the test does to calls before or after they reach the issuer of the sandbox. */
type Trouble = {
  [call in keyof StablecoinIssuer]?: {
    before?: () => Promise<void>;
    after?: () => Promise<void>;
    /** What the issuer says instead. */
    says?: (answer: Resource) => Resource;
  };
};
let trouble: Trouble = {};
let calls: (keyof StablecoinIssuer)[] = [];

/** The call does not reach the issuer: it is refused. */
class Refused extends Error {}

const troubled = (issuer: StablecoinIssuer): StablecoinIssuer =>
  Object.fromEntries(
    Object.entries(issuer).map(([name, call]) => [
      name,
      async (...args: unknown[]) => {
        const key = name as keyof StablecoinIssuer;
        calls.push(key);
        try {
          await trouble[key]?.before?.();
        } catch (error) {
          if (error instanceof Refused) return { kind: 'REFUSED' };
          throw error;
        }
        const answer = await (call as (...given: unknown[]) => Promise<unknown>)(...args);
        await trouble[key]?.after?.();
        return trouble[key]?.says?.(answer) ?? answer;
      },
    ]),
  ) as unknown as StablecoinIssuer;

const unreachable = async () => {
  throw new IssuerUnreachable('no answer');
};

let service: TestService;
before(async () => {
  service = await startOwnService({ ROLE: 'api' }, ({ stablecoinIssuer }) => ({ stablecoinIssuer: troubled(stablecoinIssuer) }));
});
after(() => service.stop());

let platform: Client;
let build: StablecoinBuilder;
let coin: Resource;
let fields: Record<string, unknown>;
beforeEach(async () => {
  trouble = {};
  platform = await service.newPlatform();
  build = stablecoins(platform);
  await platform.clock.freeze();
  coin = await build.stablecoin();
  fields = { destination: { accountId: (await build.wallet()).id } };
  calls = [];
});

const ordersAtProvider = async () =>
  (
    await service.db.many<{ id: string; is_canceled: boolean }>(sql`
      select o.id, o.is_canceled from sandbox_issuer_orders o join stablecoin_provider_accounts l on l.platform_id = o.platform_id
      where l.id = ${coin.stablecoinProviderAccountId.split(':')[1]}`)
  ).map(({ is_canceled }) => (is_canceled ? 'CANCELED' : 'OPEN'));
const rows = async () =>
  (await service.db.many(sql`select from stablecoin_operations where stablecoin_id = ${coin.id.split(':')[1]}`)).length;
const statuses = async () => (await build.operations(coin)).map(({ status }) => status);

describe('no answer to an order', () => {
  test('503; the operation is shown to nobody, and the worker cancels the order that the provider took', async () => {
    trouble = { order: { after: unreachable } };
    const answer = await build.mint(coin, '1000000', fields);
    assertRefused(answer, 503, 'SERVICE_UNAVAILABLE');
    assert.deepEqual(await statuses(), []);
    assert.deepEqual(await ordersAtProvider(), ['OPEN']);
    await platform.clock.advance(0);
    assert.deepEqual(await ordersAtProvider(), ['CANCELED']);
    assert.equal(await rows(), 0);
  });

  test('an order that never arrived leaves nothing at all', async () => {
    trouble = { order: { before: unreachable } };
    assertRefused(await build.mint(coin, '1000000', fields), 503, 'SERVICE_UNAVAILABLE');
    await platform.clock.advance(0);
    assert.deepEqual([await ordersAtProvider(), await rows()], [[], 0]);
  });

  test('the cancellation is repeated until the provider answers', async () => {
    trouble = { order: { after: unreachable }, cancel: { before: unreachable } };
    assertRefused(await build.mint(coin, '1000000', fields), 503, 'SERVICE_UNAVAILABLE');
    await platform.clock.advance(3 * MINUTE);
    assert.deepEqual([await ordersAtProvider(), await rows(), await statuses()], [['OPEN'], 1, []]);
    trouble = {};
    await platform.clock.advance(MINUTE);
    assert.deepEqual([await ordersAtProvider(), await rows()], [['CANCELED'], 0]);
  });

  test('a repeat with the same key takes the order up again: one order, one operation', async () => {
    const key = randomUUID();
    trouble = { order: { after: unreachable } };
    assertRefused(await build.mint(coin, '1000000', fields, key), 503, 'SERVICE_UNAVAILABLE');
    trouble = {};
    const operation = await expectStatus(201, build.mint(coin, '1000000', fields, key));
    assert.equal(operation.status, 'PENDING_FUNDING');
    await platform.clock.advance(5 * MINUTE);
    assert.deepEqual([await ordersAtProvider(), await statuses()], [['OPEN'], ['COMPLETED']]);
  });

  test('a repeat with the same key and another body is a new order; the first one is cancelled', async () => {
    const key = randomUUID();
    trouble = { order: { after: unreachable } };
    assertRefused(await build.mint(coin, '1000000', fields, key), 503, 'SERVICE_UNAVAILABLE');
    trouble = {};
    await expectStatus(201, build.mint(coin, '2000000', fields, key));
    await platform.clock.advance(5 * MINUTE);
    assert.deepEqual([(await ordersAtProvider()).toSorted(), await statuses()], [['CANCELED', 'OPEN'], ['COMPLETED']]);
  });

  test('503 on register and link stores nothing', async () => {
    trouble = { findToken: { before: unreachable }, verify: { before: unreachable } };
    assertRefused(await build.registering(), 503, 'SERVICE_UNAVAILABLE');
    assertRefused(await build.linking(), 503, 'SERVICE_UNAVAILABLE');
    assert.equal((await expectStatus(200, platform.get('/stablecoins'))).totalCount, 1);
    assert.equal((await expectStatus(200, platform.get('/stablecoin-provider-accounts'))).totalCount, 1);
  });
});

describe('an answer that is late', () => {
  /** Holds the answer to the first order back until the returned function is called. */
  function holdOrder(): { taken: Promise<void>; release: () => void } {
    let release = () => {};
    let take = () => {};
    const taken = new Promise<void>((resolve) => {
      take = resolve;
    });
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    let isFirst = true;
    trouble = {
      order: {
        after: async () => {
          if (!isFirst) return;
          isFirst = false;
          take();
          await held;
        },
      },
    };
    return { taken, release };
  }

  test('meanwhile the operation is CREATED; the worker asks again, and the caller gets the operation as it stands', async () => {
    const { taken, release } = holdOrder();
    const waiting = build.mint(coin, '1000000', fields);
    await taken;
    assert.deepEqual(await statuses(), ['CREATED']);
    await platform.clock.advance(MINUTE);
    assert.deepEqual(await statuses(), ['PENDING_FUNDING']);
    release();
    const operation = await expectStatus(201, waiting);
    assert.equal(operation.status, 'PENDING_FUNDING');
    await platform.clock.advance(5 * MINUTE);
    assert.deepEqual([await statuses(), await ordersAtProvider()], [['COMPLETED'], ['OPEN']]);
  });

  test('a repeat of the request does not wait for it: both get the same bytes, and the provider has one order', async () => {
    const key = randomUUID();
    const { taken, release } = holdOrder();
    const waiting = build.mint(coin, '1000000', fields, key);
    await taken;
    const repeat = await build.mint(coin, '1000000', fields, key);
    assert.equal(repeat.status, 201, repeat.text);
    release();
    const first = await waiting;
    assert.deepEqual([first.status, first.text], [201, repeat.text]);
    assert.deepEqual([await rows(), await ordersAtProvider()], [1, ['OPEN']]);
  });

  test('register and link: a call that the provider leaves without an answer gets that of its repeat, which has one meanwhile', async () => {
    const [token, credentials] = [build.token(), build.credentials()];
    const link = { stablecoinProviderAccountId: coin.stablecoinProviderAccountId };
    const calledWith = {
      findToken: (key: string) => build.registering({ ...token, ...link }, 'x', key),
      verify: (key: string) => build.linking(credentials, key),
    };
    for (const call of ['findToken', 'verify'] as const) {
      const key = randomUUID();
      let repeat: Answer | undefined;
      const before = async () => {
        trouble = {};
        repeat = await calledWith[call](key);
        await unreachable();
      };
      trouble = { [call]: { before } };
      const first = await calledWith[call](key);
      assert.deepEqual([first.status, first.text], [201, repeat?.text]);
    }
  });

  test('another request with the same key is 409 CONFLICT meanwhile, and orders nothing', async () => {
    const key = randomUUID();
    const { taken, release } = holdOrder();
    const waiting = build.mint(coin, '1000000', fields, key);
    await taken;
    assertRefused(await build.mint(coin, '2000000', fields, key), 409, 'CONFLICT');
    release();
    await expectStatus(201, waiting);
    assert.deepEqual([await rows(), await ordersAtProvider()], [1, ['OPEN']]);
  });

  test('a link that is revoked meanwhile keeps its credentials until the operation has ended', async () => {
    const { taken, release } = holdOrder();
    const waiting = build.mint(coin, '1000000', fields);
    await taken;
    await expectStatus(204, platform.delete(`/stablecoin-provider-accounts/${coin.stablecoinProviderAccountId}`));
    release();
    await expectStatus(201, waiting);
    await platform.clock.advance(5 * MINUTE);
    assert.deepEqual(await statuses(), ['COMPLETED']);
  });
});

describe('calls that overlap and are answered differently', () => {
  /** A promise and the function that fulfils it. */
  function gate(): { passed: Promise<void>; pass: () => void } {
    let pass = () => {};
    const passed = new Promise<void>((resolve) => {
      pass = resolve;
    });
    return { passed, pass };
  }

  test('a call is refused while a repeat of it is taken: the caller gets the operation of the order', async () => {
    const key = randomUUID();
    const [begun, refused, ordered, answered] = [gate(), gate(), gate(), gate()];
    // The first call stands still before it reaches the provider, which then refuses it.
    let isFirst = true;
    trouble = {
      order: {
        before: async () => {
          if (!isFirst) return;
          isFirst = false;
          begun.pass();
          await refused.passed;
          throw new Refused();
        },
        after: async () => {
          ordered.pass();
          await answered.passed;
        },
      },
    };
    const first = build.mint(coin, '1000000', fields, key);
    await begun.passed;
    const repeat = build.mint(coin, '1000000', fields, key);
    await ordered.passed;
    refused.pass();
    assert.equal((await first).body.code, 'STABLECOIN_PROVIDER_ERROR', (await first).text);
    answered.pass();
    await expectStatus(201, repeat);
    await platform.clock.advance(5 * MINUTE);
    assert.deepEqual([await ordersAtProvider(), await statuses()], [['OPEN'], ['COMPLETED']]);
  });

  test('the worker is refused an order that the first call was taken with: the operation goes on', async () => {
    const [ordered, answered, asked, refused] = [gate(), gate(), gate(), gate()];
    let count = 0;
    trouble = {
      order: {
        before: async () => {
          count += 1;
          if (count === 1) return;
          asked.pass();
          await refused.passed;
          throw new Refused();
        },
        after: async () => {
          ordered.pass();
          await answered.passed;
        },
      },
    };
    const first = build.mint(coin, '1000000', fields);
    await ordered.passed;
    const advance = platform.clock.advance(MINUTE);
    await asked.passed;
    answered.pass();
    assert.equal((await expectStatus(201, first)).status, 'PENDING_FUNDING');
    refused.pass();
    await advance;
    await platform.clock.advance(5 * MINUTE);
    assert.deepEqual([await ordersAtProvider(), await statuses()], [['OPEN'], ['COMPLETED']]);
  });

  test('an order that a repeat gives while the worker cancels the first one is cancelled as well', async () => {
    const key = randomUUID();
    trouble = { order: { before: unreachable } };
    assertRefused(await build.mint(coin, '1000000', fields, key), 503, 'SERVICE_UNAVAILABLE');
    const [cancelling, goOn] = [gate(), gate()];
    let isFirst = true;
    trouble = {
      cancel: {
        after: async () => {
          if (!isFirst) return;
          isFirst = false;
          cancelling.pass();
          await goOn.passed;
        },
      },
      order: { after: unreachable },
    };
    const advance = platform.clock.advance(0);
    await cancelling.passed;
    assertRefused(await build.mint(coin, '1000000', fields, key), 503, 'SERVICE_UNAVAILABLE');
    goOn.pass();
    await advance;
    await platform.clock.advance(MINUTE);
    assert.deepEqual([await ordersAtProvider(), await rows()], [['CANCELED'], 0]);
  });
});

test('credentials that are rejected while an answer is missing: the order is kept, and taken up with new ones', async () => {
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  let take = () => {};
  const taken = new Promise<void>((resolve) => {
    take = resolve;
  });
  let isFirst = true;
  trouble = {
    order: {
      after: async () => {
        if (!isFirst) return;
        isFirst = false;
        take();
        await held;
        await unreachable();
      },
    },
  };
  const own = await build.link({ providerAccountId: 'kept' });
  const token = await build.stablecoin(own);
  const relink = async (apiClientSecret: string) => {
    await expectStatus(204, platform.delete(`/stablecoin-provider-accounts/${own.id}`));
    await build.link({ providerAccountId: 'kept', apiClientSecret });
  };
  const waiting = build.mint(token, '1000000', fields);
  await taken;
  await relink('secret-005');
  await platform.clock.advance(3 * MINUTE);
  assert.equal((await build.operations(token))[0]?.status, 'CREATED');
  await relink('secret-x');
  await platform.clock.advance(MINUTE);
  assert.equal((await build.operations(token))[0]?.status, 'PENDING_FUNDING');
  release();
  // The order is under way, so the caller gets the operation, although the answer to its own call is lost.
  assert.equal((await expectStatus(201, waiting)).status, 'PENDING_FUNDING');
  await platform.clock.advance(5 * MINUTE);
  assert.equal((await build.operations(token))[0]?.status, 'COMPLETED');
});

describe('an order that has ended when the provider answers, as the answer to a repeat may say', () => {
  const ending = (stage: 'COMPLETED' | 'FAILED'): Trouble => ({ order: { says: (answer) => ({ ...answer, report: { stage } }) } });

  test('COMPLETED: the proceeds of a burn are credited once, also when the request is repeated', async () => {
    const account = await given(platform).fundedAccount('USD', 0);
    const balance = async () => (await expectStatus(200, platform.get(`/internal-accounts/${account.id}`))).balance.amount;
    const destination = { type: 'GRID_INTERNAL_ACCOUNT', accountId: account.id, rail: 'WIRE' };
    const key = randomUUID();
    trouble = ending('COMPLETED');
    for (let i = 0; i < 2; i += 1) {
      const operation = await expectStatus(201, build.burn(coin, '1230000', { destination }, key));
      assert.deepEqual([operation.status, await balance()], ['COMPLETED', 123]);
    }
    await platform.clock.advance(60 * MINUTE);
    assert.equal(await balance(), 123);
    await assertLedgerHolds(service.db, await platformIdOf(service, platform));
  });

  test('a link that was revoked meanwhile has no credentials afterwards', async () => {
    const path = `/stablecoin-provider-accounts/${coin.stablecoinProviderAccountId}`;
    trouble = ending('FAILED');
    trouble = { order: { ...trouble.order, after: async () => void (await expectStatus(204, platform.delete(path))) } };
    assert.equal((await expectStatus(201, build.burn(coin, '1230000'))).status, 'FAILED');
    const link = await service.db.one<{ status: string; is_sealed: boolean }>(sql`
      select status, credentials_sealed is not null as is_sealed from stablecoin_provider_accounts
      where id = ${coin.stablecoinProviderAccountId.split(':')[1]}`);
    assert.deepEqual(link, { status: 'REVOKED', is_sealed: false });
  });
});

test('no answer to a question about an order: the operation stays as it is and is asked about again', async () => {
  const operation = await expectStatus(201, build.burn(coin, '1000000'));
  trouble = { follow: { before: unreachable } };
  await platform.clock.advance(5 * MINUTE);
  assert.equal((await build.operation(operation)).status, 'PENDING_PROVIDER');
  trouble = {};
  await platform.clock.advance(MINUTE);
  assert.equal((await build.operation(operation)).status, 'COMPLETED');
});

test('a provider that reports an earlier stage moves nothing back', async () => {
  const operation = await expectStatus(201, build.burn(coin, '1000000'));
  await platform.clock.advance(MINUTE);
  const processing = await build.operation(operation);
  assert.deepEqual([processing.status, processing.providerStatus], ['PROCESSING', 'processing']);
  trouble = { follow: { says: () => ({ stage: 'QUEUED', checkAfterMs: MINUTE }) } };
  await platform.clock.advance(5 * MINUTE);
  assert.deepEqual(await build.operation(operation), processing);
  trouble = {};
  await platform.clock.advance(MINUTE);
  assert.equal((await build.operation(operation)).providerStatus, 'complete');
});

test('a provider that is silent for days is asked ever more rarely, so that the clock passes them', async () => {
  const operation = await expectStatus(201, build.burn(coin, '1000000'));
  const issuing = await build.stablecoin({ id: coin.stablecoinProviderAccountId }, '003');
  trouble = { follow: { before: unreachable }, followToken: { before: unreachable } };
  calls = [];
  const { remaining } = await expectStatus(200, platform.put('/sandbox/clock', { advanceMs: 3 * DAY }));
  assert.deepEqual(remaining, []);
  for (const call of ['follow', 'followToken'] as const) {
    const asked = calls.filter((each) => each === call).length;
    assert.ok(asked >= 3 * 24 && asked < 200, `${call}: ${asked}`);
  }
  trouble = {};
  await platform.clock.advance(60 * MINUTE);
  assert.equal((await build.operation(operation)).status, 'COMPLETED');
  assert.equal((await build.get(issuing)).issuanceStatus, 'PROVISIONED');
});

test('an external account is linked at the provider once, and remembered', async () => {
  const bank = await build.bank();
  const source = { fundingSource: { type: 'ACH_DEBIT', externalAccountId: bank.id } };
  calls = [];
  for (let i = 0; i < 3; i += 1) await expectStatus(201, build.mint(coin, '1000000', { ...fields, ...source }));
  assert.equal(calls.filter((call) => call === 'linkAccount').length, 2, 'the bank account and the wallet, once each');
});

test('order of calls of one mint: the accounts are linked, then the order is given', async () => {
  await expectStatus(201, build.mint(coin, '1000000', fields));
  assert.deepEqual(calls, ['linkAccount', 'order']);
});
