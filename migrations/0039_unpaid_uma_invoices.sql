-- transaction: none
-- Invoices that nobody has paid are deleted when they expire.
create index concurrently if not exists uma_invoices_unpaid on uma_invoices (platform_id, expires_at) where payment_id is null;
-- What a paid one said of the sender is in its payment, as far as the platform asks for it.
update uma_invoices set sender_data = '{}', requested_fields = '[]' where payment_id is not null;
