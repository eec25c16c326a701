// Counts what leaves the service against the daily limit of its corridor.
import type { Tx } from '../../../db/pool.js';
import { ApiError } from '../../../kernel/errors.js';
import { type PlatformId, uuidOf } from '../../../kernel/ids.js';
import { utcDay } from '../../../kernel/time.js';
import type { OutgoingPayment } from './payment.js';
import { addToParts, type CorridorDay, fits, partOf, type VolumePart } from './volume-rules.js';
import { addToPart, findPart, lockParts, saveParts } from './volume-store.js';

const corridorOf = ({ sent, received }: Pick<OutgoingPayment, 'sent' | 'received'>, now: Date): CorridorDay => ({
  day: utcDay(now),
  sending: sent.currency,
  receiving: received.currency,
});

/** The part of the volume that a payment will be counted in, as it is now. */
export const readVolume = (
  tx: Pick<Tx, 'one'>,
  platformId: PlatformId,
  payment: OutgoingPayment,
  now: Date,
): Promise<VolumePart | undefined> => findPart(tx, platformId, corridorOf(payment, now), partOf(uuidOf(payment.id)));

export type Counted = {
  readonly payment: OutgoingPayment;
  /** The most that may leave on one day, in the sending currency. */
  readonly limit: bigint;
  /** The part as `readVolume` found it. */
  readonly read: VolumePart | undefined;
  /** The money has arrived and cannot be refused: it counts beyond the limit as well. */
  readonly isForced?: true;
  readonly now: Date;
};

/** Counts a payment, or refuses it. To be called last: it locks rows that other payments wait for. */
export async function countVolume(tx: Tx, platformId: PlatformId, { payment, limit, read, isForced, now }: Counted): Promise<void> {
  const corridor = corridorOf(payment, now);
  const { amount } = payment.sent;
  if (fits(read, amount, limit)) return addToPart(tx, platformId, corridor, read, amount);
  const parts = addToParts(await lockParts(tx, platformId, corridor), {
    part: partOf(uuidOf(payment.id)),
    amount,
    limit,
    isForced: isForced ?? false,
  });
  if (!parts) throw new ApiError('DAILY_VOLUME_LIMIT_EXCEEDED');
  saveParts(tx, platformId, corridor, parts);
}
