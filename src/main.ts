// `npm start`: runs the service until a stop signal.
import { resolve } from 'node:path';
import { type Logger, pino } from 'pino';
import { ConfigError, readConfig } from './config.js';
import { EmbeddedPostgresError } from './db/embedded.js';
import { MigrationError } from './db/migrate.js';
import { type Service, startService } from './service.js';

/** Beside `SHUTDOWN_DELAY`. */
const STOP_LIMIT_MS = 25_000;
/** A Ctrl-C comes twice: the terminal sends it to npm and to the service, and npm passes its own on. So does the end of a terminal. */
const ECHO_MS = 1_000;
/** Of lines that cannot be written yet; further ones are lost. */
const LOG_LIMIT_BYTES = 16_000_000;

async function main(): Promise<void> {
  const config = readConfig(process.env);
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});
  const log = pino({ level: config.logLevel, base: { service: 'switchyard' } }, logDestination());
  setInterval(() => log.flush(), 1_000).unref();
  const starting = startService(config, log);
  const isStopping = onStopSignal(starting, log, STOP_LIMIT_MS + config.shutdownDelayMs);
  // A first start creates the database, which takes seconds.
  const patience = setTimeout(() => process.stdout.isTTY && print('Starting the database and the service …'), 1_000);
  const service = await starting.finally(() => clearTimeout(patience));
  if (!isStopping()) print(banner(service, config.dataDir));
}

/** The disk of the log may be full, its terminal closed. The service goes on without, and ends when it is told to. */
function logDestination() {
  const destination = pino.destination({ dest: 2, sync: false, minLength: 4096, maxLength: LOG_LIMIT_BYTES });
  const flushSync = destination.flushSync.bind(destination);
  let isBroken = false;
  destination.on('error', () => {
    isBroken = true;
  });
  destination.on('write', () => {
    isBroken = false;
  });
  // Called at the exit. It tries until everything is written, which may be never.
  destination.flushSync = () => {
    if (!isBroken) flushSync();
  };
  return destination;
}

/** A signal during the start waits for it: the database that is being started must be stopped, too. A second signal ends the process. */
function onStopSignal(starting: Promise<Service>, log: Logger, limitMs: number): () => boolean {
  let stoppingSince: number | undefined;
  const stop = (signal: string) => {
    if (stoppingSince !== undefined) {
      if (performance.now() < stoppingSince + ECHO_MS) return;
      process.exit(1);
    }
    stoppingSince = performance.now();
    print(`\n${signal}: finishing the requests in flight …`);
    setTimeout(() => process.exit(1), limitMs).unref();
    void starting
      .then((service) => service.stop())
      .then(() => new Promise<void>((resolve) => log.flush(() => resolve())))
      .then(
        () => process.exit(0),
        () => process.exit(1),
      );
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => stop(signal));
  return () => stoppingSince !== undefined;
}

function banner({ url, baseUrl, consoleLink, metricsUrl, credentials, notices, isWorker }: Service, dataDir: string): string {
  const lines = ['', 'Switchyard is ready.', ''];
  if (isWorker) lines.push('  This process runs background jobs and answers no requests.');
  else lines.push(`  Base URL      ${baseUrl}`, `  Docs          ${url}/docs`);
  if (consoleLink) lines.push(`  Console       ${consoleLink}`);
  if (metricsUrl) lines.push(`  Metrics       ${metricsUrl}/metrics`);
  if (credentials) {
    lines.push(
      `  Token id      ${credentials.tokenId}`,
      `  Token secret  ${credentials.secret}`,
      '',
      ...(isFoundByItself(dataDir) ? [] : [`  First         set -a; . ${resolve(dataDir)}/sandbox.env; set +a`]),
      '  Try           bin/switchyard trigger card.declined',
      '                bin/switchyard listen',
      `                curl -s -u '${credentials.tokenId}:${credentials.secret}' ${baseUrl}/config`,
      '  Tour          npm run tour',
      '  Guides        README.md and docs/guides',
    );
  } else if (!isWorker) {
    lines.push('', 'Make a platform and its token with `npm run platform -- create NAME`.');
  }
  for (const notice of notices) lines.push('', `Note: ${notice}`);
  return `${lines.join('\n')}\n`;
}

/** The command line reads `.data/sandbox.env` of the folder that it runs in, and no other directory. */
const isFoundByItself = (dataDir: string): boolean => resolve(dataDir) === resolve('.data');

const print = (text: string): void => void process.stdout.write(`${text}\n`);

main().catch((error: Error) => {
  const expected = error instanceof ConfigError || error instanceof EmbeddedPostgresError || error instanceof MigrationError;
  process.stderr.write(`${expected ? error.message : (error.stack ?? error.message)}\n`);
  process.exit(1);
});
