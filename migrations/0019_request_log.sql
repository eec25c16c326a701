-- The request log: what a platform asked and what it was answered, for people who debug an integration. Written in batches beside the
-- transactions of the requests, kept for 7 days and at most 100,000 requests per platform.
create table request_log (
  platform_id uuid not null,
  -- Version 7, made when the request ended: the order of the log.
  position uuid not null,
  -- The X-Request-Id.
  id uuid not null,
  -- Always set; see the index.
  operation text,
  method text not null,
  -- Path parameters that are no ids are masked.
  path text not null,
  query text,
  status smallint not null,
  -- The error code of a refusal.
  code text,
  duration_ms float8 not null,
  -- One of the two: an API token, or the program of an issuer's processor.
  token_id uuid,
  program text,
  idempotency_key text,
  signed_leg text check (signed_leg in ('initial', 'retry', 'named')),
  -- Sent by the console, with the token of its session. What the console only reads is not recorded.
  is_console boolean not null,
  -- The time of the platform's clock.
  at timestamptz not null,
  -- Requests of the platform that the process did not record since the one before.
  unrecorded_before int not null,
  -- Sandbox only: JSON with secrets masked, cut after 8 kB.
  request_body text,
  request_body_cut boolean not null,
  response_body text,
  response_body_cut boolean not null,
  object_ids json not null,
  primary key (platform_id, position)
);
create unique index request_log_id on request_log (platform_id, id);
-- Partial, so that they serve no look-up by the primary key.
create index request_log_operation on request_log (platform_id, operation, position) where operation is not null;
create index request_log_token on request_log (platform_id, token_id, position) where token_id is not null;
create index request_log_refused on request_log (platform_id, position) where status >= 400;


-- The objects that a request names, to find the requests of an object.
create table request_log_objects (
  platform_id uuid not null,
  object_id text not null,
  position uuid not null,
  primary key (platform_id, object_id, position)
);
-- For retention.
create index request_log_objects_position on request_log_objects (platform_id, position);
