// One process of a part that runs on every core. Forked by `processes.ts`.
import { startEnvironment } from './environment.js';
import { fuzz } from './fuzz.js';
import { money } from './money.js';
import type { PartMessage, PartName, PartTask } from './processes.js';
import type { Outcome } from './report.js';

const { part, seed, count, until } = JSON.parse(process.argv[2] ?? '') as PartTask;
const send = (message: PartMessage) => new Promise<void>((sent) => process.send?.(message, () => sent()));
const onProgress = (progress: string) => void send({ progress });

const PARTS: Readonly<Record<PartName, () => Promise<Outcome[]>>> = {
  fuzz: async () => {
    const environment = await startEnvironment(4, { LOG_LEVEL: 'error' }, { forgets: true });
    try {
      return await fuzz(environment, { seed, requests: count, until, onProgress });
    } finally {
      await environment.stop();
    }
  },
  // Without a worker due work happens only when the clock is moved.
  money: async () => {
    const environment = await startEnvironment(1, { LOG_LEVEL: 'error', ROLE: 'api', RATE_LIMIT_PER_MINUTE: 'off' }, { forgets: true });
    try {
      return await money(environment.service, { seed, steps: count, until, onProgress });
    } finally {
      await environment.stop();
    }
  },
};

await send({ outcomes: await PARTS[part]() });
process.disconnect();
