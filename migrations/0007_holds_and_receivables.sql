-- Receivables: what an account cannot pay is owed by its holder, and money that arrives pays it first.

alter table ledger_accounts drop constraint ledger_accounts_purpose_check;
alter table ledger_accounts add constraint ledger_accounts_purpose_check
  check (purpose in ('FUNDING', 'CARD_SETTLEMENT', 'FEES', 'RESERVE', 'RECEIVABLE'));
-- What the holder owes the service. The sum over a currency is the balance of its RECEIVABLE account with the sign changed.
alter table ledger_accounts add column owed bigint not null default 0;
alter table ledger_accounts add constraint ledger_accounts_owed check (owed between 0 and 9007199254740991 and (owed = 0 or kind <> 'SERVICE'));
-- Money that is in the account leaves it only with a signature of the holder's key. What its holder owes is withheld from arriving money.
alter table ledger_accounts add column under_holder_key boolean not null default false;
update ledger_accounts l set under_holder_key = true from internal_accounts a
where a.platform_id = l.platform_id and a.id = l.id and a.type = 'EMBEDDED_WALLET';

-- Of a transfer out of a RECEIVABLE account or into it: the account whose holder owes the amount or has paid it.
alter table transfers add column debtor_account_id uuid;

-- The id of a service-side account is derived from platform, purpose and currency, as `serviceAccountId` does it.
create function pg_temp.service_account(platform uuid, purpose text, currency text) returns uuid language sql immutable as $$
  select overlay(overlay(left(encode(sha256(convert_to(platform || ' ' || purpose || ' ' || currency, 'UTF8')), 'hex'), 32)
    placing '8' from 13) placing 'a' from 17)::uuid
$$;

insert into ledger_accounts (platform_id, id, kind, purpose, currency)
select platform_id, pg_temp.service_account(platform_id, 'RECEIVABLE', currency), 'SERVICE', 'RECEIVABLE', currency
from ledger_accounts where purpose = 'RESERVE';

-- Until now RESERVE paid what accounts could not. Those amounts become receivables: RECEIVABLE repays RESERVE, and the holders owe.
-- The provisional credits of open disputes remain with RESERVE until the disputes are closed.
create temporary table shortfalls on commit drop as
select r.platform_id, r.id as reserve_id, r.currency, t.account_id, gen_random_uuid() as transfer_id,
       -sum(e.amount)::bigint - coalesce((
         select sum(d.credited) from card_disputes d join card_transactions p on p.platform_id = d.platform_id and p.id = d.transaction_id
         where d.platform_id = r.platform_id and d.status = 'OPEN' and p.account_id = t.account_id), 0)::bigint as amount,
       (select date_trunc('milliseconds', coalesce(p.clock_frozen_at, clock_timestamp() + p.clock_offset)) from platforms p where p.id = r.platform_id) as at
from ledger_accounts r
join entries e on e.platform_id = r.platform_id and e.account_id = r.id
join card_transactions t on t.platform_id = e.platform_id and t.id = e.transaction_id
where r.purpose = 'RESERVE'
group by r.platform_id, r.id, r.currency, t.account_id;
delete from shortfalls where amount <= 0;

insert into transfers (platform_id, id, debit_account_id, credit_account_id, amount, currency, state, cause, debtor_account_id, created_at, resolved_at)
select platform_id, transfer_id, pg_temp.service_account(platform_id, 'RECEIVABLE', currency), reserve_id, amount, currency, 'POSTED',
       'RECEIVABLE_TAKEN_OVER', account_id, at, at
from shortfalls;
insert into entries (platform_id, transfer_id, account_id, currency, amount, effective_at)
select s.platform_id, s.transfer_id, side.account_id, s.currency, side.amount, s.at
from shortfalls s, lateral (values (pg_temp.service_account(s.platform_id, 'RECEIVABLE', s.currency), -s.amount), (s.reserve_id, s.amount))
  as side (account_id, amount);
update ledger_accounts a set owed = s.amount from shortfalls s where a.platform_id = s.platform_id and a.id = s.account_id;

-- What the account could not pay for the transaction and its holder owed for it, minus what returns have paid since.
alter table card_transactions rename column absorbed to shortfall;


-- Holds leave the transfers: a transfer is money that has moved, and a hold is deleted when it ends.
-- Money reserved for a transfer. The owner is a card for card authorizations, otherwise the transaction. Every open card authorization has
-- a hold, of amount 0 if nothing is reserved in the account: a purchase from a wallet has been debited, and a credit reserves nothing.
create table holds (
  platform_id uuid not null,
  owner_id uuid not null,
  transaction_id uuid not null,
  -- The id of the transfer that the hold becomes.
  id uuid not null,
  debit_account_id uuid not null,
  credit_account_id uuid not null,
  amount bigint not null check (amount between 0 and 9007199254740991),
  currency text not null,
  cause text not null,
  -- When the card authorization expires. Only card authorizations do.
  expires_at timestamptz,
  primary key (platform_id, owner_id, transaction_id),
  check (debit_account_id <> credit_account_id)
) with (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 5000);
create index holds_expiry on holds (platform_id, expires_at) where expires_at is not null;

-- Fails a statement that found fewer or more rows than it must.
create function require_rows(affected bigint, expected bigint) returns void language plpgsql as $$
begin
  if affected <> expected then
    raise exception 'a hold ends once' using errcode = 'restrict_violation';
  end if;
end $$;

insert into holds (platform_id, owner_id, transaction_id, id, debit_account_id, credit_account_id, amount, currency, cause, expires_at)
select t.platform_id, t.card_id, t.id, coalesce(h.id, gen_random_uuid()), t.account_id,
       coalesce(h.credit_account_id, pg_temp.service_account(t.platform_id, 'CARD_SETTLEMENT', a.currency)),
       coalesce(h.amount, 0), a.currency, coalesce(h.cause, 'CARD_AUTHORIZATION'), t.expires_at
from card_transactions t
join ledger_accounts a on a.platform_id = t.platform_id and a.id = t.account_id
left join transfers h on h.platform_id = t.platform_id and h.transaction_id = t.id and h.state = 'PENDING'
where t.expires_at is not null;

alter table transfers disable trigger transfers_no_delete;
alter table transfers disable trigger transfers_resolve_once;
delete from transfers where state <> 'POSTED';
-- A transfer is dated when it moved the money, also if the money was held before.
update transfers set created_at = resolved_at where created_at <> resolved_at;
alter table transfers enable trigger transfers_no_delete;
drop trigger transfers_resolve_once on transfers;
drop function transfers_resolve_once();
drop index transfers_pending;
alter table transfers drop column state, drop column resolved_at;
create trigger transfers_no_update before update on transfers for each row execute function refuse_change();

-- As before for transfers, and now for holds: what is reserved in an embedded wallet or leaves it requires an activity of the signer.
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
    where t.amount > 0 and a.known is null)
  then
    raise exception 'a transfer out of an embedded wallet needs the signer' using errcode = 'restrict_violation';
  end if;
  return null;
end $$;
create trigger holds_of_wallets_are_authorized after insert on holds referencing new table as added
  for each statement execute function wallet_debits_are_authorized();
create function holds_are_replaced() returns trigger language plpgsql as $$
begin
  raise exception 'a hold is replaced and never edited' using errcode = 'restrict_violation';
end $$;
create trigger holds_no_update before update on holds for each row execute function holds_are_replaced();

-- Open authorizations are read from holds. Without these indexes no update of a transaction changes an indexed column.
drop index card_transactions_expiry;
drop index card_transactions_open;
alter table card_transactions set (fillfactor = 80);


-- The daily spend moves to the card, whose row every authorization locks: the amount and count of approved authorizations of the two UTC
-- calendar days that were written last. Written under the row lock of the card. Only the reversal of a late decision reduces it.
alter table cards
  add column spend_day date,
  add column day_spent bigint not null default 0 check (day_spent >= 0),
  add column day_count bigint not null default 0 check (day_count >= 0),
  add column earlier_day date,
  add column earlier_spent bigint not null default 0 check (earlier_spent >= 0),
  add column earlier_count bigint not null default 0 check (earlier_count >= 0);
update cards c set spend_day = d.days[1], day_spent = d.spent[1], day_count = d.counts[1],
  earlier_day = d.days[2], earlier_spent = coalesce(d.spent[2], 0), earlier_count = coalesce(d.counts[2], 0)
from (
  select platform_id, card_id, array_agg(day order by day desc) as days, array_agg(spent order by day desc) as spent, array_agg(count order by day desc) as counts
  from card_days group by platform_id, card_id
) d
where d.platform_id = c.platform_id and d.card_id = c.id;
drop table card_days;
