-- Whether a month's statement was fetched and delivered, and an index that finds where a window begins and ends.

create table statement_receipts (
  platform_id uuid not null,
  account_id uuid not null,
  -- First day of the month in US Central time.
  period_start date not null check (extract(day from period_start) = 1),
  fetched_at timestamptz,
  -- When the platform says it delivered the statement, and when it told us so first.
  delivered_at timestamptz,
  confirmed_at timestamptz,
  primary key (platform_id, account_id, period_start),
  foreign key (platform_id, account_id) references internal_accounts (platform_id, id),
  check (fetched_at is not null or confirmed_at is not null),
  check ((delivered_at is null) = (confirmed_at is null))
);

-- What was recorded first stays.
create function statement_receipts_keep_first() returns trigger language plpgsql as $$
begin
  if (old.fetched_at is not null and new.fetched_at is distinct from old.fetched_at)
    or (old.confirmed_at is not null and (new.confirmed_at, new.delivered_at) is distinct from (old.confirmed_at, old.delivered_at))
  then
    raise exception 'the first receipt stays' using errcode = 'restrict_violation';
  end if;
  return new;
end $$;

create trigger statement_receipts_keep_first before update on statement_receipts
  for each row execute function statement_receipts_keep_first();
create trigger statement_receipts_no_delete before delete on statement_receipts for each row execute function refuse_change();

-- Many entries may share an instant (a frozen sandbox clock): with the number in the index the last entry before an instant is
-- one row away all the same. Service-side entries have no statement and stay out of it.
drop index entries_by_time;
create index entries_by_time on entries (platform_id, account_id, effective_at, number) where number is not null;

-- An account's entries lie scattered over the table; in this index they lie together with all that a page shows, so a page
-- costs the same however much the table holds. That needs the pages marked all-visible, which a vacuum after inserts does.
drop index entries_by_number;
create unique index entries_by_number on entries (platform_id, account_id, number)
  include (amount, balance_after, transaction_id, effective_at) where number is not null;
alter table entries set (autovacuum_vacuum_insert_scale_factor = 0, autovacuum_vacuum_insert_threshold = 50000);
