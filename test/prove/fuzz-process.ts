// One of the processes of a long fuzz, with a service, a database and a seed of its own. Forked by `fuzz-processes.ts`.
import { fuzz } from './fuzz.js';
import type { FuzzOrder, FuzzWord } from './fuzz-processes.js';
import { startGround } from './ground.js';

const { seed, requests, until } = JSON.parse(process.argv[2] ?? '') as FuzzOrder;
const say = (word: FuzzWord) => new Promise<void>((said) => process.send?.(word, () => said()));

const ground = await startGround(4, { LOG_LEVEL: 'error' }, { forgets: true });
const outcomes = await fuzz(ground, { seed, requests, until, onProgress: (progress) => void say({ progress }) });
await ground.stop();
await say({ outcomes });
process.disconnect();
