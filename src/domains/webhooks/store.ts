// SQL of events, deliveries, attempts and signing keys. Decides nothing.
import type { Tx } from '../../db/pool.js';
import { sql } from '../../db/sql.js';
import { type PlatformId, uuidOf } from '../../kernel/ids.js';
import type { NewEvent, WebhookId } from './event.js';

/**
 * Writes events in one statement and, where the platform has an endpoint, queues them. Numbers continue each object's own;
 * the caller holds the lock on the object, and a unique index is the last net.
 */
export async function insertEvents(
  tx: Tx,
  platformId: PlatformId,
  events: readonly (NewEvent & { readonly id: WebhookId })[],
  { now, retryUntil }: { readonly now: Date; readonly retryUntil: Date },
): Promise<void> {
  await tx.run(sql`
    with written as (
      insert into webhook_events (platform_id, id, type, object_id, sequence, data, created_at)
      select ${uuidOf(platformId)}, n.id, n.type, n.object_id,
        coalesce((select max(e.sequence) from webhook_events e where e.platform_id = ${uuidOf(platformId)} and e.object_id = n.object_id), 0)
          + row_number() over (partition by n.object_id order by n.place),
        n.data, ${now}
      from unnest(${events.map(({ id }) => uuidOf(id))}::uuid[], ${events.map(({ type }) => type)}::text[],
                  ${events.map(({ objectId }) => objectId)}::text[], ${events.map(({ data }) => JSON.stringify(data))}::json[])
           with ordinality as n (id, type, object_id, data, place)
      returning id, object_id, sequence
    )
    insert into webhook_deliveries (platform_id, event_id, object_id, sequence, status, due_at, retry_until)
    select ${uuidOf(platformId)}, id, object_id, sequence, 'PENDING', ${now}, ${retryUntil} from written
    where exists (select from platforms where id = ${uuidOf(platformId)} and webhook_endpoint is not null)`);
}
