-- Customers.

create table customers (
  platform_id uuid not null references platforms,
  id uuid not null,
  platform_customer_id text not null,
  customer_type text not null check (customer_type in ('INDIVIDUAL', 'BUSINESS')),
  uma_address text not null,
  -- kycStatus of an individual, kybStatus of a business.
  verification_status text not null check (verification_status in ('UNVERIFIED', 'PENDING', 'APPROVED', 'REJECTED', 'HOLD')),
  region text,
  currencies text[] not null,
  email text,
  phone_number text,
  -- The remaining fields that the platform sent, after validation.
  profile json not null,
  -- Government identifiers, sealed.
  identifier_sealed bytea,
  -- Accepted agreements, oldest first. Elements are added and never removed.
  consents json not null default '[]',
  created_at timestamptz not null,
  updated_at timestamptz not null,
  deleted_at timestamptz,
  primary key (platform_id, id)
);
create unique index customers_platform_customer_id on customers (platform_id, platform_customer_id) where deleted_at is null;
create unique index customers_uma_address on customers (platform_id, lower(uma_address)) where deleted_at is null;
