-- How far the clock of a platform was ahead of the real time, at least and at most, since its data began. Ids rise with the real time, so
-- these bounds tell which ids a period of the platform's clock can have. Null where the past of the clock is not known.
alter table platforms add column clock_least_ahead interval;
alter table platforms add column clock_most_ahead interval;
alter table platforms alter column clock_least_ahead set default '0';
alter table platforms alter column clock_most_ahead set default '0';
