-- Strong customer authentication (SCA) of customers in a regulated region.
-- The rows of a customer change only while its row in customers is locked, so every attempt is counted.

create table sca_customers (
  platform_id uuid not null,
  customer_id uuid not null,

  -- Failed logins since the last completed password reset, and the lock that follows from them.
  failed_attempts integer not null check (failed_attempts >= 0),
  locked_until timestamptz,
  suspended boolean not null,

  -- The session of the last login. Null: there is none.
  session_factor text check (session_factor in ('SMS_OTP', 'TOTP', 'PASSKEY')),
  session_ip text,
  session_started_at timestamptz,
  session_expires_at timestamptz,

  -- Time steps whose TOTP code was accepted. Steps that are too old to be accepted again are removed.
  totp_steps bigint[] not null,

  primary key (platform_id, customer_id),
  foreign key (platform_id, customer_id) references customers (platform_id, id),
  check (num_nonnulls(session_factor, session_ip, session_started_at, session_expires_at) in (0, 4)),
  check (not suspended or locked_until is null)
);


-- Enrolled factors. SMS_OTP has no row: it is usable while the customer's phone number is verified.
create table sca_factors (
  platform_id uuid not null,
  customer_id uuid not null,
  type text not null check (type in ('TOTP', 'PASSKEY')),

  -- Of TOTP: the shared secret, sealed, and keyed hashes of the recovery codes that are still unused.
  totp_secret_sealed bytea,
  recovery_code_hashes bytea[],

  -- Of PASSKEY.
  passkey_id text,
  passkey_public_key bytea,
  passkey_counter bigint,
  passkey_rp_id text,

  created_at timestamptz not null,
  primary key (platform_id, customer_id, type),
  foreign key (platform_id, customer_id) references customers (platform_id, id),
  check ((type = 'TOTP') = (num_nonnulls(totp_secret_sealed, recovery_code_hashes) = 2)),
  check ((type = 'PASSKEY') = (num_nonnulls(passkey_id, passkey_public_key, passkey_counter, passkey_rp_id) = 4))
);
create unique index sca_factors_passkey on sca_factors (platform_id, passkey_id) where passkey_id is not null;


-- Enrolments that are not confirmed yet. Starting again replaces the row.
create table sca_enrollments (
  platform_id uuid not null,
  customer_id uuid not null,
  type text not null check (type in ('TOTP', 'PASSKEY')),
  totp_secret_sealed bytea,
  passkey_challenge bytea,
  tries_left smallint not null check (tries_left >= 0),
  expires_at timestamptz not null,
  primary key (platform_id, customer_id, type),
  foreign key (platform_id, customer_id) references customers (platform_id, id),
  check ((type = 'TOTP') = (totp_secret_sealed is not null)),
  check ((type = 'PASSKEY') = (passkey_challenge is not null))
);


-- The challenge that waits for a proof, one per customer, purpose and target. A new one replaces it; a satisfied one is deleted.
create table sca_challenges (
  platform_id uuid not null,
  customer_id uuid not null,
  purpose text not null check (purpose in ('LOGIN', 'TRUST', 'UNTRUST', 'PAYMENT')),
  -- The external account of TRUST and UNTRUST, the quote of PAYMENT, the customer itself of LOGIN.
  target_id uuid not null,
  id uuid not null,
  factor text not null check (factor in ('SMS_OTP', 'TOTP', 'PASSKEY')),
  -- Of PAYMENT: which step of the payment is authorized.
  step text check (step in ('TRANSFER', 'CURRENCY_CONVERSION', 'PAYOUT')),

  -- Of SMS_OTP: hash of the code, keyed, bound to the challenge and to what it authorizes.
  code_hash bytea,
  -- Of PASSKEY: the challenge is a hash of this nonce and of what is authorized.
  passkey_nonce bytea,

  tries_left smallint not null check (tries_left >= 0),
  created_at timestamptz not null,
  expires_at timestamptz not null,
  primary key (platform_id, customer_id, purpose, target_id),
  foreign key (platform_id, customer_id) references customers (platform_id, id),
  check ((factor = 'SMS_OTP') = (code_hash is not null)),
  check ((factor = 'PASSKEY') = (passkey_nonce is not null)),
  check ((purpose = 'PAYMENT') = (step is not null))
);
-- Challenges of payments are deleted some time after they expired.
create index sca_challenges_payment_due on sca_challenges (platform_id, expires_at) where purpose = 'PAYMENT';


-- When limited actions last happened, at most as many times as the limit allows: codes sent by text message, and starts of a reset.
create table sca_limits (
  platform_id uuid not null,
  customer_id uuid not null,
  action text not null check (action in ('LOGIN_CODE', 'TRUST_CODE', 'PAYMENT_CODE', 'RESET')),
  used_at timestamptz[] not null,
  primary key (platform_id, customer_id, action),
  foreign key (platform_id, customer_id) references customers (platform_id, id)
);


-- Resets of a lost factor. A reset that is past its time and not completed counts as EXPIRED, whatever its row says.
create table sca_resets (
  platform_id uuid not null,
  id uuid not null,
  customer_id uuid not null,
  factor text not null check (factor in ('SMS_OTP', 'TOTP', 'PASSKEY')),
  status text not null check (status in ('INITIATED', 'PENDING_REVIEW', 'LIVENESS_PASSED', 'COMPLETED', 'REJECTED', 'EXPIRED')),
  end_user_ip text not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  completed_at timestamptz,
  -- When the factor was enrolled again.
  enrolled_at timestamptz,
  primary key (platform_id, id),
  foreign key (platform_id, customer_id) references customers (platform_id, id),
  check ((status = 'COMPLETED') = (completed_at is not null))
);
create index sca_resets_customer on sca_resets (platform_id, customer_id, id);


-- Web origins on which the platform's customers use passkeys. The first one's host is the relying party. Null: the default of the mode.
alter table platforms add column sca_origins text[];
