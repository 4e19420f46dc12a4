-- A proposal's maker withdraws it; only others confirm or reject it.
alter table approval drop constraint approval_state_check, drop constraint approval_by_another;
update approval set state = 'withdrawn' where state = 'rejected' and decided_by = proposed_by;
alter table approval
  add constraint approval_state_check check (state in ('open', 'confirmed', 'rejected', 'withdrawn')),
  add constraint approval_by_another check (state not in ('confirmed', 'rejected') or decided_by <> proposed_by),
  add constraint approval_withdrawn check (state <> 'withdrawn' or decided_by = proposed_by);
