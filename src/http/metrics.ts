// HTTP metrics; other parts register their own in the same registry.
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { Db } from '../db/pool.js';

export type Metrics = {
  readonly registry: Registry;
  observe(operation: string, status: number, seconds: number): void;
  /** Shows how many requests are under way. */
  watchInFlight(count: () => number): void;
};

export function createMetrics(pools: Readonly<Record<string, Pick<Db, 'stats'>>>): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const requests = new Counter({
    name: 'switchyard_http_requests_total',
    help: 'Requests answered',
    labelNames: ['operation', 'status'],
    registers: [registry],
  });
  const latency = new Histogram({
    name: 'switchyard_http_request_seconds',
    help: 'Time from first byte read to answer sent',
    labelNames: ['operation', 'status'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2, 5],
    registers: [registry],
  });
  new Gauge({
    name: 'switchyard_db_connections',
    help: 'Connections by pool and state',
    labelNames: ['pool', 'state'],
    registers: [registry],
    collect() {
      for (const [pool, db] of Object.entries(pools)) {
        const { total, idle, waiting } = db.stats();
        this.set({ pool, state: 'idle' }, idle);
        this.set({ pool, state: 'busy' }, total - idle);
        this.set({ pool, state: 'waiting' }, waiting);
      }
    },
  });
  // Finding a labelled series costs more than counting in it, so each is found once.
  const series = new Map<string, { count: Counter.Internal; time: Histogram.Internal<string> }>();
  return {
    registry,
    observe(operation, status, seconds) {
      const key = `${operation} ${status}`;
      let found = series.get(key);
      if (!found) {
        const labels = { operation, status: String(status) };
        found = { count: requests.labels(labels), time: latency.labels(labels) };
        series.set(key, found);
      }
      found.count.inc();
      found.time.observe(seconds);
    },
    watchInFlight(count) {
      new Gauge({
        name: 'switchyard_http_requests_in_flight',
        help: 'Requests begun and not answered yet, or still being worked on though their caller has left',
        registers: [registry],
        collect() {
          this.set(count());
        },
      });
    },
  };
}
