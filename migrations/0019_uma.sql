-- UMA: keys of platforms, messages of other providers, payments agreed with them, and look-ups of receivers.

-- The keys that sign a platform's messages and decrypt those of others. Made at first need.
create table uma_keys (
  platform_id uuid primary key references platforms,
  signing_key_sealed bytea not null,
  encryption_key_sealed bytea not null,
  created_at timestamptz not null
);

-- Nonces of signed messages, so that each message counts once. The time is the real time, as in the message; older messages are refused.
create table uma_nonces (
  platform_id uuid not null references platforms,
  domain text not null,
  nonce text not null,
  signed_at timestamptz not null,
  primary key (platform_id, domain, nonce)
);
create index uma_nonces_age on uma_nonces (platform_id, signed_at);

-- A payment to a customer that another provider has asked to make. It is paid once.
create table uma_invoices (
  platform_id uuid not null references platforms,
  id uuid not null,
  customer_id uuid not null,
  sender text not null,
  receiver text not null,
  amount bigint not null check (amount > 0),
  currency text not null,
  -- What the sender's provider says of the sender, and what it asks for about the receiver.
  sender_data json not null,
  requested_fields json not null,
  -- Where the sender's provider takes the outcome.
  callback text,
  -- The incoming payment, once it is paid.
  payment_id uuid,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  primary key (platform_id, id)
);
-- The outcome of an incoming payment is reported to the provider that sent it.
create index uma_invoices_payment on uma_invoices (payment_id, platform_id) where payment_id is not null;

-- What the provider of the receiver has agreed to for an outgoing payment.
create table uma_payouts (
  platform_id uuid not null references platforms,
  payment_id uuid not null,
  sender text not null,
  receiver text not null,
  amount bigint not null check (amount > 0),
  currency text not null,
  -- The provider's name for the payment.
  invoice text not null,
  -- Where the provider takes the notice that it is paid.
  callback text not null,
  created_at timestamptz not null,
  primary key (platform_id, payment_id)
);

-- A look-up of a receiver, which quotes may name for an hour.
create table lookups (
  platform_id uuid not null references platforms,
  id uuid not null,
  -- The UMA address or the external account.
  receiver text not null,
  -- What the receiver's provider said of a UMA address; null for an account.
  found json,
  expires_at timestamptz not null,
  primary key (platform_id, id)
);
create index lookups_expiry on lookups (platform_id, expires_at);
