-- Sets the credit of a call aside and writes the call, both or neither, in one round trip. The account's lock comes
-- first, so that calls of one customer take turns and neither limit nor balance can be passed by asking twice at once.
-- Errors besides those of hold_credit:
--   FC001 as many live calls as allowed
--   FC002 as many calls in a time as allowed (detail: seconds until the next may start)
-- A limit that is null does not apply. The same idempotency key returns the call it made the first time.
create function authorise_call(
  p_call jsonb, p_want_micros bigint, p_least_micros bigint, p_live_limit integer, p_minute_limit integer,
  p_hour_limit integer, p_day_limit integer
) returns call language plpgsql as $$
declare
  wanted call := jsonb_populate_record(null::call, p_call);
  made call;
  wait_seconds integer;
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
  wait_seconds := greatest(
    seconds_until_call_allowed(wanted.customer_id, wanted.created_at, interval '1 minute', p_minute_limit),
    seconds_until_call_allowed(wanted.customer_id, wanted.created_at, interval '1 hour', p_hour_limit),
    seconds_until_call_allowed(wanted.customer_id, wanted.created_at, interval '1 day', p_day_limit)
  );
  if wait_seconds > 0 then
    raise exception 'too many calls' using errcode = 'FC002', detail = wait_seconds::text;
  end if;

  wanted.held_micros := hold_credit(wanted.id, wanted.customer_id, p_want_micros, p_least_micros);
  insert into call (
    id, customer_id, destination, country_code, number_type, idempotency_key, rate_prefix, rate_description,
    rate_per_minute_micros, first_interval_seconds, next_interval_seconds, deck_id, deck_effective_at, held_micros,
    cap_seconds, ticket_hash, ticket_expires_at, created_at, next_check_at
  ) values (
    wanted.id, wanted.customer_id, wanted.destination, wanted.country_code, wanted.number_type, wanted.idempotency_key,
    wanted.rate_prefix, wanted.rate_description, wanted.rate_per_minute_micros, wanted.first_interval_seconds,
    wanted.next_interval_seconds, wanted.deck_id, wanted.deck_effective_at, wanted.held_micros, wanted.cap_seconds,
    wanted.ticket_hash, wanted.ticket_expires_at, wanted.created_at, wanted.ticket_expires_at
  ) returning * into made;
  return made;
end
$$;

-- Seconds until one more call fits into a sliding window; 0 when it fits now.
create function seconds_until_call_allowed(p_customer_id uuid, p_now timestamptz, p_window interval, p_limit integer)
returns integer language sql stable as $$
  select coalesce((
    select ceil(extract(epoch from created_at + p_window - p_now))::integer
    from call
    where p_limit is not null and customer_id = p_customer_id and created_at > p_now - p_window
    order by created_at desc
    offset greatest(p_limit - 1, 0) limit 1
  ), 0)
$$;
