-- Verification of customers: contacts, beneficial owners, verifications and links to the hosted page.

-- When the end user confirmed the current e-mail address and phone number. Null: not confirmed, or changed since.
alter table customers add column email_verified_at timestamptz;
alter table customers add column phone_verified_at timestamptz;


-- People who own or control a business.
create table beneficial_owners (
  platform_id uuid not null references platforms,
  id uuid not null,
  customer_id uuid not null,
  roles text[] not null,
  ownership_percentage integer not null check (ownership_percentage between 0 and 100),
  -- Everything the platform sent of the person but the identifier.
  personal_info json not null,
  identifier_sealed bytea not null,
  -- The identifier as answers show it.
  identifier_masked text not null,
  kyc_status text not null check (kyc_status in ('UNVERIFIED', 'PENDING', 'APPROVED', 'REJECTED', 'HOLD')),
  created_at timestamptz not null,
  updated_at timestamptz not null,
  -- The row stays for the records of earlier verifications.
  deleted_at timestamptz,
  primary key (platform_id, id),
  foreign key (platform_id, customer_id) references customers (platform_id, id)
);
-- The owners of a business.
create index beneficial_owners_customer on beneficial_owners (customer_id, platform_id, id) where deleted_at is null;


-- Verifications of customers. A customer has at most one that is not decided.
create table verifications (
  platform_id uuid not null references platforms,
  id uuid not null,
  customer_id uuid not null,
  status text not null check (status in ('RESOLVE_ERRORS', 'PENDING_MANUAL_REVIEW', 'IN_PROGRESS', 'APPROVED', 'REJECTED')),
  errors json not null,
  -- Counts the packets that were handed to the provider. A late answer to an earlier one is ignored.
  submissions integer not null check (submissions >= 0),
  -- A decision that the provider has announced, and when it is made.
  planned_decision json,
  planned_at timestamptz,
  -- When the packet is sent to the vendor next, and how often that failed. Null: there is nothing to send.
  send_at timestamptz,
  send_failures integer not null default 0,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  -- Set with the deletion of the customer.
  deleted_at timestamptz,
  primary key (platform_id, id),
  foreign key (platform_id, customer_id) references customers (platform_id, id),
  check ((planned_decision is null) = (planned_at is null))
);
create unique index verifications_open on verifications (customer_id, platform_id)
  where status in ('RESOLVE_ERRORS', 'PENDING_MANUAL_REVIEW', 'IN_PROGRESS') and deleted_at is null;
-- The verifications of a customer, and those of a status.
create index verifications_customer on verifications (customer_id, platform_id, id);
create index verifications_status on verifications (platform_id, status, id) where deleted_at is null;
-- Due work.
create index verifications_planned on verifications (platform_id, planned_at) where planned_at is not null and deleted_at is null;
create index verifications_to_send on verifications (platform_id, send_at) where send_at is not null and deleted_at is null;


-- Links to the hosted verification page. A link is used once, by a submission.
create table kyc_links (
  platform_id uuid not null references platforms,
  -- SHA-256 of the token in the link.
  token_hash bytea not null,
  customer_id uuid not null,
  redirect_uri text,
  expires_at timestamptz not null,
  used_at timestamptz,
  created_at timestamptz not null,
  primary key (platform_id, token_hash),
  foreign key (platform_id, customer_id) references customers (platform_id, id)
);
-- The links of a customer, which end with it.
create index kyc_links_customer on kyc_links (customer_id, platform_id);
-- Expired links, which are swept.
create index kyc_links_expiry on kyc_links (platform_id, expires_at);


-- The bytes of a response that holds a secret which repeats get again, such as a link. Then `answer` is null.
alter table idempotency_keys add column answer_sealed bytea;


-- Whether a sandbox platform asks for accepted end-user terms before its customers pay. Live platforms always do.
alter table platforms add column end_user_terms_required boolean not null default false;
