-- Holds a call's credit and inserts the call, both or neither, in one round trip. The account is locked first, so that a
-- customer's calls take turns and neither limit nor balance can be exceeded by concurrent requests.
-- Errors besides those of hold_credit:
--   FC001 as many live calls as allowed
--   FC002 as many calls in a period as allowed (detail: seconds until the next may start)
--   FC003 the customer allows no calls to this country
--   FC004 the customer's limit for one call is below the least this one costs (detail: micro-dollars allowed)
--   FC005 the same for the customer's daily limit (detail: micro-dollars left)
--   FC006 an abuse rule (detail: JSON with rule, seconds and inputs)
-- A limit that is null does not apply. A repeated idempotency key returns the call it created the first time.
create or replace function authorise_call(
  p_call jsonb, p_want_micros bigint, p_least_micros bigint, p_live_limit integer, p_minute_limit integer,
  p_hour_limit integer, p_day_limit integer, p_rules jsonb default null
) returns call language plpgsql as $$
declare
  wanted call := jsonb_populate_record(null::call, p_call);
  acc account := lock_account(wanted.customer_id);
  made call;
  seen record;
  wait_seconds integer;
  allowed bigint;
  rule text;
begin
  if wanted.idempotency_key is not null then
    select * into made from call where customer_id = wanted.customer_id and idempotency_key = wanted.idempotency_key;
    if found then
      return made;
    end if;
  end if;

  -- Calls last hours at most: what is live, and what ended in a day, began in thirty hours.
  select count(*) filter (where next_check_at is not null) as live,
      count(*) filter (where created_at > wanted.created_at - interval '1 minute') as of_minute,
      count(*) filter (where created_at > wanted.created_at - interval '1 hour') as of_hour,
      count(*) filter (where created_at > wanted.created_at - interval '1 day') as of_day,
      coalesce(sum(case when next_check_at is null then charge_micros else held_micros end), 0)::bigint as spent_at_most,
      exists (select from guard_rail where customer_id = wanted.customer_id) as has_rail,
      exists (select from call_block where customer_id = wanted.customer_id and blocked_until > wanted.created_at) as blocked
    into seen
    from call where customer_id = wanted.customer_id and created_at > wanted.created_at - interval '30 hours';

  if p_live_limit <= seen.live then
    raise exception 'too many live calls' using errcode = 'FC001';
  end if;
  if p_minute_limit <= seen.of_minute or p_hour_limit <= seen.of_hour or p_day_limit <= seen.of_day then
    wait_seconds := greatest(
      seconds_until_call_allowed(wanted.customer_id, wanted.created_at, interval '1 minute', p_minute_limit),
      seconds_until_call_allowed(wanted.customer_id, wanted.created_at, interval '1 hour', p_hour_limit),
      seconds_until_call_allowed(wanted.customer_id, wanted.created_at, interval '1 day', p_day_limit)
    );
    if wait_seconds > 0 then
      raise exception 'too many calls' using errcode = 'FC002', detail = wait_seconds::text;
    end if;
  end if;
  -- Each of the rules counts calls of a day, this one included.
  if p_rules is not null and (seen.blocked or seen.of_day + 1 >= least(
    (p_rules->>'near_numbers_per_hour')::integer, (p_rules->>'short_calls_per_hour')::integer,
    (p_rules->>'same_number_per_hour')::integer, (p_rules->>'numbers_per_day')::integer, (p_rules->>'countries_per_day')::integer
  )) then
    perform check_call_pattern(wanted, p_rules);
  end if;
  if seen.has_rail and exists (select from guard_rail where customer_id = wanted.customer_id and wanted.country_code <> all (countries)) then
    raise exception 'country not allowed' using errcode = 'FC003';
  end if;

  allowed := p_want_micros;
  wanted.bounded_by := 'longest_call';
  if seen.has_rail or (p_rules is not null and (
    wanted.price_class > 'A'
    or seen.spent_at_most + p_want_micros > (p_rules->>'spend_per_day_micros')::bigint
  )) then
    select a.allowed_micros, a.bound, a.rule into allowed, wanted.bounded_by, rule
      from call_allowance(wanted, p_want_micros, wanted.created_at, p_rules) a;
  end if;
  if allowed < p_least_micros and wanted.bounded_by = 'spend_limit' then
    raise exception 'spend limit' using errcode = 'FC006',
      detail = json_build_object('rule', rule, 'seconds', 86400, 'inputs', allowed::text)::text;
  elsif allowed < p_least_micros then
    raise exception 'limit of the caller' using detail = allowed::text,
      errcode = case wanted.bounded_by when 'call_cap' then 'FC004' else 'FC005' end;
  end if;
  wanted.held_micros := place_hold(acc, wanted.id, allowed, p_least_micros);
  if wanted.held_micros < allowed then
    wanted.bounded_by := 'credit';
  end if;
  insert into call (
    id, customer_id, destination, country_code, number_type, idempotency_key, rate_prefix, rate_description,
    rate_per_minute_micros, price_class, first_interval_seconds, next_interval_seconds, deck_id, deck_effective_at, held_micros,
    bounded_by, cap_seconds, ticket_hash, ticket_expires_at, created_at, next_check_at
  ) values (
    wanted.id, wanted.customer_id, wanted.destination, wanted.country_code, wanted.number_type, wanted.idempotency_key,
    wanted.rate_prefix, wanted.rate_description, wanted.rate_per_minute_micros, wanted.price_class,
    wanted.first_interval_seconds, wanted.next_interval_seconds, wanted.deck_id, wanted.deck_effective_at, wanted.held_micros,
    wanted.bounded_by, wanted.cap_seconds, wanted.ticket_hash, wanted.ticket_expires_at, wanted.created_at,
    wanted.ticket_expires_at
  ) returning * into made;
  return made;
end
$$;
