-- The part of a gift that its beneficiary has not spent. Every use of bonus since counts against it, so that a later bonus is never
-- returned in its place.
create or replace function gift_left(p_received_key text) returns bigint language sql stable as $$
  select greatest(0, received.bonus_micros + coalesce((
    select sum(least(later.bonus_micros, 0)) from ledger_entry later
    where later.customer_id = received.customer_id and later.sequence > received.sequence
  ), 0))::bigint
  from ledger_transaction t join ledger_entry received on received.transaction_id = t.id and received.customer_id is not null
  where t.idempotency_key = p_received_key
$$;
