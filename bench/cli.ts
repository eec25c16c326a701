// What the command line costs beside bare Node: help, a read, a list and a write.
import { rmSync } from 'node:fs';
import { costsOf } from '../test/cli/cost.js';
import { emptyHome, homeOf, MAIN } from '../test/cli/run.js';
import { ms, type Row } from './measure.js';
import { startBenchService } from './service.js';

const RUNS = 25;

export async function cli(): Promise<Row[]> {
  const service = await startBenchService();
  const home = emptyHome();
  try {
    const env = {
      SWITCHYARD_URL: service.baseUrl,
      SWITCHYARD_TOKEN_ID: service.credentials.tokenId,
      SWITCHYARD_TOKEN_SECRET: service.credentials.secret,
      ...homeOf(home),
    };
    const create = ['customers', 'create', '--customer-type', 'INDIVIDUAL', '--full-name', 'Ada Lovelace'];
    const { bare, ...costs } = await costsOf(
      {
        bare: ['-e', '0'],
        help: [MAIN, '--help'],
        read: [MAIN, 'config', 'get'],
        list: [MAIN, 'customers', 'list', '--limit', '2'],
        write: [MAIN, ...create],
      },
      env,
      RUNS,
    );
    const rows: readonly (readonly [name: keyof typeof costs, most?: number])[] = [['help', 1.4], ['read', 2], ['list', 2], ['write']];
    return rows.flatMap(([name, most]): Row[] =>
      (['processor', 'wall'] as const).map((kind) => {
        const ratio = costs[name][kind] / bare[kind];
        const limit = kind === 'processor' ? most : undefined;
        return {
          name: `command line, ${name}, ${kind} time`,
          measured: ms(costs[name][kind] * 1_000),
          beside: `bare Node ${ms(bare[kind] * 1_000)}`,
          ratio,
          ...(limit === undefined ? {} : { limit: `≤ ${limit}`, holds: ratio <= limit }),
        };
      }),
    );
  } finally {
    rmSync(home, { recursive: true, force: true });
    await service.stop();
  }
}
