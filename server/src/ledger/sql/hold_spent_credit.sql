-- Holds credit for a call of the past, which was spent whether or not the account has it: the missing part is debt until the call is
-- charged. Raises the hold of a known call that is still open; never lowers it. p_caller_id as in hold_credit. Returns the amount held.
create or replace function hold_spent_credit(p_hold_id uuid, p_customer_id uuid, p_caller_id uuid, p_micros bigint)
returns bigint language plpgsql as $$
declare
  acc account;
  known hold;
begin
  if p_micros <= 0 then
    raise exception 'invalid hold of %', p_micros using errcode = 'FL007';
  end if;
  acc := lock_account(p_customer_id);
  insert into hold (id, customer_id, caller_id, wanted_micros, least_micros, amount_micros)
    values (p_hold_id, p_customer_id, p_caller_id, p_micros, p_micros, p_micros)
    on conflict (id) do nothing;
  if found then
    perform release_held(acc, -p_micros);
    return p_micros;
  end if;
  select * into known from hold where id = p_hold_id;
  if (known.customer_id, known.caller_id) is distinct from (p_customer_id, p_caller_id) then
    raise exception 'hold % exists with other content', p_hold_id using errcode = 'FL002';
  elsif known.state <> 'pending' or known.amount_micros >= p_micros then
    return known.amount_micros;
  end if;
  update hold set amount_micros = p_micros where id = p_hold_id;
  perform release_held(acc, known.amount_micros - p_micros);
  return p_micros;
end
$$;
