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
