-- Authorising and extending a call within everything that bounds it, under the account's lock, so that none of the bounds
-- can be passed by asking twice at once.

-- Charged since then, and set aside for running calls; without the call named. Calls last hours at most, so older ones
-- need no look.
create function call_spending(p_customer_id uuid, p_since timestamptz, p_but uuid, p_above_rate_micros bigint)
returns bigint language sql stable as $$
  select coalesce(sum(case when next_check_at is null then charge_micros else held_micros end), 0)::bigint
  from call
  where customer_id = p_customer_id and created_at > p_since - interval '6 hours' and id is distinct from p_but
    and rate_per_minute_micros > p_above_rate_micros and (next_check_at is not null or ended_at >= p_since)
$$;

create function guard_rail_day(p_rail guard_rail, p_now timestamptz) returns timestamptz language sql stable as $$
  select date_trunc('day', p_now at time zone p_rail.time_zone) at time zone p_rail.time_zone
$$;

-- How much of p_want_micros the call may cost, and by which bound. p_rules null: the rules against abuse are off.
create function call_allowance(
  p_call call, p_want_micros bigint, p_now timestamptz, p_rules jsonb, out allowed_micros bigint, out bound text
) language plpgsql stable as $$
declare
  rail guard_rail;
  rest bigint;
begin
  allowed_micros := p_want_micros;
  bound := 'longest_call';
  if p_rules is not null then
    rest := (p_rules->>'spend_per_day_micros')::bigint
      - call_spending(p_call.customer_id, p_now - interval '1 day', p_call.id, -1);
    if p_call.rate_per_minute_micros > (p_rules->>'dear_above_micros')::bigint then
      rest := least(rest, (p_rules->>'dear_spend_per_day_micros')::bigint
        - call_spending(p_call.customer_id, p_now - interval '1 day', p_call.id, (p_rules->>'dear_above_micros')::bigint));
    end if;
    if rest < allowed_micros then
      allowed_micros := rest;
      bound := 'spend_limit';
    end if;
  end if;
  select * into rail from guard_rail where customer_id = p_call.customer_id;
  if rail.call_cap_micros < allowed_micros then
    allowed_micros := rail.call_cap_micros;
    bound := 'call_cap';
  end if;
  if rail.daily_cap_micros is not null then
    rest := rail.daily_cap_micros - call_spending(p_call.customer_id, guard_rail_day(rail, p_now), p_call.id, -1);
    if rest < allowed_micros then
      allowed_micros := rest;
      bound := 'daily_cap';
    end if;
  end if;
  allowed_micros := greatest(allowed_micros, 0);
end
$$;

-- Refuses a call that fits a pattern of abuse: FC006 with the rule, the seconds it holds, and what it saw.
create function check_call_pattern(p_wanted call, p_rules jsonb) returns void language plpgsql as $$
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

drop function authorise_call(jsonb, bigint, bigint, integer, integer, integer, integer);

-- Sets the credit of a call aside and writes the call, both or neither, in one round trip. The account's lock comes
-- first, so that calls of one customer take turns and neither limit nor balance can be passed by asking twice at once.
-- Errors besides those of hold_credit:
--   FC001 as many live calls as allowed
--   FC002 as many calls in a time as allowed (detail: seconds until the next may start)
--   FC003 the caller allows no calls to this country
--   FC004 what the caller allows for one call is less than the least this one costs (detail: micro-dollars allowed)
--   FC005 as FC004, of what the caller allows for a day (detail: micro-dollars left)
--   FC006 a rule against abuse (detail: JSON with rule, seconds and inputs)
-- A limit that is null does not apply. The same idempotency key returns the call it made the first time.
create function authorise_call(
  p_call jsonb, p_want_micros bigint, p_least_micros bigint, p_live_limit integer, p_minute_limit integer,
  p_hour_limit integer, p_day_limit integer, p_rules jsonb default null
) returns call language plpgsql as $$
declare
  wanted call := jsonb_populate_record(null::call, p_call);
  made call;
  wait_seconds integer;
  allowed bigint;
begin
  perform lock_account(wanted.customer_id);
  if wanted.idempotency_key is not null then
    select * into made from call where customer_id = wanted.customer_id and idempotency_key = wanted.idempotency_key;
    if found then
      return made;
    end if;
  end if;

  if p_live_limit <= (select count(*) from call where customer_id = wanted.customer_id and next_check_at is not null) then
    raise exception 'too many live calls' using errcode = 'FC001';
  end if;
  if coalesce(p_minute_limit, p_hour_limit, p_day_limit) is not null then
    wait_seconds := greatest(
      seconds_until_call_allowed(wanted.customer_id, wanted.created_at, interval '1 minute', p_minute_limit),
      seconds_until_call_allowed(wanted.customer_id, wanted.created_at, interval '1 hour', p_hour_limit),
      seconds_until_call_allowed(wanted.customer_id, wanted.created_at, interval '1 day', p_day_limit)
    );
    if wait_seconds > 0 then
      raise exception 'too many calls' using errcode = 'FC002', detail = wait_seconds::text;
    end if;
  end if;
  if p_rules is not null then
    perform check_call_pattern(wanted, p_rules);
  end if;
  if exists (select from guard_rail where customer_id = wanted.customer_id and wanted.country_code <> all (countries)) then
    raise exception 'country not allowed' using errcode = 'FC003';
  end if;

  select a.allowed_micros, a.bound into allowed, wanted.bounded_by
    from call_allowance(wanted, p_want_micros, wanted.created_at, p_rules) a;
  if allowed < p_least_micros and wanted.bounded_by = 'spend_limit' then
    raise exception 'spend limit' using errcode = 'FC006',
      detail = json_build_object('rule', 'spend', 'seconds', 86400, 'inputs', allowed::text)::text;
  elsif allowed < p_least_micros then
    raise exception 'limit of the caller' using detail = allowed::text,
      errcode = case wanted.bounded_by when 'call_cap' then 'FC004' else 'FC005' end;
  end if;
  wanted.held_micros := hold_credit(wanted.id, wanted.customer_id, allowed, p_least_micros);
  if wanted.held_micros < allowed then
    wanted.bounded_by := 'credit';
  end if;
  insert into call (
    id, customer_id, destination, country_code, number_type, idempotency_key, rate_prefix, rate_description,
    rate_per_minute_micros, first_interval_seconds, next_interval_seconds, deck_id, deck_effective_at, held_micros,
    bounded_by, cap_seconds, ticket_hash, ticket_expires_at, created_at, next_check_at
  ) values (
    wanted.id, wanted.customer_id, wanted.destination, wanted.country_code, wanted.number_type, wanted.idempotency_key,
    wanted.rate_prefix, wanted.rate_description, wanted.rate_per_minute_micros, wanted.first_interval_seconds,
    wanted.next_interval_seconds, wanted.deck_id, wanted.deck_effective_at, wanted.held_micros, wanted.bounded_by,
    wanted.cap_seconds, wanted.ticket_hash, wanted.ticket_expires_at, wanted.created_at, wanted.ticket_expires_at
  ) returning * into made;
  return made;
end
$$;

-- Sets more credit aside for a running call, as much as there is within its bounds. p_limit_seconds: the limit that the
-- provider has until it is told of the new one. Of a call that is over nothing changes.
create function extend_call(p_call_id uuid, p_want_micros bigint, p_limit_seconds integer, p_now timestamptz, p_rules jsonb)
returns call language plpgsql as $$
declare
  running call;
  allowed bigint;
  new_bound text;
  new_held bigint;
begin
  select * into running from call where id = p_call_id for no key update;
  if running.next_check_at is null then
    return running;
  end if;
  perform lock_account(running.customer_id);
  select a.allowed_micros, a.bound into allowed, new_bound from call_allowance(running, p_want_micros, p_now, p_rules) a;
  new_held := running.held_micros;
  if allowed > new_held then
    new_held := extend_hold(running.id, allowed);
    if new_held < allowed then
      new_bound := 'credit';
    end if;
  end if;
  update call set held_micros = new_held, bounded_by = new_bound, limit_seconds = coalesce(limit_seconds, p_limit_seconds)
    where id = p_call_id returning * into running;
  return running;
end
$$;
