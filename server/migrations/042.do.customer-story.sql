-- A customer's refunds by time, for their story.
create index refund_customer on refund (customer_id, created_at desc);
