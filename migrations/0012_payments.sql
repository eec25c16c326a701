-- Payments: quotes, the payments behind them, messages of payment rails, and daily volumes.

-- Service-side accounts of payments. CLEARING holds money that was taken and is not delivered yet, FX is the currency position,
-- SUSPENSE holds refunds that could not be paid.
alter table ledger_accounts drop constraint ledger_accounts_purpose_check;
alter table ledger_accounts add constraint ledger_accounts_purpose_check
  check (purpose in ('FUNDING', 'CARD_SETTLEMENT', 'FEES', 'RESERVE', 'RECEIVABLE', 'CLEARING', 'FX', 'SUSPENSE'));

-- Existing platforms receive the new accounts in their currencies. The id is derived as in the ledger's serviceAccountId.
insert into ledger_accounts (platform_id, id, kind, purpose, currency)
select platform_id,
  (substr(hash, 1, 8) || '-' || substr(hash, 9, 4) || '-8' || substr(hash, 14, 3) || '-a' || substr(hash, 18, 3) || '-' || substr(hash, 21, 12))::uuid,
  'SERVICE', purpose, currency
from (
  select l.platform_id, l.currency, p.purpose,
    encode(sha256(convert_to(l.platform_id::text || ' ' || p.purpose || ' ' || l.currency, 'UTF8')), 'hex') as hash
  from ledger_accounts l cross join (values ('CLEARING'), ('FX'), ('SUSPENSE')) as p (purpose)
  where l.kind = 'SERVICE' and l.purpose = 'FUNDING'
) named
on conflict do nothing;


-- A payment is what the API shows as an INCOMING or OUTGOING transaction. Its row is locked for every change.
create table payments (
  platform_id uuid not null,
  id uuid not null,
  type text not null check (type in ('INCOMING', 'OUTGOING')),
  -- The state of the state table. It implies the status and the status of the refund that the API shows.
  state text not null,
  status text not null check (status in (
    'PENDING', 'PENDING_AUTHORIZATION', 'PROCESSING', 'COMPLETED', 'REJECTED', 'FAILED', 'EXPIRED')),

  -- Whose money it is. The customer is null for a payment of the platform itself; platform_customer_id is what the API shows in both cases.
  customer_id uuid,
  platform_customer_id text not null,
  -- Null for a payment without a quote.
  quote_id uuid,

  -- The two ends as the API shows them. The identifier is an account id or a UMA address; null for realtime funding.
  source_type text not null check (source_type in ('ACCOUNT', 'UMA_ADDRESS', 'REALTIME_FUNDING')),
  source_identifier text,
  destination_type text not null check (destination_type in ('ACCOUNT', 'UMA_ADDRESS')),
  destination_identifier text not null,

  -- Amounts. The fees are part of the sent amount and in its currency; platform_fees are part of fees.
  sent_amount bigint not null check (sent_amount between 1 and 9007199254740991),
  sent_currency text not null,
  received_amount bigint not null check (received_amount between 1 and 9007199254740991),
  received_currency text not null,
  fees bigint not null check (fees between 0 and sent_amount),
  platform_fees bigint not null check (platform_fees between 0 and fees),
  -- As shown: sending units per receiving unit. Settlement uses the amounts only.
  exchange_rate numeric not null check (exchange_rate > 0),
  rate_details json,
  -- Money that arrived for realtime funding and is not the sent amount. It is what a refund returns.
  funded_amount bigint check (funded_amount > 0),

  -- The rail of the outside end. Details per end change with the messages of the rail.
  payment_rail text,
  rail_selection text check (rail_selection in ('AUTO', 'MANUAL')),
  source_rail json,
  destination_rail json,

  failure_reason text,
  pending_reason text,
  refund_reason text check (refund_reason in ('TRANSACTION_FAILED', 'USER_CANCELLATION', 'TIMEOUT')),
  refund_initiated_at timestamptz,
  refund_settled_at timestamptz,

  description text,
  remittance_information text,
  purpose_of_payment text,
  counterparty_information json,
  -- The platform's account that receives platform_fees at settlement.
  fee_account_id uuid,
  -- The incoming payment of the receiver, or the outgoing one of the sender, when both hold accounts here.
  counterpart_id uuid,
  rule_based_account_id uuid,
  agent_id uuid,

  settled_at timestamptz,
  -- Of a rail that is not instant: when the outcome is due, and how long after the execution that is.
  expected_settlement_at timestamptz,
  settlement_seconds integer,
  receipt_confirmed_at timestamptz,
  -- When a payment that waits for its execution or approval is over. Null once it is decided.
  expires_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (platform_id, id),
  check ((failure_reason is not null) <= (status = 'FAILED')),
  check (expires_at is null or status in ('PENDING', 'PENDING_AUTHORIZATION'))
) with (fillfactor = 60);
create index payments_expiry on payments (platform_id, expires_at) where expires_at is not null;
create index payments_by_customer on payments (customer_id, platform_id, id);
create index payments_by_source on payments (source_identifier, platform_id, id);
create index payments_by_destination on payments (destination_identifier, platform_id, id);


-- A quote is what a payment was priced at, append-only. Its status is the status of its payment.
create table quotes (
  platform_id uuid not null,
  id uuid not null,
  payment_id uuid not null,
  -- How the money is provided: debited from a prefunded account, signed by the owner of an embedded wallet, pushed, or pulled.
  funding text not null check (funding in ('PREFUNDED', 'EMBEDDED_WALLET', 'REALTIME', 'PULL')),
  -- Both ends as requested.
  source json not null,
  destination json not null,
  document_ids uuid[],
  -- The exact rate, receiving units per sending unit, that must still be honoured at execution. Null within one currency.
  rate_numerator numeric,
  rate_denominator numeric,
  payment_instructions json,
  -- What the owner of an embedded wallet signs.
  payload_to_sign text,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  primary key (platform_id, id),
  check ((payload_to_sign is not null) = (funding = 'EMBEDDED_WALLET'))
);
create trigger quotes_append_only before update or delete on quotes for each row execute function refuse_change();
create trigger quotes_no_truncate before truncate on quotes execute function refuse_change();


-- Messages of payment rails about a payment. The id of a message counts once. The sandbox stores its messages when it accepts a payment,
-- with the time at which the rail would send them.
create table rail_messages (
  platform_id uuid not null,
  payment_id uuid not null,
  message_id text not null,
  kind text not null check (kind in (
    'ACCEPTED', 'SETTLED', 'FAILED', 'RETURNED', 'CANCELLED', 'COLLECTED', 'COLLECTION_FAILED', 'REFUND_PAID', 'REFUND_FAILED',
    'DISHONORED', 'CONTESTED', 'REVERSED')),
  reason text,
  -- Position among the messages of one moment.
  position integer not null,
  -- Null once the message was applied or found to be without effect.
  due_at timestamptz,
  received_at timestamptz not null,
  primary key (platform_id, payment_id, message_id)
) with (fillfactor = 80);
create index rail_messages_due on rail_messages (platform_id, due_at, position) where due_at is not null;


-- Executed volume of a corridor on one UTC day, in the sending currency. The limit is checked by the row itself, so that the statement
-- travels with COMMIT: every payment of the corridor waits for this row.
create table payment_days (
  platform_id uuid not null,
  day date not null,
  sending_currency text not null,
  receiving_currency text not null,
  sent bigint not null check (sent > 0),
  -- The limit at the rate of the latest payment.
  most bigint not null,
  primary key (platform_id, day, sending_currency, receiving_currency),
  constraint payment_days_limit check (sent <= most)
) with (fillfactor = 50);


-- A platform's changes of the sandbox market. A currency without a row has the rate of the table.
create table sandbox_rates (
  platform_id uuid not null references platforms,
  currency text not null check (currency <> 'USD'),
  -- A decimal; null for the rate of the table.
  per_usd text,
  available boolean not null,
  updated_at timestamptz not null,
  primary key (platform_id, currency)
);
