// One of the processes of a long fuzz, with a service, a database and a seed of its own. Forked by `fuzz-processes.ts`.
import { fuzz } from './fuzz.js';
import type { FuzzTask, FuzzMessage } from './fuzz-processes.js';
import { startEnvironment } from './environment.js';

const { seed, requests, until } = JSON.parse(process.argv[2] ?? '') as FuzzTask;
const send = (message: FuzzMessage) => new Promise<void>((sent) => process.send?.(message, () => sent()));

const environment = await startEnvironment(4, { LOG_LEVEL: 'error' }, { forgets: true });
const outcomes = await fuzz(environment, { seed, requests, until, onProgress: (progress) => void send({ progress }) });
await environment.stop();
await send({ outcomes });
process.disconnect();
