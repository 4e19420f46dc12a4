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
