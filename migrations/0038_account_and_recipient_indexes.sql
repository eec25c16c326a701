-- transaction: none
-- Rows by another column than the id, in the order of the id. Without the id in such an index the planner may follow the primary key, and
-- read every row of the platform.
create index concurrently if not exists auth_credentials_of_account on auth_credentials (account_id, platform_id, id);
drop index concurrently if exists auth_credentials_account;
create index concurrently if not exists messages_recipient on messages (recipient, platform_id, id);
