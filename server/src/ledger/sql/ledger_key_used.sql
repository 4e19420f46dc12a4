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
