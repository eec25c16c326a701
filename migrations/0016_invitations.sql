-- Invitations: a customer invites somebody who has no UMA address yet. Whoever has the code may read and claim the invitation, also through
-- another platform.
create table invitations (
  platform_id uuid not null references platforms,
  id uuid not null,
  -- In lower case. Unique among all platforms, because a caller knows nothing but the code; the platform is looked up by it, as with api_tokens.
  code text not null,
  customer_id uuid not null,
  -- The inviter's address at the creation.
  inviter_uma text not null,
  first_name text,
  -- Shown to the invitee. Nothing is held or sent.
  amount bigint check (amount between 1 and 9007199254740991),
  currency text,
  status text not null check (status in ('PENDING', 'CLAIMED', 'CANCELLED', 'EXPIRED')),
  invitee_uma text,
  claimed_at timestamptz,
  -- Null: never.
  expires_at timestamptz,
  created_at timestamptz not null,
  primary key (platform_id, id),
  foreign key (platform_id, customer_id) references customers,
  check ((amount is null) = (currency is null)),
  check ((status = 'CLAIMED') = (claimed_at is not null) and (status = 'CLAIMED') = (invitee_uma is not null))
);
create unique index invitations_code on invitations (code);
create index invitations_expiry on invitations (platform_id, expires_at) where status = 'PENDING' and expires_at is not null;
create index invitations_open_of_customer on invitations (customer_id, platform_id) where status = 'PENDING';
