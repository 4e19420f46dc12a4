-- Counts the account's entries booked before a time, which is also the position of the last of them. Positions have no gaps and
-- booking times never decrease, so a binary search needs twenty index look-ups for a million entries.
create or replace function entries_before(p_customer_id uuid, p_moment timestamptz) returns bigint language plpgsql stable as $$
declare
  least_possible bigint := 0;
  most_possible bigint;
  newest_at timestamptz;
  middle bigint;
  middle_at timestamptz;
begin
  select entry_count, newest_entry_at into most_possible, newest_at from account where customer_id = p_customer_id;
  if newest_at < p_moment then
    return most_possible;
  end if;
  while least_possible < most_possible loop
    middle := (least_possible + most_possible + 1) / 2;
    select t.created_at into strict middle_at from ledger_entry e join ledger_transaction t on t.id = e.transaction_id
      where e.customer_id = p_customer_id and e.sequence = middle;
    if middle_at < p_moment then
      least_possible := middle;
    else
      most_possible := middle - 1;
    end if;
  end loop;
  return least_possible;
end
$$;

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
