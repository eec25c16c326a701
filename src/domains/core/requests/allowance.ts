// How many requests of a platform are recorded. The log is for people: a platform that sends thousands a second must not pay for a log of
// them that nobody can read. Refusals have an allowance of their own, so that the successes around them never crowd them out.

const PER_SECOND = 25;
const BURST = 1_000;

/** Platforms that were quiet for a while are forgotten. */
const FORGET_MS = 60_000;

type Bucket = { left: number; at: number };

export type Allowance = {
  /** Whether one more request of the platform is recorded. */
  take(platformId: string, kind: 'answered' | 'refused', nowMs: number): boolean;
};

export function createAllowance({ perSecond = PER_SECOND, burst = BURST } = {}): Allowance {
  const buckets = new Map<string, Bucket>();
  let sweptAt = 0;
  return {
    take(platformId, kind, nowMs) {
      if (nowMs - sweptAt > FORGET_MS) {
        sweptAt = nowMs;
        for (const [key, { at }] of buckets) if (nowMs - at > FORGET_MS) buckets.delete(key);
      }
      const key = kind === 'answered' ? platformId : `${platformId} refused`;
      const bucket = buckets.get(key) ?? { left: burst, at: nowMs };
      buckets.set(key, bucket);
      bucket.left = Math.min(burst, bucket.left + ((nowMs - bucket.at) / 1_000) * perSecond);
      bucket.at = nowMs;
      if (bucket.left < 1) return false;
      bucket.left -= 1;
      return true;
    },
  };
}
