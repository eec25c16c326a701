-- Shared rate limits.

-- One bucket per platform, and one per API token. A process takes leases of several requests from it, so that most requests write nothing.
-- The row of an unused bucket stays: there are no more of them than tokens and platforms. No foreign key to platforms: every lease would lock
-- the row of its platform.
create table rate_limit_buckets (
  platform_id uuid not null,
  -- The token, or the platform itself.
  subject_id uuid not null,
  -- Requests that may be leased at `refilled_at`. It rises evenly up to the allowance of one minute.
  available double precision not null check (available >= 0),
  refilled_at timestamptz not null,
  -- Requests of the latest lease.
  leased integer not null check (leased >= 0),
  primary key (platform_id, subject_id)
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);


-- Retention. Each record is deleted some time after it has expired, platform by platform and in batches.
-- A statement uses these indexes only if it repeats their condition, so none of them is taken for a primary key.

-- Replaces the index over all platforms.
drop index idempotency_keys_age;
create index idempotency_keys_age on idempotency_keys (platform_id, created_at) where created_at > '-infinity';

create index auth_sessions_ended on auth_sessions (platform_id, expires_at) where expires_at > '-infinity';
