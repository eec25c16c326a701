-- The real time of a change, for the order of a timeline: the clock of a sandbox platform can stand still and go back.
alter table card_history add column recorded_at timestamptz not null default 'epoch';
alter table card_history alter column recorded_at set default now();

-- Search by the beginning of the name, of its last word, of the email address and of the platform's own id, in any case. Collation C, so
-- that everything with the same beginning is one range. Partial, so that they serve no look-up by the primary key.
create index customers_search_name on customers
  (platform_id, (lower(coalesce(profile ->> 'fullName', profile -> 'businessInfo' ->> 'legalName')) collate "C"))
  where created_at > '-infinity';
create index customers_search_last_word on customers
  (platform_id, (lower(substring(coalesce(profile ->> 'fullName', profile -> 'businessInfo' ->> 'legalName') from '[^ ]+ *$')) collate "C"))
  where created_at > '-infinity';
create index customers_search_email on customers (platform_id, (lower(email) collate "C")) where created_at > '-infinity';
create index customers_search_platform_id on customers (platform_id, (lower(platform_customer_id) collate "C")) where created_at > '-infinity';
