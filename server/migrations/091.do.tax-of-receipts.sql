-- The tax that a receipt states: of a refund, what is left of the payment's tax after the refunds before it. Null for older receipts, which
-- round each amount by itself.
alter table receipt add column tax_micros bigint;
-- The month whose books have the receipt, when the month of its payment was closed before it was issued; otherwise null.
alter table receipt add column books_month text;
create index if not exists receipt_late on receipt (books_month) where books_month is not null;
