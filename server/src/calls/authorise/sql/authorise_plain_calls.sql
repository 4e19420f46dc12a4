-- Authorises several calls, each of another customer, if nothing speaks against them: enough credit, no limit or rule near, no
-- limits of the customer's own, the account not locked by others. The rest is left to authorise_call. quiet_calls: with fewer
-- calls a day than this no pattern rule can be broken. Returns the calls it authorised.
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
