-- Who counts on an authorization's decision, and what they were told.

-- Requests that count on the decision: the first and its repeats, less those whose answer came too late.
-- 0: the network told of the transaction before it asked, or nobody was told in time.
alter table card_transactions add column askers integer not null default 1 check (askers >= 0);

-- A declined authorization that the network cleared all the same is no longer DECLINED; whoever repeats it is still told why it was.
alter table card_transactions drop constraint card_transactions_declined;
alter table card_transactions add constraint card_transactions_declined check (status <> 'DECLINED' or declined_reason is not null);
