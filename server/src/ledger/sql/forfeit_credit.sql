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
  perform record_transaction(acc, p_transaction_id, p_key, 'adjustment', -acc.balance_micros, -acc.bonus_micros, 0, 'adjustment',
    null, p_description);
  return acc.balance_micros;
end
$$;
