-- A hold's invariants in one function (see account_is_sound).
create or replace function hold_is_sound(h hold) returns boolean language plpgsql immutable as $$
begin
  return (
    h.least_micros > 0 and h.wanted_micros >= h.least_micros and h.amount_micros >= h.least_micros
    and (h.posted_micros is null or h.posted_micros between 0 and h.amount_micros)
    and h.state in ('pending', 'posted', 'voided')
    and (h.state = 'pending') = (h.resolved_at is null) and (h.state = 'posted') = (h.posted_micros is not null)
  ) is true;
end
$$;

alter table hold drop constraint if exists hold_sound, add constraint hold_sound check (hold_is_sound(hold));
