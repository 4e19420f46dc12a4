-- What operators search by. The pattern classes serve equality and the start of a text in any collation.
create index call_destination on call (destination text_pattern_ops, created_at desc);
create index customer_email_start on customer (email_key text_pattern_ops);
create index payment_card on payment (card_last4, created_at desc) where card_last4 is not null;
create index payment_card_amount on payment (card_last4, charge_micros, created_at desc) where card_last4 is not null;
