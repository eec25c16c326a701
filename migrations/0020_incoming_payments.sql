-- Incoming payments: who is credited, what the sender asks for, and what the reserve bore of a return.

alter table payments
  -- The account that an incoming UMA payment is paid to, as the API names it: a UMA address is not an account.
  add column credit_to text,
  -- The data of the receiver that the sender asks for, as the platform is asked for it.
  add column requested_fields json,
  -- What the reserve paid of a returned deposit, because the account could not. A dishonored return repays it first.
  add column borne bigint not null default 0 check (borne between 0 and received_amount);
