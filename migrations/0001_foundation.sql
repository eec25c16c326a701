-- Platforms, tokens, idempotency, customers, internal accounts and the ledger.
-- Every table begins with platform_id; states are spelled as on the wire; money is bigint in the smallest unit.

create table platforms (
  id uuid primary key,
  name text not null,
  mode text not null check (mode in ('sandbox', 'live')),
  -- The sandbox clock: a fixed instant, or the real time moved by an offset.
  clock_frozen_at timestamptz,
  clock_offset interval not null default '0',
  counterparty_rules boolean not null default false,
  max_live_cards integer check (max_live_cards >= 1),
  max_cards_per_cardholder integer check (max_cards_per_cardholder >= 1),
  -- The card program that cards issued next belong to; the programs themselves are the issuer's.
  card_program text not null default 'service_full',
  rule_based_accounts boolean not null default true,
  config jsonb not null,
  webhook_endpoint text,
  created_at timestamptz not null,
  updated_at timestamptz not null
);

-- The one clock. Milliseconds, so that what is stored is what is shown.
create function platform_now(of_platform uuid) returns timestamptz language sql volatile as $$
  select date_trunc('milliseconds', coalesce(clock_frozen_at, clock_timestamp() + clock_offset)) from platforms where id = of_platform
$$;

-- Secrets of the installation itself (the pepper of token hashes), sealed under the key-encryption key.
create table service_secrets (
  name text primary key,
  sealed bytea not null
);

create table api_tokens (
  platform_id uuid not null references platforms,
  id uuid not null,
  client_id text not null unique,
  secret_hash bytea not null,
  name text not null,
  permissions text[] not null,
  expires_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  deleted_at timestamptz,
  primary key (platform_id, id)
);

create table idempotency_keys (
  platform_id uuid not null references platforms,
  key text not null,
  request_hash bytea not null,
  status integer,
  -- The answer's bytes, sealed where they hold a secret.
  answer bytea,
  sealed boolean not null default false,
  created_at timestamptz not null default clock_timestamp(),
  primary key (platform_id, key)
);
create index idempotency_keys_age on idempotency_keys (created_at);

create table customers (
  platform_id uuid not null references platforms,
  id uuid not null,
  platform_customer_id text not null,
  customer_type text not null check (customer_type in ('INDIVIDUAL', 'BUSINESS')),
  uma_address text not null,
  -- kycStatus of a person, kybStatus of a business.
  verification_status text not null check (verification_status in ('UNVERIFIED', 'PENDING', 'APPROVED', 'REJECTED', 'HOLD')),
  region text,
  currencies text[] not null,
  email text,
  phone_number text,
  -- What the platform told us about the person or business, as validated at the door.
  profile json not null,
  -- Government identifiers, sealed.
  identifier_sealed bytea,
  -- Agreements accepted, oldest first; only ever added to.
  consents json not null default '[]',
  created_at timestamptz not null,
  updated_at timestamptz not null,
  deleted_at timestamptz,
  primary key (platform_id, id)
);
create unique index customers_platform_customer_id on customers (platform_id, platform_customer_id) where deleted_at is null;
create unique index customers_uma_address on customers (platform_id, lower(uma_address)) where deleted_at is null;

create table ledger_accounts (
  platform_id uuid not null references platforms,
  id uuid not null,
  kind text not null check (kind in ('CUSTOMER', 'PLATFORM', 'SERVICE')),
  purpose text check (purpose in ('FUNDING', 'CARD_SETTLEMENT', 'FEES', 'RESERVE')),
  currency text not null,
  -- Service-side accounts keep no balance row that every payment would fight over: their balance is a sum.
  available bigint check (available >= 0),
  total bigint check (total >= available),
  last_entry bigint not null default 0,
  -- No later entry is dated before this; it makes the order of entries and the order of their times one.
  not_before timestamptz not null default '-infinity',
  primary key (platform_id, id),
  check ((kind = 'SERVICE') = (available is null) and (kind = 'SERVICE') = (total is null) and (kind = 'SERVICE') = (purpose is not null))
) with (fillfactor = 60);
create unique index ledger_accounts_service on ledger_accounts (platform_id, purpose, currency) where kind = 'SERVICE';

create table internal_accounts (
  platform_id uuid not null,
  id uuid not null,
  customer_id uuid,
  type text not null check (type in ('INTERNAL_FIAT', 'INTERNAL_CRYPTO', 'EMBEDDED_WALLET', 'RULE_BASED', 'BULK_SETTLEMENT')),
  status text not null check (status in ('PENDING', 'ACTIVE', 'CLOSED', 'FROZEN', 'FAILED')),
  currency text not null,
  on_behalf_of_customer_id uuid,
  label text,
  sweep_rule json,
  private_enabled boolean,
  -- How to pay in, as the bank or chain behind the account gave it.
  funding_instructions json not null default '[]',
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (platform_id, id),
  foreign key (platform_id, id) references ledger_accounts (platform_id, id),
  foreign key (platform_id, customer_id) references customers (platform_id, id),
  foreign key (platform_id, on_behalf_of_customer_id) references customers (platform_id, id)
);
create index internal_accounts_customer on internal_accounts (platform_id, customer_id);
-- A holder (a customer, or the platform itself) has one account of its own per currency.
create unique index internal_accounts_own on internal_accounts (platform_id, customer_id, currency)
  nulls not distinct where type not in ('RULE_BASED', 'BULK_SETTLEMENT');

-- A transfer moves one amount from one account to another, so it balances by shape. PENDING ones are holds, resolved once.
create table transfers (
  platform_id uuid not null,
  id uuid not null,
  debit_account_id uuid not null,
  credit_account_id uuid not null,
  amount bigint not null check (amount > 0 and amount <= 9007199254740991),
  currency text not null,
  state text not null check (state in ('PENDING', 'POSTED', 'VOIDED', 'EXPIRED')),
  cause text not null,
  -- The transaction of the API this belongs to.
  transaction_id uuid,
  created_at timestamptz not null,
  resolved_at timestamptz,
  primary key (platform_id, id),
  check (debit_account_id <> credit_account_id),
  check ((state = 'PENDING') = (resolved_at is null))
);
create index transfers_pending on transfers (platform_id, transaction_id) where state = 'PENDING';

create table entries (
  platform_id uuid not null,
  transfer_id uuid not null,
  account_id uuid not null,
  currency text not null,
  amount bigint not null check (amount <> 0),
  -- Counted per account under its row lock, with the total after it; null for service-side accounts.
  number bigint,
  balance_after bigint,
  transaction_id uuid,
  effective_at timestamptz not null,
  primary key (platform_id, transfer_id, account_id)
);
create unique index entries_by_number on entries (platform_id, account_id, number) where number is not null;
create index entries_by_time on entries (platform_id, account_id, effective_at);

create function refuse_change() returns trigger language plpgsql as $$
begin
  raise exception '% is append-only', tg_table_name using errcode = 'restrict_violation';
end $$;

create trigger entries_append_only before update or delete on entries for each row execute function refuse_change();
create trigger entries_no_truncate before truncate on entries execute function refuse_change();

-- Both sides of a transfer are written by one statement, so each statement must sum to zero per transfer and currency.
create function entries_balance() returns trigger language plpgsql as $$
begin
  if exists (select from added group by platform_id, transfer_id, currency having sum(amount) <> 0) then
    raise exception 'entries do not sum to zero' using errcode = 'check_violation', constraint = 'entries_sum_to_zero';
  end if;
  return null;
end $$;

create trigger entries_sum_to_zero after insert on entries referencing new table as added
  for each statement execute function entries_balance();

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
