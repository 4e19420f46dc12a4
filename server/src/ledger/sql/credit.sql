-- Adds credit once per key. Returns false if the key was already applied. A write-off never exceeds the debt.
create or replace function post_credit(
  p_transaction_id uuid, p_key text, p_customer_id uuid, p_kind text, p_amount_micros bigint, p_reference_id uuid, p_description text
) returns boolean language plpgsql as $$
declare
  acc account;
  system_account text := case p_kind when 'top_up' then 'payment_clearing' when 'bonus' then 'promotion'
    when 'test_credit' then 'test_credit' when 'adjustment' then 'adjustment' when 'write_off' then 'write_off' end;
begin
  if p_amount_micros <= 0 or system_account is null then
    raise exception 'invalid credit of % as %', p_amount_micros, p_kind using errcode = 'FL007';
  end if;
  acc := lock_account(p_customer_id);
  if ledger_key_used(p_key, p_customer_id, p_kind, p_amount_micros, p_reference_id) then
    return false;
  end if;
  if p_kind = 'write_off' and p_amount_micros > acc.debt_micros then
    raise exception 'write-off of % exceeds the debt of %', p_amount_micros, acc.debt_micros using errcode = 'FL007';
  end if;
  perform record_transaction(acc, p_transaction_id, p_key, p_kind, p_amount_micros,
    case p_kind when 'bonus' then p_amount_micros else 0 end, system_account, p_reference_id, p_description);
  return true;
end
$$;

-- Moves free paid credit of one customer to another, once per key, in two transactions that meet in the system account 'gift'. The
-- beneficiary gets it as bonus: calls use it first, and it cannot be withdrawn. Returns false if the key was already applied.
create or replace function give_credit(
  p_transaction_id uuid, p_received_id uuid, p_key text, p_received_key text, p_customer_id uuid, p_beneficiary_id uuid,
  p_amount_micros bigint, p_reference_id uuid, p_description text
) returns boolean language plpgsql as $$
declare
  payer account;
  beneficiary account;
  free bigint;
begin
  if p_amount_micros <= 0 or p_customer_id = p_beneficiary_id then
    raise exception 'invalid gift of %', p_amount_micros using errcode = 'FL007';
  end if;
  perform lock_account(least(p_customer_id, p_beneficiary_id));
  perform lock_account(greatest(p_customer_id, p_beneficiary_id));
  payer := lock_account(p_customer_id);
  if ledger_key_used(p_key, p_customer_id, 'gift', -p_amount_micros, p_reference_id) then
    return false;
  end if;
  free := withdrawable_micros(payer);
  if p_amount_micros > free then
    raise exception 'more than may be given' using errcode = 'FL008', detail = json_build_object(
      'required', p_amount_micros::text, 'available', free::text, 'debt', payer.debt_micros::text)::text;
  end if;
  perform record_transaction(payer, p_transaction_id, p_key, 'gift', -p_amount_micros, 0, 'gift', p_reference_id, p_description);
  beneficiary := lock_account(p_beneficiary_id);
  perform record_transaction(beneficiary, p_received_id, p_received_key, 'gift', p_amount_micros, p_amount_micros, 'gift',
    p_reference_id, p_description);
  return true;
end
$$;

-- Free paid credit of an account in micro-dollars: what may be withdrawn or given away. Never bonus, and never what is held for calls.
create or replace function withdrawable_micros(acc account) returns bigint language sql immutable as $$
  select acc.balance_micros - greatest(acc.bonus_micros, acc.held_micros)
$$;

-- Takes credit that is returned to a card, once per key: only free paid credit, never bonus, and never into debt. Returns false if
-- the key was already applied.
create or replace function withdraw_credit(
  p_transaction_id uuid, p_key text, p_customer_id uuid, p_amount_micros bigint, p_reference_id uuid, p_description text
) returns boolean language plpgsql as $$
declare
  acc account;
  withdrawable bigint;
begin
  if p_amount_micros <= 0 then
    raise exception 'invalid withdrawal of %', p_amount_micros using errcode = 'FL007';
  end if;
  acc := lock_account(p_customer_id);
  if ledger_key_used(p_key, p_customer_id, 'withdrawal', -p_amount_micros, p_reference_id) then
    return false;
  end if;
  withdrawable := withdrawable_micros(acc);
  if p_amount_micros > withdrawable then
    raise exception 'more than may be withdrawn' using errcode = 'FL008', detail = json_build_object(
      'required', p_amount_micros::text, 'available', withdrawable::text, 'debt', acc.debt_micros::text)::text;
  end if;
  perform record_transaction(acc, p_transaction_id, p_key, 'withdrawal', -p_amount_micros, 0, 'payment_clearing',
    p_reference_id, p_description);
  return true;
end
$$;

-- Takes all credit of an account that is being erased. Refused while credit is held. Returns the amount; a repetition
-- finds none.
create or replace function forfeit_credit(p_transaction_id uuid, p_key text, p_customer_id uuid, p_description text)
returns bigint language plpgsql as $$
declare
  acc account;
begin
  acc := lock_account(p_customer_id);
  if acc.balance_micros = 0 then
    return 0;
  end if;
  if acc.held_micros > 0 then
    raise exception 'credit is held' using errcode = 'FL007';
  end if;
  perform record_transaction(acc, p_transaction_id, p_key, 'adjustment', -acc.balance_micros, -acc.bonus_micros, 'adjustment',
    null, p_description);
  return acc.balance_micros;
end
$$;
