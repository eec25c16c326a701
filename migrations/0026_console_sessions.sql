-- Sessions of the console, and the single-use codes that open one. Both are kept as hashes. The value that the browser holds names the
-- platform, so that each is found within one platform.
create table console_sessions (
  platform_id uuid not null references platforms,
  secret_hash bytea not null,
  token_id uuid not null,
  -- The real time, not that of the platform's clock.
  created_at timestamptz not null,
  seen_at timestamptz not null,
  primary key (platform_id, secret_hash),
  foreign key (platform_id, token_id) references api_tokens (platform_id, id)
);
create index console_sessions_seen on console_sessions (platform_id, seen_at);


create table console_codes (
  platform_id uuid not null references platforms,
  secret_hash bytea not null,
  token_id uuid not null,
  expires_at timestamptz not null,
  primary key (platform_id, secret_hash),
  foreign key (platform_id, token_id) references api_tokens (platform_id, id)
);
