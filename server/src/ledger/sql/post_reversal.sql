-- Takes credit back once per key. Held credit stays with its call; the part that free credit cannot cover becomes debt. For a bonus,
-- takes only its rest; the spent part is the shortfall and is not owed.
create or replace function post_reversal(
  p_transaction_id uuid, p_key text, p_customer_id uuid, p_kind text, p_amount_micros bigint, p_reference_id uuid, p_description text
) returns table (applied boolean, shortfall_micros bigint) language plpgsql as $$
declare
  acc account;
  taken bigint;
begin
  if p_amount_micros <= 0 or p_kind not in ('refund', 'dispute', 'bonus', 'adjustment') then
    raise exception 'invalid reversal of % as %', p_amount_micros, p_kind using errcode = 'FL007';
  end if;
  acc := lock_account(p_customer_id);
  if ledger_key_used(p_key, p_customer_id, p_kind, -p_amount_micros, p_reference_id) then
    return query select false, t.shortfall_micros from ledger_transaction t where t.idempotency_key = p_key;
    return;
  end if;
  if p_kind <> 'bonus' then
    return query select true, record_transaction(acc, p_transaction_id, p_key, p_kind, -p_amount_micros, 0, 0,
      case p_kind when 'adjustment' then 'adjustment' else 'payment_clearing' end, p_reference_id, p_description);
    return;
  end if;
  taken := least(p_amount_micros, acc.bonus_micros);
  return query select true, record_transaction(acc, p_transaction_id, p_key, 'bonus', -taken, -taken, 0, 'promotion',
    p_reference_id, p_description, p_untaken_micros => p_amount_micros - taken);
end
$$;
