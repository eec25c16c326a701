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


-- Balances of service-side accounts. Such an account has no balance row, because every payment would have to lock it. Instead its entries are
-- added up per day some minutes after they were written, and a balance is the latest sum and the entries since.

-- When the transaction of the entry began, in real time. `effective_at` cannot tell which entries are new: a sandbox clock may be set back.
-- The entries before this migration have the epoch.
alter table entries add column recorded_at timestamptz not null default 'epoch';
alter table entries alter column recorded_at set default now();
create index entries_of_service_accounts on entries (platform_id, account_id, recorded_at) include (amount) where number is null;

-- One row per account and day of real time (UTC) with entries.
create table service_day_sums (
  platform_id uuid not null,
  account_id uuid not null,
  day date not null,
  -- Sum and number of the entries of the day.
  amount numeric not null,
  entries bigint not null,
  -- Balance after the entries of the day.
  balance numeric not null,
  primary key (platform_id, account_id, day)
);

-- Entries recorded before `summed_until` are in the sums. A platform without a row has none.
create table service_sums_progress (
  platform_id uuid primary key,
  summed_until timestamptz not null
);

-- The entries of the schema before count for the day of the migration.
insert into service_day_sums (platform_id, account_id, day, amount, entries, balance)
select platform_id, account_id, (now() at time zone 'UTC')::date, sum(amount), count(*), sum(amount)
from entries where number is null group by platform_id, account_id;
insert into service_sums_progress (platform_id, summed_until) select distinct platform_id, timestamptz 'epoch' + interval '1 day' from service_day_sums;
