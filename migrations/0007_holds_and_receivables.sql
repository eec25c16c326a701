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
