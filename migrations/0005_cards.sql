-- Cards, what funds them, and the append-only history of every change.
-- No column here is for a card number, a security code, a PIN or a 3-D Secure password: those stay with the issuer.

create table cards (
  platform_id uuid not null,
  id uuid not null,
  customer_id uuid not null,
  platform_card_id text not null,
  status text not null check (status in ('PENDING_KYC', 'PROCESSING', 'PENDING', 'ACTIVE', 'FROZEN', 'CLOSED')),
  status_reason text check (status_reason in ('DELEGATION_REQUIRED', 'ISSUER_REJECTED', 'CLOSED_BY_PLATFORM', 'CLOSED_BY_GRID')),
  -- Who decides, which capabilities, which funding currencies: fixed by the program at issuance.
  program text not null,
  form text not null check (form in ('VIRTUAL')),
  currency text not null,
  -- The bound account; it stays here for audit after closing, when funding_source_id, the binding itself, is gone.
  funding_account_id uuid not null,
  funding_currency text not null,
  funding_source_id uuid,
  max_spend_per_transaction bigint check (max_spend_per_transaction between 1 and 9007199254740991),
  max_spend_per_day bigint check (max_spend_per_day between 1 and 9007199254740991),
  max_transactions_per_day integer check (max_transactions_per_day >= 1),
  -- Last known at the issuer; null where the program has no PIN management.
  pin_status text check (pin_status in ('NOT_SET', 'OK', 'BLOCKED')),
  brand text check (brand in ('VISA', 'MASTERCARD')),
  last4 text check (last4 ~ '^[0-9]{4}$'),
  exp_month integer check (exp_month between 1 and 12),
  exp_year integer check (exp_year between 1000 and 9999),
  processor_ref text,
  issuer_ref text,
  -- Counts changes; the same number stands on the change's row in card_history.
  version integer not null,
  -- When the issuer is asked again for the outcome of a provisioning; null once there is one.
  provisioning_due_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (platform_id, id),
  foreign key (platform_id, customer_id) references customers (platform_id, id),
  foreign key (platform_id, funding_account_id) references internal_accounts (platform_id, id),
  constraint cards_reason_present check ((status_reason is not null) = (status in ('PENDING', 'CLOSED'))),
  constraint cards_closed_is_detached check ((funding_source_id is null) = (status = 'CLOSED')),
  constraint cards_processing_has_due check ((provisioning_due_at is not null) = (status = 'PROCESSING'))
) with (fillfactor = 60);
create unique index cards_platform_card_id on cards (platform_id, platform_card_id);
create index cards_by_customer on cards (platform_id, customer_id, id);
create index cards_by_account on cards (platform_id, funding_account_id, id);
-- Counting live cards touches only those.
create index cards_live on cards (platform_id, customer_id) where status <> 'CLOSED';
create index cards_provisioning on cards (platform_id, provisioning_due_at) where provisioning_due_at is not null;

-- The pair of a card and an account that funds it, or has. A pair keeps its id when it is bound again, and with it its delegated key.
create table card_funding_sources (
  platform_id uuid not null,
  id uuid not null,
  card_id uuid not null,
  account_id uuid not null,
  bound_at timestamptz not null,
  detached_at timestamptz,
  primary key (platform_id, id),
  constraint card_funding_sources_pair unique (platform_id, card_id, account_id),
  foreign key (platform_id, card_id) references cards (platform_id, id),
  foreign key (platform_id, account_id) references internal_accounts (platform_id, id)
);
create unique index card_funding_sources_bound on card_funding_sources (platform_id, card_id) where detached_at is null;
create index card_funding_sources_account on card_funding_sources (platform_id, account_id);

create table card_history (
  platform_id uuid not null,
  card_id uuid not null,
  version integer not null,
  cause text not null check (cause in (
    'ISSUED', 'PROVISIONED', 'REJECTED', 'UPDATED', 'PASSWORD_REPLACED', 'CUSTOMER_DELETED', 'DELEGATION_COMPLETED', 'DELEGATION_REVOKED',
    'PIN_SET', 'PIN_UNBLOCKED', 'PIN_BLOCKED', 'REVEALED', 'TOKENIZED')),
  -- The token that asked; null when the service or the issuer acted.
  token_id uuid,
  from_status text,
  to_status text not null,
  substatus text,
  reason text,
  funding_account_id uuid not null,
  max_spend_per_transaction bigint,
  max_spend_per_day bigint,
  max_transactions_per_day integer,
  at timestamptz not null,
  primary key (platform_id, card_id, version)
);
create trigger card_history_append_only before update or delete on card_history for each row execute function refuse_change();
create trigger card_history_no_truncate before truncate on card_history execute function refuse_change();
