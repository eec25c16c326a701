// Webhook deliveries while a cluster changes.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Cluster } from '../support/cluster.js';
import { envelopeOf } from '../support/webhooks/platform.js';
import type { Receiver } from '../support/webhooks/receiver.js';
import type { Outcome } from './report.js';

const CATCH_UP_MS = 120_000;

/** Every event reached its endpoint, and those of an object in their order. A repeat is allowed: a lost outcome is one. */
export async function deliveries(part: string, database: Cluster, { received }: Receiver): Promise<Outcome> {
  const events = await database.query('select id, object_id, sequence from webhook_events where queued');
  const wanted = new Set(events.map(({ id }) => `Webhook:${String(id)}`));
  const seenIds = () => new Set(received.map((each) => String(envelopeOf(each).id)));
  for (const deadline = Date.now() + CATCH_UP_MS; Date.now() < deadline; await sleep(500)) {
    const seen = seenIds();
    if ([...wanted].every((id) => seen.has(id))) break;
  }
  const order = new Map(
    events.map(({ id, object_id, sequence }) => [`Webhook:${String(id)}`, { object: String(object_id), sequence: Number(sequence) }]),
  );
  const last = new Map<string, number>();
  const failures: string[] = [];
  const seen = new Set<string>();
  for (const each of received) {
    const id = String(envelopeOf(each).id);
    const event = order.get(id);
    if (seen.has(id) || !event) continue;
    seen.add(id);
    if (event.sequence <= (last.get(event.object) ?? 0)) failures.push(`${id} of ${event.object} arrived after a later one`);
    last.set(event.object, event.sequence);
  }
  failures.push(...[...wanted].filter((id) => !seen.has(id)).map((id) => `${id} did not arrive`));
  const repeats = received.length - seen.size;
  return {
    goal: `${part}: every event is delivered, those of an object in order`,
    trials: wanted.size,
    failures,
    note: `${repeats} repeats`,
  };
}

/** The longest time between two deliveries, from one moment to another. */
export function longestPause(arrivals: readonly number[], from: number, to: number): number {
  const times = [from, ...arrivals.filter((at) => at > from && at < to), to];
  return Math.max(...times.slice(1).map((at, i) => at - (times[i] as number)));
}
