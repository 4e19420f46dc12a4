-- Holds the available credit for a call, at most p_want_micros and at least p_least_micros. p_caller_id is who calls on the account's
-- credit; null if it is the account's customer. Returns the amount held.
create or replace function hold_credit(
  p_hold_id uuid, p_customer_id uuid, p_caller_id uuid, p_want_micros bigint, p_least_micros bigint
) returns bigint language plpgsql as $$
declare
  acc account := lock_account(p_customer_id);
  known hold;
  available bigint := acc.balance_micros - acc.held_micros;
  amount bigint := least(available, p_want_micros);
begin
  if p_least_micros <= 0 or p_want_micros < p_least_micros then
    raise exception 'invalid hold of % to %', p_least_micros, p_want_micros using errcode = 'FL007';
  end if;
  if amount >= p_least_micros then
    insert into hold (id, customer_id, caller_id, wanted_micros, least_micros, amount_micros)
      values (p_hold_id, p_customer_id, p_caller_id, p_want_micros, p_least_micros, amount)
      on conflict (id) do nothing;
    if found then
      update account set held_micros = held_micros + amount where customer_id = p_customer_id;
      return amount;
    end if;
  end if;
  select * into known from hold where id = p_hold_id;
  if not found then
    raise exception 'too little credit' using errcode = 'FL001', detail = json_build_object(
      'required', p_least_micros::text, 'available', available::text, 'debt', acc.debt_micros::text)::text;
  elsif (known.customer_id, known.caller_id, known.wanted_micros, known.least_micros)
    is distinct from (p_customer_id, p_caller_id, p_want_micros, p_least_micros) then
    raise exception 'hold % exists with other content', p_hold_id using errcode = 'FL002';
  end if;
  return known.amount_micros;
end
$$;
