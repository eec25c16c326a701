-- Uploaded files, documents, codes that verify contacts, messages of the sandbox, and bulk imports of customers.

-- A file that a caller uploaded. Its bytes are in stored_file_chunks.
create table stored_files (
  platform_id uuid not null references platforms,
  id uuid not null,
  -- The key that encrypts the chunks, sealed with the key-encryption key. Without this row the chunks cannot be read.
  key_sealed bytea not null,
  -- Null until the whole file has arrived and a record of the service refers to it.
  size bigint check (size >= 0),
  sha256 bytea,
  kept_at timestamptz,
  -- The time of the server, not of the platform: it tells which uploads were abandoned.
  received_at timestamptz not null default now(),
  primary key (platform_id, id),
  check ((kept_at is null) = (sha256 is null) and (kept_at is null) = (size is null))
);
-- Uploads that are arriving or were abandoned. The worker deletes the abandoned ones of all platforms.
create index stored_files_unkept on stored_files (received_at) where kept_at is null;

-- Part of a file, encrypted with the file's key. All parts but the last have the same size.
create table stored_file_chunks (
  platform_id uuid not null,
  file_id uuid not null,
  sequence integer not null check (sequence >= 0),
  bytes bytea not null,
  primary key (platform_id, file_id, sequence),
  foreign key (platform_id, file_id) references stored_files on delete cascade
);
-- Encrypted bytes cannot be compressed.
alter table stored_file_chunks alter column bytes set storage external;


-- Mail and text messages to end users, written in the transaction that causes them. On a live installation a job sends a message and
-- deletes it; in the sandbox it can be read for a day instead.
create table messages (
  platform_id uuid not null references platforms,
  id uuid not null,
  is_sandbox boolean not null,
  channel text not null check (channel in ('EMAIL', 'SMS')),
  recipient text not null,
  subject text not null,
  -- The text contains a code.
  text_sealed bytea not null,
  created_at timestamptz not null,
  -- A message that could not be sent before is dropped.
  expires_at timestamptz not null,
  -- When the job sends it, or deletes it in the sandbox.
  due_at timestamptz not null,
  attempts integer not null default 0,
  primary key (platform_id, id)
);
create index messages_live_due on messages (platform_id, due_at) where not is_sandbox;
create index messages_sandbox_due on messages (platform_id, due_at) where is_sandbox;


-- The code that was last sent to a contact of a customer.
create table contact_codes (
  platform_id uuid not null,
  customer_id uuid not null,
  channel text not null check (channel in ('EMAIL', 'PHONE')),
  -- Keyed hash of the code. Null once the code was used or is void.
  code_hash bytea,
  tries_left smallint not null check (tries_left >= 0),
  expires_at timestamptz not null,
  -- When codes were sent lately, oldest first.
  sent_at timestamptz[] not null,
  primary key (platform_id, customer_id, channel),
  foreign key (platform_id, customer_id) references customers
);
