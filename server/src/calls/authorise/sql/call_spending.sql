-- What a customer's calls above a class ('' matches every class) have cost since then, plus what live calls hold, but for the
-- call named. Calls last hours at most, so older ones are not read.
create or replace function call_spending(p_customer_id uuid, p_since timestamptz, p_but uuid, p_above_class text)
returns bigint language sql stable as $$
  select coalesce(sum(case when next_check_at is null then charge_micros else held_micros end), 0)::bigint
  from call
  where customer_id = p_customer_id and created_at > p_since - interval '6 hours' and id is distinct from p_but
    and price_class > p_above_class and (next_check_at is not null or ended_at >= p_since)
$$;
