-- When the customer's day began, in the time zone of their daily limit.
create or replace function guard_rail_day(p_rail guard_rail, p_now timestamptz) returns timestamptz language sql stable as $$
  select date_trunc('day', p_now at time zone p_rail.time_zone) at time zone p_rail.time_zone
$$;
