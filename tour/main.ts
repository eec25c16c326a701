// `npm run tour`: shows the API in use. With SWITCHYARD_URL, SWITCHYARD_TOKEN_ID and SWITCHYARD_TOKEN_SECRET (as in sandbox.env)
// it uses a running service; otherwise it starts one on a free port with a temporary data directory.
import { requester, startReceiver, startSandbox } from '../src/testing.js';
import { colourNarrator, jsonNarrator } from './narrate.js';
import { type Target, tour } from './tour.js';

const { SWITCHYARD_URL: url, SWITCHYARD_TOKEN_ID: id, SWITCHYARD_TOKEN_SECRET: secret, NO_COLOR } = process.env;
const json = process.argv.includes('--json');
const write = (line: string): void => void process.stdout.write(`${line}\n`);
// A reader such as `head` may close the pipe. The tour continues and restores the settings at its end.
process.stdout.on('error', () => {});
const narrator = json
  ? jsonNarrator(write)
  : colourNarrator(write, NO_COLOR === undefined && (process.stdout.isTTY || process.env['FORCE_COLOR'] !== undefined));

/**
 * A running service, with a local webhook endpoint during the tour. `stop` restores the clock and the previous endpoint. The API cannot
 * remove an endpoint, so a platform that had none keeps the local one.
 */
async function connectTo(baseUrl: string, authorization: string): Promise<Target & { stop(): Promise<void> }> {
  const receiver = await startReceiver();
  const request = requester(baseUrl, authorization);
  const { status, body } = await request('GET', '/config');
  if (status !== 200) throw new Error(`${baseUrl} answered ${status}: is the token right?`);
  const { webhookEndpoint } = body as { webhookEndpoint?: string };
  const { now, frozen } = (await request('GET', '/sandbox/clock')).body as { now: string; frozen: boolean };
  const began = performance.now();
  await request('PATCH', '/config', { webhookEndpoint: receiver.url });
  return {
    request,
    event: receiver.event,
    events: receiver.events,
    async stop() {
      const passed = frozen ? 0 : Math.round(performance.now() - began);
      await request('PUT', '/sandbox/clock', { now: new Date(Date.parse(now) + passed).toISOString(), frozen });
      if (webhookEndpoint) await request('PATCH', '/config', { webhookEndpoint });
      await receiver.stop();
    },
  };
}

const started = performance.now();
const target =
  url && id && secret ? await connectTo(url, `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`) : await startSandbox();
try {
  await tour(target, narrator);
  narrator.note(`Every step gave the expected result, in ${((performance.now() - started) / 1000).toFixed(1)} s.`, { ok: true });
} catch (error) {
  narrator.note(`A step failed: ${(error as Error).message}`, { ok: false });
  process.exitCode = 1;
} finally {
  await target.stop();
}
