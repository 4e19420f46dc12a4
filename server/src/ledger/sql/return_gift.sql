-- Moves what is left of a gift back to its payer as paid credit, at most p_amount_micros, once per key. Returns what moved.
create or replace function return_gift(
  p_transaction_id uuid, p_returned_id uuid, p_key text, p_returned_key text, p_received_key text, p_customer_id uuid, p_payer_id uuid,
  p_amount_micros bigint, p_reference_id uuid, p_description text
) returns bigint language plpgsql as $$
declare
  beneficiary account;
  payer account;
  taken bigint;
begin
  perform lock_account(least(p_customer_id, p_payer_id));
  perform lock_account(greatest(p_customer_id, p_payer_id));
  beneficiary := lock_account(p_customer_id);
  select -e.amount_micros into taken from ledger_transaction t
    join ledger_entry e on e.transaction_id = t.id and e.customer_id is not null where t.idempotency_key = p_key;
  if found then
    return taken;
  end if;
  taken := least(p_amount_micros, coalesce(gift_left(p_received_key), 0));
  if taken <= 0 then
    return 0;
  end if;
  perform record_transaction(beneficiary, p_transaction_id, p_key, 'gift', -taken, -taken, 0, 'gift', p_reference_id, p_description);
  payer := lock_account(p_payer_id);
  perform record_transaction(payer, p_returned_id, p_returned_key, 'gift', taken, 0, 0, 'gift', p_reference_id, p_description);
  return taken;
end
$$;
