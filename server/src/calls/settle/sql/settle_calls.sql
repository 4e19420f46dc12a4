-- Settles calls that are over: the charge and the final record, both or neither. Skips calls that are final already and
-- those whose call or account others have locked. Returns the calls it settled.
create or replace function settle_calls(p_settlements jsonb) returns setof uuid
language plpgsql set plan_cache_mode = force_generic_plan as $$
declare
  settlements jsonb[] := array(select jsonb_array_elements(p_settlements));
  locked uuid[];
  resolved uuid[];
begin
  select array_agg(l.id) into locked from (
    select c.id from call c
      where c.id = any (array(select (s->>'id')::uuid from unnest(settlements) s))
      for no key update skip locked
  ) l;
  select resolve_holds(array_agg(s.transaction_id), array_agg(s.id), array_agg(s.charge_micros), array_agg(s.description)) into resolved
    from unnest(settlements) e
      cross join lateral jsonb_to_record(e) s (transaction_id uuid, id uuid, charge_micros bigint, description text)
    where s.id = any (locked);
  return query
    update call c
      set status = s.status, end_reason = s.end_reason, answered_at = s.answered_at, ended_at = s.ended_at,
        duration_ms = s.duration_ms, billed_seconds = s.billed_seconds, charge_micros = s.charge_micros, next_check_at = null
      from unnest(settlements) e cross join lateral jsonb_to_record(e) s (
        id uuid, status text, end_reason text, answered_at timestamptz, ended_at timestamptz, duration_ms integer,
        billed_seconds integer, charge_micros bigint
      )
      where c.id = s.id and c.id = any (resolved)
      returning c.id;
end
$$;
