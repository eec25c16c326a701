-- Foreign keys that cannot be violated and that every new customer pays for: each costs a look-up and a share lock per row.
-- The statements that insert customers and ledger accounts read the row of their platform, and a platform is never deleted. All writers of a
-- platform contended for the lock on its row.
alter table customers drop constraint customers_platform_id_fkey;
alter table ledger_accounts drop constraint ledger_accounts_platform_id_fkey;
-- An internal account is inserted together with its ledger account, for a customer that the same transaction has inserted or locked.
-- Neither is ever deleted.
alter table internal_accounts drop constraint internal_accounts_platform_id_id_fkey;
alter table internal_accounts drop constraint internal_accounts_platform_id_customer_id_fkey;
