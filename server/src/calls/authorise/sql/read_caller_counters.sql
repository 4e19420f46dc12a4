-- Returns one row per caller with everything that decideCall counts. payer_id is the account that pays: the caller's own or, on a family's
-- credit, its owner's.
-- p_lock: 'wait' locks the accounts first, in id order; 'skip' leaves out callers with a locked account; 'none' only reads.
-- The counts are a separate statement after the locks, so that they see what the previous lock holders wrote.
create or replace function read_caller_counters(p_callers jsonb, p_lock text)
returns table (
  customer_id uuid, balance_micros bigint, held_micros bigint, debt_micros bigint, bonus_micros bigint, grant_left_micros bigint,
  known_call_id uuid,
  live_calls bigint, payer_live_calls bigint, begun_at double precision[], block_rule text, blocked_until timestamptz,
  same_number bigint, near_numbers bigint, short_calls bigint, other_numbers bigint, other_countries bigint,
  spent_micros bigint, spent_above_a_micros bigint, spent_above_b_micros bigint,
  own_limits jsonb, spent_today_micros bigint,
  in_family boolean, family_daily_cap_micros bigint, family_today_micros bigint,
  family_monthly_cap_micros bigint, family_month_micros bigint, family_countries text[]
)
-- A generic plan, because planning for each list length takes longer than running the query.
language plpgsql set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
declare
  readable uuid[] := array(
    select (one->>'customer_id')::uuid from jsonb_array_elements(p_callers) one
    union select (one->>'payer_id')::uuid from jsonb_array_elements(p_callers) one
  );
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
      case when first.customer_id is null
        or exists (select from call answered where answered.customer_id = a.customer_id and answered.payer_id is null
          and answered.answered_at is not null)
        or exists (select from call answered where answered.payer_id = a.customer_id and answered.answered_at is not null) then 0
        else greatest(0, least(first.bonus_micros, a.bonus_micros) - a.held_micros) end,
      (select known.id from call known
        where known.customer_id = caller.customer_id and known.idempotency_key = caller.idempotency_key),
      seen.live_calls, seen.payer_live_calls, coalesce(seen.begun_at[:caller.most_begun], '{}'),
      block.rule, block.blocked_until, seen.same_number, seen.near_numbers, seen.short_calls, seen.other_numbers,
      seen.other_countries, seen.spent, seen.spent_above_a, seen.spent_above_b,
      to_jsonb(rail), seen.spent_today,
      member.customer_id is not null, member.daily_cap_micros, family.today, member.monthly_cap_micros, family.month, member.countries
    from jsonb_to_recordset(p_callers) as caller (
      customer_id uuid, payer_id uuid, at timestamptz, destination text, country_code text, most_begun integer,
      short_call_ms integer, drama_prefix text, idempotency_key text, without uuid
    )
    join account a on a.customer_id = caller.payer_id
    left join guard_rail rail on rail.customer_id = caller.payer_id
    left join first_call first on first.customer_id = caller.payer_id and first.state = 'granted'
    left join family_member member on member.customer_id = caller.customer_id
      and member.owner_id = caller.payer_id and member.owner_pays
    cross join lateral family_spending(member, caller.at, caller.without) family
    left join lateral (
      select b.rule, b.blocked_until from call_block b
      where b.customer_id in (caller.customer_id, caller.payer_id) and b.blocked_until > caller.at
      order by b.blocked_until desc limit 1
    ) block on true
    cross join lateral (
      select count(*) filter (where (c).ended_at is null and (c).customer_id = caller.customer_id) as live_calls,
        count(*) filter (where (c).ended_at is null and paid.by_payer) as payer_live_calls,
        array_agg(extract(epoch from (c).created_at)::double precision order by (c).created_at desc)
          filter (where begun.in_day) as begun_at,
        count(*) filter (where begun.in_hour and (c).destination = caller.destination) as same_number,
        count(distinct (c).destination) filter (where begun.in_hour and (c).destination <> caller.destination
          and left((c).destination, -3) = left(caller.destination, -3)) as near_numbers,
        count(*) filter (where (c).status = 'completed' and (c).ended_at > caller.at - interval '1 hour'
          and (c).duration_ms < caller.short_call_ms and not starts_with((c).destination, caller.drama_prefix)) as short_calls,
        count(distinct (c).destination) filter (where begun.in_day and (c).destination <> caller.destination) as other_numbers,
        count(distinct (c).country_code) filter (where begun.in_day and (c).country_code <> caller.country_code) as other_countries,
        coalesce(sum(day.micros) filter (where paid.by_payer), 0)::bigint as spent,
        coalesce(sum(day.micros) filter (where paid.by_payer and (c).price_class > 'A'), 0)::bigint as spent_above_a,
        coalesce(sum(day.micros) filter (where paid.by_payer and (c).price_class > 'B'), 0)::bigint as spent_above_b,
        coalesce(sum(spent_on_call(c, today.began)) filter (where paid.by_payer), 0)::bigint as spent_today
      from (
        -- The caller's calls, those that others made on the payer's credit, and the payer's own. Calls that are live, or ended since the
        -- last midnight in any time zone, began within this time.
        select made from call made
          where made.customer_id = caller.customer_id and made.created_at > caller.at - interval '32 hours'
        union all
        select made from call made
          where made.payer_id = caller.payer_id and made.customer_id <> caller.customer_id
            and made.created_at > caller.at - interval '32 hours'
        union all
        select made from call made
          where made.customer_id = nullif(caller.payer_id, caller.customer_id) and made.payer_id is null
            and made.created_at > caller.at - interval '32 hours'
      ) calls (c)
      cross join lateral (select date_trunc('day', caller.at, rail.time_zone) as began) today
      cross join lateral (
        select (c).created_at > caller.at - interval '1 hour' as in_hour, (c).created_at > caller.at - interval '1 day' as in_day
      ) begun
      cross join lateral (select coalesce((c).payer_id, (c).customer_id) = caller.payer_id as by_payer) paid
      cross join lateral (select spent_on_call(c, caller.at - interval '1 day') as micros) day
      where (c).id is distinct from caller.without
    ) seen
    where caller.customer_id = any (readable) and caller.payer_id = any (readable);
end
$$;

-- A call's charge if it ended since p_since, or its hold while it is live.
create or replace function spent_on_call(c call, p_since timestamptz) returns bigint language sql immutable as $$
  select case when c.ended_at is null then c.held_micros when c.ended_at >= p_since then c.charge_micros else 0 end
$$;
