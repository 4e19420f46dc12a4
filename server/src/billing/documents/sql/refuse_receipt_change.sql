-- Refuses changes to issued receipts, except erasing the buyer's name and address.
create or replace function refuse_receipt_change() returns trigger language plpgsql as $$
begin
  raise exception 'receipts are never changed or deleted: issue a correcting one';
end
$$;

create or replace trigger receipt_stays before delete or truncate on receipt
  for each statement execute function refuse_receipt_change();

create or replace trigger receipt_unchanged before update of year, sequence, customer_id, kind, payment_id, refund_id, corrects_id,
  amount_micros, bonus_micros, card_brand, card_last4, seller, sample, paid_at, issued_at, tax_micros, books_month on receipt
  for each statement execute function refuse_receipt_change();
