// Rate limits that all processes of an installation share: a token bucket per subject, kept in the database. A process leases several
// requests at a time and counts them off in memory, so most requests cost nothing. A full minute's allowance may be spent at once and
// refills evenly.

import type { Db } from '../db/pool.js';
import { sql } from '../db/sql.js';
import { ApiError } from '../kernel/errors.js';
import { type AgentId, type PlatformId, type TokenId, uuidOf } from '../kernel/ids.js';

/** A token of the platform or of an agent, or a platform as a whole. */
export type Subject = { readonly platformId: PlatformId; readonly id: PlatformId | TokenId | AgentId };

/** `leased`: requests that the process may now serve. `waitMs`: when the bucket has the next request, if it has none left. */
export type Lease = { readonly leased: number; readonly waitMs: number };
export type TakeLease = (subject: Subject, wanted: number) => Promise<Lease>;

/** Passes a request of the subject or refuses it. Returns a promise only when a lease has to be taken first. */
export type RateLimit = (subject: Subject) => void | Promise<void>;

/**
 * Share of a minute's allowance that one lease takes. A process that stops or falls idle may keep one lease from the others, and may spend
 * one later: that is the error of the limit, per process.
 */
const LEASE_SHARE = 1 / 20;
/** A refusal is remembered at most so long, so that a process notices what others gave up. */
const LONGEST_REFUSAL_MS = 1_000;
/** Subjects remembered by a process. Forgetting one costs it a lease. */
const MAX_SUBJECTS = 10_000;
const IDLE_MS = 60_000;

type Held = { left: number; usedAt: number; emptyUntil: number; waiting: number; lease: Promise<void> | undefined };

/** `perMinute` undefined: no limit. */
export const createRateLimit = (db: Pick<Db, 'one'>, perMinute: number | undefined): RateLimit =>
  perMinute === undefined ? () => undefined : leasedRateLimit(perMinute, leaseFrom(db, perMinute));

export function leasedRateLimit(perMinute: number, takeLease: TakeLease, nowMs = () => performance.now()): RateLimit {
  const size = Math.max(1, Math.floor(perMinute * LEASE_SHARE));
  const subjects = new Map<string, Held>();

  const heldBy = ({ id }: Subject): Held => {
    let held = subjects.get(id);
    if (!held) {
      if (subjects.size >= MAX_SUBJECTS) forgetIdle(subjects, nowMs());
      held = { left: 0, usedAt: 0, emptyUntil: Number.NEGATIVE_INFINITY, waiting: 0, lease: undefined };
      subjects.set(id, held);
    }
    held.usedAt = nowMs();
    return held;
  };

  const renew = async (subject: Subject, held: Held): Promise<void> => {
    const wanted = Math.max(size, held.waiting);
    try {
      const { leased, waitMs } = await takeLease(subject, wanted);
      held.left += leased;
      if (leased < wanted) held.emptyUntil = nowMs() + Math.min(waitMs, LONGEST_REFUSAL_MS);
    } finally {
      held.lease = undefined;
    }
  };

  const passAfterLease = async (subject: Subject, held: Held): Promise<void> => {
    held.waiting += 1;
    try {
      while (held.left < 1) {
        const waitMs = held.emptyUntil - nowMs();
        if (waitMs > 0) throw rateLimited(waitMs);
        held.lease ??= renew(subject, held);
        await held.lease;
      }
      held.left -= 1;
    } finally {
      held.waiting -= 1;
    }
  };

  return (subject) => {
    const held = heldBy(subject);
    if (held.left < 1) return passAfterLease(subject, held);
    held.left -= 1;
    return undefined;
  };
}

function forgetIdle(subjects: Map<string, Held>, now: number): void {
  for (const [id, { usedAt, waiting }] of subjects) if (waiting === 0 && now - usedAt > IDLE_MS) subjects.delete(id);
  // All of them are in use: the one that was added first goes.
  for (const [id, { waiting }] of subjects) {
    if (subjects.size < MAX_SUBJECTS) return;
    if (waiting === 0) subjects.delete(id);
  }
}

export const rateLimited = (waitMs: number): ApiError =>
  new ApiError('RATE_LIMITED', undefined, { headers: { 'retry-after': String(Math.max(1, Math.ceil(waitMs / 1000))) } });

/** Leases from the bucket in the database. The statement locks one row and commits by itself. */
const leaseFrom =
  (db: Pick<Db, 'one'>, perMinute: number): TakeLease =>
  async ({ platformId, id }, wanted) => {
    const perSecond = perMinute / 60;
    const refilled = sql`least(${perMinute}::float8,
      b.available + greatest(0, extract(epoch from excluded.refilled_at - b.refilled_at))::float8 * ${perSecond}::float8)`;
    const first = Math.min(wanted, perMinute);
    const row = await db.one<{ leased: number; available: number }>(sql`
      insert into rate_limit_buckets as b (platform_id, subject_id, available, refilled_at, leased)
      values (${uuidOf(platformId)}, ${uuidOf(id)}, ${perMinute - first}::float8, now(), ${first}::integer)
      on conflict (platform_id, subject_id) do update set
        available = ${refilled} - least(${wanted}::float8, floor(${refilled})),
        refilled_at = greatest(b.refilled_at, excluded.refilled_at),
        leased = least(${wanted}::float8, floor(${refilled}))::integer
      returning leased, available`);
    const { leased = 0, available = 0 } = row ?? {};
    return { leased, waitMs: (Math.max(0, 1 - available) / perSecond) * 1000 };
  };
