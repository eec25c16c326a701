-- The double-entry ledger: accounts, transfers and entries.

create table ledger_accounts (
  platform_id uuid not null references platforms,
  id uuid not null,
  kind text not null check (kind in ('CUSTOMER', 'PLATFORM', 'SERVICE')),
  -- Of a service-side account.
  purpose text check (purpose in ('FUNDING', 'CARD_SETTLEMENT', 'FEES', 'RESERVE')),
  currency text not null,

  -- Balance of a customer or platform account. The balance of a service-side account is the sum of its entries:
  -- a stored balance would be a row that every payment has to lock.
  available bigint check (available >= 0),
  total bigint check (total >= available),
  -- Number of the latest entry.
  last_entry bigint not null default 0,

  -- Earliest effective time of the next entry. It makes the order of entry numbers the order of effective times.
  not_before timestamptz not null default '-infinity',
  -- End of the latest period that a final statement has been served for. Entries advance not_before as well, so not_before cannot record this.
  statements_final_before timestamptz not null default '-infinity',

  primary key (platform_id, id),
  check ((kind = 'SERVICE') = (available is null) and (kind = 'SERVICE') = (total is null) and (kind = 'SERVICE') = (purpose is not null))
) with (fillfactor = 60);
create unique index ledger_accounts_service on ledger_accounts (platform_id, purpose, currency) where kind = 'SERVICE';


-- A transfer moves one amount from one account to another, so it cannot be out of balance.
-- A PENDING transfer is a hold. A hold is resolved once.
create table transfers (
  platform_id uuid not null,
  id uuid not null,
  debit_account_id uuid not null,
  credit_account_id uuid not null,
  amount bigint not null check (amount > 0 and amount <= 9007199254740991),
  currency text not null,
  state text not null check (state in ('PENDING', 'POSTED', 'VOIDED', 'EXPIRED')),
  cause text not null,
  -- The API transaction that the transfer belongs to.
  transaction_id uuid,
  created_at timestamptz not null,
  resolved_at timestamptz,
  primary key (platform_id, id),
  check (debit_account_id <> credit_account_id),
  check ((state = 'PENDING') = (resolved_at is null))
);
create index transfers_pending on transfers (transaction_id, platform_id) where state = 'PENDING';

create function transfers_resolve_once() returns trigger language plpgsql as $$
begin
  if old.state <> 'PENDING' or new.state = 'PENDING'
    or (old.platform_id, old.id, old.debit_account_id, old.credit_account_id, old.amount, old.currency, old.cause, old.created_at)
       is distinct from (new.platform_id, new.id, new.debit_account_id, new.credit_account_id, new.amount, new.currency, new.cause, new.created_at)
  then
    raise exception 'a transfer is resolved once and never edited' using errcode = 'restrict_violation';
  end if;
  return new;
end $$;

create trigger transfers_resolve_once before update on transfers for each row execute function transfers_resolve_once();
create trigger transfers_no_delete before delete on transfers for each row execute function refuse_change();
create trigger transfers_no_truncate before truncate on transfers execute function refuse_change();


-- The two sides of a POSTED transfer, append-only. A vacuum after inserts keeps pages all-visible, which index-only scans of entries_by_number need.
create table entries (
  platform_id uuid not null,
  transfer_id uuid not null,
  account_id uuid not null,
  currency text not null,
  amount bigint not null check (amount <> 0),
  -- Position within the account and total after the entry, assigned under the row lock of the account. Null for service-side accounts.
  number bigint,
  balance_after bigint,
  transaction_id uuid,
  effective_at timestamptz not null,
  primary key (platform_id, transfer_id, account_id)
) with (autovacuum_vacuum_insert_scale_factor = 0, autovacuum_vacuum_insert_threshold = 50000);
-- Covers all columns of a statement page. Entries of one account are scattered over the table and adjacent in this index,
-- so the cost of a page does not depend on the size of the table.
create unique index entries_by_number on entries (platform_id, account_id, number)
  include (amount, balance_after, transaction_id, effective_at) where number is not null;
-- Finds the last entry before an instant. Many entries may have the same effective time, for example while a sandbox clock is frozen;
-- with the number in the index the last of them is the next row. Service-side accounts have no statements.
create index entries_by_time on entries (platform_id, account_id, effective_at, number) where number is not null;

create trigger entries_append_only before update or delete on entries for each row execute function refuse_change();
create trigger entries_no_truncate before truncate on entries execute function refuse_change();

-- One statement writes both sides of a transfer, so the entries of each statement sum to zero per transfer and currency.
create function entries_balance() returns trigger language plpgsql as $$
begin
  if exists (select from added group by platform_id, transfer_id, currency having sum(amount) <> 0) then
    raise exception 'entries do not sum to zero' using errcode = 'check_violation', constraint = 'entries_sum_to_zero';
  end if;
  return null;
end $$;

create trigger entries_sum_to_zero after insert on entries referencing new table as added
  for each statement execute function entries_balance();
