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
  status smallint not null,
  -- Null for the processor of a card issuer.
  token_id uuid,
  -- The time of the platform's clock.
  at timestamptz not null,
  -- The rest: method, path, query, error code, duration, idempotency key, signed leg, ids and, in sandbox, both bodies with secrets masked.
  entry json not null,
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
