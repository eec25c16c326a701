// What the request log costs card authorizations: two installations as the README starts them, one with the log and one without, loaded in
// turns. Processor time per authorization is compared, because the rate of a round varies by more than the log may cost.
import { fundedCard } from '../test/support/card-transactions.js';
import { clientOf, expectStatus } from '../test/support/client.js';
import { type Installation, startInstallation } from './installation.js';
import { issuerClient } from './issuer-client.js';
import { load, median, type Row } from './measure.js';

const CALLERS = 32;
const CARDS = 64;
const ROUNDS = 7;
const MOST = 1.02;

type Side = { readonly installation: Installation; readonly close: () => void; readonly authorize: (caller: number) => Promise<void> };

export async function requestLog(): Promise<Row[]> {
  const sides: Side[] = [];
  try {
    const off = await prepare('off');
    sides.push(off);
    const on = await prepare('on');
    sides.push(on);
    for (const side of sides) await load(side.authorize, { callers: CALLERS, seconds: 15, warmupSeconds: 0 });
    const costs = { off: [] as number[], on: [] as number[] };
    for (let round = 0; round < ROUNDS; round += 1) {
      costs.off.push(await costOf(off));
      costs.on.push(await costOf(on));
    }
    const ratio = median(costs.on.map((cost, round) => cost / (costs.off[round] as number)));
    const micros = (figures: readonly number[]) => `${(median(figures) * 1e6).toFixed(0)} µs`;
    return [
      {
        name: 'processor time per authorization with the request log',
        measured: micros(costs.on),
        beside: `without it ${micros(costs.off)}`,
        ratio,
        limit: `≤ ${MOST}`,
        holds: ratio <= MOST,
      },
    ];
  } finally {
    for (const { close, installation } of sides) {
      close();
      await installation.stop();
    }
  }
}

async function prepare(log: 'on' | 'off'): Promise<Side> {
  const installation = await startInstallation({ REQUEST_LOG: log });
  const { tokenId, secret } = installation.credentials;
  const platform = clientOf(installation.baseUrl, { check() {} }, tokenId, secret);
  const key = await expectStatus(201, platform.post('/sandbox/issuer-credentials', { program: 'service_full' }));
  const issuer = issuerClient(installation.baseUrl, key);
  const cards: string[] = [];
  for (let i = 0; i < CARDS; i += 1) cards.push((await fundedCard(platform, 100_000_000_000)).card.id);
  const pick = () => cards[Math.floor(Math.random() * CARDS)] as string;
  return { installation, close: issuer.close, authorize: async (caller) => void (await issuer.authorize(caller, pick())) };
}

/** Processor time of service and database per authorization, in seconds. */
async function costOf({ installation, authorize }: Side): Promise<number> {
  const before = installation.processorTime();
  const { count } = await load(authorize, { callers: CALLERS, seconds: 4, warmupSeconds: 0 });
  const after = installation.processorTime();
  return (after.service - before.service + after.database - before.database) / count;
}
