-- Stablecoins: links to accounts at an outside issuer, registered tokens, and orders to mint and burn them.

-- A platform's account at the provider. The row stays when the link is revoked.
create table stablecoin_provider_accounts (
  platform_id uuid not null references platforms,
  id uuid not null,
  provider text not null check (provider in ('EXTERNAL_ISSUER')),
  provider_environment text not null check (provider_environment in ('SANDBOX', 'PRODUCTION')),
  -- The account's id at the provider.
  provider_account_id text not null,
  status text not null check (status in ('ACTIVE', 'INVALID', 'REVOKED')),
  -- Client id and secret, sealed with the key-encryption key. Null once the link is revoked and its last open operation has ended.
  credentials_sealed bytea,
  last_verified_at timestamptz not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (platform_id, id),
  constraint stablecoin_provider_accounts_account unique (platform_id, provider, provider_environment, provider_account_id),
  check (credentials_sealed is not null or status = 'REVOKED')
);

-- A token that exists at the provider.
create table stablecoins (
  platform_id uuid not null,
  id uuid not null,
  link_id uuid not null,
  provider_token_identifier text not null,
  network_token_identifier text not null,
  network text not null check (network in ('SPARK')),
  name text not null,
  symbol text not null,
  base_currency text not null,
  decimals smallint not null check (decimals between 0 and 18),
  issuance_status text not null check (issuance_status in ('PENDING_REVIEW', 'PROVISIONING', 'PROVISIONED', 'REJECTED', 'FAILED')),
  grid_operations_status text not null check (grid_operations_status in ('NOT_ENABLED', 'PENDING_APPROVAL', 'ENABLING', 'ENABLED', 'DISABLED')),
  -- When the provider is asked about the issuance again. Null: never.
  issuance_due_at timestamptz,
  -- When the sandbox moves the enablement. Null where nothing is requested, and in live mode.
  enablement_due_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (platform_id, id),
  foreign key (platform_id, link_id) references stablecoin_provider_accounts,
  constraint stablecoins_token unique (network_token_identifier, platform_id)
);
create unique index stablecoins_symbol on stablecoins (lower(symbol), platform_id);
create index stablecoins_issuance_due on stablecoins (platform_id, issuance_due_at) where issuance_due_at is not null;
create index stablecoins_enablement_due on stablecoins (platform_id, enablement_due_at) where enablement_due_at is not null;

-- An order to mint or burn. The row is written before the provider is called, so that a crash loses no order.
create table stablecoin_operations (
  platform_id uuid not null,
  id uuid not null,
  stablecoin_id uuid not null,
  link_id uuid not null,
  operation_type text not null check (operation_type in ('MINT', 'BURN')),
  status text not null check (status in ('CREATED', 'PENDING_FUNDING', 'PENDING_PROVIDER', 'PROCESSING', 'COMPLETED', 'FAILED', 'EXPIRED')),
  -- In the smallest unit of the token, and in cents of US dollars.
  amount numeric(39, 0) not null check (amount > 0),
  cents bigint not null check (cents between 1 and 9007199254740991),
  -- Both ends as the API shows them.
  source json not null,
  destination json not null,
  description text,
  funding_instructions json,
  provider_status text,
  failure_reason text,
  expires_at timestamptz,
  -- When the provider is asked next. Null once the operation has ended.
  due_at timestamptz,
  -- The caller was told that nothing was done. The provider is asked to cancel the order, and then the row is deleted.
  is_abandoned boolean not null default false,
  -- The request that wants the operation, until it is answered: a repeat finds the operation by it.
  attempt_key text,
  attempt_hash bytea,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (platform_id, id),
  foreign key (platform_id, stablecoin_id) references stablecoins,
  foreign key (platform_id, link_id) references stablecoin_provider_accounts,
  check ((failure_reason is not null) = (status = 'FAILED')),
  check ((due_at is null) = (status in ('COMPLETED', 'FAILED', 'EXPIRED'))),
  check (not is_abandoned or status = 'CREATED'),
  check ((attempt_key is null) = (attempt_hash is null))
);
create index stablecoin_operations_by_stablecoin on stablecoin_operations (stablecoin_id, platform_id, id);
create index stablecoin_operations_due on stablecoin_operations (platform_id, due_at) where due_at is not null;
create index stablecoin_operations_open on stablecoin_operations (link_id, platform_id) where due_at is not null;
create unique index stablecoin_operations_attempt on stablecoin_operations (platform_id, attempt_key) where attempt_key is not null;

-- External accounts that the provider knows.
create table stablecoin_linked_accounts (
  platform_id uuid not null,
  link_id uuid not null,
  external_account_id uuid not null,
  linked_at timestamptz not null,
  primary key (platform_id, link_id, external_account_id),
  foreign key (platform_id, link_id) references stablecoin_provider_accounts
);

-- The sandbox issuer: orders by id, and the tokens that a platform holds there.
create table sandbox_issuer_orders (
  platform_id uuid not null references platforms,
  id text not null,
  token text not null,
  amount numeric(39, 0) not null,
  is_funded boolean not null,
  outcome text not null check (outcome in ('COMPLETES', 'TRANSFER_FAILS', 'NEVER_FUNDED', 'INSUFFICIENT_BALANCE')),
  is_taken boolean not null,
  is_canceled boolean not null default false,
  created_at timestamptz not null,
  primary key (platform_id, id)
);
create table sandbox_issuer_balances (
  platform_id uuid not null references platforms,
  token text not null,
  available numeric(39, 0) not null check (available >= 0),
  primary key (platform_id, token)
);
