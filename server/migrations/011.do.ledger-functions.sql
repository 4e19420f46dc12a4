-- One function per money operation. Each locks the customer's account row first, so operations on one account take
-- turns, and each does all or nothing. Errors of our own:
--   FL001 too little credit (detail: JSON with required, available and debt in micro-dollars)
--   FL002 the same id or key was used before for something else
--   FL003 no such account
--   FL004 no such hold
--   FL005 the hold was resolved the other way
--   FL006 the charge is negative or above the hold
--   FL007 an amount or kind that makes no sense

create function open_account(p_customer_id uuid) returns void language sql as $$
  insert into account (customer_id) values (p_customer_id) on conflict (customer_id) do nothing
$$;

create function lock_account(p_customer_id uuid) returns account language plpgsql as $$
declare
  locked account;
begin
  select * into locked from account where customer_id = p_customer_id for no key update;
  if not found then
    raise exception 'no account of customer %', p_customer_id using errcode = 'FL003';
  end if;
  return locked;
end
$$;

-- Writes a transaction's two entries and moves the customer's account. p_signed_micros is the customer's side. What
-- cannot be taken from the free balance becomes debt; what comes in repays debt first. p_released_micros leaves the hold.
create function record_transaction(
  p_account account, p_transaction_id uuid, p_key text, p_kind text, p_signed_micros bigint, p_released_micros bigint,
  p_system_account text, p_reference_id uuid, p_description text
) returns bigint language plpgsql as $$
declare
  new_held bigint := p_account.held_micros - p_released_micros;
  net bigint := p_account.balance_micros - p_account.debt_micros + p_signed_micros;
  new_balance bigint := greatest(net, new_held);
  new_debt bigint := new_balance - net;
  shortfall bigint := greatest(new_debt - p_account.debt_micros, 0);
  booked_at timestamptz := clock_timestamp();
begin
  insert into ledger_transaction (id, kind, idempotency_key, customer_id, reference_id, description, shortfall_micros, created_at)
    values (p_transaction_id, p_kind, p_key, p_account.customer_id, p_reference_id, p_description, shortfall, booked_at);
  insert into ledger_entry (transaction_id, customer_id, system_account, amount_micros, sequence, balance_after_micros) values
    (p_transaction_id, p_account.customer_id, null, p_signed_micros, p_account.entry_count + 1, net),
    (p_transaction_id, null, p_system_account, -p_signed_micros, null, null);
  update account
    set balance_micros = new_balance, held_micros = new_held, debt_micros = new_debt, entry_count = p_account.entry_count + 1
    where customer_id = p_account.customer_id;
  return shortfall;
end
$$;

-- Gives held credit back; it repays debt first. The sum of the entries does not change.
create function release_held(p_account account, p_released_micros bigint) returns void language plpgsql as $$
declare
  new_held bigint := p_account.held_micros - p_released_micros;
  net bigint := p_account.balance_micros - p_account.debt_micros;
  new_balance bigint := greatest(net, new_held);
begin
  update account set balance_micros = new_balance, held_micros = new_held, debt_micros = new_balance - net
    where customer_id = p_account.customer_id;
end
$$;

-- Sets aside min(available, want) for a call, at least p_least_micros. Returns the amount held.
create function hold_credit(p_hold_id uuid, p_customer_id uuid, p_want_micros bigint, p_least_micros bigint)
returns bigint language plpgsql as $$
declare
  acc account;
  known hold;
  available bigint;
  amount bigint;
begin
  if p_least_micros <= 0 or p_want_micros < p_least_micros then
    raise exception 'a hold of % to % makes no sense', p_least_micros, p_want_micros using errcode = 'FL007';
  end if;
  acc := lock_account(p_customer_id);
  select * into known from hold where id = p_hold_id;
  if found then
    if (known.customer_id, known.wanted_micros, known.least_micros) is distinct from (p_customer_id, p_want_micros, p_least_micros) then
      raise exception 'hold % exists with other content', p_hold_id using errcode = 'FL002';
    end if;
    return known.amount_micros;
  end if;
  available := acc.balance_micros - acc.held_micros;
  if available < p_least_micros then
    raise exception 'too little credit' using errcode = 'FL001',
      detail = json_build_object('required', p_least_micros::text, 'available', available::text, 'debt', acc.debt_micros::text)::text;
  end if;
  amount := least(available, p_want_micros);
  insert into hold (id, customer_id, wanted_micros, least_micros, amount_micros)
    values (p_hold_id, p_customer_id, p_want_micros, p_least_micros, amount);
  update account set held_micros = acc.held_micros + amount where customer_id = p_customer_id;
  return amount;
end
$$;

-- Charges a call against its hold and releases the rest. A repetition returns what was charged the first time.
create function post_hold(p_transaction_id uuid, p_hold_id uuid, p_charge_micros bigint, p_description text)
returns bigint language plpgsql as $$
declare
  acc account;
  held hold;
begin
  select * into held from hold where id = p_hold_id;
  if not found then
    raise exception 'no hold %', p_hold_id using errcode = 'FL004';
  end if;
  acc := lock_account(held.customer_id);
  -- Again, now that nobody else can resolve it.
  select * into held from hold where id = p_hold_id;
  if held.state = 'posted' then
    return held.posted_micros;
  elsif held.state = 'voided' then
    raise exception 'hold % was voided', p_hold_id using errcode = 'FL005';
  elsif p_charge_micros < 0 or p_charge_micros > held.amount_micros then
    raise exception 'charge % on hold % of %', p_charge_micros, p_hold_id, held.amount_micros using errcode = 'FL006';
  end if;
  update hold set state = 'posted', posted_micros = p_charge_micros, resolved_at = clock_timestamp() where id = p_hold_id;
  if p_charge_micros = 0 then
    perform release_held(acc, held.amount_micros);
  else
    perform record_transaction(acc, p_transaction_id, 'call:' || p_hold_id, 'call', -p_charge_micros, held.amount_micros,
      'revenue', p_hold_id, p_description);
  end if;
  return p_charge_micros;
end
$$;

-- Releases a hold without a charge. Returns false when it was released before.
create function void_hold(p_hold_id uuid) returns boolean language plpgsql as $$
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

-- True when the key stands for exactly this already; false when it is new. Needs the account's lock.
create function ledger_key_used(p_key text, p_customer_id uuid, p_kind text, p_signed_micros bigint, p_reference_id uuid)
returns boolean language plpgsql as $$
declare
  known record;
begin
  select t.customer_id, t.kind, t.reference_id, e.amount_micros into known
    from ledger_transaction t
    join ledger_entry e on e.transaction_id = t.id and e.customer_id is not null
    where t.idempotency_key = p_key;
  if not found then
    return false;
  elsif (known.customer_id, known.kind, known.amount_micros) is distinct from (p_customer_id, p_kind, p_signed_micros)
    or known.reference_id is distinct from p_reference_id then
    raise exception 'key % exists with other content', p_key using errcode = 'FL002';
  end if;
  return true;
end
$$;

-- Adds credit once per key. Returns false when the key was applied before.
create function post_credit(
  p_transaction_id uuid, p_key text, p_customer_id uuid, p_kind text, p_amount_micros bigint, p_reference_id uuid, p_description text
) returns boolean language plpgsql as $$
declare
  acc account;
  system_account text := case p_kind when 'top_up' then 'payment_clearing' when 'bonus' then 'promotion'
    when 'test_credit' then 'test_credit' when 'adjustment' then 'adjustment' end;
begin
  if p_amount_micros <= 0 or system_account is null then
    raise exception 'a credit of % as % makes no sense', p_amount_micros, p_kind using errcode = 'FL007';
  end if;
  acc := lock_account(p_customer_id);
  if ledger_key_used(p_key, p_customer_id, p_kind, p_amount_micros, p_reference_id) then
    return false;
  end if;
  perform record_transaction(acc, p_transaction_id, p_key, p_kind, p_amount_micros, 0, system_account, p_reference_id, p_description);
  return true;
end
$$;

-- Takes credit back once per key. Held credit stays for its call; what the free balance cannot cover becomes debt.
create function post_reversal(
  p_transaction_id uuid, p_key text, p_customer_id uuid, p_kind text, p_amount_micros bigint, p_reference_id uuid, p_description text
) returns table (applied boolean, shortfall_micros bigint) language plpgsql as $$
declare
  acc account;
  system_account text := case p_kind when 'refund' then 'payment_clearing' when 'dispute' then 'payment_clearing'
    when 'bonus' then 'promotion' end;
begin
  if p_amount_micros <= 0 or system_account is null then
    raise exception 'a reversal of % as % makes no sense', p_amount_micros, p_kind using errcode = 'FL007';
  end if;
  acc := lock_account(p_customer_id);
  if ledger_key_used(p_key, p_customer_id, p_kind, -p_amount_micros, p_reference_id) then
    return query select false, t.shortfall_micros from ledger_transaction t where t.idempotency_key = p_key;
  else
    return query select true, record_transaction(acc, p_transaction_id, p_key, p_kind, -p_amount_micros, 0, system_account,
      p_reference_id, p_description);
  end if;
end
$$;
