// One runner process of `npm test`. It asks for test files and runs them one after the other, each as a suite that has the file's name.
// The files of a process share one service; see test/support/service.ts.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe } from 'node:test';
import { pathToFileURL } from 'node:url';
import fc from 'fast-check';
import { testSeed } from '../../dist/test/prove/random.js';
import { shareServices } from '../../dist/test/support/service.js';

const root = join(import.meta.dirname, '../..');

/** Of this process and of those it started that have ended. */
function processorSeconds() {
  if (process.platform !== 'linux') return (process.cpuUsage().user + process.cpuUsage().system) / 1e6;
  const fields = readFileSync('/proc/self/stat', 'utf8').split(') ')[1].split(' ');
  return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) / 100;
}

process.on('disconnect', () => process.exit(1));
const nextFile = () =>
  new Promise((resolve) => {
    process.once('message', resolve);
    process.send({ type: 'next', processorSeconds: processorSeconds() });
  });

// Random cases are the same in every run. `PROVE_SEED=abc npm test` takes others, `npm run prove` others each time.
fc.configureGlobal({ seed: createHash('sha256').update(testSeed()).digest().readInt32LE() });

const stopServices = shareServices();
for (let file = await nextFile(); file !== 'end'; file = await nextFile()) {
  await describe(file, async () => {
    await import(pathToFileURL(join(root, 'dist/test', file)).href);
  });
}
await stopServices();
// Nothing may be left open: the process ends by itself, or says what it waits for.
process.channel.unref();
setTimeout(() => process.send({ type: 'open', resources: process.getActiveResourcesInfo() }), 20_000).unref();
