-- The account's invariants in one function, because PostgreSQL parses every check constraint for each statement.
create or replace function account_is_sound(a account) returns boolean language plpgsql immutable as $$
begin
  return (
    a.held_micros >= 0 and a.balance_micros >= a.held_micros and a.debt_micros >= 0
    and (a.debt_micros = 0 or a.balance_micros = a.held_micros)
    and a.bonus_micros >= 0 and a.bonus_micros <= greatest(a.balance_micros - a.debt_micros, 0)
  ) is true;
end
$$;

alter table account drop constraint if exists account_sound, add constraint account_sound check (account_is_sound(account));
