// applySandboxFixture, and the fixtures that are shipped
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references of fixtures look like this.
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { readConfig } from '../../../src/config.js';
import { parseJson } from '../../../src/kernel/json.js';
import { yamlToJson } from '../../../src/kernel/yaml.js';
import { projectRoot } from '../../../src/root.js';
import { emptyHome, environmentOf, run } from '../../cli/run.js';
import { assertInvalid, assertRefused, type Client, expectStatus } from '../../support/client.js';
import { dataOf } from '../../support/platform-data.js';
import { platformNameOf } from '../../support/platform-name.js';
import { race } from '../../support/race.js';
import { startOwnService, type TestService } from '../../support/service.js';
import { platformIdOf } from '../../support/webhooks/platform.js';

let service: TestService;
before(async () => {
  // Without a worker, so that nothing changes rows between two looks.
  service = await startOwnService({ ROLE: 'api', FIXTURES: join(projectRoot, 'fixtures/card-dispute.yaml') });
});
after(() => service.stop());

const apply = (client: Client, fixture: unknown) => expectStatus(200, client.post('/sandbox/fixtures', fixture as object));
const as = (type: string) => ({ headers: { 'content-type': type } });
const dump = async (client: Client) => dataOf(service.db, await platformIdOf(service, client));
const shipped = (name: string) => readFileSync(join(projectRoot, `fixtures/${name}.yaml`), 'utf8');
const ada = { name: 'ada', call: 'customers create', body: { customerType: 'INDIVIDUAL', fullName: 'Ada Lovelace' } };
const usd = { name: 'usd', call: 'customers internal-accounts list', query: { customerId: '${ada.id}', currency: 'USD' } };
const funded = { name: 'funded', call: 'sandbox internal-accounts fund', ids: ['${usd.data.0.id}'], body: { amount: 2_500 } };
const balanceOf = async (client: Client, account: string) =>
  (await expectStatus(200, client.get(`/internal-accounts/${account}`))).balance.amount;

test('outputs may be secrets under any name: the request log does not keep them', async () => {
  const client = await service.newPlatform();
  const token = { name: 'token', call: 'tokens create', body: { name: 'reader', permissions: ['VIEW', 'MANAGE'] } };
  const answer = await client.post('/sandbox/fixtures', { name: 'secret', steps: [token], outputs: { key: '${token.clientSecret}' } });
  const { outputs } = await expectStatus(200, Promise.resolve(answer));
  assert.match(outputs.key, /^sk_/);
  const logged = await client.get(`/requests/${answer.headers.get('x-request-id')}`);
  assert.equal(logged.status, 200, logged.text);
  assert.equal(logged.body.operation, 'applySandboxFixture');
  assert.ok(!logged.text.includes(outputs.key), logged.text);

  const plain = await client.post('/sandbox/fixtures', { name: 'plain', steps: [ada] });
  const kept = await expectStatus(200, client.get(`/requests/${plain.headers.get('x-request-id')}`));
  assert.deepEqual(JSON.parse(kept.responseBody), plain.body);
});

describe('the fixtures that are shipped', () => {
  /** What each of them is for, read from the API after it was applied. */
  const looks: Record<string, (client: Client, outputs: Record<string, string>) => Promise<void>> = {
    neobank: async (client, { account, payment, card }) => {
      assert.equal(await balanceOf(client, account as string), 420_000 - 8_450);
      assert.equal((await expectStatus(200, client.get(`/transactions/${payment}`))).status, 'COMPLETED');
      const { data } = await expectStatus(200, client.get(`/transactions?cardId=${card}&sortOrder=asc`));
      assert.deepEqual(
        data.map(({ status }: { status: string }) => status),
        ['SETTLED', 'DECLINED'],
      );
    },
    marketplace: async (client, { account, completedPayout, returnedPayout }) => {
      assert.equal((await expectStatus(200, client.get(`/transactions/${completedPayout}`))).status, 'COMPLETED');
      assert.equal((await expectStatus(200, client.get(`/transactions/${returnedPayout}`))).status, 'FAILED');
      assert.equal(await balanceOf(client, account as string), 96_500, 'the money of the returned payout is back');
    },
    'card-dispute': async (client, { account }) => {
      // 1000.00, less 300.00, 120.00 and 90.00; the hotel's 300.00 are credited for the time being, the tickets' 120.00 for good.
      assert.equal(await balanceOf(client, account as string), 91_000);
    },
  };

  for (const [name, look] of Object.entries(looks))
    test(`${name}: "applying twice changes nothing"`, async () => {
      const client = await service.newPlatform();
      const fixture = parseJson(yamlToJson(shipped(name))) as { steps: unknown[] };
      const first = await expectStatus(200, client.post('/sandbox/fixtures', shipped(name), as('application/yaml')));
      assert.deepEqual([first.applied, first.unchanged], [fixture.steps.length, 0]);
      await look(client, first.outputs);
      const before = await dump(client);

      const second = await apply(client, fixture);

      assert.deepEqual([second.applied, second.unchanged], [0, fixture.steps.length]);
      assert.deepEqual(second.outputs, first.outputs);
      assert.deepEqual(await dump(client), before);
    });
});

test('a step refers to the answer of an earlier one, and a fixture that grew is continued', async () => {
  const client = await service.newPlatform();
  const first = await apply(client, { name: 'grows', steps: [ada, usd] });
  assert.match(first.steps[0].id, /^Customer:/);
  const fixture = { name: 'grows', steps: [ada, usd, funded], outputs: { account: '${usd.data.0.id}', text: 'customer ${ada.id}' } };
  const second = await apply(client, fixture);
  assert.deepEqual(
    second.steps.map(({ status }: { status: string }) => status),
    ['UNCHANGED', 'UNCHANGED', 'APPLIED'],
  );
  assert.equal(second.outputs.text, `customer ${first.steps[0].id}`);
  assert.equal(await balanceOf(client, second.outputs.account), 2_500);
});

race('64 parallel applications of one fixture make its records once', async () => {
  const client = await service.newPlatform();
  const answers = await Promise.all(
    Array.from({ length: 64 }, () => apply(client, { name: 'race', steps: [ada, usd, funded], outputs: { account: '${usd.data.0.id}' } })),
  );
  assert.equal(answers.filter(({ applied }) => applied === 3).length, 1);
  assert.equal(answers.filter(({ unchanged }) => unchanged === 3).length, 63);
  assert.equal(await balanceOf(client, answers[0].outputs.account), 2_500);
  assert.equal((await expectStatus(200, client.get('/customers'))).totalCount, 1);
});

test('a clock move runs what falls due', async () => {
  const client = await service.newPlatform();
  const { outputs } = await apply(client, {
    name: 'clock',
    steps: [
      { name: 'start', clock: { now: '2031-01-01T00:00:00Z', frozen: true } },
      ada,
      usd,
      { name: 'card', call: 'cards create', body: { customerId: '${ada.id}', form: 'VIRTUAL', fundingSource: '${usd.data.0.id}' } },
      { name: 'later', clock: { advanceMs: 60_000 } },
      { name: 'issued', call: 'cards get', ids: ['${card.id}'] },
    ],
    outputs: { before: '${card.status}', after: '${issued.status}', now: '${later.now}' },
  });
  assert.deepEqual(outputs, { before: 'PROCESSING', after: 'ACTIVE', now: '2031-01-01T00:01:00.000Z' });
});

test('a reset forgets what was applied, so the fixture can be applied again', async () => {
  const client = await service.newPlatform();
  await apply(client, { name: 'again', steps: [ada] });
  await expectStatus(200, client.post('/sandbox/reset', { name: await platformNameOf(client) }));
  assert.equal((await apply(client, { name: 'again', steps: [ada] })).applied, 1);
});

describe('FIXTURES', () => {
  test('"/readyz is true only after they are in": a service that is ready has them on its first platform', async () => {
    assert.equal((await fetch(`${service.url}/readyz`)).status, 200);
    const { data } = await expectStatus(200, service.platform.get('/cards'));
    assert.equal(data.length, 1);
    const again = await service.platform.post('/sandbox/fixtures', shipped('card-dispute'), as('application/yaml'));
    assert.equal(again.body.applied, 0);
  });

  test('a start with a fixture that is refused fails, and names the file and the step', async () => {
    const file = join(mkdtempSync(join(tmpdir(), 'switchyard-fixture-')), 'wrong.json');
    writeFileSync(file, JSON.stringify({ name: 'wrong', steps: [ada, usd, { ...funded, body: { amount: -1 } }] }));
    await assert.rejects(
      startOwnService({ FIXTURES: file }),
      /FIXTURES: .*wrong\.json.*The step funded was refused with 400 INVALID_INPUT/,
    );
    await assert.rejects(startOwnService({ FIXTURES: '/nowhere.json' }), /FIXTURES: .*no such file/);
  });

  test('is refused in live mode', () => {
    assert.throws(() => readConfig({ MODE: 'live', FIXTURES: 'x.json' }), /FIXTURES: is refused in live mode/);
  });
});

test('`switchyard fixtures apply` sends a file', async (t) => {
  const home = emptyHome();
  t.after(() => rmSync(home, { recursive: true, force: true }));
  const env = environmentOf({ baseUrl: service.baseUrl, platform: await service.newPlatform() }, home);
  const file = join(projectRoot, 'fixtures/marketplace.yaml');
  const first = await run(['fixtures', 'apply', file, '--no-json'], env);
  assert.match(first.out, /ceramics +APPLIED +Customer:[\s\S]*marketplace: 14 steps applied, 0 unchanged\n/, first.err);
  assert.equal(JSON.parse((await run(['fixtures', 'apply', file], env)).out).applied, 0);
  assert.equal((await run(['fixtures', 'apply'], env)).code, 2);
});

describe('refusals', () => {
  test('a mistake in the file is refused before anything is applied, each by its field', async () => {
    const client = await service.newPlatform();
    const cases: [field: string, steps: unknown[], outputs?: Record<string, string>][] = [
      ['steps.1.name', [ada, ada]],
      ['steps.1.call', [ada, { name: 'x', call: 'customers invent' }]],
      ['steps.1.call', [ada, { name: 'x' }]],
      ['steps.1.call', [ada, { name: 'x', call: 'customers list', clock: { frozen: true } }]],
      ['steps.1.call', [ada, { name: 'x', call: 'sandbox reset create', body: { name: 'x' } }]],
      ['steps.1.call', [ada, { name: 'x', call: 'sandbox fixtures apply', body: {} }]],
      ['steps.1.call', [ada, { name: 'x', call: 'agents me quotes create' }]],
      ['steps.1.ids', [ada, { name: 'x', call: 'cards get' }]],
      ['steps.1.usd', [ada, funded, usd]],
      ['steps.0.name', [{ ...ada, name: '1 bad name' }]],
      ['outputs.nobody', [ada], { id: '${nobody.id}' }],
    ];
    for (const [field, steps, outputs] of cases) {
      const answer = await client.post('/sandbox/fixtures', { name: 'wrong', steps, ...(outputs && { outputs }) } as object);
      assertInvalid(answer, field);
    }
    assert.equal((await expectStatus(200, client.get('/customers'))).totalCount, 0);
  });

  test('a step that is refused ends the run; corrected, the fixture goes on from there', async () => {
    const client = await service.newPlatform();
    const wrong = { ...funded, body: { amount: -1 } };
    const refused = await client.post('/sandbox/fixtures', { name: 'corrected', steps: [ada, usd, wrong] });
    assertRefused(refused, 409, 'CONFLICT');
    assert.equal(refused.body.details.step, 'funded');
    assert.equal(refused.body.details.answer.code, 'INVALID_INPUT');
    const { applied, unchanged } = await apply(client, { name: 'corrected', steps: [ada, usd, funded] });
    assert.deepEqual([applied, unchanged], [1, 2]);
  });

  test('a step that was applied with another content is refused, and nothing is applied', async () => {
    const client = await service.newPlatform();
    await apply(client, { name: 'changed', steps: [ada] });
    const before = await dump(client);
    const other = { ...ada, body: { ...ada.body, fullName: 'Grace Hopper' } };
    assertRefused(await client.post('/sandbox/fixtures', { name: 'changed', steps: [other, usd] }), 409, 'CONFLICT');
    assert.deepEqual(await dump(client), before);
  });

  test('an answer without the member that a reference names is refused by the name of the step', async () => {
    const client = await service.newPlatform();
    const refused = await client.post('/sandbox/fixtures', { name: 'member', steps: [ada, { ...funded, ids: ['${ada.account.id}'] }] });
    assertRefused(refused, 409, 'CONFLICT');
    assert.deepEqual(refused.body.details, { step: 'funded', reference: 'ada.account.id' });
  });

  test('a query parameter that is an object is refused by the operation, whatever its members are called', async () => {
    const client = await service.newPlatform();
    for (const value of [{ toString: 1 }, [{ toString: 1, valueOf: 2 }], {}]) {
      const listed = { name: 'listed', call: 'customers list', query: { customerType: value } };
      const refused = await client.post('/sandbox/fixtures', { name: 'query', steps: [listed] });
      assertRefused(refused, 409, 'CONFLICT');
      assert.deepEqual([refused.body.details.step, refused.body.details.answer.status], ['listed', 400]);
    }
  });

  test('a step waits for no lock of the run itself', async () => {
    const client = await service.newPlatform();
    const wallet = { ...usd, name: 'wallet', query: { customerId: '${ada.id}', currency: 'USDB' } };
    // Among a thousand addresses this one shared the lock that the run held.
    const body = { type: 'EMAIL_OTP', accountId: '${wallet.data.0.id}', email: 'ada1200@example.com' };
    const { applied } = await apply(client, {
      name: 'locks',
      steps: [ada, wallet, { name: 'credential', call: 'auth credentials create', body }],
    });
    assert.equal(applied, 3);
  });

  test('a step whose body is larger than that of a request may be is refused like the request', async () => {
    const client = await service.newPlatform();
    const large = { name: 'large', call: 'customers create', body: { customerType: 'INDIVIDUAL', fullName: '${ada}'.repeat(300) } };
    const refused = await client.post('/sandbox/fixtures', { name: 'large', steps: [ada, large] });
    assertRefused(refused, 409, 'CONFLICT');
    assert.deepEqual([refused.body.details.step, refused.body.details.answer.status], ['large', 413]);
    assert.equal(refused.body.details.answer.code, 'PAYLOAD_TOO_LARGE');
  });

  test('YAML that is none, or that says what JSON cannot, is refused', async () => {
    const client = await service.newPlatform();
    for (const text of ['a: [1', 'a: 1\na: 2', 'a: .inf', `a: &a [x]\nb: [${'*a,'.repeat(200)}]`])
      assertRefused(await client.post('/sandbox/fixtures', text, as('application/yaml')), 400, 'INVALID_REQUEST_FORMAT');
    assertRefused(await client.post('/sandbox/fixtures', 'name: x', as('text/yaml')), 415, 'UNSUPPORTED_MEDIA_TYPE');
    assertRefused(await client.post('/customers', 'customerType: INDIVIDUAL', as('application/yaml')), 415, 'UNSUPPORTED_MEDIA_TYPE');
    assertInvalid(await client.post('/sandbox/fixtures', 'name: 90071992547409930', as('application/yaml')), 'name');
  });

  test('YAML that is nested to where the stack ends, or takes the library minutes, is refused before it is composed', async () => {
    const client = await service.newPlatform();
    const nested = ['- ', '? ', '[', '{a: '].map((opening) => opening.repeat(64_000 / opening.length));
    const long = [
      `- &a [1]\n${'- &a [*a]\n'.repeat(5_000)}`,
      '*x\n'.repeat(20_000),
      Array.from({ length: 8_000 }, (_, i) => `k${i}:`).join('\n'),
    ];
    for (const [texts, cause] of [
      [nested, 'nested too deeply'],
      [long, 'has too many members'],
    ] as const)
      for (const text of texts) {
        const refused = await client.post('/sandbox/fixtures', text, as('application/yaml'));
        assertRefused(refused, 400, 'INVALID_REQUEST_FORMAT');
        assert.equal(refused.body.details.cause, cause);
      }
    const deepest = '[['.repeat(12) + ']]'.repeat(12);
    const named = `name: deep\nsteps: [{name: a, call: customers create, body: {x: ${deepest}}}]`;
    assertRefused(await client.post('/sandbox/fixtures', named, as('application/yaml')), 409, 'CONFLICT');
  });
});
