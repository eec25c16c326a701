-- The check on movements out of embedded wallets looks up the accounts and activities it needs by their keys. Left to choose, the planner may join
-- whole tables, and keeps that plan for as long as the connection lives. `limit` leaves it no choice.

create or replace function wallet_debits_are_authorized() returns trigger language plpgsql as $$
begin
  if exists (
    select from added t
    cross join lateral (
      select from internal_accounts i
      where i.platform_id = t.platform_id and i.id = t.debit_account_id and i.type = 'EMBEDDED_WALLET' limit 1) w
    left join lateral (
      select true as known from wallet_activities a
      where a.platform_id = t.platform_id and a.transfer_id = t.id and a.account_id = t.debit_account_id
        and a.credit_account_id = t.credit_account_id and a.amount = t.amount and a.currency = t.currency limit 1) a on true
    where a.known is null)
  then
    raise exception 'a transfer out of an embedded wallet needs the signer' using errcode = 'restrict_violation';
  end if;
  return null;
end $$;

-- A transfer is looked up by its own id, whatever is known of the table.
drop index wallet_activities_transfer;
create unique index wallet_activities_transfer on wallet_activities (transfer_id, platform_id) where transfer_id is not null;
