-- Agents: programs that act for one customer within a policy, the device codes that pair them, and their actions.

create table agents (
  platform_id uuid not null references platforms,
  id uuid not null,
  customer_id uuid not null,
  name text not null,
  is_paused boolean not null,
  -- In the form of the API. All its limits count in the smallest unit of `spendingLimits.currency`.
  policy json not null,

  -- What was spent on the UTC day of the last execution and in its month, in the currency of the limits. A later day starts at zero.
  -- The row is locked for every decision about the agent's money, so that concurrent executions are decided one after the other.
  usage_day date,
  day_count integer not null check (day_count >= 0),
  day_spend bigint not null check (day_spend between 0 and 9007199254740991),
  month_spend bigint not null check (month_spend between 0 and 9007199254740991),

  -- Keyed hash of the access token. Null until a device code was redeemed, and again once the agent is deleted.
  token_hash bytea check (length(token_hash) = 32),

  created_at timestamptz not null,
  updated_at timestamptz not null,
  deleted_at timestamptz,
  primary key (platform_id, id),
  foreign key (platform_id, customer_id) references customers (platform_id, id),
  check (deleted_at is null or token_hash is null)
) with (fillfactor = 70);
-- The look-up of an access token, which names no platform.
create unique index agents_token on agents (token_hash) where token_hash is not null;
create index agents_live on agents (platform_id, id) where deleted_at is null;
create index agents_of_customer on agents (customer_id, platform_id, id) where deleted_at is null;


-- A device code is redeemed once, by the agent, for its access token. Of the open codes of an agent only the last one can be redeemed.
create table agent_device_codes (
  platform_id uuid not null,
  -- Keyed hash of the code.
  code_hash bytea not null check (length(code_hash) = 32),
  agent_id uuid not null,
  state text not null check (state in ('OPEN', 'REDEEMED', 'REPLACED')),
  expires_at timestamptz not null,
  created_at timestamptz not null,
  primary key (platform_id, code_hash),
  foreign key (platform_id, agent_id) references agents (platform_id, id)
);
-- The look-up of a code, which names no platform.
create unique index agent_device_codes_code on agent_device_codes (code_hash);
create index agent_device_codes_open on agent_device_codes (agent_id, platform_id) where state = 'OPEN';


-- What an agent asked for: the execution of one of its quotes.
create table agent_actions (
  platform_id uuid not null,
  id uuid not null,
  agent_id uuid not null,
  customer_id uuid not null,
  platform_customer_id text not null,
  quote_id uuid not null,
  payment_id uuid not null,
  status text not null check (status in ('PENDING_APPROVAL', 'APPROVED', 'REJECTED', 'FAILED')),
  -- Whether the platform was asked. An action that the policy let through never is.
  needed_approval boolean not null,
  -- Whether the execution began. From then on the action shows its transaction.
  started boolean not null,
  -- Whether it failed because nobody decided before the quote expired.
  undecided boolean not null,
  rejection_reason text,
  -- What the execution counts for, in the currency of the limits at that moment. At most one unit above what the API can show.
  counted_amount bigint not null check (counted_amount between 0 and 9007199254740992),
  counted_currency text not null,
  -- When the quote expires: an action that is undecided then has failed.
  expires_at timestamptz not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (platform_id, id),
  foreign key (platform_id, agent_id) references agents (platform_id, id),
  -- One action per quote, whatever became of it.
  constraint agent_actions_quote unique (quote_id, platform_id),
  check ((rejection_reason is not null) <= (status = 'REJECTED')),
  check (not undecided or status = 'FAILED'),
  check (status <> 'PENDING_APPROVAL' or needed_approval and not started)
) with (fillfactor = 80);
create index agent_actions_undecided on agent_actions (platform_id, expires_at) where status = 'PENDING_APPROVAL';
create index agent_actions_of_agent on agent_actions (agent_id, platform_id, id);
create index agent_actions_by_status on agent_actions (agent_id, platform_id, status, id);
create index agent_actions_of_customer on agent_actions (customer_id, platform_id, id) where needed_approval;
create index agent_actions_approvals on agent_actions (platform_id, id) where needed_approval;
create index agent_actions_of_payment on agent_actions (payment_id, platform_id);
