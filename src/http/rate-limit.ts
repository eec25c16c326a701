// A token bucket per API token, in this process: a full minute's allowance may be spent at once and refills evenly.

export type RateLimit = (key: string, atMs: number) => { allowed: true } | { allowed: false; retryAfterSeconds: number };

export function rateLimit(perMinute: number | undefined): RateLimit {
  if (perMinute === undefined) return () => ({ allowed: true });
  const refillPerMs = perMinute / 60_000;
  const buckets = new Map<string, { tokens: number; at: number }>();
  return (key, atMs) => {
    const bucket = buckets.get(key) ?? { tokens: perMinute, at: atMs };
    bucket.tokens = Math.min(perMinute, bucket.tokens + (atMs - bucket.at) * refillPerMs);
    bucket.at = atMs;
    buckets.set(key, bucket);
    // Buckets that have refilled carry no information.
    if (buckets.size > 10_000) for (const [name, { tokens }] of buckets) if (tokens >= perMinute) buckets.delete(name);
    if (bucket.tokens < 1) return { allowed: false, retryAfterSeconds: Math.ceil((1 - bucket.tokens) / refillPerMs / 1000) };
    bucket.tokens -= 1;
    return { allowed: true };
  };
}
