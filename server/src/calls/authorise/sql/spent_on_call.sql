-- A call's charge if it ended since p_since, or its hold while it is live.
create or replace function spent_on_call(c call, p_since timestamptz) returns bigint language sql immutable as $$
  select case when c.ended_at is null then c.held_micros when c.ended_at >= p_since then c.charge_micros else 0 end
$$;
