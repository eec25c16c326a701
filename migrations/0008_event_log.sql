-- The event log is the queue. Events are written with the change that they report, together with one row that names the events of the commit.
-- After the commit one writer per platform gives each commit its position in the platform's log. The event stream and the deliverer follow
-- the log by position. A delivery row exists only for an event that was not delivered by its first attempt, or that was queued again.
--
-- Events, attempts and log are partitioned by week, and old weeks are dropped. Ids of events are version 7 uuids, so events and attempts are
-- partitioned by the id of the event, and a look-up by id reads one partition. Positions contain the time, so the log is partitioned by position.

-- The lowest version 7 uuid, and the lowest position, of a moment.
create function uuid_at(at timestamptz) returns uuid language sql immutable as $$
  select (lpad(to_hex(floor(extract(epoch from at) * 1000)::bigint), 12, '0') || '00000000000000000000')::uuid
$$;
create function position_at(at timestamptz) returns bigint language sql immutable as $$
  select floor(extract(epoch from at) * 1000000)::bigint
$$;
-- The position of the moment at which a version 7 uuid was made.
create function position_of(id uuid) returns bigint language sql immutable as $$
  select ('x' || translate(left(id::text, 13), '-', ''))::bit(48)::bigint * 1000
$$;


alter table webhook_events rename to webhook_events_first;
alter index webhook_events_pkey rename to webhook_events_first_pkey;
alter index webhook_events_sequence rename to webhook_events_first_sequence;
drop trigger webhook_events_append_only on webhook_events_first;
alter table webhook_attempts rename to webhook_attempts_first;
alter index webhook_attempts_pkey rename to webhook_attempts_first_pkey;


-- Append-only.
create table webhook_events (
  platform_id uuid not null,
  id uuid not null,
  type text not null,
  -- API id of the object that the event is about. The sequence number is assigned under the row lock of that object,
  -- so the sequence of an object's events is the order of their commits.
  object_id text not null,
  sequence bigint not null constraint webhook_events_sequence_check check (sequence >= 1),
  -- json, not jsonb: every delivery attempt sends the same bytes.
  data json not null,
  created_at timestamptz not null,
  -- Id of the commit in webhook_inbox, later in webhook_log. Null for events from before the log.
  commit_id uuid,
  -- Whether the deliverer sends the event when it reaches it in the log: the platform had an endpoint when the event occurred.
  queued boolean not null default false,
  primary key (platform_id, id)
) partition by range (id);
create trigger webhook_events_append_only before update or delete on webhook_events for each row execute function refuse_change();


create table webhook_attempts (
  platform_id uuid not null,
  event_id uuid not null,
  number integer not null constraint webhook_attempts_number_check check (number >= 1),
  url text not null,
  request_headers json not null,
  started_at timestamptz not null,
  duration_ms integer not null,
  -- An attempt has either a response or the reason why there is none.
  response_status integer,
  response_body text,
  failure text,
  primary key (platform_id, event_id, number),
  constraint webhook_attempts_check check ((response_status is null) <> (failure is null))
) partition by range (event_id);


-- Commits whose events have no position yet.
create table webhook_inbox (
  platform_id uuid not null,
  id uuid not null,
  -- In the order in which they were written.
  event_ids uuid[] not null,
  primary key (platform_id, id)
) with (autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 1000);


-- Commits in the order of their positions. An event is followed by the later events of its object.
create table webhook_log (
  platform_id uuid not null,
  -- Microseconds since 1970 when the position was given, and always greater than the position before.
  position bigint not null,
  -- Null for events from before the log.
  commit_id uuid,
  event_ids uuid[] not null,
  -- Whether any of the events is sent.
  queued boolean not null,
  primary key (platform_id, position)
) partition by range (position);
create index webhook_log_commit on webhook_log (platform_id, commit_id);


-- How far the deliverer has come in the log of a platform. The worker that holds the lease makes the first attempts.
create table webhook_cursors (
  platform_id uuid primary key,
  -- The last position that was given.
  last_position bigint not null default 0,
  -- Every event up to this position was delivered by its first attempt, has a delivery row, or is not sent.
  settled bigint not null default 0,
  -- Up to this position a worker has read the log. Events after `settled` may have been sent.
  claimed bigint not null default 0,
  leased_by uuid,
  -- Time of the real clock.
  leased_until timestamptz
) with (fillfactor = 20, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 500);
create index webhook_cursors_behind on webhook_cursors (platform_id) where settled < last_position;


-- Last sequence number of an object whose events were all dropped. Its next event continues from here.
create table webhook_sequences (
  platform_id uuid not null,
  object_id text not null,
  sequence bigint not null,
  primary key (platform_id, object_id)
);


-- Partitions of events, attempts and log have the same names after the name of their table: `first` (everything before the log), `w20261123`
-- for the week from that Monday in UTC, and `last` for everything after the latest week.
create function webhook_weeks() returns table (name text, begins date, ends date, attempts_dropped boolean) language sql stable as $$
  select week.name, week.begins, coalesce(week.begins + 7, min(week.begins) over ()), week.attempts_dropped from (
    select substring(c.relname from 'webhook_attempts_(.*)') as name, to_date(substring(c.relname from '_w(\d{8})$'), 'YYYYMMDD') as begins,
      coalesce(obj_description(c.oid, 'pg_class') = 'dropped', false) as attempts_dropped
    from pg_inherits i join pg_class c on c.oid = i.inhrelid
    where i.inhparent = 'webhook_attempts'::regclass and c.relname <> 'webhook_attempts_last') week
  order by week.begins nulls first
$$;

-- Makes partitions of a week each, until `upto`. The partition after them takes everything later, so a write always finds a partition, even
-- if nobody has made new ones for long. Its rows move to the new partitions.
create function extend_webhook_log(upto timestamptz) returns integer language plpgsql as $$
declare
  parent text;
  week date;
  made integer := 0;
  begins date;
  ends date := date_trunc('week', timezone('UTC', upto))::date + 7;
begin
  lock table webhook_log in share update exclusive mode;
  select max(w.ends) into begins from webhook_weeks() w;
  if begins >= ends then return 0; end if;
  foreach parent in array array['webhook_events', 'webhook_attempts', 'webhook_log'] loop
    execute format('alter table %I detach partition %I', parent, parent || '_last');
    execute format('alter table %I rename to %I', parent || '_last', parent || '_rest');
    execute format('drop index if exists %I', parent || '_last_sequence');
    for week in select generate_series(begins, ends - 7, interval '7 days') loop
      perform make_webhook_partition(parent, to_char(week, '"w"YYYYMMDD'), week, week + 7);
      made := made + 1;
    end loop;
    perform make_webhook_partition(parent, 'last', ends, null);
    execute format('insert into %I select * from %I', parent, parent || '_rest');
    execute format('drop table %I', parent || '_rest');
  end loop;
  return made;
end $$;

-- Drops a week of events with their attempts and their part of the log.
create function drop_webhook_week(week text) returns void language plpgsql as $$
begin
  lock table webhook_log in share update exclusive mode;
  execute format('drop table if exists %I, %I, %I', 'webhook_events_' || week, 'webhook_attempts_' || week, 'webhook_log_' || week);
end $$;

-- Drops the attempts of a week whose events are kept. The empty partition stays: an event that is sent again has a new attempt.
create function drop_webhook_attempts(week text) returns void language plpgsql as $$
begin
  lock table webhook_log in share update exclusive mode;
  execute format('truncate %I', 'webhook_attempts_' || week);
  execute format('comment on table %I is %L', 'webhook_attempts_' || week, 'dropped');
end $$;

-- Each partition of events has a unique index of its own, because a unique index of the whole table would have to contain the id.
create function make_webhook_partition(parent text, suffix text, begins date, ends date) returns void language plpgsql as $$
declare
  name text := parent || '_' || suffix;
  bound_of text := case parent when 'webhook_log' then 'position_at' else 'uuid_at' end;
  lower_bound text;
  upper_bound text := 'maxvalue';
begin
  execute format('select quote_literal(%I(timezone(''UTC'', $1::timestamp)))', bound_of) into lower_bound using begins;
  if ends is not null then
    execute format('select quote_literal(%I(timezone(''UTC'', $1::timestamp)))', bound_of) into upper_bound using ends;
  end if;
  execute format('create table %I partition of %I for values from (%s) to (%s)', name, parent, lower_bound, upper_bound);
  if parent = 'webhook_events' then
    execute format('create unique index %I on %I (platform_id, object_id, sequence)', name || '_sequence', name);
  end if;
end $$;


-- The existing tables become the first partitions. They end with this week, or with the week of the latest event if a clock was ahead.
do $$
declare
  latest uuid := (select id from webhook_events_first order by id desc limit 1);
  begins date := date_trunc('week', timezone('UTC', greatest(now(), to_timestamp(position_of(latest) / 1000000))))::date + 7;
  bound uuid := uuid_at(timezone('UTC', begins::timestamp));
begin
  execute format('create table webhook_log_first partition of webhook_log for values from (minvalue) to (%s)',
    position_at(timezone('UTC', begins::timestamp)));
  -- Existing events get their positions in the order of the stream until now, a thousand to a row. Their deliveries have rows.
  insert into webhook_log (platform_id, position, event_ids, queued)
  select platform_id, place / 1000 + 1, array_agg(id order by place), false
  from (select platform_id, id, row_number() over (partition by platform_id order by xact, sequence, id) - 1 as place from webhook_events_first) e
  group by platform_id, place / 1000;
  insert into webhook_cursors (platform_id, last_position, settled, claimed)
  select platform_id, max(position), max(position), max(position) from webhook_log group by platform_id;

  drop index webhook_events_in_order, webhook_events_by_time;
  alter table webhook_events_first drop column xact, add column commit_id uuid, add column queued boolean not null default false;
  execute format('alter table webhook_events attach partition webhook_events_first for values from (minvalue) to (%L)', bound);
  execute format('alter table webhook_attempts attach partition webhook_attempts_first for values from (minvalue) to (%L)', bound);

  perform make_webhook_partition(parent, to_char(begins, '"w"YYYYMMDD'), begins, begins + 7),
    make_webhook_partition(parent, 'last', begins + 7, null)
  from unnest(array['webhook_events', 'webhook_attempts', 'webhook_log']) as parent;
  perform extend_webhook_log(now() + interval '28 days');
end $$;
