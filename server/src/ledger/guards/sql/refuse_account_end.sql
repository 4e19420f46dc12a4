-- Refuses the deletion of accounts.
create or replace function refuse_account_end() returns trigger language plpgsql as $$
begin
  raise exception 'accounts are never deleted: entries and holds refer to them';
end
$$;

create or replace trigger account_stays before delete or truncate on account
  for each statement execute function refuse_account_end();
