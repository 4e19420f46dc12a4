-- Returns one row per caller with everything that decideCall counts.
-- p_lock: 'wait' locks the accounts first, in id order; 'skip' leaves out locked accounts; 'none' only reads.
-- The counts are a separate statement after the locks, so that they see what the previous lock holders wrote.
create or replace function read_caller_counters(p_callers jsonb, p_lock text)
returns table (
  customer_id uuid, balance_micros bigint, held_micros bigint, debt_micros bigint, bonus_micros bigint, grant_left_micros bigint,
  known_call_id uuid,
  live_calls bigint, begun_at double precision[], block_rule text, blocked_until timestamptz,
  same_number bigint, near_numbers bigint, short_calls bigint, other_numbers bigint, other_countries bigint,
  spent_micros bigint, spent_above_a_micros bigint, spent_above_b_micros bigint,
  has_own_limits boolean, call_cap_micros bigint, daily_cap_micros bigint, spent_today_micros bigint, countries text[]
)
-- A generic plan, because planning for each list length takes longer than running the query.
language plpgsql set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
declare
  readable uuid[] := array(select (one->>'customer_id')::uuid from jsonb_array_elements(p_callers) one);
begin
  if p_lock = 'wait' then
    perform from account a where a.customer_id = any (readable) order by a.customer_id for no key update;
  elsif p_lock = 'skip' then
    select array_agg(locked.customer_id) into readable from (
      select a.customer_id from account a where a.customer_id = any (readable) for no key update skip locked
    ) locked;
  end if;
  return query
    select caller.customer_id, a.balance_micros, a.held_micros, a.debt_micros, a.bonus_micros,
      case when first.customer_id is null or exists (select from call answered
          where answered.customer_id = caller.customer_id and answered.answered_at is not null) then 0
        else greatest(0, least(first.bonus_micros, a.bonus_micros) - a.held_micros) end,
      (select known.id from call known
        where known.customer_id = caller.customer_id and known.idempotency_key = caller.idempotency_key),
      seen.live_calls,
      array(select extract(epoch from c.created_at)::double precision from call c
        where c.customer_id = caller.customer_id and c.created_at > caller.at - interval '1 day'
        order by c.created_at desc limit caller.most_begun),
      block.rule, block.blocked_until, seen.same_number, seen.near_numbers, seen.short_calls, seen.other_numbers,
      seen.other_countries, seen.spent, seen.spent_above_a, seen.spent_above_b,
      rail.customer_id is not null, rail.call_cap_micros, rail.daily_cap_micros, seen.spent_today, rail.countries
    from jsonb_to_recordset(p_callers) as caller (
      customer_id uuid, at timestamptz, destination text, country_code text, most_begun bigint, short_call_ms integer,
      drama_prefix text, idempotency_key text, without uuid
    )
    join account a using (customer_id)
    left join guard_rail rail using (customer_id)
    left join first_call first on first.customer_id = caller.customer_id and first.state = 'granted'
    left join lateral (
      select b.rule, b.blocked_until from call_block b
      where b.customer_id = caller.customer_id and b.blocked_until > caller.at order by b.blocked_until desc limit 1
    ) block on true
    cross join lateral (
      select count(*) filter (where c.next_check_at is not null) as live_calls,
        count(*) filter (where begun.in_hour and c.destination = caller.destination) as same_number,
        count(distinct c.destination) filter (where begun.in_hour and c.destination <> caller.destination
          and left(c.destination, -3) = left(caller.destination, -3)) as near_numbers,
        count(*) filter (where c.status = 'completed' and c.ended_at > caller.at - interval '1 hour'
          and c.duration_ms < caller.short_call_ms and not starts_with(c.destination, caller.drama_prefix)) as short_calls,
        count(distinct c.destination) filter (where begun.in_day and c.destination <> caller.destination) as other_numbers,
        count(distinct c.country_code) filter (where begun.in_day and c.country_code <> caller.country_code) as other_countries,
        coalesce(sum(day.micros), 0)::bigint as spent,
        coalesce(sum(day.micros) filter (where c.price_class > 'A'), 0)::bigint as spent_above_a,
        coalesce(sum(day.micros) filter (where c.price_class > 'B'), 0)::bigint as spent_above_b,
        coalesce(sum(spent_on_call(c, today.began)), 0)::bigint as spent_today
      from call c
      cross join lateral (select date_trunc('day', caller.at, rail.time_zone) as began) today
      cross join lateral (
        select c.created_at > caller.at - interval '1 hour' as in_hour, c.created_at > caller.at - interval '1 day' as in_day
      ) begun
      cross join lateral (select spent_on_call(c, caller.at - interval '1 day') as micros) day
      -- Calls that are live, or ended since the last midnight in any time zone, began within this time.
      where c.customer_id = caller.customer_id and c.created_at > caller.at - interval '32 hours'
        and c.id is distinct from caller.without
    ) seen
    where caller.customer_id = any (readable);
end
$$;
