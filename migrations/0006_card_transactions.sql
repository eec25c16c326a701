-- Card transactions, what a card has spent on each day, the network's messages, disputes.

create table card_transactions (
  platform_id uuid not null,
  id uuid not null,
  card_id uuid not null,
  -- What funded the card when the transaction began; a later change of the card's funding source does not move it.
  account_id uuid not null,
  issuer_token text not null,
  direction text not null check (direction in ('DEBIT', 'CREDIT')),
  status text not null check (status in ('AUTHORIZED', 'PARTIALLY_SETTLED', 'SETTLED', 'DECLINED', 'VOIDED', 'EXCEPTION')),
  declined_reason text check (declined_reason in (
    'CARD_NOT_ACTIVE', 'SPEND_LIMIT_EXCEEDED', 'INSUFFICIENT_FUNDS', 'NO_ELIGIBLE_FUNDING_SOURCE', 'BLOCKED', 'UNSUPPORTED_NETWORK', 'OTHER')),
  -- Of a return: the purchase.
  original_transaction_id uuid,
  merchant jsonb not null,
  currency text not null,
  authorized bigint not null check (authorized >= 0),
  settled bigint not null check (settled >= 0 and settled <= 9007199254740991),
  refunded bigint not null check (refunded >= 0 and refunded <= settled),
  -- Reserved in the account; taken from it, less what went back; paid by the service's reserve.
  held bigint not null check (held >= 0),
  pulled bigint not null,
  absorbed bigint not null check (absorbed >= 0),
  pull text not null check (pull in ('PROMPT', 'DELAYED', 'FAILING')),
  pull_due_at timestamptz,
  -- When what is still open falls away.
  expires_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (platform_id, id),
  constraint card_transactions_declined check ((declined_reason is not null) = (status = 'DECLINED')),
  constraint card_transactions_open_expires check ((expires_at is not null) = (status in ('AUTHORIZED', 'PARTIALLY_SETTLED'))),
  constraint card_transactions_only_open_holds check (held = 0 or status in ('AUTHORIZED', 'PARTIALLY_SETTLED')),
  constraint card_transactions_settled_is_paid check (
    case direction when 'DEBIT' then pulled + absorbed >= settled - refunded else original_transaction_id is not null or pulled = -settled end)
);
-- A duplicate of an authorization finds its first decision here; so does every later message of the network.
create unique index card_transactions_issuer_token on card_transactions (platform_id, issuer_token);
create index card_transactions_card on card_transactions (platform_id, card_id, id);
create index card_transactions_expiry on card_transactions (platform_id, expires_at) where expires_at is not null;
create index card_transactions_open on card_transactions (platform_id, card_id) where expires_at is not null;

-- Approved authorizations per card and UTC calendar day. Written under the card's lock; nothing takes from it.
create table card_days (
  platform_id uuid not null,
  card_id uuid not null,
  day date not null,
  spent bigint not null check (spent >= 0),
  count bigint not null check (count >= 0),
  primary key (platform_id, card_id, day)
) with (fillfactor = 50);

-- Messages about existing transactions. The network repeats itself: token and kind are taken once.
create table card_messages (
  platform_id uuid not null,
  token text not null,
  kind text not null check (kind in (
    'AUTHORIZATION_ADVICE', 'CLEARING', 'AUTHORIZATION_REVERSAL', 'AUTHORIZATION_EXPIRY', 'RETURN', 'RETURN_REVERSAL', 'PULL')),
  transaction_id uuid not null,
  amount bigint check (amount >= 0),
  -- Until then the message waits.
  due_at timestamptz,
  received_at timestamptz not null,
  primary key (platform_id, token, kind),
  foreign key (platform_id, transaction_id) references card_transactions (platform_id, id)
);
create index card_messages_due on card_messages (platform_id, due_at) where due_at is not null;
create index card_messages_transaction on card_messages (platform_id, transaction_id);

create table card_disputes (
  platform_id uuid not null,
  id uuid not null,
  token text not null,
  transaction_id uuid not null,
  amount bigint not null check (amount > 0),
  reason text,
  -- Lent to the cardholder by the reserve while the dispute runs.
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
create index card_disputes_transaction on card_disputes (platform_id, transaction_id);
