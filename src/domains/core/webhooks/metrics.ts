// Metrics of webhook deliveries.
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { Verdict } from './rules.js';

export type DeliveryMetrics = {
  attempted(verdict: Verdict['next'], durationMs: number): void;
  /** The worker counts at intervals; a scrape counts nothing. */
  queued(depth: { readonly waiting: number; readonly retrying: number }): void;
};

export function createDeliveryMetrics(registry: Registry): DeliveryMetrics {
  const registers = [registry];
  const attempts = new Counter({
    name: 'switchyard_webhook_attempts_total',
    help: 'Webhook attempts by what followed from them',
    labelNames: ['outcome'],
    registers,
  });
  const counted = (outcome: string) => {
    const counter = attempts.labels(outcome);
    // Exported as 0 from the start.
    counter.inc(0);
    return counter;
  };
  const byVerdict: Readonly<Record<Verdict['next'], { inc(): void }>> = {
    DELIVERED: counted('delivered'),
    RETRY: counted('retried'),
    FAILED: counted('failed'),
    STOP: counted('stopped'),
  };
  const seconds = new Histogram({
    name: 'switchyard_webhook_attempt_seconds',
    help: 'Time one webhook attempt took',
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15],
    registers,
  });
  const depth = new Gauge({
    name: 'switchyard_webhook_queue_depth',
    help: 'Events not yet delivered: first attempt ahead, or waiting to be tried again. Counted by workers every few seconds, up to 10000',
    labelNames: ['state'],
    registers,
  });
  return {
    attempted(verdict, durationMs) {
      byVerdict[verdict].inc();
      seconds.observe(durationMs / 1_000);
    },
    queued({ waiting, retrying }) {
      depth.set({ state: 'waiting' }, waiting);
      depth.set({ state: 'retrying' }, retrying);
    },
  };
}
