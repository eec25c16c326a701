// HTTP metrics; other parts register their own in the same registry. The text stays below 64 kB with every operation in use, so no
// series has both an operation and a bucket or an exact status. The log has the time and the status of every request.
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { Db } from '../db/pool.js';

export type Answered = {
  readonly operation: string;
  readonly method: string;
  readonly status: number;
  readonly seconds: number;
};

export type Metrics = {
  readonly registry: Registry;
  observe(answered: Answered): void;
  /** Shows how many requests are under way. */
  watchInFlight(count: () => number): void;
};

export function createMetrics(pools: Readonly<Record<string, Pick<Db, 'stats'>>>): Metrics {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  const requests = new Counter({
    name: 'switchyard_http_requests_total',
    help: 'Requests answered, by operation and class of status',
    labelNames: ['operation', 'status'],
    registers,
  });
  const responses = new Counter({
    name: 'switchyard_http_responses_total',
    help: 'Requests answered, by status; 499: the caller left before the answer',
    labelNames: ['status'],
    registers,
  });
  const latency = new Histogram({
    name: 'switchyard_http_request_seconds',
    help: 'Time from first byte read to answer sent; a GET is a read',
    labelNames: ['kind'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2, 5],
    registers,
  });
  new Gauge({
    name: 'switchyard_db_connections',
    help: 'Connections by pool and state',
    labelNames: ['pool', 'state'],
    registers,
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
  const series = new Map<string, { request: Counter.Internal; response: Counter.Internal }>();
  const times = { read: latency.labels({ kind: 'read' }), write: latency.labels({ kind: 'write' }) };
  return {
    registry,
    observe({ operation, method, status, seconds }) {
      const key = `${operation} ${status}`;
      let found = series.get(key);
      if (!found) {
        const request = requests.labels({ operation, status: `${Math.floor(status / 100)}xx` });
        found = { request, response: responses.labels({ status: String(status) }) };
        series.set(key, found);
      }
      found.request.inc();
      found.response.inc();
      times[method === 'GET' ? 'read' : 'write'].observe(seconds);
    },
    watchInFlight(count) {
      new Gauge({
        name: 'switchyard_http_requests_in_flight',
        help: 'Requests begun and not answered yet, or still being worked on though their caller has left',
        registers,
        collect() {
          this.set(count());
        },
      });
    },
  };
}
