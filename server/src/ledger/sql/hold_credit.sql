-- Holds min(available, wanted) for a call, at least p_least_micros. Returns the amount held.
create or replace function hold_credit(p_hold_id uuid, p_customer_id uuid, p_want_micros bigint, p_least_micros bigint)
returns bigint language plpgsql as $$
begin
  return place_hold(lock_account(p_customer_id), p_hold_id, p_want_micros, p_least_micros);
end
$$;
