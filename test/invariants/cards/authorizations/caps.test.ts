// Goals G1, G2: concurrent authorizations, also through several server processes, use a limit exactly: never more, never less.
// AUTHORIZATION_ROUNDS sets how often each race is run, AUTHORIZATION_CALLERS the number of concurrent callers.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { sql } from '../../../../src/db/sql.js';
import {
  assertAtRest,
  fundedCard,
  issuerOf,
  moneyOn,
  networkOf,
  platformOf,
  purchaseOf,
  walletCard,
} from '../../../support/card-transactions.js';
import { closing, freezing } from '../../../support/cards.js';
import { type Client, clientOf, expectStatus } from '../../../support/client.js';
import { startTestService, type TestService } from '../../../support/service.js';
import { temporaryDirectory } from '../../../support/temporary.js';

const ROUNDS = Number(process.env['AUTHORIZATION_ROUNDS'] ?? 1);
const CALLERS = Number(process.env['AUTHORIZATION_CALLERS'] ?? 150);
const AMOUNT = 7;

const env = {
  RATE_LIMIT_PER_MINUTE: 'off',
  KEY_ENCRYPTION_KEY: randomBytes(32).toString('base64'),
  BOOTSTRAP_TOKEN: `t${randomBytes(6).toString('hex')}:${randomBytes(18).toString('base64url')}`,
  DATABASE_POOL_SIZE: '6',
  ISSUER_DEADLINE_MS: '60000',
};
let service: TestService;
let platform: Client;
before(async () => {
  service = await startTestService(env);
  const [id, secret] = env.BOOTSTRAP_TOKEN.split(':') as [string, string];
  platform = service.as(id, secret);
});
after(() => service.stop());

type Cap = {
  readonly funds: number;
  readonly fields: Record<string, number>;
  readonly approved: number;
  readonly amount?: (caller: number) => number;
};

/** For maxSpendPerTransaction, half of the callers send exactly the limit and half send one cent more. */
const CAPS: Readonly<Record<string, Cap>> = {
  maxSpendPerTransaction: {
    funds: 1_000_000,
    fields: { maxSpendPerTransaction: AMOUNT },
    approved: CALLERS / 2,
    amount: (caller) => AMOUNT + (caller % 2),
  },
  maxSpendPerDay: { funds: 1_000_000, fields: { maxSpendPerDay: 1_000 }, approved: 142 },
  maxTransactionsPerDay: { funds: 1_000_000, fields: { maxTransactionsPerDay: 123 }, approved: 123 },
  'the balance': { funds: 1_000, fields: {}, approved: 142 },
};

/** Repeats the request with the same token after a 503. */
async function answered({ ask }: ReturnType<typeof issuerOf>, amount: number): Promise<{ decision: string }> {
  const token = randomUUID();
  for (;;) {
    const answer = await ask({ token, amount });
    if (answer.status !== 503) return expectStatus(200, Promise.resolve(answer));
  }
}

/** Sends all authorizations concurrently through the simulated network; returns the approved and the declined amounts. */
async function authorizeAll(servers: readonly Client[], card: { readonly id: string }, amounts: readonly number[]) {
  const networks = servers.map((server) => networkOf(server, card));
  const sent = amounts.map(async (amount, caller) => {
    const { send } = networks[caller % networks.length] as (typeof networks)[0];
    // A 503 of a busy service has no effect, so the request is sent again.
    for (let answer = await send('authorization', purchaseOf(amount)); ; answer = await send('authorization', purchaseOf(amount)))
      if (answer.status !== 503) return expectStatus(202, Promise.resolve(answer));
  });
  await Promise.all(sent);
  const rows = await service.db.many<{ status: string; authorized: bigint }>(
    sql`select status, authorized from card_transactions where card_id = ${card.id.slice('Card:'.length)}`,
  );
  assert.equal(rows.length, amounts.length);
  const withStatus = (wanted: string) => rows.filter(({ status }) => status === wanted).map(({ authorized }) => Number(authorized));
  return { approved: withStatus('AUTHORIZED'), declined: withStatus('DECLINED') };
}

async function race(servers: readonly Client[], { funds, fields, approved, amount = () => AMOUNT }: Cap): Promise<void> {
  const { card, account } = await fundedCard(platform, funds, { fields });
  const amounts = Array.from({ length: CALLERS }, (_, caller) => amount(caller));
  assert.deepEqual((await authorizeAll(servers, card, amounts)).approved, Array(approved).fill(AMOUNT));
  assert.deepEqual(await moneyOn(service.db, account), { available: funds - approved * AMOUNT, total: funds });
}

describe(`${CALLERS} concurrent authorizations: exactly as many are approved as the limit allows, ${ROUNDS} round(s)`, () => {
  for (const [name, cap] of Object.entries(CAPS))
    test(name, async () => {
      for (let round = 0; round < ROUNDS; round += 1) await race([platform], cap);
    });

  test('the balance of a wallet: 100 concurrent pulls, each signed', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const { card, account } = await walletCard(platform, 300);
      assert.equal((await authorizeAll([platform], card, Array(100).fill(AMOUNT))).approved.length, 42);
      assert.deepEqual(await moneyOn(service.db, account), { available: 6, total: 6 });
    }
  });

  test('every limit, through two server processes on one database', async (context) => {
    const second = await startProcess(temporaryDirectory(context));
    try {
      for (let round = 0; round < ROUNDS; round += 1) for (const cap of Object.values(CAPS)) await race([platform, second.client], cap);
    } finally {
      await second.stop();
    }
  });

  after(async () => {
    const { data } = await expectStatus(200, platform.get('/cards?limit=1'));
    await assertAtRest(service.db, await platformOf(service.db, data[0]));
  });
});

/** `npm start` on the same database. */
async function startProcess(dataDir: string): Promise<{ client: Client; stop(): Promise<void> }> {
  const child = spawn(process.execPath, [join(import.meta.dirname, '../../../../src/main.js')], {
    env: { PATH: process.env['PATH'], ...env, PORT: '0', DATA_DIR: dataDir, DATABASE_URL: service.databaseUrl, LOG_LEVEL: 'error' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const baseUrl = await new Promise<string>((resolve, reject) => {
    let printed = '';
    child.stdout.on('data', (chunk: Buffer) => {
      printed += chunk.toString();
      const found = /Base URL\s+(\S+)/.exec(printed);
      if (found) resolve(found[1] as string);
    });
    void ended.then(() => reject(new Error(`the second process ended: ${printed}`)));
  });
  return {
    client: clientOf(baseUrl, service.contract, platform.tokenId, platform.secret),
    async stop() {
      child.kill('SIGTERM');
      await ended;
    },
  };
}

/** Many callers charge the card while it is changed. Each stops after two declines of requests sent after the change was answered. */
async function chargedWhile(card: { readonly id: string }, change: () => Promise<unknown>): Promise<void> {
  const endpoint = issuerOf(platform, card);
  let changed = Number.POSITIVE_INFINITY;
  const callers = Array.from({ length: 16 }, async () => {
    for (let after = 0; after < 2; ) {
      const started = performance.now();
      const { decision } = await answered(endpoint, AMOUNT);
      if (started < changed) continue;
      assert.equal(decision, 'DECLINED', 'a request sent after the 200 to the change is declined');
      after += 1;
    }
  });
  // The change starts after one charge is answered, so that it runs concurrently with the charges of the callers.
  await answered(endpoint, AMOUNT);
  await change();
  changed = performance.now();
  await Promise.all(callers);
}

describe('a card is changed while it is charged: authorizations sent after the 200 are declined', () => {
  const changes: Readonly<Record<string, (card: { id: string }) => Promise<unknown>>> = {
    'a freeze': ({ id }) => expectStatus(200, platform.patch(`/cards/${id}`, freezing)),
    'a close': ({ id }) => expectStatus(200, platform.patch(`/cards/${id}`, closing)),
    'a lower maxSpendPerDay': ({ id }) => expectStatus(200, platform.patch(`/cards/${id}`, { maxSpendPerDay: 1 })),
    'a lower maxTransactionsPerDay': ({ id }) => expectStatus(200, platform.patch(`/cards/${id}`, { maxTransactionsPerDay: 1 })),
    'a lower maxSpendPerTransaction': ({ id }) => expectStatus(200, platform.patch(`/cards/${id}`, { maxSpendPerTransaction: AMOUNT - 1 })),
  };
  for (const [name, change] of Object.entries(changes))
    test(name, async () => {
      for (let round = 0; round < ROUNDS; round += 1) {
        const { card } = await fundedCard(platform, 1_000_000);
        await chargedWhile(card, () => change(card));
      }
    });

  test('a revoked delegated key: no money leaves the wallet', async () => {
    const { card, key, account } = await walletCard(platform, 1_000_000);
    await chargedWhile(card, () => expectStatus(204, platform.delete(`/auth/delegated-keys/${key.id}`)));
    assert.equal((await expectStatus(200, platform.get(`/cards/${card.id}`))).status, 'PENDING');
    const { available, total } = await moneyOn(service.db, account);
    assert.equal(available, total);
  });

  test('a lower limit of the platform (cardConfigs)', async () => {
    const own = await service.newPlatform();
    const { card } = await fundedCard(own, 1_000_000);
    const { ask } = issuerOf(own, card);
    await ask({ amount: AMOUNT });
    const [, ...answers] = await Promise.all([
      expectStatus(200, own.patch('/config', { cardConfigs: { maxTransactionsPerDay: 1 } })),
      ...Array.from({ length: 16 }, () => ask({ amount: AMOUNT })),
    ]);
    assert.ok(answers.every(({ status }) => status === 200));
    assert.equal((await expectStatus(200, ask({ amount: AMOUNT }))).declinedReason, 'SPEND_LIMIT_EXCEEDED');
  });
});

test('concurrent authorizations of mixed amounts: approved amounts stay within maxSpendPerDay, and every declined amount would exceed it', async () => {
  for (let round = 0; round < ROUNDS; round += 1) {
    const { card, account } = await fundedCard(platform, 100_000, { fields: { maxSpendPerDay: 2_000 } });
    const { approved, declined } = await authorizeAll(
      [platform],
      card,
      Array.from({ length: 200 }, (_, i) => 1 + ((i * 37) % 61)),
    );
    const sum = approved.reduce((total, amount) => total + amount, 0);
    assert.ok(sum <= 2_000);
    assert.ok(
      declined.every((amount) => sum + amount > 2_000),
      `${sum} spent, declined ${Math.min(...declined)}`,
    );
    assert.equal((await moneyOn(service.db, account)).available, 100_000 - sum);
  }
});
