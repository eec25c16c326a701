-- transaction: none
-- The entries of a transaction on accounts of customers and of the platform, for its timeline. An authorization writes a hold and no entry,
-- so it does not maintain this index.
create index concurrently if not exists entries_of_transactions on entries (transaction_id, platform_id) where number is not null;
