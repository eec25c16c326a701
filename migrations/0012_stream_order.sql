-- One object's events are read along in the order of their numbers. A transaction has its id before it waits for the object's lock, so ids alone
-- can stand the other way round: an event takes the greater of its transaction's id and the `xact` of the object's event before it, and the number
-- decides between equals. It is still never less than the id of its own transaction, so nothing appears behind what has been read.
drop index webhook_events_in_order;
create index webhook_events_in_order on webhook_events (platform_id, xact, sequence);
