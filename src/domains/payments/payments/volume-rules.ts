// How the daily limit of a corridor is shared out among parts, so that payments need not wait for each other. Pure.
import type { CurrencyCode } from '../../../kernel/money.js';

/** A corridor on one UTC day. */
export type CorridorDay = { readonly day: string; readonly sending: CurrencyCode; readonly receiving: CurrencyCode };

export type VolumePart = {
  readonly part: number;
  readonly sent: bigint;
  /** The most that the part may hold. */
  readonly most: bigint;
  /** The limit of the day that was shared out. */
  readonly limit: bigint;
};

export const PARTS = 16;

/** The part that a payment is counted in. Ids end in random digits, so payments spread evenly. */
export const partOf = (paymentUuid: string): number => Number.parseInt(paymentUuid.slice(-1), PARTS);

/** Whether the part alone can take the amount. A limit that has changed since is shared out anew first. */
export const fits = (part: VolumePart | undefined, amount: bigint, limit: bigint): part is VolumePart =>
  part !== undefined && part.limit === limit && part.most - part.sent >= amount;

/**
 * Adds an amount to one of all parts and shares out anew what is left of the limit. Undefined if the parts together would pass the limit.
 * Money that has arrived cannot be refused: `isForced` counts it beyond the limit too.
 */
export function addToParts(
  parts: readonly VolumePart[],
  {
    part: own,
    amount,
    limit,
    isForced,
  }: { readonly part: number; readonly amount: bigint; readonly limit: bigint; readonly isForced: boolean },
): VolumePart[] | undefined {
  const left = parts.reduce((rest, { sent }) => rest - sent, limit - amount);
  if (left < 0n && !isForced) return undefined;
  const room = left > 0n ? left : 0n;
  const [share, remainder] = [room / BigInt(PARTS), room % BigInt(PARTS)];
  return parts.map(({ part, sent }) => {
    const now = part === own ? sent + amount : sent;
    return { part, sent: now, most: now + share + (part === own ? remainder : 0n), limit };
  });
}
