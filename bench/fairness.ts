// One platform lists as fast as it can, from 200 connections: what another platform's read takes meanwhile.
import { randomBytes } from 'node:crypto';
import { LeanClient } from './http-client.js';
import { type Load, load, ms, perSecond, type Row } from './measure.js';
import { startBenchService } from './service.js';

const LISTS = 200;
const CUSTOMERS = 2_000;
const SECONDS = 10;
const MOST_MS = 100;

export async function fairness(): Promise<Row[]> {
  const [busy, other] = [credentials('busy'), credentials('other')];
  const measured = async (env: Readonly<Record<string, string>>): Promise<{ alone: Load; reads: Load; lists: Load }> => {
    const service = await startBenchService({
      BOOTSTRAP_TOKEN: [busy, other].map(({ tokenId, secret }) => `${tokenId}:${secret}`).join(','),
      ...env,
    });
    const [lister, reader] = [new LeanClient(service.baseUrl, busy), new LeanClient(service.baseUrl, other)];
    const newCustomer = async (client: LeanClient, caller: number): Promise<string> =>
      JSON.parse(await client.expect(201, caller, 'POST', '/customers', { customerType: 'INDIVIDUAL', fullName: 'Ada Lovelace' })).id;
    try {
      for (let i = 0; i < CUSTOMERS; i += 20) await Promise.all(Array.from({ length: 20 }, (_, caller) => newCustomer(lister, caller)));
      const id = await newCustomer(reader, 0);
      const read = async () => void (await reader.expect(200, 0, 'GET', `/customers/${id}`));
      const list = async (caller: number) => void (await lister.expect(200, caller, 'GET', '/customers?limit=100'));
      const alone = await load(read, { callers: 1, seconds: 2 });
      const [lists, reads] = await Promise.all([
        load(list, { callers: LISTS, seconds: SECONDS }),
        load(read, { callers: 1, seconds: SECONDS }),
      ]);
      return { alone, reads, lists };
    } finally {
      lister.close();
      reader.close();
      service.client.close();
      await service.stop();
    }
  };
  const fair = await measured({});
  const open = await measured({ PLATFORM_CONCURRENCY: 'off' });
  const errors = fair.reads.errors + fair.lists.errors;
  return [
    {
      name: `GET of one platform beside ${LISTS} parallel lists of another`,
      measured: `p50 ${ms(fair.reads.p50)}  p99 ${ms(fair.reads.p99)}${errors ? `  ${errors} errors` : ''}`,
      beside: `alone p50 ${ms(fair.alone.p50)}; PLATFORM_CONCURRENCY=off p50 ${ms(open.reads.p50)}`,
      limit: `p50 < ${MOST_MS} ms`,
      holds: fair.reads.p50 < MOST_MS && errors === 0,
    },
    {
      name: 'the lists themselves',
      measured: perSecond(fair.lists),
      beside: `PLATFORM_CONCURRENCY=off ${perSecond(open.lists)}`,
      ratio: fair.lists.perSecond / open.lists.perSecond,
    },
  ];
}

const credentials = (tokenId: string) => ({ tokenId, secret: randomBytes(24).toString('base64url') });
