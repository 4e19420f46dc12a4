-- Takes back, once per key, the bonus of a refunded or disputed payment: from the remaining bonus, then from free paid credit. The
-- shortfall is not owed.
create or replace function return_bonus(
  p_transaction_id uuid, p_key text, p_customer_id uuid, p_amount_micros bigint, p_reference_id uuid, p_description text
) returns table (applied boolean, shortfall_micros bigint) language plpgsql as $$
declare
  acc account;
  of_bonus bigint;
  taken bigint;
begin
  if p_amount_micros <= 0 then
    raise exception 'invalid return of %', p_amount_micros using errcode = 'FL007';
  end if;
  acc := lock_account(p_customer_id);
  if ledger_key_used(p_key, p_customer_id, 'bonus', -p_amount_micros, p_reference_id) then
    return query select false, t.shortfall_micros from ledger_transaction t where t.idempotency_key = p_key;
    return;
  end if;
  of_bonus := least(p_amount_micros, acc.bonus_micros);
  taken := of_bonus + least(p_amount_micros - of_bonus, acc.balance_micros - greatest(acc.held_micros, acc.bonus_micros));
  return query select true, record_transaction(acc, p_transaction_id, p_key, 'bonus', -taken, -of_bonus, 0, 'promotion',
    p_reference_id, p_description, p_untaken_micros => p_amount_micros - taken);
end
$$;
