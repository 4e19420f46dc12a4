-- Refuses every change of a booked entry, except masking the number in its description.
create or replace function refuse_ledger_change() returns trigger language plpgsql as $$
begin
  raise exception 'the ledger is append-only: correct a mistake with a new transaction';
end
$$;

create or replace trigger ledger_transaction_append_only before delete or truncate on ledger_transaction
  for each statement execute function refuse_ledger_change();

create or replace trigger ledger_transaction_unchanged before update on ledger_transaction for each row
  when (to_jsonb(old) - 'description' <> to_jsonb(new) - 'description' or new.description not like '%*')
  execute function refuse_ledger_change();

create or replace trigger ledger_entry_append_only before update or delete or truncate on ledger_entry
  for each statement execute function refuse_ledger_change();
