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
  perform record_transaction(payer, p_transaction_id, p_key, 'gift', -p_amount_micros, 0, 0, 'gift', p_reference_id, p_description);
  beneficiary := lock_account(p_beneficiary_id);
  perform record_transaction(beneficiary, p_received_id, p_received_key, 'gift', p_amount_micros, p_amount_micros, 0, 'gift',
    p_reference_id, p_description);
  return true;
end
$$;
