-- Verification of customers: contacts, beneficial owners, verifications and links to the hosted page.

-- When the end user confirmed the current e-mail address and phone number. Null: not confirmed, or changed since.
alter table customers add column email_verified_at timestamptz;
alter table customers add column phone_verified_at timestamptz;
