// Ownership verification: complete requests (HTTP, lock, signature, evidence, webhook, commit), compared with the bare signature check.
// Both are rates of wall-clock time. Caller, service and PostgreSQL share the machine; the bare check has one core to itself.
import { verifyOwnership } from '../src/domains/accounts/external-accounts/signatures/verify-ownership.js';
import { idOf, newUuid } from '../src/kernel/ids.js';
import { bitcoinWallet, evmWallet, solanaWallet, type TestWallet, tronWallet } from '../test/support/external-accounts/wallets.js';
import { type Row, roundByRound } from './measure.js';
import { type BenchService, startBenchService } from './service.js';

const CALLERS = 256;
const LEAST = 0.5;
/** Requests and checks of one round. */
const UNITS = 3_000;
const ROUNDS = { warmUp: 3, rounds: 5 };
/** A challenge can be answered once, so every request needs its own account. */
const ACCOUNTS = UNITS * (ROUNDS.warmUp + ROUNDS.rounds);
const MESSAGE =
  'Switchyard: I control the address of ExternalAccount:00000000-0000-7000-8000-000000000000. This proves ownership and moves no funds. ' +
  'Nonce: 00000000000000000000000000000000. Expires: 2030-01-01T00:00:00.000Z';

const CHAINS: readonly [name: string, wallet: TestWallet][] = [
  ['EVM', evmWallet('bench')],
  ['Solana', solanaWallet('bench')],
  ['Bitcoin', bitcoinWallet('bench', 'P2WPKH')],
  ['Tron', tronWallet('bench')],
];

export async function verify(): Promise<Row[]> {
  const rows: Row[] = [];
  for (const [name, wallet] of CHAINS) {
    const service = await startBenchService({ ROLE: 'api', RATE_LIMIT_PER_MINUTE: 'off' });
    try {
      rows.push(await measure(service, name, wallet));
    } finally {
      service.client.close();
      await service.stop();
    }
  }
  return rows;
}

async function measure(service: BenchService, name: string, wallet: TestWallet): Promise<Row> {
  const signature = await wallet.sign(MESSAGE);
  const ids = await openChallenges(service, wallet);
  let next = 0;
  const requests = async () => {
    const end = next + UNITS;
    const call = async (caller: number) => {
      while (next < end)
        await service.client.expect(200, caller, 'POST', `/platform/external-accounts/${ids[next++]}/verify`, { signature });
    };
    await Promise.all(Array.from({ length: CALLERS }, (_, caller) => call(caller)));
  };
  const claim = { accountType: wallet.accountType, address: wallet.address, message: MESSAGE, signature, scheme: 'bip137' } as const;
  const checks = async () => {
    for (let i = 0; i < UNITS; i += 1) if (!verifyOwnership(claim).valid) throw new Error('a valid signature was refused');
  };

  const { ours, theirs } = await roundByRound(
    () => unitsPerSecond(requests),
    () => unitsPerSecond(checks),
    ROUNDS,
  );
  const ratio = ours / theirs;
  return {
    name: `verify, ${name}, ${CALLERS} callers`,
    measured: rate(ours),
    beside: `bare signature check ${rate(theirs)}`,
    ratio,
    limit: `≥ ${LEAST}`,
    holds: ratio >= LEAST,
  };
}

const rate = (perSecond: number): string => `${Math.round(perSecond).toLocaleString('en-US')}/s`;

async function unitsPerSecond(work: () => Promise<void>): Promise<number> {
  const began = performance.now();
  await work();
  return UNITS / ((performance.now() - began) / 1000);
}

/** Accounts with an open challenge each, inserted in bulk: creating them through the API would take longer than the measurement. */
async function openChallenges(service: BenchService, { accountType, address }: TestWallet): Promise<string[]> {
  const uuids = Array.from({ length: ACCOUNTS }, newUuid);
  const plain = service.plainPool(1);
  await plain.query(
    `insert into external_accounts (platform_id, id, status, ownership_type, currency, default_uma_deposit_account, account_info, identity,
       challenge_method, challenge_content, challenge_created_at, challenge_expires_at, created_at, updated_at)
     select (select id from platforms limit 1), id, 'PENDING_OWNERSHIP_VERIFICATION', 'FIRST_PARTY', 'USDC', false, $2, uuid_send(id),
       'WALLET_SIGNATURE', $3, now(), now() + interval '1 day', now(), now() from unnest($1::uuid[]) as id`,
    [uuids, JSON.stringify({ accountType, address }), MESSAGE],
  );
  await plain.query('analyze external_accounts');
  await plain.end();
  return uuids.map((uuid) => idOf('ExternalAccount', uuid));
}
