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
  perform record_transaction(acc, p_transaction_id, p_key, 'withdrawal', -p_amount_micros, 0, 0, 'payment_clearing',
    p_reference_id, p_description);
  return true;
end
$$;
