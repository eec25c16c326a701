-- Events, what became of telling them, and the keys they are signed with.
-- No foreign keys to platforms: the hot path writes here, and a reference would make every payment touch the platform's row.

-- Append-only: an event is written with the change it tells of and never edited.
create table webhook_events (
  platform_id uuid not null,
  id uuid not null,
  type text not null,
  -- Wire id of the object told about. Its events are counted under its row lock, so the numbers stand in the order of the commits.
  object_id text not null,
  sequence bigint not null check (sequence >= 1),
  -- Text as rendered, so that every attempt carries the same bytes.
  data json not null,
  created_at timestamptz not null,
  -- Who reads along resumes by (xact, id) and stops before the oldest transaction still open: no event can slip in behind.
  xact bigint not null default pg_current_xact_id()::text::bigint,
  primary key (platform_id, id)
);
create unique index webhook_events_sequence on webhook_events (platform_id, object_id, sequence);
create index webhook_events_in_order on webhook_events (platform_id, xact, id);
create index webhook_events_by_time on webhook_events using brin (created_at);
create trigger webhook_events_append_only before update or delete on webhook_events for each row execute function refuse_change();

-- One row per event that goes to the platform's endpoint.
create table webhook_deliveries (
  platform_id uuid not null,
  event_id uuid not null,
  object_id text not null,
  sequence bigint not null,
  status text not null check (status in ('PENDING', 'DELIVERED', 'FAILED')),
  attempts integer not null default 0,
  -- Since it was queued, or queued again. Zero: it stands in its object's line and goes out in order.
  failures integer not null default 0,
  -- By the platform's clock, as everything the platform sees.
  due_at timestamptz not null,
  retry_until timestamptz not null,
  finished_at timestamptz,
  -- By the real clock: a worker that dies leaves a lease that runs out.
  leased_until timestamptz,
  primary key (platform_id, event_id),
  check ((status = 'PENDING') = (finished_at is null))
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 1000);
-- First attempts, object by object in order; retries by when they fall due.
create index webhook_deliveries_line on webhook_deliveries (platform_id, object_id, sequence) where status = 'PENDING' and failures = 0;
create index webhook_deliveries_retry on webhook_deliveries (platform_id, due_at) where status = 'PENDING' and failures > 0;
create index webhook_deliveries_failed on webhook_deliveries (platform_id, event_id) where status = 'FAILED';

create table webhook_attempts (
  platform_id uuid not null,
  event_id uuid not null,
  number integer not null check (number >= 1),
  url text not null,
  request_headers json not null,
  started_at timestamptz not null,
  duration_ms integer not null,
  -- Either the receiver answered, or it is known why it did not.
  response_status integer,
  response_body text,
  failure text,
  primary key (platform_id, event_id, number),
  check ((response_status is null) <> (failure is null))
);

-- An endpoint that answered 410. Setting the platform's endpoint again, or another one, ends it.
create table webhook_stops (
  platform_id uuid primary key,
  url text not null,
  stopped_at timestamptz not null
);

create table webhook_signing_keys (
  platform_id uuid not null references platforms,
  id uuid not null,
  p256_pem text not null,
  ed25519 text not null,
  -- Both private halves and the shared secret, sealed.
  sealed bytea not null,
  created_at timestamptz not null,
  -- Until when a key that has been replaced still signs beside its successor.
  retires_at timestamptz,
  primary key (platform_id, id)
);
create unique index webhook_signing_keys_current on webhook_signing_keys (platform_id) where retires_at is null;
