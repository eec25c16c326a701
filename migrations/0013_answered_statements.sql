-- How far the account's statements have been answered. Entries raise `not_before`, too, so that cannot tell it.
alter table ledger_accounts add column answered_before timestamptz not null default '-infinity';
