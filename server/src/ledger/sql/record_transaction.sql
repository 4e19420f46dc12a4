-- Writes a transaction's two entries and updates the customer's account. p_signed_micros is the customer's side, p_bonus_micros its
-- bonus part, p_released_micros the amount released from the hold. The part that free credit cannot cover becomes debt; incoming
-- credit repays debt first. A call's posting names who called on the account's credit, as its hold does. p_untaken_micros is the spent part of a bonus that is taken back: if none of the bonus is left, the
-- transaction has no entries.
create or replace function record_transaction(
  p_account account, p_transaction_id uuid, p_key text, p_kind text, p_signed_micros bigint, p_bonus_micros bigint,
  p_released_micros bigint, p_system_account text, p_reference_id uuid, p_description text, p_untaken_micros bigint default 0,
  p_restores_id uuid default null
) returns bigint language plpgsql as $$
declare
  new_held bigint := p_account.held_micros - p_released_micros;
  net bigint := p_account.balance_micros - p_account.debt_micros + p_signed_micros;
  new_balance bigint := greatest(net, new_held);
  new_debt bigint := new_balance - net;
  new_bonus bigint := greatest(least(p_account.bonus_micros + p_bonus_micros, net), 0);
  shortfall bigint := case when p_kind = 'bonus' then p_untaken_micros else greatest(new_debt - p_account.debt_micros, 0) end;
  booked_at timestamptz := greatest(clock_timestamp(), p_account.newest_entry_at);
begin
  insert into ledger_transaction (id, kind, idempotency_key, customer_id, reference_id, description, shortfall_micros, created_at, restores_id,
      caller_id)
    values (p_transaction_id, p_kind::ledger_kind, p_key, p_account.customer_id, p_reference_id, p_description, shortfall, booked_at, p_restores_id,
      case when p_kind in ('call', 'call_refund') then (select caller_id from hold where id = p_reference_id) end);
  if p_signed_micros = 0 then
    return shortfall;
  end if;
  insert into ledger_entry (transaction_id, customer_id, system_account, amount_micros, sequence, balance_after_micros, bonus_micros, kind) values
    (p_transaction_id, p_account.customer_id, null, p_signed_micros, p_account.entry_count + 1, net, new_bonus - p_account.bonus_micros, p_kind::ledger_kind),
    (p_transaction_id, null, p_system_account::ledger_system_account, -p_signed_micros, null, null, 0, null);
  update account
    set balance_micros = new_balance, held_micros = new_held, debt_micros = new_debt, bonus_micros = new_bonus,
      entry_count = p_account.entry_count + 1, newest_entry_at = booked_at
    where customer_id = p_account.customer_id;
  return shortfall;
end
$$;
