-- Faults of a sandbox platform: what goes wrong on purpose. A platform has at most 50.
create table sandbox_faults (
  platform_id uuid not null references platforms,
  position integer not null,
  -- Names the request that set the faults. A process that still knows earlier ones takes nothing from these.
  revision uuid not null,
  fault jsonb not null,
  -- How often it still happens; null for no bound.
  remaining integer check (remaining >= 0),
  primary key (platform_id, position)
);
