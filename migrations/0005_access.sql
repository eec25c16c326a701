-- Access to embedded wallets: credentials, sessions, signed requests, delegated keys and the wallet signer.

create table auth_credentials (
  platform_id uuid not null,
  id uuid not null,
  account_id uuid not null,
  type text not null check (type in ('EMAIL_OTP', 'SMS_OTP', 'PASSKEY', 'OAUTH')),
  nickname text not null,

  -- Of EMAIL_OTP and SMS_OTP: the address or number that one-time passwords are sent to.
  contact text,

  -- Of PASSKEY.
  passkey_id text,
  passkey_public_key bytea,
  passkey_counter bigint,
  passkey_rp_id text,

  -- Of OAUTH.
  oidc_issuer text,
  oidc_audience text,
  oidc_subject text,

  -- A replacement exists beside the credential that it will replace until the contact of the customer is changed.
  replacement boolean not null default false,
  verified_at timestamptz,
  -- Rate limits: when the allowance for sends and for failed attempts is full again. Null if it is full.
  sends_spent_until timestamptz,
  failures_spent_until timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  revoked_at timestamptz,
  primary key (platform_id, id),
  foreign key (platform_id, account_id) references internal_accounts (platform_id, id),
  check ((type in ('EMAIL_OTP', 'SMS_OTP')) = (contact is not null)),
  check ((type = 'PASSKEY') = (num_nonnulls(passkey_id, passkey_public_key, passkey_counter, passkey_rp_id) = 4)),
  check ((type = 'OAUTH') = (num_nonnulls(oidc_issuer, oidc_audience, oidc_subject) = 3)),
  check (not replacement or contact is not null)
);
create index auth_credentials_account on auth_credentials (account_id, platform_id);
create unique index auth_credentials_one_otp on auth_credentials (account_id, platform_id, type)
  where revoked_at is null and contact is not null and not replacement;
create unique index auth_credentials_one_replacement on auth_credentials (account_id, platform_id, type)
  where revoked_at is null and replacement;
create index auth_credentials_contact on auth_credentials (platform_id, type, lower(contact)) where revoked_at is null and contact is not null;
create unique index auth_credentials_passkey on auth_credentials (platform_id, passkey_id) where revoked_at is null and passkey_id is not null;
create unique index auth_credentials_oidc on auth_credentials (account_id, platform_id, oidc_issuer, oidc_audience, oidc_subject)
  where revoked_at is null and oidc_issuer is not null;


-- The open one-time password of a credential. The row is deleted when the password is used.
create table otp_challenges (
  platform_id uuid not null,
  credential_id uuid not null,
  -- Hash of the code, keyed with the target key.
  code_hash bytea not null,
  -- The key pair that the client encrypts the code to. The private key is sealed.
  target_public_key text not null,
  target_sealed bytea not null,
  tries_left smallint not null check (tries_left >= 0),
  expires_at timestamptz not null,
  primary key (platform_id, credential_id),
  foreign key (platform_id, credential_id) references auth_credentials (platform_id, id)
);
-- Only a statement with this condition uses the index, so it is never taken for the primary key.
create index otp_challenges_due on otp_challenges (platform_id, expires_at) where expires_at > '-infinity';


create table auth_sessions (
  platform_id uuid not null,
  id uuid not null,
  account_id uuid not null,
  credential_id uuid not null,
  public_key text not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  expires_at timestamptz not null,
  revoked_at timestamptz,
  primary key (platform_id, id),
  foreign key (platform_id, credential_id) references auth_credentials (platform_id, id)
);
create index auth_sessions_account on auth_sessions (account_id, platform_id, expires_at) where revoked_at is null;
create index auth_sessions_credential on auth_sessions (credential_id, platform_id) where revoked_at is null;


-- A payload that the owner of an account has to sign, bound to one API call. It is used once, in the transaction of the signed call.
create table signed_requests (
  platform_id uuid not null,
  id uuid not null,

  -- The call. The hash is null if the proof is itself the body, as a passkey assertion is.
  operation text not null,
  target text not null,
  body_hash bytea,

  account_id uuid not null,
  -- Number of the signature within an operation that needs several.
  leg smallint not null check (leg >= 1),
  payload text not null,
  -- The only public key that may sign. Null if every session key of the account may.
  expected_key text,
  -- State of the initial call that the signed call needs or compares.
  facts jsonb not null,
  secret_sealed bytea,

  created_at timestamptz not null,
  expires_at timestamptz not null,
  used_at timestamptz,
  primary key (platform_id, id),
  foreign key (platform_id, account_id) references internal_accounts (platform_id, id),
  check (used_at is null or secret_sealed is null)
);
create index signed_requests_due on signed_requests (platform_id, expires_at) where expires_at > '-infinity';
create index signed_requests_account on signed_requests (account_id, platform_id, created_at);


-- A key that the service holds to sign for the embedded wallet of one card.
create table delegated_keys (
  platform_id uuid not null,
  id uuid not null,
  card_id uuid not null,
  funding_source_id uuid not null,
  account_id uuid not null,
  public_key text not null,
  -- Null once the key is revoked.
  private_key_sealed bytea,
  nickname text not null,
  status text not null check (status in ('PENDING', 'ACTIVE', 'REVOKED')),
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (platform_id, id),
  foreign key (platform_id, account_id) references internal_accounts (platform_id, id),
  check ((status = 'REVOKED') = (private_key_sealed is null))
);
create unique index delegated_keys_one_active on delegated_keys (funding_source_id, platform_id) where status = 'ACTIVE';
create index delegated_keys_source on delegated_keys (funding_source_id, platform_id);
create index delegated_keys_active_pair on delegated_keys (card_id, platform_id, account_id) where status = 'ACTIVE';
create index delegated_keys_account on delegated_keys (account_id, platform_id);


-- Tables of the wallet signer. It decides from these tables alone: a key that is not in wallet_signers, or lacks the policy, signs nothing.

create table wallets (
  platform_id uuid not null,
  account_id uuid not null,
  -- The mnemonic, sealed.
  recovery_phrase_sealed bytea not null,
  created_at timestamptz not null,
  primary key (platform_id, account_id),
  foreign key (platform_id, account_id) references internal_accounts (platform_id, id)
);


create table wallet_signers (
  platform_id uuid not null,
  id uuid not null,
  account_id uuid not null,
  kind text not null check (kind in ('SESSION', 'DELEGATED')),
  public_key text not null,
  policies text[] not null check (policies <@ array['SIGN', 'SELF_REVOKE']),
  created_at timestamptz not null,
  expires_at timestamptz,
  deleted_at timestamptz,
  primary key (platform_id, id),
  foreign key (platform_id, account_id) references wallets (platform_id, account_id),
  check ((kind = 'SESSION') = (expires_at is not null))
);
create index wallet_signers_key on wallet_signers (account_id, platform_id, public_key) where deleted_at is null;


-- Every signed payload that the wallet signer has executed, append-only. A payload is executed once.
create table wallet_activities (
  platform_id uuid not null,
  id uuid not null,
  account_id uuid not null,
  signer_id uuid not null,
  public_key text not null,
  type text not null,
  payload text not null,
  payload_hash bytea not null,
  signature bytea not null,

  -- Of a transfer of funds.
  transfer_id uuid,
  credit_account_id uuid,
  amount bigint check (amount > 0),
  currency text,

  created_at timestamptz not null,
  primary key (platform_id, id),
  unique (payload_hash, platform_id),
  foreign key (platform_id, signer_id) references wallet_signers (platform_id, id),
  check (num_nulls(transfer_id, credit_account_id, amount, currency) in (0, 4))
);
create unique index wallet_activities_transfer on wallet_activities (transfer_id, platform_id) where transfer_id is not null;
create index wallet_activities_account on wallet_activities (account_id, platform_id, created_at);
create trigger wallet_activities_append_only before update or delete on wallet_activities for each row execute function refuse_change();
create trigger wallet_activities_no_truncate before truncate on wallet_activities execute function refuse_change();

-- A transfer out of an embedded wallet requires an activity of the same accounts, amount and currency.
-- `limit` makes the planner look up accounts and activities by their keys. Without it a session may cache a plan that joins whole tables.
create function wallet_debits_are_authorized() returns trigger language plpgsql as $$
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

create trigger wallet_debits_are_authorized after insert on transfers referencing new table as added
  for each statement execute function wallet_debits_are_authorized();
