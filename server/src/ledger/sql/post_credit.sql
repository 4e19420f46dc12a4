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
    case p_kind when 'bonus' then p_amount_micros else 0 end, 0, system_account, p_reference_id, p_description);
  return true;
end
$$;
