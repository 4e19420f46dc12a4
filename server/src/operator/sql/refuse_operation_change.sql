-- Refuses every change of the operators' log.
create or replace function refuse_operation_change() returns trigger language plpgsql as $$
begin
  raise exception 'the operators'' log is append-only';
end
$$;

create or replace trigger operation_append_only before update or delete or truncate on operation
  for each statement execute function refuse_operation_change();
