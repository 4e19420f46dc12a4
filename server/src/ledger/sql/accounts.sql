-- Opens a customer's account; does nothing if it exists.
create or replace function open_account(p_customer_id uuid) returns void language sql as $$
  insert into account (customer_id) values (p_customer_id) on conflict (customer_id) do nothing
$$;

-- Locks and returns an account. Every money operation starts here, so operations on one account are serialised.
-- Errors of the ledger's functions:
--   FL001 insufficient credit (detail: JSON with required, available and debt in micro-dollars)
--   FL002 the id or key was already used with other content
--   FL003 no such account
--   FL004 no such hold
--   FL005 the hold was resolved the other way
--   FL006 the charge is negative or exceeds the hold
--   FL007 invalid amount or kind
--   FL008 more than the withdrawable credit (detail as FL001)
--   FL009 no such transaction
create or replace function lock_account(p_customer_id uuid) returns account language plpgsql as $$
declare
  locked account;
begin
  select * into locked from account where customer_id = p_customer_id for no key update;
  if not found then
    raise exception 'no account of customer %', p_customer_id using errcode = 'FL003';
  end if;
  return locked;
end
$$;

-- Writes a transaction's two entries and updates the customer's account. p_signed_micros is the customer's side, p_bonus_micros its
-- bonus part, p_released_micros the amount released from the hold. The part that free credit cannot cover becomes debt; incoming
-- credit repays debt first. A call's posting names who called on the account's credit, as its hold does. p_untaken_micros is the spent part of a bonus that is taken back: if none of the bonus is left, the
-- transaction has no entries.
create or replace function record_transaction(
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
  insert into ledger_transaction (id, kind, idempotency_key, customer_id, reference_id, description, shortfall_micros, created_at, restores_id,
      caller_id)
    values (p_transaction_id, p_kind::ledger_kind, p_key, p_account.customer_id, p_reference_id, p_description, shortfall, booked_at, p_restores_id,
      case when p_kind in ('call', 'call_refund') then (select caller_id from hold where id = p_reference_id) end);
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

-- Restores, once and in full, what a call, refund, withdrawal, dispute or returned bonus took from an account, including its bonus
-- part as bonus. Returns false if this key already restored it, or if nothing was taken.
create or replace function restore_transaction(p_transaction_id uuid, p_key text, p_restored_key text, p_description text)
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
    raise exception 'a % of % cannot be restored', taken.kind, taken.amount_micros using errcode = 'FL007';
  elsif taken.amount_micros is null then
    return false;
  end if;
  acc := lock_account(taken.customer_id);
  select idempotency_key into earlier_key from ledger_transaction where restores_id = taken.id;
  if earlier_key = p_key then
    return false;
  elsif earlier_key is not null or exists (select from ledger_transaction where idempotency_key = p_key) then
    raise exception '% was restored already, or key % exists with other content', p_restored_key, p_key using errcode = 'FL002';
  end if;
  perform record_transaction(acc, p_transaction_id, p_key, taken.restoring_kind, -taken.amount_micros, -taken.bonus_micros, 0,
    taken.system_account, taken.reference_id, p_description, p_restores_id => taken.id);
  return true;
end
$$;

-- Returns true if the key already stands for exactly this transaction, false if it is new. The caller must hold the account's lock.
create or replace function ledger_key_used(p_key text, p_customer_id uuid, p_kind text, p_signed_micros bigint, p_reference_id uuid)
returns boolean language plpgsql as $$
declare
  known record;
begin
  -- A returned bonus counts in full, including the spent part, which is not in the entry.
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
