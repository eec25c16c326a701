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
-- Uploads that are arriving or were abandoned. The worker deletes the abandoned ones.
create index stored_files_unkept on stored_files (platform_id, received_at) where kept_at is null;

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


-- Documents that prove who a customer or a beneficial owner is. A holder has one document of each type and side.
create table documents (
  platform_id uuid not null references platforms,
  id uuid not null,
  holder_kind text not null check (holder_kind in ('Customer', 'BeneficialOwner')),
  holder_id uuid not null,
  document_type text not null,
  side text check (side in ('FRONT', 'BACK')),
  country text not null,
  document_number_sealed bytea,
  issuing_authority text,
  file_id uuid not null,
  file_name text not null,
  -- What the first bytes of the file say it is.
  content_type text not null,
  -- When the file was handed to the provider of verifications. Null again after a replacement.
  submitted_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (platform_id, id),
  foreign key (platform_id, file_id) references stored_files
);
create unique index documents_holder_type_side on documents (holder_id, platform_id, document_type, coalesce(side, ''));
create index documents_holder on documents (holder_id, platform_id, id);
-- A deleted file looks for its document.
create index documents_file on documents (file_id, platform_id);

-- Who read the content of a document, and when. Kept when the document is deleted.
create table document_downloads (
  platform_id uuid not null references platforms,
  id uuid not null,
  document_id uuid not null,
  token_id uuid not null,
  downloaded_at timestamptz not null,
  primary key (platform_id, id)
);
create trigger document_downloads_append_only before update or delete on document_downloads
  for each row execute function refuse_change();


-- Bulk imports of customers from CSV. Rows are created in batches; each batch commits together with the progress of the import.
create table import_jobs (
  platform_id uuid not null references platforms,
  id uuid not null,
  status text not null check (status in ('PENDING', 'PROCESSING', 'COMPLETED', 'FAILED')),
  -- The file. Null once the import has ended: its content is erased.
  file_id uuid,
  -- The columns of the header row. Null until it was read.
  columns text[],
  -- Where the next row begins, and the number of its first line.
  next_byte bigint not null default 0,
  next_line integer not null default 1,
  total integer not null default 0,
  successful integer not null default 0,
  failed integer not null default 0,
  -- When the job goes on. Null once it has ended.
  due_at timestamptz,
  created_at timestamptz not null,
  completed_at timestamptz,
  primary key (platform_id, id),
  foreign key (platform_id, file_id) references stored_files,
  check ((due_at is null) = (completed_at is not null) and (due_at is null) = (file_id is null)),
  check (successful + failed <= total)
);
create index import_jobs_due on import_jobs (platform_id, due_at) where due_at is not null;
-- A deleted file looks for its import.
create index import_jobs_file on import_jobs (file_id, platform_id) where file_id is not null;

-- Rows of an import that were refused, up to a limit. No entry holds a value of the row but its platformCustomerId.
create table import_errors (
  platform_id uuid not null,
  job_id uuid not null,
  -- The first line of the row; the header is line 1.
  line integer not null,
  error json not null,
  primary key (platform_id, job_id, line),
  foreign key (platform_id, job_id) references import_jobs
);
