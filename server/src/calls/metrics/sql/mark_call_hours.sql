-- Marks the hours of a call that changes half an hour after them, because they are summed an hour after them. Marks are only added, so that
-- concurrent settlements never wait for each other.
create or replace function mark_call_hours() returns trigger language plpgsql as $$
begin
  insert into call_hour_change (hour)
    select distinct hour from unnest(array[date_trunc('hour', new.created_at, 'UTC'), date_trunc('hour', new.ended_at, 'UTC')]) as hour
    where hour < now() - interval '90 minutes';
  return null;
end
$$;
create or replace trigger call_hours_change
  after update of answered_at, ended_at, duration_ms, charge_micros, carrier_cost_micros, country_code, trunk, trunk_attempts, transferred_at
  on call for each row
  when (new.ended_at is not null and new.created_at < now() - interval '30 minutes')
  execute function mark_call_hours();
