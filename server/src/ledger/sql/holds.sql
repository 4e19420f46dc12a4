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

-- Charges a call against its hold and releases the rest. A repetition returns the first charge.
create or replace function post_hold(p_transaction_id uuid, p_hold_id uuid, p_charge_micros bigint, p_description text)
returns bigint language plpgsql as $$
declare
  acc account;
  held hold;
begin
  select a.* into acc from hold h join account a using (customer_id) where h.id = p_hold_id for no key update of a;
  if not found then
    raise exception 'no hold %', p_hold_id using errcode = 'FL004';
  end if;
  update hold set state = 'posted', posted_micros = p_charge_micros, resolved_at = clock_timestamp()
    where id = p_hold_id and resolved_at is null and p_charge_micros between 0 and amount_micros
    returning * into held;
  if not found then
    select * into held from hold where id = p_hold_id;
    if held.state = 'posted' then
      return held.posted_micros;
    elsif held.state = 'voided' then
      raise exception 'hold % was voided', p_hold_id using errcode = 'FL005';
    end if;
    raise exception 'charge % on hold % of %', p_charge_micros, p_hold_id, held.amount_micros using errcode = 'FL006';
  end if;
  if p_charge_micros = 0 then
    perform release_held(acc, held.amount_micros);
  else
    perform record_transaction(acc, p_transaction_id, 'call:' || p_hold_id, 'call', -p_charge_micros, -p_charge_micros,
      held.amount_micros, 'revenue', p_hold_id, p_description);
  end if;
  return p_charge_micros;
end
$$;

-- Releases a hold without a charge. Returns false if it was already released.
create or replace function void_hold(p_hold_id uuid) returns boolean language plpgsql as $$
declare
  acc account;
  held hold;
begin
  select * into held from hold where id = p_hold_id;
  if not found then
    raise exception 'no hold %', p_hold_id using errcode = 'FL004';
  end if;
  acc := lock_account(held.customer_id);
  select * into held from hold where id = p_hold_id;
  if held.state = 'voided' then
    return false;
  elsif held.state = 'posted' then
    raise exception 'hold % was posted', p_hold_id using errcode = 'FL005';
  end if;
  update hold set state = 'voided', resolved_at = clock_timestamp() where id = p_hold_id;
  perform release_held(acc, held.amount_micros);
  return true;
end
$$;

-- Releases held credit, which repays debt first. The sum of the entries does not change.
create or replace function release_held(p_account account, p_released_micros bigint) returns void language plpgsql as $$
declare
  new_held bigint := p_account.held_micros - p_released_micros;
  net bigint := p_account.balance_micros - p_account.debt_micros;
  new_balance bigint := greatest(net, new_held);
begin
  update account set balance_micros = new_balance, held_micros = new_held, debt_micros = new_balance - net
    where customer_id = p_account.customer_id;
end
$$;
