-- The volume of a corridor on one day is counted in parts, so that payments of a corridor do not wait for each other's commit. Each part may
-- grow up to `most`; the `most` of all parts together are the limit of the day. A payment that does not fit into its part locks all of them
-- and shares out anew what is left.
alter table payment_days add column part smallint not null default 0;
-- The limit that was shared out. Zero: nothing was shared out yet.
alter table payment_days add column day_limit bigint not null default 0;
alter table payment_days drop constraint payment_days_pkey;
alter table payment_days add primary key (platform_id, day, sending_currency, receiving_currency, part);
alter table payment_days drop constraint payment_days_sent_check;
alter table payment_days add constraint payment_days_sent_check check (sent >= 0);
