// Balances of service-side accounts as metrics. They are read at intervals by processes that do background work; a scrape reads nothing.
import type { Logger } from 'pino';
import { Gauge, type Registry } from 'prom-client';
import type { Db } from '../../db/pool.js';
import { messageForLog } from '../../kernel/errors.js';
import type { Background } from '../../module.js';
import { readTotalServiceBalances } from './day-sums-store.js';

const READ_EVERY_MS = 60_000;

export function createBalanceMetrics(registry: Registry, db: Db, log: Pick<Logger, 'warn'>): Background {
  const gauge = new Gauge({
    name: 'switchyard_service_balance',
    help: 'Balance of the service-side accounts of all platforms, in the smallest unit of the currency. Read by workers every minute',
    labelNames: ['purpose', 'currency'],
    registers: [registry],
  });
  let timer: NodeJS.Timeout | undefined;
  let reading: Promise<void> = Promise.resolve();

  const read = async (): Promise<void> => {
    for (const { purpose, currency, balance } of await readTotalServiceBalances(db)) gauge.set({ purpose, currency }, Number(balance));
  };
  const schedule = (pauseMs: number): void => {
    timer = setTimeout(() => {
      reading = read()
        .catch((error: Error) =>
          log.warn({ errorMessage: messageForLog(error) }, 'the balances of service-side accounts could not be read'),
        )
        .then(() => (timer ? schedule(READ_EVERY_MS) : undefined));
    }, pauseMs);
  };
  return {
    start: () => schedule(0),
    async stop() {
      clearTimeout(timer);
      timer = undefined;
      await reading;
    },
  };
}
