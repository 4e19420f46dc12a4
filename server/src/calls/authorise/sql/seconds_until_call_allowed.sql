-- Seconds until one more call fits into a sliding window; 0 if it fits now.
create or replace function seconds_until_call_allowed(p_customer_id uuid, p_now timestamptz, p_window interval, p_limit integer)
returns integer language sql stable as $$
  select coalesce((
    select ceil(extract(epoch from created_at + p_window - p_now))::integer
    from call
    where p_limit is not null and customer_id = p_customer_id and created_at > p_now - p_window
    order by created_at desc
    offset greatest(p_limit - 1, 0) limit 1
  ), 0)
$$;
