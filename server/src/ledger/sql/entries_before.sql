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
