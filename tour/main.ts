// `npm run tour`: shows the API in use. With SWITCHYARD_URL, SWITCHYARD_TOKEN_ID and SWITCHYARD_TOKEN_SECRET (as in sandbox.env)
// it uses a running service; otherwise it starts one on a free port with a temporary data directory.
import { createSwitchyard } from '../client/client.js';
import { type ReceivedEvent, requester, startSandbox } from '../src/testing.js';
import { jsonNarrator, textNarrator } from './narrate.js';
import { type Target, tour } from './tour.js';

const HELP = `npm run tour [-- --json]

Calls the API end to end in a few seconds and explains each step: customers, accounts, wallets, a delegated key, a card,
a statement and the events. It is a recording, tour/tour.json, and every answer is compared with the recorded one.

  (nothing)   starts a sandbox of its own, with a database that is removed afterwards
  --json      prints one JSON object a line
  --help      prints this

With SWITCHYARD_URL, SWITCHYARD_TOKEN_ID and SWITCHYARD_TOKEN_SECRET set (\`set -a; . .data/sandbox.env\`) it uses the running
service. There it makes a customer, accounts and a card, and moves the sandbox clock, which it sets back at its end. It changes
no settings: it reads the event stream and leaves the webhook endpoint alone. Fees that the platform has set change the price of
the payment, and the tour says so and ends.
`;

const { SWITCHYARD_URL: url, SWITCHYARD_TOKEN_ID: id, SWITCHYARD_TOKEN_SECRET: secret, NO_COLOR } = process.env;
const args = process.argv.slice(2);
const write = (line: string): void => void process.stdout.write(`${line}\n`);
// A reader such as `head` may close the pipe. The tour continues and restores the clock at its end.
process.stdout.on('error', () => {});

/** A running service. `stop` restores the clock. */
async function connectTo(baseUrl: string, tokenId: string, tokenSecret: string): Promise<Target & { stop(): Promise<void> }> {
  const sy = createSwitchyard({ baseUrl, token: `${tokenId}:${tokenSecret}` });
  const { now, frozen } = await sy.sandbox.clock.get();
  const began = performance.now();
  const ended = new AbortController();
  const received = await followEvents(sy, ended.signal);
  return {
    ...received,
    request: requester(baseUrl, `Basic ${Buffer.from(`${tokenId}:${tokenSecret}`).toString('base64')}`),
    async stop() {
      ended.abort();
      const passed = frozen ? 0 : Math.round(performance.now() - began);
      await sy.sandbox.clock.set({ now: new Date(Date.parse(now) + passed).toISOString(), frozen });
    },
  };
}

/** The events that happen from now on, as the stream gives them. */
async function followEvents(sy: ReturnType<typeof createSwitchyard>, signal: AbortSignal): Promise<Pick<Target, 'event' | 'events'>> {
  const [last] = await sy.webhooks.events.list({ limit: 1 }).all(1);
  const events: ReceivedEvent[] = [];
  const waiting = new Set<() => void>();
  void (async () => {
    for await (const event of sy.webhooks.events.stream(last ? { since: last.id } : {}, { signal })) {
      events.push({ ...event, headers: {}, rawBody: '' } as unknown as ReceivedEvent);
      for (const look of waiting) look();
    }
  })().catch(() => {});
  return {
    events,
    event: (wanted, timeoutMs = 10_000) =>
      new Promise((resolve, reject) => {
        const fits = typeof wanted === 'string' ? ({ type }: ReceivedEvent) => type === wanted : wanted;
        const timer = setTimeout(() => reject(new Error(`no such event within ${timeoutMs} ms`)), timeoutMs);
        const look = () => {
          const found = events.find(fits);
          if (!found) return;
          clearTimeout(timer);
          waiting.delete(look);
          resolve(found);
        };
        waiting.add(look);
        look();
      }),
  };
}

async function main(): Promise<void> {
  if (args.includes('--help') || args.includes('-h')) return write(HELP.trimEnd());
  const unknown = args.find((arg) => arg !== '--json');
  if (unknown !== undefined) {
    process.stderr.write(`unknown: ${unknown}\n\n${HELP}`);
    process.exitCode = 2;
    return;
  }
  const started = performance.now();
  const isRunning = url && id && secret;
  const isColoured = NO_COLOR === undefined && (process.stdout.isTTY === true || process.env['FORCE_COLOR'] !== undefined);
  const narrator = args.includes('--json') ? jsonNarrator(write) : textNarrator(write, isColoured);
  if (!isRunning) process.stderr.write('Starting a sandbox of its own …\n');
  const target = isRunning ? await connectTo(url, id, secret) : await startSandbox();
  process.once('SIGINT', () => void target.stop().finally(() => process.exit(130)));
  try {
    await tour(target, narrator);
    narrator.note(`Every step gave the expected result, in ${((performance.now() - started) / 1000).toFixed(1)} s.`, { ok: true });
  } catch (error) {
    narrator.note(`A step failed: ${(error as Error).message}`, { ok: false });
    process.exitCode = 1;
  } finally {
    await target.stop();
  }
}

main().catch((error: Error) => {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
});
