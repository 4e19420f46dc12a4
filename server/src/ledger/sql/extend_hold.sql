-- Raises the hold of a running call to a total of p_want_micros, as far as the available credit allows; never lowers it. Returns the
-- amount held.
create or replace function extend_hold(p_hold_id uuid, p_want_micros bigint) returns bigint language plpgsql as $$
declare
  acc account;
  held hold;
  amount bigint;
begin
  select * into held from hold where id = p_hold_id;
  if not found then
    raise exception 'no hold %', p_hold_id using errcode = 'FL004';
  end if;
  acc := lock_account(held.customer_id);
  select * into held from hold where id = p_hold_id;
  if held.state <> 'pending' then
    raise exception 'hold % was %', p_hold_id, held.state using errcode = 'FL005';
  end if;
  amount := least(p_want_micros, held.amount_micros + acc.balance_micros - acc.held_micros);
  if amount <= held.amount_micros then
    return held.amount_micros;
  end if;
  update hold set amount_micros = amount where id = p_hold_id;
  update account set held_micros = acc.held_micros + amount - held.amount_micros where customer_id = acc.customer_id;
  return amount;
end
$$;
