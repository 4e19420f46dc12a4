-- Refuses every change of the operators' audit log, except erasing an entry's phone number.
create or replace function refuse_operation_change() returns trigger language plpgsql as $$
begin
  raise exception 'the operators'' log is append-only';
end
$$;

create or replace trigger operation_append_only before delete or truncate on operation
  for each statement execute function refuse_operation_change();

create or replace trigger operation_unchanged
  before update of id, operator, operator_id, action, customer_id, reason, detail, happened_at on operation
  for each statement execute function refuse_operation_change();

-- Refuses a confirmation in which the proposer or the confirming operator was let in less than a week ago or has been removed.
create or replace function refuse_untrusted_confirmation() returns trigger language plpgsql as $$
begin
  if new.state = 'confirmed' and exists (
    select from operator
    where id in (new.proposed_by, new.decided_by) and (trusted_from > new.decided_at or removed_at is not null)
  ) then
    raise exception 'an operator who was let in less than a week ago, or was removed, does not count as a second person'
      using errcode = 'check_violation', constraint = 'approval_by_trusted';
  end if;
  return new;
end
$$;

create or replace trigger approval_by_trusted before insert or update of state on approval
  for each row execute function refuse_untrusted_confirmation();
