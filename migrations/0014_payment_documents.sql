-- Documents that support a payment, such as an invoice. They are uploaded before the quote that uses them.
create table payment_documents (
  platform_id uuid not null references platforms,
  id uuid not null,
  -- Whose payment it supports; null for a payment of the platform itself.
  customer_id uuid,
  document_type text not null,
  -- The content. Null once it was handed over with a quote, or has expired: it is erased then.
  file_id uuid,
  file_name text not null,
  size_bytes integer not null check (size_bytes > 0),
  -- What the first bytes of the file say it is.
  content_type text not null,
  -- The quote that it is attached to. A document is used once.
  quote_id uuid,
  expires_at timestamptz not null,
  created_at timestamptz not null,
  primary key (platform_id, id),
  foreign key (platform_id, file_id) references stored_files,
  check (quote_id is null or file_id is null)
);
-- Documents whose content is still kept: what a job erases, and what is erased with the customer.
create index payment_documents_expiry on payment_documents (platform_id, expires_at) where file_id is not null;
create index payment_documents_customer on payment_documents (customer_id, platform_id) where file_id is not null;
-- A deleted file looks for its document.
create index payment_documents_file on payment_documents (file_id, platform_id) where file_id is not null;
