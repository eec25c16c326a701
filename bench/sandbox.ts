// Reset, snapshot and restore of a sandbox platform with 10^5 rows of a real history: customers, deposits, ledger entries, events.
import { ms, type Row } from './measure.js';
import { type BenchService, startBenchService } from './service.js';

const ROWS = Number(process.env['BENCH_SANDBOX_ROWS'] ?? 100_000);
const CUSTOMERS = 100;
const CALLERS = 8;
/** Funding calls that tell how many rows one makes. */
const SAMPLE = 80;
const RESET_LIMIT_MS = 1_000;

export async function sandbox(): Promise<Row[]> {
  const service = await startBenchService();
  try {
    const rows = await fill(service);
    const call = async (
      name: string,
      status: number,
      method: string,
      path: string,
      body?: unknown,
    ): Promise<{ name: string; tookMs: number }> => {
      const began = performance.now();
      await service.client.expect(status, 0, method, path, body);
      return { name, tookMs: performance.now() - began };
    };
    const taken = await call('snapshot', 201, 'POST', '/sandbox/snapshots', { name: 'bench' });
    const reset = await call('reset', 200, 'POST', '/sandbox/reset', { name: 'Sandbox' });
    const restored = await call('restore', 200, 'POST', '/sandbox/snapshots/bench/restore');
    const again = await call('reset after a restore', 200, 'POST', '/sandbox/reset', { name: 'Sandbox' });
    return [taken, reset, restored, again].map(({ name, tookMs }) => ({
      name: `sandbox ${name}`,
      measured: `${ms(tookMs)} with ${rows.toLocaleString('en-US')} rows`,
      ...(name.startsWith('reset') ? { limit: `< ${ms(RESET_LIMIT_MS)}`, holds: tookMs < RESET_LIMIT_MS } : {}),
    }));
  } finally {
    service.client.close();
    await service.stop();
  }
}

/** Returns how many rows a snapshot holds then, about the wanted number. */
async function fill({ client }: BenchService): Promise<number> {
  const accounts: string[] = [];
  for (let i = 0; i < CUSTOMERS; i += 1) {
    const customer = JSON.parse(
      await client.expect(201, 0, 'POST', '/customers', { customerType: 'INDIVIDUAL', fullName: `Customer ${i}a` }),
    );
    const list = await client.expect(200, 0, 'GET', `/customers/internal-accounts?customerId=${customer.id}&currency=USD`);
    accounts.push(JSON.parse(list).data[0].id);
  }
  let next = 0;
  const fund = (calls: number) =>
    Promise.all(
      Array.from({ length: CALLERS }, async (_, caller) => {
        for (let i = 0; i < calls / CALLERS; i += 1) {
          const account = accounts[next++ % accounts.length];
          await client.expect(200, caller, 'POST', `/sandbox/internal-accounts/${account}/fund`, { amount: 100 });
        }
      }),
    );
  const count = async (): Promise<number> => {
    const { rows } = JSON.parse(await client.expect(201, 0, 'POST', '/sandbox/snapshots', { name: 'count' }));
    await client.expect(204, 0, 'DELETE', '/sandbox/snapshots/count');
    return rows;
  };
  const before = await count();
  await fund(SAMPLE);
  const perCall = ((await count()) - before) / SAMPLE;
  await fund(Math.ceil((ROWS - before) / perCall) - SAMPLE);
  return count();
}
