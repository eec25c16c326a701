// One process of the long fuzz test, with its own service, database and seed. Forked by `fuzz-processes.ts`.

import { startEnvironment } from './environment.js';
import { fuzz } from './fuzz.js';
import type { FuzzMessage, FuzzTask } from './fuzz-processes.js';

const { seed, requests, until } = JSON.parse(process.argv[2] ?? '') as FuzzTask;
const send = (message: FuzzMessage) => new Promise<void>((sent) => process.send?.(message, () => sent()));

const environment = await startEnvironment(4, { LOG_LEVEL: 'error' }, { forgets: true });
const outcomes = await fuzz(environment, { seed, requests, until, onProgress: (progress) => void send({ progress }) });
await environment.stop();
await send({ outcomes });
process.disconnect();
