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

-- Refuses the deletion of accounts.
create or replace function refuse_account_end() returns trigger language plpgsql as $$
begin
  raise exception 'accounts are never deleted: entries and holds refer to them';
end
$$;

create or replace trigger account_stays before delete or truncate on account
  for each statement execute function refuse_account_end();
