-- Cards, card transactions, network messages and disputes.
-- Card numbers, security codes, PINs and 3-D Secure passwords are stored by the issuer only. No column of this schema may hold one.

create table cards (
  platform_id uuid not null,
  id uuid not null,
  customer_id uuid not null,
  platform_card_id text not null,
  status text not null check (status in ('PENDING_KYC', 'PROCESSING', 'PENDING', 'ACTIVE', 'FROZEN', 'CLOSED')),
  status_reason text check (status_reason in ('DELEGATION_REQUIRED', 'ISSUER_REJECTED', 'CLOSED_BY_PLATFORM', 'CLOSED_BY_GRID')),
  -- Fixed at issuance. The program determines who decides authorizations, the capabilities and the funding currencies.
  program text not null,
  form text not null check (form in ('VIRTUAL')),
  currency text not null,

  -- Funding. A closed card keeps the account for audit and loses the funding source.
  funding_account_id uuid not null,
  funding_currency text not null,
  funding_source_id uuid,

  -- Spending limits.
  max_spend_per_transaction bigint check (max_spend_per_transaction between 1 and 9007199254740991),
  max_spend_per_day bigint check (max_spend_per_day between 1 and 9007199254740991),
  max_transactions_per_day integer check (max_transactions_per_day >= 1),

  -- Latest known status at the issuer. Null if the program has no PIN management.
  pin_status text check (pin_status in ('NOT_SET', 'OK', 'BLOCKED')),

  -- Details from the issuer, known after provisioning.
  brand text check (brand in ('VISA', 'MASTERCARD')),
  last4 text check (last4 ~ '^[0-9]{4}$'),
  exp_month integer check (exp_month between 1 and 12),
  exp_year integer check (exp_year between 1000 and 9999),
  processor_ref text,
  issuer_ref text,

  -- Number of the latest change, equal to the version of its row in card_history.
  version integer not null,
  -- When the issuer is polled next for the outcome of provisioning. Null once the outcome is known.
  provisioning_due_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (platform_id, id),
  foreign key (platform_id, customer_id) references customers (platform_id, id),
  foreign key (platform_id, funding_account_id) references internal_accounts (platform_id, id),
  constraint cards_reason_present check ((status_reason is not null) = (status in ('PENDING', 'CLOSED'))),
  constraint cards_closed_is_detached check ((funding_source_id is null) = (status = 'CLOSED')),
  constraint cards_processing_has_due check ((provisioning_due_at is not null) = (status = 'PROCESSING'))
) with (fillfactor = 60);
create unique index cards_platform_card_id on cards (platform_card_id, platform_id);
create index cards_by_customer on cards (customer_id, platform_id, id);
create index cards_by_account on cards (funding_account_id, platform_id, id);
-- Counts the live cards of a cardholder.
create index cards_live on cards (customer_id, platform_id) where status <> 'CLOSED';
create index cards_provisioning on cards (platform_id, provisioning_due_at) where provisioning_due_at is not null;


-- Credentials of an issuer's processor, each for the cards of one program. Several may be valid at once, for rotation.
create table issuer_credentials (
  platform_id uuid not null references platforms,
  id uuid not null,
  program text not null,
  -- The proof is a signature made with the secret, which is sealed, or a client certificate.
  secret_sealed bytea,
  certificate_sha256 bytea check (length(certificate_sha256) = 32),
  created_at timestamptz not null,
  revoked_at timestamptz,
  primary key (platform_id, id),
  constraint issuer_credentials_one_proof check ((secret_sealed is null) <> (certificate_sha256 is null))
);


-- A present or past binding of a card to an account. A pair that is bound again keeps its id, and so its delegated key.
create table card_funding_sources (
  platform_id uuid not null,
  id uuid not null,
  card_id uuid not null,
  account_id uuid not null,
  bound_at timestamptz not null,
  detached_at timestamptz,
  primary key (platform_id, id),
  constraint card_funding_sources_pair unique (platform_id, card_id, account_id),
  foreign key (platform_id, card_id) references cards (platform_id, id),
  foreign key (platform_id, account_id) references internal_accounts (platform_id, id)
);
create unique index card_funding_sources_bound on card_funding_sources (card_id, platform_id) where detached_at is null;
create index card_funding_sources_account on card_funding_sources (account_id, platform_id);


-- Every change of a card, append-only.
create table card_history (
  platform_id uuid not null,
  card_id uuid not null,
  version integer not null,
  cause text not null check (cause in (
    'ISSUED', 'PROVISIONED', 'REJECTED', 'UPDATED', 'PASSWORD_REPLACED', 'CUSTOMER_DELETED', 'DELEGATION_COMPLETED', 'DELEGATION_REVOKED',
    'PIN_SET', 'PIN_UNBLOCKED', 'PIN_BLOCKED', 'REVEALED', 'TOKENIZED')),
  -- The API token of the request. Null for a change by the service or the issuer.
  token_id uuid,
  from_status text,
  to_status text not null,
  substatus text,
  reason text,
  -- Funding and limits after the change.
  funding_account_id uuid not null,
  max_spend_per_transaction bigint,
  max_spend_per_day bigint,
  max_transactions_per_day integer,
  at timestamptz not null,
  primary key (platform_id, card_id, version)
);
create trigger card_history_append_only before update or delete on card_history for each row execute function refuse_change();
create trigger card_history_no_truncate before truncate on card_history execute function refuse_change();


create table card_transactions (
  platform_id uuid not null,
  id uuid not null,
  card_id uuid not null,
  -- The funding account at authorization. A later change of the card's funding source does not affect the transaction.
  account_id uuid not null,
  issuer_token text not null,
  direction text not null check (direction in ('DEBIT', 'CREDIT')),
  status text not null check (status in ('AUTHORIZED', 'PARTIALLY_SETTLED', 'SETTLED', 'DECLINED', 'VOIDED', 'EXCEPTION')),

  -- The decision. The reason is kept when the network clears a declined authorization and the status changes.
  declined_reason text check (declined_reason in (
    'CARD_NOT_ACTIVE', 'SPEND_LIMIT_EXCEEDED', 'INSUFFICIENT_FUNDS', 'NO_ELIGIBLE_FUNDING_SOURCE', 'BLOCKED', 'UNSUPPORTED_NETWORK', 'OTHER')),
  -- Number of authorization requests that received the decision in time: the first request and its repeats, without timeouts.
  -- Zero if every request timed out, or if a network message arrived before the first request.
  waiting_requests integer not null default 1 check (waiting_requests >= 0),

  -- Of a return: the purchase.
  original_transaction_id uuid,
  merchant jsonb not null,

  -- Amounts. held is reserved in the account. pulled was debited from the account, minus what was credited back.
  -- absorbed was paid by the service's reserve.
  currency text not null,
  authorized bigint not null check (authorized >= 0),
  settled bigint not null check (settled >= 0 and settled <= 9007199254740991),
  refunded bigint not null check (refunded >= 0 and refunded <= settled),
  held bigint not null check (held >= 0),
  pulled bigint not null,
  absorbed bigint not null check (absorbed >= 0),

  -- How the account is debited. DELAYED and FAILING are sandbox simulations.
  pull text not null check (pull in ('PROMPT', 'DELAYED', 'FAILING')),
  pull_due_at timestamptz,

  -- When the open remainder of the authorization expires.
  expires_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (platform_id, id),
  constraint card_transactions_declined check (status <> 'DECLINED' or declined_reason is not null),
  constraint card_transactions_open_expires check ((expires_at is not null) = (status in ('AUTHORIZED', 'PARTIALLY_SETTLED'))),
  constraint card_transactions_only_open_holds check (held = 0 or status in ('AUTHORIZED', 'PARTIALLY_SETTLED')),
  constraint card_transactions_settled_is_paid check (
    case direction when 'DEBIT' then pulled + absorbed >= settled - refunded else original_transaction_id is not null or pulled = -settled end)
);
-- Finds the decision for a repeated authorization, and the transaction of a network message.
create unique index card_transactions_issuer_token on card_transactions (issuer_token, platform_id);
create index card_transactions_card on card_transactions (card_id, platform_id, id);
create index card_transactions_expiry on card_transactions (platform_id, expires_at) where expires_at is not null;
create index card_transactions_open on card_transactions (card_id, platform_id) where expires_at is not null;


-- Amount and count of approved authorizations per card and UTC calendar day. Written under the row lock of the card, and never reduced.
create table card_days (
  platform_id uuid not null,
  card_id uuid not null,
  day date not null,
  spent bigint not null check (spent >= 0),
  count bigint not null check (count >= 0),
  primary key (platform_id, card_id, day)
) with (fillfactor = 50);


-- Network messages about existing transactions. The network may repeat a message: the primary key accepts each token and kind once.
create table card_messages (
  platform_id uuid not null,
  token text not null,
  kind text not null check (kind in (
    'AUTHORIZATION_ADVICE', 'CLEARING', 'AUTHORIZATION_REVERSAL', 'AUTHORIZATION_EXPIRY', 'RETURN', 'RETURN_REVERSAL', 'PULL')),
  transaction_id uuid not null,
  amount bigint check (amount >= 0),
  -- When a deferred message is applied. Null for a message that has been applied.
  due_at timestamptz,
  received_at timestamptz not null,
  primary key (platform_id, token, kind),
  foreign key (platform_id, transaction_id) references card_transactions (platform_id, id)
);
create index card_messages_due on card_messages (platform_id, due_at) where due_at is not null;
create index card_messages_transaction on card_messages (transaction_id, platform_id);


create table card_disputes (
  platform_id uuid not null,
  id uuid not null,
  token text not null,
  transaction_id uuid not null,
  amount bigint not null check (amount > 0),
  reason text,
  -- Provisional credit that the reserve has paid to the cardholder.
  credited bigint not null check (credited >= 0 and credited <= amount),
  status text not null check (status in ('OPEN', 'CLOSED')),
  disposition text check (disposition in ('WON', 'PARTIALLY_WON', 'LOST', 'WITHDRAWN', 'DENIED')),
  recovered bigint not null check (recovered >= 0 and recovered <= amount),
  opened_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (platform_id, id),
  foreign key (platform_id, transaction_id) references card_transactions (platform_id, id),
  check ((status = 'CLOSED') = (disposition is not null))
);
create unique index card_disputes_one_open on card_disputes (platform_id, transaction_id) where status = 'OPEN';
create index card_disputes_transaction on card_disputes (transaction_id, platform_id);
