-- A platform whose data a reset or a restore of a snapshot is replacing. The row is written and deleted in one transaction, so only that
-- transaction sees it, and append-only tables let it delete the rows of this platform alone. Sandbox platforms only.
create table emptied_platforms (
  platform_id uuid primary key references platforms
);

create or replace function refuse_change() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' then
    perform from emptied_platforms e join platforms p on p.id = e.platform_id
    where e.platform_id = old.platform_id and p.mode = 'sandbox';
    if found then return old; end if;
  end if;
  raise exception '% is append-only', tg_table_name using errcode = 'restrict_violation';
end $$;


-- All data of a sandbox platform at one moment, under a name.
create table sandbox_snapshots (
  platform_id uuid not null references platforms,
  name text not null,
  -- The migrations of the schema that its rows have.
  schema_version text not null,
  rows bigint not null,
  -- The platform's clock at that moment.
  clock_now timestamptz not null,
  -- The row of the platform, and how far its events were delivered.
  platform json not null,
  cursor json,
  created_at timestamptz not null,
  primary key (platform_id, name)
);

-- The rows of a snapshot by table, some thousand in a part.
create table sandbox_snapshot_parts (
  platform_id uuid not null,
  snapshot text not null,
  table_name text not null,
  part integer not null,
  content json not null,
  primary key (platform_id, snapshot, table_name, part),
  foreign key (platform_id, snapshot) references sandbox_snapshots on delete cascade
);
