-- Refuses a call that matches a pattern of abuse: FC006 with the rule, how many seconds it lasts, and its inputs.
create or replace function check_call_pattern(p_wanted call, p_rules jsonb) returns void language plpgsql as $$
declare
  seen record;
  block call_block;
  rule text;
  wait_seconds integer;
begin
  select * into block from call_block
    where customer_id = p_wanted.customer_id and blocked_until > p_wanted.created_at order by blocked_until desc limit 1;
  if found then
    raise exception 'calls are blocked' using errcode = 'FC006', detail = json_build_object('rule', 'blocked',
      'seconds', ceil(extract(epoch from block.blocked_until - p_wanted.created_at)), 'inputs', block.rule)::text;
  end if;
  select
    count(*) filter (where destination = p_wanted.destination and created_at > p_wanted.created_at - interval '1 hour') + 1 as same_number,
    count(distinct destination) filter (where destination <> p_wanted.destination) + 1 as numbers,
    count(distinct country_code) filter (where country_code <> p_wanted.country_code) + 1 as countries,
    case when p_wanted.destination ~ (p_rules->>'earns_nothing') then 0 else
      count(distinct destination) filter (where destination <> p_wanted.destination
        and left(destination, -3) = left(p_wanted.destination, -3) and created_at > p_wanted.created_at - interval '1 hour') + 1
    end as near_numbers,
    count(*) filter (where status = 'completed' and ended_at > p_wanted.created_at - interval '1 hour'
      and duration_ms < (p_rules->>'short_call_ms')::integer and destination !~ (p_rules->>'earns_nothing')) as short_calls
    into seen
    from call where customer_id = p_wanted.customer_id and created_at > p_wanted.created_at - interval '1 day';
  select r.rule, r.seconds into rule, wait_seconds from (values
    ('near_numbers', 86400, seen.near_numbers >= (p_rules->>'near_numbers_per_hour')::integer),
    ('short_calls', 3600, seen.short_calls >= (p_rules->>'short_calls_per_hour')::integer),
    ('same_number', 3600, seen.same_number > (p_rules->>'same_number_per_hour')::integer),
    ('numbers', 86400, seen.numbers > (p_rules->>'numbers_per_day')::integer),
    ('countries', 86400, seen.countries > (p_rules->>'countries_per_day')::integer)
  ) as r (rule, seconds, broken) where r.broken limit 1;
  if found then
    raise exception 'pattern of calls' using errcode = 'FC006',
      detail = json_build_object('rule', rule, 'seconds', wait_seconds, 'inputs', to_json(seen))::text;
  end if;
end
$$;
