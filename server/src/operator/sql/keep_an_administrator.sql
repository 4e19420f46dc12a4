-- Refuses, at the commit, to demote or remove the last administrator who can sign in, or to delete what they sign in with. A link in
-- somebody's hands counts: the command line replaces the sign-in of an only administrator by one.
create or replace function keep_an_administrator() returns trigger language plpgsql as $$
declare
  could_sign_in boolean;
begin
  if tg_table_name = 'operator' then
    could_sign_in := exists (select from operator_password where operator_id = old.id)
      or exists (select from operator_passkey where operator_id = old.id);
  else
    could_sign_in := exists (select from operator where id = old.operator_id and role = 'admin');
  end if;
  if not could_sign_in then
    return null;
  end if;
  -- Of two concurrent changes, the second one waits here and then sees the first.
  perform pg_advisory_xact_lock(hashtextextended('operators', 0));
  if not exists (
    select from operator o where role = 'admin' and removed_at is null and (
      exists (select from operator_password where operator_id = o.id)
      or exists (select from operator_passkey where operator_id = o.id)
      or exists (select from operator_invitation where operator_id = o.id and token_hash is not null)
    )
  ) then
    raise exception 'no administrator could sign in any more' using errcode = 'check_violation', constraint = 'operator_keeps_admin';
  end if;
  return null;
end
$$;

drop trigger if exists operator_keeps_admin on operator;
create constraint trigger operator_keeps_admin after update on operator deferrable initially deferred for each row
  when (old.role = 'admin' and old.removed_at is null and (new.role <> 'admin' or new.removed_at is not null))
  execute function keep_an_administrator();

drop trigger if exists operator_keeps_admin on operator_password;
create constraint trigger operator_keeps_admin after delete on operator_password deferrable initially deferred for each row
  execute function keep_an_administrator();

drop trigger if exists operator_keeps_admin on operator_passkey;
create constraint trigger operator_keeps_admin after delete on operator_passkey deferrable initially deferred for each row
  execute function keep_an_administrator();
