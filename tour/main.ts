// `npm run tour`: shows the service at work. With SWITCHYARD_URL, SWITCHYARD_TOKEN_ID and SWITCHYARD_TOKEN_SECRET (as in sandbox.env)
// it visits a running one; otherwise it starts its own on a free port with a temporary data directory.
import { requester, startReceiver, startSandbox } from '../src/testing.js';
import { colourNarrator, jsonNarrator } from './narrate.js';
import { type Target, tour } from './tour.js';

const { SWITCHYARD_URL: url, SWITCHYARD_TOKEN_ID: id, SWITCHYARD_TOKEN_SECRET: secret, NO_COLOR } = process.env;
const json = process.argv.includes('--json');
const write = (line: string): void => void process.stdout.write(`${line}\n`);
// A reader that has seen enough (`| head`) hangs up: the tour goes on unheard, and clears up after itself.
process.stdout.on('error', () => {});
const narrator = json
  ? jsonNarrator(write)
  : colourNarrator(write, NO_COLOR === undefined && (process.stdout.isTTY || process.env['FORCE_COLOR'] !== undefined));

/**
 * A running service, with an endpoint of ours for its webhooks; what it had before is put back, as far as the API lets us: an
 * endpoint can be changed and not taken away.
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
const target = url && id && secret ? await connectTo(url, `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`) : await startSandbox();
try {
  await tour(target, narrator);
  narrator.note(`Everything was as promised, in ${((performance.now() - started) / 1000).toFixed(1)} s.`, { ok: true });
} catch (error) {
  narrator.note(`Not as promised: ${(error as Error).message}`, { ok: false });
  process.exitCode = 1;
} finally {
  await target.stop();
}
