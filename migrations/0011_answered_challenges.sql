-- An answered challenge changes no index: the row is written anew on its own page, and nothing else.
-- When a liveness check runs out stands in a column of its own, because that is all an index has to know of a challenge.
alter table external_accounts
  add column liveness_due_at timestamptz generated always as (case when challenge_method = 'LIVENESS' then challenge_expires_at end) stored;
drop index external_accounts_liveness_due;
create index external_accounts_liveness_due on external_accounts (platform_id, liveness_due_at)
  where liveness_due_at is not null and deleted_at is null;
alter table external_accounts set (fillfactor = 60);

-- Evidence is written by whoever holds the lock on its account, and accounts are never deleted: asking again for each proof finds nothing out.
alter table ownership_proofs drop constraint ownership_proofs_platform_id_account_id_fkey;
