-- Customers and ledger accounts are inserted by statements that read the row of their platform, and a platform is never deleted. The foreign
-- keys added a second look-up and a share lock on the row of the platform for every row, which all writers of a platform contended for.
alter table customers drop constraint customers_platform_id_fkey;
alter table ledger_accounts drop constraint ledger_accounts_platform_id_fkey;
