-- Raises the hold of a running call as far as its bounds allow. p_limit_seconds: the limit that the provider enforces until
-- it is told of the new one. Does nothing to a call that is over.
create or replace function extend_call(p_call_id uuid, p_want_micros bigint, p_limit_seconds integer, p_now timestamptz, p_rules jsonb)
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
