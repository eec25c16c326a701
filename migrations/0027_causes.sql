-- What made an event: the request, or the job that was due, or both if a request ran the job. Null for events from before. No index: the ids
-- of a request's events lie between the id of the request and its position in the request log.
alter table webhook_events add column request_id uuid, add column job text;
-- The same for a change of a card.
alter table card_history add column request_id uuid, add column job text;
