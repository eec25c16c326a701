// All SQL of the daily volume of corridors.
import { changedMeanwhile, type Tx, violatedConstraint } from '../../../db/pool.js';
import { records } from '../../../db/records.js';
import { type Sql, sql } from '../../../db/sql.js';
import { type PlatformId, uuidOf } from '../../../kernel/ids.js';
import { type CorridorDay, PARTS, type VolumePart } from './volume-rules.js';

type PartRow = { part: number; sent: bigint; most: bigint; day_limit: bigint };

const toPart = ({ part, sent, most, day_limit: limit }: PartRow): VolumePart => ({ part, sent, most, limit });

const partsOf = (platformId: PlatformId, { day, sending, receiving }: CorridorDay): Sql => sql`
  select part, sent, most, day_limit from payment_days
  where platform_id = ${uuidOf(platformId)} and day = ${day} and sending_currency = ${sending} and receiving_currency = ${receiving}`;

export async function findPart(
  tx: Pick<Tx, 'one'>,
  platformId: PlatformId,
  corridor: CorridorDay,
  part: number,
): Promise<VolumePart | undefined> {
  const row = await tx.one<PartRow>(sql`${partsOf(platformId, corridor)} and part = ${part}`);
  return row && toPart(row);
}

/**
 * Adds to a part that was read and can take the amount. The row is locked until COMMIT, so the statement is to be one of the last. Where
 * another payment has filled the part meanwhile, the transaction is repeated and finds that.
 */
export function addToPart(
  tx: Tx,
  platformId: PlatformId,
  { day, sending, receiving }: CorridorDay,
  read: VolumePart,
  amount: bigint,
): void {
  tx.send(
    sql`
    insert into payment_days (platform_id, day, sending_currency, receiving_currency, part, sent, most, day_limit)
    values (${uuidOf(platformId)}, ${day}, ${sending}, ${receiving}, ${read.part}, ${amount}, ${read.most}, ${read.limit})
    on conflict (platform_id, day, sending_currency, receiving_currency, part) do update set sent = payment_days.sent + excluded.sent`,
    (error) => (violatedConstraint(error) === 'payment_days_limit' ? changedMeanwhile() : undefined),
  );
}

/** All parts of a day, locked in order. Those that were missing are there afterwards. */
export async function lockParts(tx: Tx, platformId: PlatformId, corridor: CorridorDay): Promise<VolumePart[]> {
  const { day, sending, receiving } = corridor;
  tx.send(sql`
    insert into payment_days (platform_id, day, sending_currency, receiving_currency, part, sent, most, day_limit)
    select p.id, ${day}, ${sending}, ${receiving}, k.part, 0, 0, 0 from platforms p, generate_series(0, ${PARTS - 1}::int) k (part)
    where p.id = ${uuidOf(platformId)} order by k.part
    on conflict do nothing`);
  return (await tx.many<PartRow>(sql`${partsOf(platformId, corridor)} order by part for update`)).map(toPart);
}

export function saveParts(tx: Tx, platformId: PlatformId, { day, sending, receiving }: CorridorDay, parts: readonly VolumePart[]): void {
  tx.send(sql`
    update payment_days d set sent = t.sent, most = t.most, day_limit = t.day_limit
    from ${records(
      PART_COLUMNS,
      parts.map(({ part, sent, most, limit }) => ({ part, sent, most, day_limit: limit })),
    )}
    where d.platform_id = ${uuidOf(platformId)} and d.day = ${day} and d.sending_currency = ${sending} and d.receiving_currency = ${receiving}
      and d.part = t.part`);
}

const PART_COLUMNS = { part: 'smallint', sent: 'bigint', most: 'bigint', day_limit: 'bigint' } as const;
