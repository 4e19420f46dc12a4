-- Holds the available credit for calls of different accounts, at most p_want_micros and at least p_least_micros each. p_caller_ids: who
-- calls on the account's credit; null if it is the account's customer. Returns the amounts held; a repetition returns the first's.
create or replace function hold_credit(
  p_hold_ids uuid[], p_customer_ids uuid[], p_caller_ids uuid[], p_want_micros bigint[], p_least_micros bigint[]
) returns table (hold_id uuid, held_micros bigint) language plpgsql set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
declare
  made integer;
  other record;
begin
  if (select count(*) > count(distinct customer_id) or bool_or(lowest <= 0 or wanted < lowest)
      from unnest(p_customer_ids, p_want_micros, p_least_micros) h (customer_id, wanted, lowest)) then
    raise exception 'invalid holds of % to %', p_least_micros, p_want_micros using errcode = 'FL007';
  end if;
  perform from account a where a.customer_id = any (p_customer_ids) order by a.customer_id for no key update;
  with held as (
    insert into hold (id, customer_id, caller_id, wanted_micros, least_micros, amount_micros)
      select h.id, customer_id, h.caller_id, h.wanted, h.lowest, least(h.wanted, a.balance_micros - a.held_micros)
      from unnest(p_hold_ids, p_customer_ids, p_caller_ids, p_want_micros, p_least_micros) h (id, customer_id, caller_id, wanted, lowest)
      join account a using (customer_id) where a.balance_micros - a.held_micros >= h.lowest
      on conflict (id) do nothing
      returning customer_id, amount_micros
  )
  update account a set held_micros = a.held_micros + held.amount_micros from held where a.customer_id = held.customer_id;
  get diagnostics made = row_count;
  if made < cardinality(p_hold_ids) then
    for other in
      select h.id, h.lowest, a.customer_id as account, a.balance_micros - a.held_micros as available, a.debt_micros as debt, known.id as known
      from unnest(p_hold_ids, p_customer_ids, p_caller_ids, p_want_micros, p_least_micros) h (id, customer_id, caller_id, wanted, lowest)
      left join account a using (customer_id) left join hold known on known.id = h.id
      where (known.customer_id, known.caller_id, known.wanted_micros, known.least_micros)
        is distinct from (h.customer_id, h.caller_id, h.wanted, h.lowest)
    loop
      if other.account is null then
        raise exception 'no account for hold %', other.id using errcode = 'FL003';
      elsif other.known is not null then
        raise exception 'hold % exists with other content', other.id using errcode = 'FL002';
      end if;
      raise exception 'too little credit' using errcode = 'FL001', detail = json_build_object(
        'required', other.lowest::text, 'available', other.available::text, 'debt', other.debt::text)::text;
    end loop;
  end if;
  return query select h.id, h.amount_micros from hold h where h.id = any (p_hold_ids);
end
$$;

-- Holds credit for a call of the past, which was spent whether or not the account has it: the missing part is debt until the call is
-- charged. Raises the hold of a known call that is still open; never lowers it. p_caller_id as in hold_credit. Returns the amount held.
create or replace function hold_spent_credit(p_hold_id uuid, p_customer_id uuid, p_caller_id uuid, p_micros bigint)
returns bigint language plpgsql as $$
declare
  known hold;
begin
  if p_micros <= 0 then
    raise exception 'invalid hold of %', p_micros using errcode = 'FL007';
  end if;
  perform lock_account(p_customer_id);
  insert into hold (id, customer_id, caller_id, wanted_micros, least_micros, amount_micros)
    values (p_hold_id, p_customer_id, p_caller_id, p_micros, p_micros, p_micros)
    on conflict (id) do nothing;
  if found then
    perform release_held(p_customer_id, -p_micros);
    return p_micros;
  end if;
  select * into known from hold where id = p_hold_id;
  if (known.customer_id, known.caller_id) is distinct from (p_customer_id, p_caller_id) then
    raise exception 'hold % exists with other content', p_hold_id using errcode = 'FL002';
  elsif known.state <> 'pending' or known.amount_micros >= p_micros then
    return known.amount_micros;
  end if;
  update hold set amount_micros = p_micros where id = p_hold_id;
  perform release_held(p_customer_id, known.amount_micros - p_micros);
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

-- Charges calls against their holds and releases the rest; a charge of null releases all of it. Returns the charges, 0 for a hold that was
-- released; a repetition returns the first's.
create or replace function resolve_holds(p_transaction_ids uuid[], p_hold_ids uuid[], p_charges bigint[], p_descriptions text[])
returns table (hold_id uuid, charged_micros bigint) language plpgsql set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
declare
  postings posting[];
  other record;
begin
  perform from account a where a.customer_id in (select h.customer_id from hold h where h.id = any (p_hold_ids))
    order by a.customer_id for no key update;
  with resolved as (
    update hold h
      set state = case when c.micros is null then 'voided' else 'posted' end, posted_micros = c.micros, resolved_at = clock_timestamp()
      from unnest(p_transaction_ids, p_hold_ids, p_charges, p_descriptions) c (transaction_id, id, micros, description)
      where h.id = c.id and h.state = 'pending' and (c.micros is null or c.micros between 0 and h.amount_micros)
      returning h.id, h.customer_id, h.caller_id, h.amount_micros, coalesce(c.micros, 0) as micros, c.transaction_id, c.description
  )
  select array_agg(row(customer_id, amount_micros, case when micros > 0 then 'call' end, transaction_id, 'call:' || id, -micros, -micros,
    'revenue', id, caller_id, null, description, 0)::posting) into postings from resolved;
  perform record_transactions(postings);
  if cardinality(postings) is distinct from cardinality(p_hold_ids) then
    for other in
      select c.id, c.micros, h.state, h.amount_micros from unnest(p_hold_ids, p_charges) c (id, micros) left join hold h on h.id = c.id
      where h.state is distinct from case when c.micros is null then 'voided' else 'posted' end
    loop
      if other.state is null then
        raise exception 'no hold %', other.id using errcode = 'FL004';
      elsif other.state <> 'pending' then
        raise exception 'hold % was %', other.id, other.state using errcode = 'FL005';
      end if;
      raise exception 'charge % on hold % of %', other.micros, other.id, other.amount_micros using errcode = 'FL006';
    end loop;
  end if;
  return query select h.id, coalesce(h.posted_micros, 0) from hold h where h.id = any (p_hold_ids);
end
$$;

-- Releases held credit, which repays debt first; a negative amount is held. The sum of the entries does not change.
create or replace function release_held(p_customer_id uuid, p_released_micros bigint) returns void language sql as $$
  select record_transactions(array[row(p_customer_id, p_released_micros, null, null, null, 0, 0, null, null, null, null, null, 0)::posting])
$$;
