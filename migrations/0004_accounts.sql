-- Internal accounts, external accounts, proofs of ownership and statement receipts.

create table internal_accounts (
  platform_id uuid not null,
  id uuid not null,
  -- Null for an account of the platform itself.
  customer_id uuid,
  type text not null check (type in ('INTERNAL_FIAT', 'INTERNAL_CRYPTO', 'EMBEDDED_WALLET', 'RULE_BASED', 'BULK_SETTLEMENT')),
  status text not null check (status in ('PENDING', 'ACTIVE', 'CLOSED', 'FROZEN', 'FAILED')),
  currency text not null,
  -- Of a rule-based account.
  on_behalf_of_customer_id uuid,
  label text,
  sweep_rule json,
  -- Of an embedded wallet.
  private_enabled boolean,
  -- Deposit instructions of the bank or chain behind the account.
  funding_instructions json not null default '[]',
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (platform_id, id),
  foreign key (platform_id, id) references ledger_accounts (platform_id, id),
  foreign key (platform_id, customer_id) references customers (platform_id, id),
  foreign key (platform_id, on_behalf_of_customer_id) references customers (platform_id, id)
);
create index internal_accounts_customer on internal_accounts (customer_id, platform_id);
-- A customer, or the platform itself, has one own account per currency.
create unique index internal_accounts_own on internal_accounts (platform_id, customer_id, currency)
  nulls not distinct where type not in ('RULE_BASED', 'BULK_SETTLEMENT');


-- A bank account or wallet elsewhere. Answering a challenge changes no indexed column, and the fillfactor leaves room on the page
-- for the new row version, so the update is a heap-only tuple update.
create table external_accounts (
  platform_id uuid not null references platforms,
  id uuid not null,
  -- Null for an account of the platform itself.
  customer_id uuid,
  status text not null check (status in ('PENDING', 'ACTIVE', 'PENDING_OWNERSHIP_VERIFICATION', 'UNVERIFIED', 'UNDER_REVIEW', 'INACTIVE')),
  platform_account_id text,
  ownership_type text check (ownership_type in ('FIRST_PARTY', 'THIRD_PARTY')),
  currency text not null,
  default_uma_deposit_account boolean not null,

  -- Confirmation of payee.
  beneficiary_verification_status text check (
    beneficiary_verification_status in ('MATCHED', 'PARTIAL_MATCH', 'NOT_MATCHED', 'UNSUPPORTED', 'CHECKED_BY_RECEIVING_FI', 'PENDING')
  ),
  beneficiary_verified_name text,
  -- When the result of a pending check is available.
  beneficiary_check_due_at timestamptz,

  account_info jsonb not null,
  -- Hash of the fields that identify the account. Equal hashes of one owner are duplicates.
  identity bytea not null,
  trusted_at timestamptz,

  -- The open ownership challenge. It is part of this row so that concurrent answers are serialized by the row lock.
  challenge_method text check (challenge_method in ('WALLET_SIGNATURE', 'LIVENESS')),
  -- The message to sign, or the link to the liveness check.
  challenge_content text,
  challenge_created_at timestamptz,
  challenge_expires_at timestamptz,
  -- Expiry of an open liveness check. A separate column, because an index on the challenge columns would be written by every answer.
  liveness_due_at timestamptz generated always as (case when challenge_method = 'LIVENESS' then challenge_expires_at end) stored,

  created_at timestamptz not null,
  updated_at timestamptz not null,
  -- The API does not return a deleted account. The row is kept for its proofs.
  deleted_at timestamptz,
  primary key (platform_id, id),
  foreign key (platform_id, customer_id) references customers (platform_id, id),
  check (customer_id is not null or not default_uma_deposit_account),
  check ((beneficiary_verification_status is not distinct from 'PENDING') = (beneficiary_check_due_at is not null)),
  check (num_nulls(challenge_method, challenge_content, challenge_created_at, challenge_expires_at) in (0, 4))
) with (fillfactor = 60);
create index external_accounts_customer on external_accounts (customer_id, platform_id, id);
create unique index external_accounts_identity on external_accounts (customer_id, platform_id, identity) nulls not distinct
  where deleted_at is null;
create unique index external_accounts_platform_account_id on external_accounts (platform_account_id, platform_id) where deleted_at is null;
create unique index external_accounts_default on external_accounts (customer_id, platform_id)
  where default_uma_deposit_account and deleted_at is null;
create index external_accounts_check_due on external_accounts (platform_id, beneficiary_check_due_at)
  where beneficiary_check_due_at is not null and deleted_at is null;
create index external_accounts_liveness_due on external_accounts (platform_id, liveness_due_at)
  where liveness_due_at is not null and deleted_at is null;


-- Evidence of every answered or expired ownership challenge, append-only.
-- No foreign key to external_accounts: a proof is written under the row lock of its account, and accounts are never deleted from the table.
create table ownership_proofs (
  platform_id uuid not null,
  id uuid not null,
  account_id uuid not null,

  -- The challenge and its answer.
  method text not null check (method in ('WALLET_SIGNATURE', 'LIVENESS')),
  chain text not null,
  address text not null,
  message text,
  signature text,
  scheme text,

  -- The decision.
  verdict text not null check (verdict in ('VALID', 'INVALID', 'EXPIRED')),
  cause text,
  challenged_at timestamptz not null,
  expires_at timestamptz not null,
  decided_at timestamptz not null,
  -- Version of the verifying software.
  software text not null,

  primary key (platform_id, id),
  check ((verdict = 'INVALID') = (cause is not null))
);
create index ownership_proofs_account on ownership_proofs (account_id, platform_id, id);
create trigger ownership_proofs_append_only before update or delete on ownership_proofs for each row execute function refuse_change();
create trigger ownership_proofs_no_truncate before truncate on ownership_proofs execute function refuse_change();


-- When the statement of a month was first fetched and when its delivery to the customer was first confirmed.
create table statement_receipts (
  platform_id uuid not null,
  account_id uuid not null,
  -- First day of the month in US Central time.
  period_start date not null check (extract(day from period_start) = 1),
  fetched_at timestamptz,
  -- Time of delivery according to the platform, and time of the platform's confirmation.
  delivered_at timestamptz,
  confirmed_at timestamptz,
  primary key (platform_id, account_id, period_start),
  foreign key (platform_id, account_id) references internal_accounts (platform_id, id),
  check (fetched_at is not null or confirmed_at is not null),
  check ((delivered_at is null) = (confirmed_at is null))
);

-- A recorded time is never replaced.
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
