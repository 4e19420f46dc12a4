-- Granted credit kept apart from paid credit, holds that grow, withdrawals, and what was taken given back.
--
-- Bonus is the part of an account's credit that was granted (kind bonus). It follows from the entries alone, never from
-- holds: 0 <= bonus <= greatest(balance - debt, 0). A call spends bonus first. A refund, a dispute or a debt takes paid
-- credit first and bonus for the rest: money that goes back is never covered by a debt while a bonus stays. A grant that
-- is taken back goes as far as it is still there; what was spent of it is gone and never owed. What was granted before
-- this migration counts as paid.

alter table account
  add column bonus_micros bigint not null default 0,
  -- Booking times of one account never run backwards, so a time stands for a position.
  add column newest_entry_at timestamptz not null default '-infinity';

update account a set newest_entry_at = coalesce(
  (select max(t.created_at) from ledger_transaction t where t.customer_id = a.customer_id), a.newest_entry_at);

alter table ledger_transaction
  -- The transaction whose taking this one gives back; each at most once.
  add column restores_id uuid references ledger_transaction (id);

create unique index ledger_transaction_restored_once on ledger_transaction (restores_id) where restores_id is not null;
comment on column ledger_transaction.shortfall_micros is
  'Of a reversal: the part that became debt; of a bonus taken back: the part that was spent and is not in the entry.';

create type ledger_kind as enum ('top_up', 'bonus', 'test_credit', 'call', 'refund', 'dispute', 'adjustment', 'withdrawal',
  'write_off', 'call_refund', 'refund_failed', 'dispute_won');
create type ledger_system_account as enum ('revenue', 'payment_clearing', 'promotion', 'test_credit', 'adjustment', 'write_off');

alter table ledger_entry
  -- The customer's entry only: what it moved of the bonus (signed), and the kind of its transaction.
  add column bonus_micros bigint not null default 0,
  add column kind ledger_kind;

-- PostgreSQL reads the text of each check anew for each statement, and looks each reference up for each row: together more
-- than half of the time of a charge. So one check for each of the two tables that change, types in place of lists of
-- words, and no check of what only the functions below write and nothing can change: verification looks after that.
alter table account
  drop constraint account_held_not_negative,
  drop constraint account_not_overdrawn,
  drop constraint account_debt_not_negative,
  drop constraint account_debt_repaid_first,
  add constraint account_sound check (
    held_micros >= 0 and balance_micros >= held_micros and debt_micros >= 0
    and (debt_micros = 0 or balance_micros = held_micros)
    and bonus_micros >= 0 and bonus_micros <= greatest(balance_micros - debt_micros, 0)
  );
-- A hold may grow past what was wanted first.
alter table hold
  drop constraint hold_amount,
  drop constraint hold_state,
  drop constraint hold_customer_id_fkey,
  add constraint hold_sound check (
    least_micros > 0 and wanted_micros >= least_micros and amount_micros >= least_micros
    and posted_micros >= 0 and posted_micros <= amount_micros
    and state in ('pending', 'posted', 'voided')
    and (state = 'pending') = (resolved_at is null) and (state = 'posted') = (posted_micros is not null)
  );
-- A hold is found by its id alone; without this it is resolved in place.
drop index hold_pending;

alter table ledger_transaction
  drop constraint ledger_transaction_kind_check,
  drop constraint ledger_transaction_idempotency_key_check,
  drop constraint ledger_transaction_description_check,
  drop constraint ledger_transaction_shortfall_micros_check,
  drop constraint ledger_transaction_customer_id_fkey,
  alter column kind type ledger_kind using kind::ledger_kind;
alter table ledger_entry
  drop constraint ledger_entry_system_account_check,
  drop constraint ledger_entry_amount_micros_check,
  drop constraint ledger_entry_sequence_check,
  drop constraint ledger_entry_one_account,
  drop constraint ledger_entry_customer_position,
  drop constraint ledger_entry_customer_id_fkey,
  drop constraint ledger_entry_transaction_id_fkey,
  alter column system_account type ledger_system_account using system_account::ledger_system_account;

alter table ledger_entry disable trigger ledger_entry_append_only;
update ledger_entry e set kind = t.kind from ledger_transaction t where t.id = e.transaction_id and e.customer_id is not null;
alter table ledger_entry enable trigger ledger_entry_append_only;

create function refuse_account_end() returns trigger language plpgsql as $$
begin
  raise exception 'an account stays: its entries and holds name it';
end
$$;

create trigger account_stays before delete or truncate on account for each statement execute function refuse_account_end();

-- Errors of our own besides those of 011:
--   FL008 more than may be withdrawn (detail as FL001)
--   FL009 no such transaction

drop function record_transaction(account, uuid, text, text, bigint, bigint, text, uuid, text);

-- Writes a transaction's two entries and moves the customer's account. p_signed_micros is the customer's side,
-- p_bonus_micros what it moves of the bonus as far as there is any. What cannot be taken from the free balance becomes
-- debt; what comes in repays debt first. p_released_micros leaves the hold. p_untaken_micros is what was spent of a bonus
-- that is taken back; when that was all, the transaction has no entries.
create function record_transaction(
  p_account account, p_transaction_id uuid, p_key text, p_kind text, p_signed_micros bigint, p_bonus_micros bigint,
  p_released_micros bigint, p_system_account text, p_reference_id uuid, p_description text, p_untaken_micros bigint default 0,
  p_restores_id uuid default null
) returns bigint language plpgsql as $$
declare
  new_held bigint := p_account.held_micros - p_released_micros;
  net bigint := p_account.balance_micros - p_account.debt_micros + p_signed_micros;
  new_balance bigint := greatest(net, new_held);
  new_debt bigint := new_balance - net;
  new_bonus bigint := greatest(least(p_account.bonus_micros + p_bonus_micros, net), 0);
  shortfall bigint := case when p_kind = 'bonus' then p_untaken_micros else greatest(new_debt - p_account.debt_micros, 0) end;
  booked_at timestamptz := greatest(clock_timestamp(), p_account.newest_entry_at);
begin
  insert into ledger_transaction (id, kind, idempotency_key, customer_id, reference_id, description, shortfall_micros, created_at, restores_id)
    values (p_transaction_id, p_kind::ledger_kind, p_key, p_account.customer_id, p_reference_id, p_description, shortfall, booked_at, p_restores_id);
  if p_signed_micros = 0 then
    return shortfall;
  end if;
  insert into ledger_entry (transaction_id, customer_id, system_account, amount_micros, sequence, balance_after_micros, bonus_micros, kind) values
    (p_transaction_id, p_account.customer_id, null, p_signed_micros, p_account.entry_count + 1, net, new_bonus - p_account.bonus_micros, p_kind::ledger_kind),
    (p_transaction_id, null, p_system_account::ledger_system_account, -p_signed_micros, null, null, 0, null);
  update account
    set balance_micros = new_balance, held_micros = new_held, debt_micros = new_debt, bonus_micros = new_bonus,
      entry_count = p_account.entry_count + 1, newest_entry_at = booked_at
    where customer_id = p_account.customer_id;
  return shortfall;
end
$$;

-- Charges a call against its hold and releases the rest. A repetition returns what was charged the first time.
create or replace function post_hold(p_transaction_id uuid, p_hold_id uuid, p_charge_micros bigint, p_description text)
returns bigint language plpgsql as $$
declare
  acc account;
  held hold;
begin
  select a.* into acc from hold h join account a using (customer_id) where h.id = p_hold_id for no key update of a;
  if not found then
    raise exception 'no hold %', p_hold_id using errcode = 'FL004';
  end if;
  update hold set state = 'posted', posted_micros = p_charge_micros, resolved_at = clock_timestamp()
    where id = p_hold_id and resolved_at is null and p_charge_micros between 0 and amount_micros
    returning * into held;
  if not found then
    select * into held from hold where id = p_hold_id;
    if held.state = 'posted' then
      return held.posted_micros;
    elsif held.state = 'voided' then
      raise exception 'hold % was voided', p_hold_id using errcode = 'FL005';
    end if;
    raise exception 'charge % on hold % of %', p_charge_micros, p_hold_id, held.amount_micros using errcode = 'FL006';
  end if;
  if p_charge_micros = 0 then
    perform release_held(acc, held.amount_micros);
  else
    perform record_transaction(acc, p_transaction_id, 'call:' || p_hold_id, 'call', -p_charge_micros, -p_charge_micros,
      held.amount_micros, 'revenue', p_hold_id, p_description);
  end if;
  return p_charge_micros;
end
$$;

-- Sets aside min(available, want) for a call, at least p_least_micros. Returns the amount held.
create or replace function hold_credit(p_hold_id uuid, p_customer_id uuid, p_want_micros bigint, p_least_micros bigint)
returns bigint language plpgsql as $$
begin
  return place_hold(lock_account(p_customer_id), p_hold_id, p_want_micros, p_least_micros);
end
$$;

-- As hold_credit, for a caller that has the account's lock.
create function place_hold(p_account account, p_hold_id uuid, p_want_micros bigint, p_least_micros bigint)
returns bigint language plpgsql as $$
declare
  known hold;
  available bigint := p_account.balance_micros - p_account.held_micros;
  amount bigint := least(available, p_want_micros);
begin
  if p_least_micros <= 0 or p_want_micros < p_least_micros then
    raise exception 'a hold of % to % makes no sense', p_least_micros, p_want_micros using errcode = 'FL007';
  end if;
  if amount >= p_least_micros then
    insert into hold (id, customer_id, wanted_micros, least_micros, amount_micros)
      values (p_hold_id, p_account.customer_id, p_want_micros, p_least_micros, amount)
      on conflict (id) do nothing;
    if found then
      update account set held_micros = held_micros + amount where customer_id = p_account.customer_id;
      return amount;
    end if;
  end if;
  select * into known from hold where id = p_hold_id;
  if not found then
    raise exception 'too little credit' using errcode = 'FL001', detail = json_build_object(
      'required', p_least_micros::text, 'available', available::text, 'debt', p_account.debt_micros::text)::text;
  elsif (known.customer_id, known.wanted_micros, known.least_micros) is distinct from (p_account.customer_id, p_want_micros, p_least_micros) then
    raise exception 'hold % exists with other content', p_hold_id using errcode = 'FL002';
  end if;
  return known.amount_micros;
end
$$;

-- Sets more credit aside for a running call: up to p_want_micros in all, as far as there is free credit. Never less than
-- before. Returns the amount held now.
create function extend_hold(p_hold_id uuid, p_want_micros bigint) returns bigint language plpgsql as $$
declare
  acc account;
  held hold;
  amount bigint;
begin
  select * into held from hold where id = p_hold_id;
  if not found then
    raise exception 'no hold %', p_hold_id using errcode = 'FL004';
  end if;
  acc := lock_account(held.customer_id);
  select * into held from hold where id = p_hold_id;
  if held.state <> 'pending' then
    raise exception 'hold % was %', p_hold_id, held.state using errcode = 'FL005';
  end if;
  amount := least(p_want_micros, held.amount_micros + acc.balance_micros - acc.held_micros);
  if amount <= held.amount_micros then
    return held.amount_micros;
  end if;
  update hold set amount_micros = amount where id = p_hold_id;
  update account set held_micros = acc.held_micros + amount - held.amount_micros where customer_id = acc.customer_id;
  return amount;
end
$$;

-- True when the key stands for exactly this already; false when it is new. Needs the account's lock.
create or replace function ledger_key_used(p_key text, p_customer_id uuid, p_kind text, p_signed_micros bigint, p_reference_id uuid)
returns boolean language plpgsql as $$
declare
  known record;
begin
  -- A bonus that was taken back in part, or not at all because it was spent, stands for the whole that was asked for.
  select t.customer_id, t.kind::text as kind, t.reference_id,
      coalesce(e.amount_micros, 0) - case when t.kind = 'bonus' then t.shortfall_micros else 0 end as signed_micros
    into known
    from ledger_transaction t
    left join ledger_entry e on e.transaction_id = t.id and e.customer_id is not null
    where t.idempotency_key = p_key;
  if not found then
    return false;
  elsif (known.customer_id, known.kind, known.signed_micros) is distinct from (p_customer_id, p_kind, p_signed_micros)
    or known.reference_id is distinct from p_reference_id then
    raise exception 'key % exists with other content', p_key using errcode = 'FL002';
  end if;
  return true;
end
$$;

-- Adds credit once per key. Returns false when the key was applied before. A write-off is at most the debt.
create or replace function post_credit(
  p_transaction_id uuid, p_key text, p_customer_id uuid, p_kind text, p_amount_micros bigint, p_reference_id uuid, p_description text
) returns boolean language plpgsql as $$
declare
  acc account;
  system_account text := case p_kind when 'top_up' then 'payment_clearing' when 'bonus' then 'promotion'
    when 'test_credit' then 'test_credit' when 'adjustment' then 'adjustment' when 'write_off' then 'write_off' end;
begin
  if p_amount_micros <= 0 or system_account is null then
    raise exception 'a credit of % as % makes no sense', p_amount_micros, p_kind using errcode = 'FL007';
  end if;
  acc := lock_account(p_customer_id);
  if ledger_key_used(p_key, p_customer_id, p_kind, p_amount_micros, p_reference_id) then
    return false;
  end if;
  if p_kind = 'write_off' and p_amount_micros > acc.debt_micros then
    raise exception 'a write-off of % of a debt of %', p_amount_micros, acc.debt_micros using errcode = 'FL007';
  end if;
  perform record_transaction(acc, p_transaction_id, p_key, p_kind, p_amount_micros,
    case p_kind when 'bonus' then p_amount_micros else 0 end, 0, system_account, p_reference_id, p_description);
  return true;
end
$$;

-- Takes credit back once per key. Held credit stays for its call; what the free balance cannot cover becomes debt. Of a
-- bonus only what is still there is taken; the rest is the shortfall, and nobody owes it.
create or replace function post_reversal(
  p_transaction_id uuid, p_key text, p_customer_id uuid, p_kind text, p_amount_micros bigint, p_reference_id uuid, p_description text
) returns table (applied boolean, shortfall_micros bigint) language plpgsql as $$
declare
  acc account;
  taken bigint;
begin
  if p_amount_micros <= 0 or p_kind not in ('refund', 'dispute', 'bonus') then
    raise exception 'a reversal of % as % makes no sense', p_amount_micros, p_kind using errcode = 'FL007';
  end if;
  acc := lock_account(p_customer_id);
  if ledger_key_used(p_key, p_customer_id, p_kind, -p_amount_micros, p_reference_id) then
    return query select false, t.shortfall_micros from ledger_transaction t where t.idempotency_key = p_key;
    return;
  end if;
  if p_kind <> 'bonus' then
    return query select true, record_transaction(acc, p_transaction_id, p_key, p_kind, -p_amount_micros, 0, 0,
      'payment_clearing', p_reference_id, p_description);
    return;
  end if;
  taken := least(p_amount_micros, acc.bonus_micros);
  return query select true, record_transaction(acc, p_transaction_id, p_key, 'bonus', -taken, -taken, 0, 'promotion',
    p_reference_id, p_description, p_untaken_micros => p_amount_micros - taken);
end
$$;

-- Takes credit that goes back to a card, once per key: paid credit that is free, never bonus, never debt. Returns false
-- when the key was applied before.
create function withdraw_credit(
  p_transaction_id uuid, p_key text, p_customer_id uuid, p_amount_micros bigint, p_reference_id uuid, p_description text
) returns boolean language plpgsql as $$
declare
  acc account;
  withdrawable bigint;
begin
  if p_amount_micros <= 0 then
    raise exception 'a withdrawal of % makes no sense', p_amount_micros using errcode = 'FL007';
  end if;
  acc := lock_account(p_customer_id);
  if ledger_key_used(p_key, p_customer_id, 'withdrawal', -p_amount_micros, p_reference_id) then
    return false;
  end if;
  withdrawable := acc.balance_micros - greatest(acc.bonus_micros, acc.held_micros);
  if p_amount_micros > withdrawable then
    raise exception 'more than may be withdrawn' using errcode = 'FL008', detail = json_build_object(
      'required', p_amount_micros::text, 'available', withdrawable::text, 'debt', acc.debt_micros::text)::text;
  end if;
  perform record_transaction(acc, p_transaction_id, p_key, 'withdrawal', -p_amount_micros, 0, 0, 'payment_clearing',
    p_reference_id, p_description);
  return true;
end
$$;

-- Gives back, once and whole, what a call, a refund, a withdrawal, a dispute or a bonus taken back took from an account,
-- with the same part of it as bonus. Returns false when it was given back before under this key, or nothing was taken.
create function restore_transaction(p_transaction_id uuid, p_key text, p_restored_key text, p_description text)
returns boolean language plpgsql as $$
declare
  taken record;
  acc account;
  earlier_key text;
begin
  select t.id, t.kind, t.customer_id, t.reference_id, e.amount_micros, e.bonus_micros, s.system_account::text as system_account,
      case t.kind when 'call' then 'call_refund' when 'refund' then 'refund_failed' when 'withdrawal' then 'refund_failed'
        when 'dispute' then 'dispute_won' when 'bonus' then 'bonus' end as restoring_kind
    into taken
    from ledger_transaction t
    left join ledger_entry e on e.transaction_id = t.id and e.customer_id is not null
    left join ledger_entry s on s.transaction_id = t.id and s.customer_id is null
    where t.idempotency_key = p_restored_key;
  if not found then
    raise exception 'no transaction %', p_restored_key using errcode = 'FL009';
  elsif taken.restoring_kind is null or taken.amount_micros > 0 then
    raise exception 'a % of % cannot be given back', taken.kind, taken.amount_micros using errcode = 'FL007';
  elsif taken.amount_micros is null then
    return false;
  end if;
  acc := lock_account(taken.customer_id);
  select idempotency_key into earlier_key from ledger_transaction where restores_id = taken.id;
  if earlier_key = p_key then
    return false;
  elsif earlier_key is not null or exists (select from ledger_transaction where idempotency_key = p_key) then
    raise exception '% was given back, or key % exists with other content', p_restored_key, p_key using errcode = 'FL002';
  end if;
  perform record_transaction(acc, p_transaction_id, p_key, taken.restoring_kind, -taken.amount_micros, -taken.bonus_micros, 0,
    taken.system_account, taken.reference_id, p_description, p_restores_id => taken.id);
  return true;
end
$$;
