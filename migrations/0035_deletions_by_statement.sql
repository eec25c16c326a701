-- Append-only tables look once per statement and platform whether a deletion is a reset or a restore of a sandbox, not once per row: emptying a
-- platform of 10^5 rows spent most of its time there. Updates are refused row by row as before; none ever comes.
create function refuse_deletion() returns trigger language plpgsql as $$
declare
  of_platform uuid;
begin
  for of_platform in select distinct platform_id from gone loop
    perform from emptied_platforms e join platforms p on p.id = e.platform_id
    where e.platform_id = of_platform and p.mode = 'sandbox';
    if not found then
      raise exception '% is append-only', tg_table_name using errcode = 'restrict_violation';
    end if;
  end loop;
  return null;
end $$;

-- The trigger of a row refuses whatever it is called for. It is left for updates and for truncate.
create or replace function refuse_change() returns trigger language plpgsql as $$
begin
  raise exception '% is append-only', tg_table_name using errcode = 'restrict_violation';
end $$;

drop trigger transfers_no_delete on transfers;
create trigger transfers_no_delete after delete on transfers referencing old table as gone
  for each statement execute function refuse_deletion();
drop trigger statement_receipts_no_delete on statement_receipts;
create trigger statement_receipts_no_delete after delete on statement_receipts referencing old table as gone
  for each statement execute function refuse_deletion();

drop trigger entries_append_only on entries;
create trigger entries_no_update before update on entries for each row execute function refuse_change();
create trigger entries_no_delete after delete on entries referencing old table as gone
  for each statement execute function refuse_deletion();
drop trigger ownership_proofs_append_only on ownership_proofs;
create trigger ownership_proofs_no_update before update on ownership_proofs for each row execute function refuse_change();
create trigger ownership_proofs_no_delete after delete on ownership_proofs referencing old table as gone
  for each statement execute function refuse_deletion();
drop trigger wallet_activities_append_only on wallet_activities;
create trigger wallet_activities_no_update before update on wallet_activities for each row execute function refuse_change();
create trigger wallet_activities_no_delete after delete on wallet_activities referencing old table as gone
  for each statement execute function refuse_deletion();
drop trigger card_history_append_only on card_history;
create trigger card_history_no_update before update on card_history for each row execute function refuse_change();
create trigger card_history_no_delete after delete on card_history referencing old table as gone
  for each statement execute function refuse_deletion();
drop trigger document_downloads_append_only on document_downloads;
create trigger document_downloads_no_update before update on document_downloads for each row execute function refuse_change();
create trigger document_downloads_no_delete after delete on document_downloads referencing old table as gone
  for each statement execute function refuse_deletion();
drop trigger quotes_append_only on quotes;
create trigger quotes_no_update before update on quotes for each row execute function refuse_change();
create trigger quotes_no_delete after delete on quotes referencing old table as gone
  for each statement execute function refuse_deletion();

-- The trigger of the table covers its partitions. Weeks are dropped as tables, which no trigger is asked about.
drop trigger webhook_events_append_only on webhook_events;
create trigger webhook_events_no_update before update on webhook_events for each row execute function refuse_change();
create trigger webhook_events_no_delete after delete on webhook_events referencing old table as gone
  for each statement execute function refuse_deletion();
