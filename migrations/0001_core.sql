-- Platforms, installation secrets, API tokens, idempotency keys and webhooks.
--
-- Conventions of every migration:
--   * Every primary key begins with platform_id, except for platforms and for secrets of the installation.
--   * An index that looks up an id begins with that id, followed by platform_id. On a table without statistics the planner takes every
--     index that begins with platform_id for as good as the primary key, and then reads all rows of a platform to find one.
--     An index that is read in order within one platform, such as a queue of due rows, begins with platform_id.
--   * Enumerated values are stored as they appear in the API.
--   * Amounts of money are bigint, in the smallest unit of the currency.
--   * The name of a constraint or of a unique index is part of the program: stores compare it to tell which rule a write violated.

-- Trigger function of append-only tables.
create function refuse_change() returns trigger language plpgsql as $$
begin
  raise exception '% is append-only', tg_table_name using errcode = 'restrict_violation';
end $$;


-- A tenant of the installation.
create table platforms (
  id uuid primary key,
  name text not null,
  mode text not null check (mode in ('sandbox', 'live')),

  -- Sandbox clock: a frozen instant, or an offset from the real time.
  clock_frozen_at timestamptz,
  clock_offset interval not null default '0',

  -- Features and limits.
  counterparty_rules boolean not null default false,
  max_live_cards integer check (max_live_cards >= 1),
  max_cards_per_cardholder integer check (max_cards_per_cardholder >= 1),
  -- The card program of newly issued cards. The issuer defines the programs.
  card_program text not null default 'service_full',
  rule_based_accounts boolean not null default true,

  -- Settings that the platform manages through the API.
  config jsonb not null,
  webhook_endpoint text,

  created_at timestamptz not null,
  updated_at timestamptz not null
);

-- The current time of a platform, truncated to milliseconds, which is the precision of the API.
create function platform_now(of_platform uuid) returns timestamptz language sql volatile as $$
  select date_trunc('milliseconds', coalesce(clock_frozen_at, clock_timestamp() + clock_offset)) from platforms where id = of_platform
$$;


-- Secrets of the installation, such as the pepper of token hashes. They are sealed with the key-encryption key.
create table service_secrets (
  name text primary key,
  sealed bytea not null
);


create table api_tokens (
  platform_id uuid not null references platforms,
  id uuid not null,
  client_id text not null unique,
  secret_hash bytea not null,
  name text not null,
  permissions text[] not null,
  expires_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  deleted_at timestamptz,
  primary key (platform_id, id)
);


-- No foreign key to platforms: every request with a key would then lock the row of its platform.
create table idempotency_keys (
  platform_id uuid not null,
  key text not null,
  request_hash bytea not null,
  status integer,
  -- Bytes of the response body that repeats get. It contains no secret: where the first response did, repeats get a refusal.
  answer bytea,
  created_at timestamptz not null default clock_timestamp(),
  primary key (platform_id, key)
);
create index idempotency_keys_age on idempotency_keys (created_at);


-- Webhook tables on the hot path have no foreign key to platforms: every payment would then lock the row of its platform.

-- The event log, append-only. An event is written in the transaction of the change that it reports.
create table webhook_events (
  platform_id uuid not null,
  id uuid not null,
  type text not null,
  -- API id of the object that the event is about. The sequence number is assigned under the row lock of that object,
  -- so the sequence of an object's events is the order of their commits.
  object_id text not null,
  sequence bigint not null check (sequence >= 1),
  -- json, not jsonb: every delivery attempt sends the same bytes.
  data json not null,
  created_at timestamptz not null,
  -- Position in the event stream, together with sequence. A reader stops before the oldest open transaction, so no event can appear before
  -- a position that has been read. A transaction receives its id before it waits for the lock of the object. The position is therefore
  -- the greater of the transaction id and the position of the object's previous event, and never less than the transaction id.
  xact bigint not null default pg_current_xact_id()::text::bigint,
  primary key (platform_id, id)
);
create unique index webhook_events_sequence on webhook_events (platform_id, object_id, sequence);
create index webhook_events_in_order on webhook_events (platform_id, xact, sequence);
create index webhook_events_by_time on webhook_events using brin (created_at);
create trigger webhook_events_append_only before update or delete on webhook_events for each row execute function refuse_change();


-- The delivery of one event to the endpoint of its platform.
create table webhook_deliveries (
  platform_id uuid not null,
  event_id uuid not null,
  object_id text not null,
  sequence bigint not null,
  status text not null check (status in ('PENDING', 'DELIVERED', 'FAILED')),
  attempts integer not null default 0,
  -- Failed attempts since the delivery was last queued. At zero the delivery waits for earlier events of its object.
  failures integer not null default 0,
  -- Times of the platform's clock.
  due_at timestamptz not null,
  retry_until timestamptz not null,
  finished_at timestamptz,
  -- Time of the real clock. The lease of a worker that has died runs out.
  leased_until timestamptz,
  primary key (platform_id, event_id),
  check ((status = 'PENDING') = (finished_at is null))
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 1000);
-- First attempts, in the order of the events of each object.
create index webhook_deliveries_line on webhook_deliveries (platform_id, object_id, sequence) where status = 'PENDING' and failures = 0;
-- Retries, by due time.
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
  -- An attempt has either a response or the reason why there is none.
  response_status integer,
  response_body text,
  failure text,
  primary key (platform_id, event_id, number),
  check ((response_status is null) <> (failure is null))
);


-- Platforms whose endpoint answered 410. The row is removed when the endpoint is set again.
create table webhook_stops (
  platform_id uuid primary key,
  url text not null,
  stopped_at timestamptz not null
);


create table webhook_signing_keys (
  platform_id uuid not null references platforms,
  id uuid not null,
  -- Public keys.
  p256_pem text not null,
  ed25519 text not null,
  -- Both private keys and the shared secret, sealed.
  sealed bytea not null,
  created_at timestamptz not null,
  -- End of the overlap during which a replaced key still signs beside its successor.
  retires_at timestamptz,
  primary key (platform_id, id)
);
create unique index webhook_signing_keys_current on webhook_signing_keys (platform_id) where retires_at is null;
