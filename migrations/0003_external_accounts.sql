-- External accounts, with the challenge by which a wallet's ownership is shown, and the evidence that remains of it.

create table external_accounts (
  platform_id uuid not null references platforms,
  id uuid not null,
  -- Null: held on behalf of the platform itself.
  customer_id uuid,
  status text not null check (status in ('PENDING', 'ACTIVE', 'PENDING_OWNERSHIP_VERIFICATION', 'UNVERIFIED', 'UNDER_REVIEW', 'INACTIVE')),
  platform_account_id text,
  ownership_type text check (ownership_type in ('FIRST_PARTY', 'THIRD_PARTY')),
  currency text not null,
  default_uma_deposit_account boolean not null,
  beneficiary_verification_status text check (
    beneficiary_verification_status in ('MATCHED', 'PARTIAL_MATCH', 'NOT_MATCHED', 'UNSUPPORTED', 'CHECKED_BY_RECEIVING_FI', 'PENDING')
  ),
  beneficiary_verified_name text,
  -- When the rail will have checked a name whose check is under way.
  beneficiary_check_due_at timestamptz,
  account_info jsonb not null,
  -- Hash of what makes two accounts of one owner equivalent.
  identity bytea not null,
  trusted_at timestamptz,
  -- The one open ownership challenge. In this row, because whoever answers it must see what the one before him did.
  challenge_method text check (challenge_method in ('WALLET_SIGNATURE', 'LIVENESS')),
  -- The text to sign, or the link to follow.
  challenge_content text,
  challenge_created_at timestamptz,
  challenge_expires_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  -- A deleted account is gone for every caller; the row stays for its proofs.
  deleted_at timestamptz,
  primary key (platform_id, id),
  foreign key (platform_id, customer_id) references customers (platform_id, id),
  check (customer_id is not null or not default_uma_deposit_account),
  check ((beneficiary_verification_status is not distinct from 'PENDING') = (beneficiary_check_due_at is not null)),
  check (num_nulls(challenge_method, challenge_content, challenge_created_at, challenge_expires_at) in (0, 4))
);
create index external_accounts_customer on external_accounts (platform_id, customer_id, id);
create unique index external_accounts_identity on external_accounts (platform_id, customer_id, identity) nulls not distinct
  where deleted_at is null;
create unique index external_accounts_platform_account_id on external_accounts (platform_id, platform_account_id) where deleted_at is null;
create unique index external_accounts_default on external_accounts (platform_id, customer_id)
  where default_uma_deposit_account and deleted_at is null;
create index external_accounts_check_due on external_accounts (platform_id, beneficiary_check_due_at)
  where beneficiary_check_due_at is not null and deleted_at is null;
create index external_accounts_liveness_due on external_accounts (platform_id, challenge_expires_at)
  where challenge_method = 'LIVENESS' and deleted_at is null;

-- What was shown, and what was made of it. Evidence: never changed, never deleted.
create table ownership_proofs (
  platform_id uuid not null,
  id uuid not null,
  account_id uuid not null,
  method text not null check (method in ('WALLET_SIGNATURE', 'LIVENESS')),
  chain text not null,
  address text not null,
  message text,
  signature text,
  scheme text,
  verdict text not null check (verdict in ('VALID', 'INVALID', 'EXPIRED')),
  cause text,
  challenged_at timestamptz not null,
  expires_at timestamptz not null,
  decided_at timestamptz not null,
  software text not null,
  primary key (platform_id, id),
  foreign key (platform_id, account_id) references external_accounts (platform_id, id),
  check ((verdict = 'INVALID') = (cause is not null))
);
create index ownership_proofs_account on ownership_proofs (platform_id, account_id, id);
create trigger ownership_proofs_append_only before update or delete on ownership_proofs for each row execute function refuse_change();
create trigger ownership_proofs_no_truncate before truncate on ownership_proofs execute function refuse_change();
