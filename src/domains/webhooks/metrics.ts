// What /metrics says about webhooks.
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { Db } from '../../db/pool.js';
import type { Verdict } from './rules.js';
import { countPending } from './store-deliveries.js';

export type DeliveryMetrics = { attempted(verdict: Verdict['next'], durationMs: number): void };

const OUTCOMES: Readonly<Record<Verdict['next'], string>> = { DELIVERED: 'delivered', RETRY: 'retried', FAILED: 'failed', STOP: 'stopped' };

export function createDeliveryMetrics(registry: Registry, db: Db): DeliveryMetrics {
  const registers = [registry];
  const attempts = new Counter({
    name: 'switchyard_webhook_attempts_total',
    help: 'Webhook attempts by what followed from them',
    labelNames: ['outcome'],
    registers,
  });
  for (const outcome of Object.values(OUTCOMES)) attempts.inc({ outcome }, 0);
  const seconds = new Histogram({
    name: 'switchyard_webhook_attempt_seconds',
    help: 'Time one webhook attempt took',
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15],
    registers,
  });
  new Gauge({
    name: 'switchyard_webhook_queue_depth',
    help: 'Events not yet delivered: first attempt ahead, or waiting to be tried again',
    labelNames: ['state'],
    registers,
    async collect() {
      const { waiting, retrying } = await countPending(db);
      this.set({ state: 'waiting' }, waiting);
      this.set({ state: 'retrying' }, retrying);
    },
  });
  return {
    attempted(verdict, durationMs) {
      attempts.inc({ outcome: OUTCOMES[verdict] });
      seconds.observe(durationMs / 1_000);
    },
  };
}
