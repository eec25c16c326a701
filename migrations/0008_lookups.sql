-- Secondary indexes begin with the column they are for, not with the platform. Until a table is first analysed the planner believes that a
-- platform has hardly any rows, takes every index that begins with it for as good as the primary key, and reads all the platform has to find one row.

drop index internal_accounts_customer, external_accounts_customer, external_accounts_identity, external_accounts_platform_account_id,
  external_accounts_default, ownership_proofs_account, auth_credentials_account, auth_credentials_one_otp, auth_credentials_one_replacement,
  auth_credentials_oidc, otp_challenges_due, signed_requests_due, signed_requests_account, delegated_keys_source, delegated_keys_account,
  delegated_keys_one_active, delegated_keys_active_pair, wallet_signers_key, wallet_activities_account, auth_sessions_account,
  auth_sessions_credential, cards_by_customer, cards_by_account, cards_live, card_funding_sources_account, card_funding_sources_bound,
  card_transactions_card, card_transactions_open, card_messages_transaction, card_disputes_transaction, transfers_pending,
  card_transactions_issuer_token, cards_platform_card_id;
alter table wallet_activities drop constraint wallet_activities_platform_id_payload_hash_key, add unique (payload_hash, platform_id);

create index internal_accounts_customer on internal_accounts (customer_id, platform_id);
create index external_accounts_customer on external_accounts (customer_id, platform_id, id);
create unique index external_accounts_identity on external_accounts (customer_id, platform_id, identity) nulls not distinct where deleted_at is null;
create unique index external_accounts_platform_account_id on external_accounts (platform_account_id, platform_id) where deleted_at is null;
create unique index external_accounts_default on external_accounts (customer_id, platform_id) where default_uma_deposit_account and deleted_at is null;
create index ownership_proofs_account on ownership_proofs (account_id, platform_id, id);
create index auth_credentials_account on auth_credentials (account_id, platform_id);
create unique index auth_credentials_one_otp on auth_credentials (account_id, platform_id, type) where revoked_at is null and contact is not null and not replacement;
create unique index auth_credentials_one_replacement on auth_credentials (account_id, platform_id, type) where revoked_at is null and replacement;
create unique index auth_credentials_oidc on auth_credentials (account_id, platform_id, oidc_issuer, oidc_audience, oidc_subject) where revoked_at is null and oidc_issuer is not null;
create index otp_challenges_due on otp_challenges (expires_at, platform_id);
create index signed_requests_due on signed_requests (expires_at, platform_id);
create index signed_requests_account on signed_requests (account_id, platform_id, created_at);
create index delegated_keys_source on delegated_keys (funding_source_id, platform_id);
create index delegated_keys_account on delegated_keys (account_id, platform_id);
create unique index delegated_keys_one_active on delegated_keys (funding_source_id, platform_id) where status = 'ACTIVE';
create index delegated_keys_active_pair on delegated_keys (card_id, platform_id, account_id) where status = 'ACTIVE';
create index wallet_signers_key on wallet_signers (account_id, platform_id, public_key) where deleted_at is null;
create index wallet_activities_account on wallet_activities (account_id, platform_id, created_at);
create index auth_sessions_account on auth_sessions (account_id, platform_id, expires_at) where revoked_at is null;
create index auth_sessions_credential on auth_sessions (credential_id, platform_id) where revoked_at is null;
create index cards_by_customer on cards (customer_id, platform_id, id);
create index cards_by_account on cards (funding_account_id, platform_id, id);
create index cards_live on cards (customer_id, platform_id) where status <> 'CLOSED';
create index card_funding_sources_account on card_funding_sources (account_id, platform_id);
create unique index card_funding_sources_bound on card_funding_sources (card_id, platform_id) where detached_at is null;
create index card_transactions_card on card_transactions (card_id, platform_id, id);
create index card_transactions_open on card_transactions (card_id, platform_id) where expires_at is not null;
create index card_messages_transaction on card_messages (transaction_id, platform_id);
create index card_disputes_transaction on card_disputes (transaction_id, platform_id);
create index transfers_pending on transfers (transaction_id, platform_id) where state = 'PENDING';
create unique index card_transactions_issuer_token on card_transactions (issuer_token, platform_id);
create unique index cards_platform_card_id on cards (platform_card_id, platform_id);
