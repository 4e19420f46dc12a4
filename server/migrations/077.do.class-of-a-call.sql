-- What a call counts as stands in the call: a listed range is never ordinary, however cheap (017), which its price does not tell.

alter table call add column price_class text not null default 'A';
-- Of calls made before this only the price is known.
update call set price_class = case when rate_per_minute_micros > 600000 then 'C' else 'B' end where rate_per_minute_micros > 150000;
alter table call alter column price_class drop default;

create or replace function call_is_sound(c call) returns boolean language plpgsql immutable as $$
begin
  return (
    c.destination ~ '^\+[1-9][0-9]{5,14}$'
    and c.country_code ~ '^[A-Z]{2}$'
    and c.status in ('initiated', 'ringing', 'in-progress', 'completed', 'failed')
    and (c.idempotency_key is null or char_length(c.idempotency_key) between 1 and 200)
    and c.price_class in ('A', 'B', 'C')
    and c.rate_per_minute_micros > 0 and c.first_interval_seconds > 0 and c.next_interval_seconds > 0
    and c.bounded_by in ('credit', 'longest_call', 'spend_limit', 'call_cap', 'daily_cap')
    and c.cap_seconds > 0
    and (c.limit_seconds is null or c.limit_seconds > 0)
    and (c.warned_seconds is null or c.warned_seconds in (60, 15))
    and octet_length(c.ticket_hash) = 32
    and c.duration_ms >= 0 and c.billed_seconds >= 0
    and c.held_micros > 0 and c.charge_micros between 0 and c.held_micros
    -- Only what was answered is charged, and only once it is over.
    and (c.charge_micros = 0 or c.status = 'completed')
    and (c.status <> 'completed' or c.answered_at is not null)
    and (c.status in ('completed', 'failed'))
      = (c.ended_at is not null and c.end_reason is not null and c.next_check_at is null)
  ) is true;
end
$$;

drop function call_spending(uuid, timestamptz, uuid, bigint);

-- As in 062, of calls above a class; above '' are all.
create function call_spending(p_customer_id uuid, p_since timestamptz, p_but uuid, p_above_class text)
returns bigint language sql stable as $$
  select coalesce(sum(case when next_check_at is null then charge_micros else held_micros end), 0)::bigint
  from call
  where customer_id = p_customer_id and created_at > p_since - interval '6 hours' and id is distinct from p_but
    and price_class > p_above_class and (next_check_at is not null or ended_at >= p_since)
$$;

drop function call_allowance(call, bigint, timestamptz, jsonb);

-- As in 062, and by which rule where the bound is spend_limit. What fresh payments leave for calls above class A is a rule
-- of its own: class C has a limit of its own, but is paid from the same credit as class B.
create function call_allowance(
  p_call call, p_want_micros bigint, p_now timestamptz, p_rules jsonb, out allowed_micros bigint, out bound text, out rule text
) language plpgsql stable as $$
declare
  rail guard_rail;
  yesterday timestamptz := p_now - interval '1 day';
  rest bigint;
  fresh_rest bigint;
begin
  allowed_micros := p_want_micros;
  bound := 'longest_call';
  if p_rules is not null then
    rule := 'spend';
    rest := (p_rules->>'spend_per_day_micros')::bigint - call_spending(p_call.customer_id, yesterday, p_call.id, '');
    if p_call.price_class > 'A' then
      rest := least(rest, (p_rules->>'dear_spend_per_day_micros')::bigint
        - call_spending(p_call.customer_id, yesterday, p_call.id, p_rules->>'dear_above_class'));
      -- Null, and no bound, where no payment is fresh.
      fresh_rest := (p_rules->>'fresh_spend_per_day_micros')::bigint
        - call_spending(p_call.customer_id, yesterday, p_call.id, 'A');
      if fresh_rest <= rest then
        rest := fresh_rest;
        rule := 'fresh_credit';
      end if;
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
    rest := rail.daily_cap_micros - call_spending(p_call.customer_id, guard_rail_day(rail, p_now), p_call.id, '');
    if rest < allowed_micros then
      allowed_micros := rest;
      bound := 'daily_cap';
    end if;
  end if;
  allowed_micros := greatest(allowed_micros, 0);
end
$$;

-- As in 064, with the class of the call.
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

-- As in 076, with the class of the call.
create or replace function authorise_plain_calls(p_requests jsonb)
returns table (customer_id uuid, held_micros bigint, bounded_by text)
language plpgsql set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
declare
  requests jsonb[] := array(select jsonb_array_elements(p_requests));
  locked uuid[];
begin
  select array_agg(l.customer_id) into locked from (
    select a.customer_id from account a
      where a.customer_id = any (array(select (r->>'customer_id')::uuid from unnest(requests) r))
      for no key update skip locked
  ) l;
  return query
    with request as materialized (
      select r.* from unnest(requests) e cross join lateral jsonb_to_record(e) as r (
        id uuid, customer_id uuid, destination text, country_code text, number_type text, idempotency_key text, rate_prefix text,
        rate_description text, rate_per_minute_micros bigint, price_class text, first_interval_seconds integer,
        next_interval_seconds integer, deck_id uuid, deck_effective_at timestamptz, cap_seconds integer, ticket_hash bytea,
        ticket_expires_at timestamptz, created_at timestamptz, want_micros bigint, least_micros bigint, live_limit integer, minute_limit integer,
        hour_limit integer, day_limit integer, quiet_calls integer, spend_per_day_micros bigint
      )
    ), plain as materialized (
      select r.*, least(a.balance_micros - a.held_micros, r.want_micros) as held_micros
        from request r
        join account a using (customer_id)
        cross join lateral (
          -- Calls last hours at most: what is live, and what ended in a day, began in thirty hours.
          -- Only what the index of the history has; what live calls hold stands in the account.
          select count(*) filter (where c.status not in ('completed', 'failed')) as live,
              count(*) filter (where c.created_at > r.created_at - interval '1 minute') as of_minute,
              count(*) filter (where c.created_at > r.created_at - interval '1 hour') as of_hour,
              count(*) filter (where c.created_at > r.created_at - interval '1 day') as of_day,
              coalesce(sum(c.charge_micros), 0)::bigint as charged
            from call c where c.customer_id = r.customer_id and c.created_at > r.created_at - interval '30 hours'
        ) seen
        where r.customer_id = any (locked)
          and r.least_micros > 0 and r.want_micros >= r.least_micros
          and a.balance_micros - a.held_micros >= r.least_micros
          and (r.live_limit is null or seen.live < r.live_limit)
          and (r.minute_limit is null or seen.of_minute < r.minute_limit)
          and (r.hour_limit is null or seen.of_hour < r.hour_limit)
          and (r.day_limit is null or seen.of_day < r.day_limit)
          and (r.quiet_calls is null or seen.of_day < r.quiet_calls)
          and (r.spend_per_day_micros is null
            or (r.price_class = 'A' and seen.charged + a.held_micros + r.want_micros <= r.spend_per_day_micros))
          and not exists (select from guard_rail g where g.customer_id = r.customer_id)
          and not exists (select from call_block b where b.customer_id = r.customer_id and b.blocked_until > r.created_at)
          and (r.idempotency_key is null or not exists (
            select from call c where c.customer_id = r.customer_id and c.idempotency_key = r.idempotency_key))
    ), held as materialized (
      select place_holds(array_agg(p.id), array_agg(p.customer_id), array_agg(p.want_micros), array_agg(p.least_micros),
        array_agg(p.held_micros)) from plain p
    )
    insert into call (
      id, customer_id, destination, country_code, number_type, idempotency_key, rate_prefix, rate_description,
      rate_per_minute_micros, price_class, first_interval_seconds, next_interval_seconds, deck_id, deck_effective_at, held_micros,
      bounded_by, cap_seconds, ticket_hash, ticket_expires_at, created_at, next_check_at
    ) select
      p.id, p.customer_id, p.destination, p.country_code, p.number_type, p.idempotency_key, p.rate_prefix, p.rate_description,
      p.rate_per_minute_micros, p.price_class, p.first_interval_seconds, p.next_interval_seconds, p.deck_id, p.deck_effective_at,
      p.held_micros, case when p.held_micros < p.want_micros then 'credit' else 'longest_call' end, p.cap_seconds, p.ticket_hash,
      p.ticket_expires_at, p.created_at, p.ticket_expires_at
    from plain p cross join held
    returning customer_id, held_micros, bounded_by;
end
$$;
