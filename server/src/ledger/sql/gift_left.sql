-- The part of a gift that its payer can get back: not spent, not returned yet, and not held by a call. Bonus is spent oldest first, so
-- what was received after the gift stays out of it, less what was taken back of that. A source is one gift, or the bonus of one
-- payment; a reward that was taken back counts as still there, because its return does not name it.
create or replace function gift_left(p_received_key text) returns bigint language sql stable as $$
  with received as (
    select e.customer_id, e.sequence, t.reference_id
    from ledger_transaction t join ledger_entry e on e.transaction_id = t.id and e.customer_id is not null
    where t.idempotency_key = p_received_key
  ), source as (
    select coalesce(t.reference_id, t.id) as id, min(e.sequence) as since, greatest(0, sum(e.bonus_micros)) as micros
    from received join ledger_entry e on e.customer_id = received.customer_id and e.kind in ('bonus', 'gift')
      join ledger_transaction t on t.id = e.transaction_id
    group by 1
  )
  select greatest(0, least(
      gift.micros,
      a.bonus_micros - coalesce((select sum(later.micros) from source later where later.since > received.sequence), 0),
      a.balance_micros - a.held_micros
    ))::bigint
  from received join account a on a.customer_id = received.customer_id join source gift on gift.id = received.reference_id
$$;
