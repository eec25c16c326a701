-- transaction: none
-- Lists of transactions by what the API filters by. Each index ends with the id, which lists are ordered by.
create index concurrently if not exists payments_by_platform_customer on payments (platform_customer_id, platform_id, id);
create index concurrently if not exists payments_by_status on payments (status, type, platform_id, id);
