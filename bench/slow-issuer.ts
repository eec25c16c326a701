// Decisions while an issuer takes a second to answer each of 50 concurrent changes of cards.

import { load, ms, type Row } from './measure.js';
import { authorize, seedCards } from './seeded-cards.js';
import { startBenchService } from './service.js';

const PATCHES = 50;
/** One decision at a time: what is measured is waiting, not throughput. */
const DECIDING = 1;
const SECONDS = 6;
const LIMIT_MS = 50;

const MOVES = ['FROZEN', 'ACTIVE'].map((status) => ({ status, substatus: 'OTHER', reason: 'Measured.' }));

export async function slowIssuer(): Promise<Row[]> {
  const service = await startBenchService({ ROLE: 'api' }, 'dist/bench/slow-issuer-process.js');
  const plain = service.plainPool(4);
  try {
    const cards = await seedCards(plain, 2 * PATCHES);
    const [patched, spending] = [cards.slice(0, PATCHES), cards.slice(PATCHES)];
    const decide = (caller: number) => authorize(service, caller, spending[Math.floor(Math.random() * spending.length)] as string);
    const quiet = await load(decide, { callers: DECIDING, seconds: SECONDS });
    let isOver = false;
    let patches = 0;
    const patching = patched.map(async (id, i) => {
      for (let round = 0; !isOver; round += 1) {
        await service.client.expect(200, DECIDING + i, 'PATCH', `/cards/Card:${id}`, MOVES[round % 2]);
        patches += 1;
      }
    });
    const figure = await load(decide, { callers: DECIDING, seconds: SECONDS });
    isOver = true;
    await Promise.all(patching);
    return [
      {
        name: `decisions beside ${PATCHES} concurrent PATCHes whose issuer takes 1 s`,
        measured: `p50 ${ms(figure.p50)}  p99 ${ms(figure.p99)}  (${patches} PATCHes)`,
        beside: `without them p50 ${ms(quiet.p50)}  p99 ${ms(quiet.p99)}`,
        limit: `p99 < ${LIMIT_MS} ms`,
        holds: figure.p99 < LIMIT_MS && figure.errors === 0 && patches > 0,
      },
    ];
  } finally {
    await plain.end();
    service.client.close();
    await service.stop();
  }
}
