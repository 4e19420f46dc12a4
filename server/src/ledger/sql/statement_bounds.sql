-- The bounds of a statement from p_from (inclusive) to p_to (exclusive): its entries are at the positions after opened_at up to
-- closed_at, with the balance minus debt before and after them. Waits for bookings in progress, so that past statements never change.
create or replace function statement_bounds(
  p_customer_id uuid, p_from timestamptz, p_to timestamptz,
  out opened_at bigint, out closed_at bigint, out opening_micros bigint, out closing_micros bigint
) language plpgsql as $$
begin
  perform from account where customer_id = p_customer_id for share;
  if not found then
    raise exception 'no account of customer %', p_customer_id using errcode = 'FL003';
  end if;
  opened_at := entries_before(p_customer_id, p_from);
  closed_at := greatest(entries_before(p_customer_id, p_to), opened_at);
  opening_micros := coalesce((select balance_after_micros from ledger_entry where customer_id = p_customer_id and sequence = opened_at), 0);
  closing_micros := coalesce((select balance_after_micros from ledger_entry where customer_id = p_customer_id and sequence = closed_at), 0);
end
$$;
