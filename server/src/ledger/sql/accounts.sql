-- Opens a customer's account; does nothing if it exists.
create or replace function open_account(p_customer_id uuid) returns void language sql as $$
  insert into account (customer_id) values (p_customer_id) on conflict (customer_id) do nothing
$$;

-- Locks and returns an account. Every money operation starts here, so operations on one account are serialised.
-- Errors of the ledger's functions:
--   FL001 insufficient credit (detail: JSON with required, available and debt in micro-dollars)
--   FL002 the id or key was already used with other content
--   FL003 no such account
--   FL004 no such hold
--   FL005 the hold was resolved the other way
--   FL006 the charge is negative or exceeds the hold
--   FL007 invalid amount or kind
--   FL008 more than the withdrawable credit (detail as FL001)
--   FL009 no such transaction
create or replace function lock_account(p_customer_id uuid) returns account language plpgsql as $$
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

-- Writes transactions with two entries each and updates the customers' accounts, whose locks the caller holds. The part that free credit
-- cannot cover becomes debt; incoming or released credit repays debt first. Returns each transaction's shortfall.
create or replace function record_transactions(p_postings posting[]) returns table (transaction_id uuid, shortfall_micros bigint)
language plpgsql set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
declare
  turn posting[];
begin
  -- An account's second posting starts from what its first one left.
  for turn in
    select array_agg(numbered.p) from (
      select p, row_number() over (partition by p.customer_id) as number from unnest(p_postings) p
    ) numbered group by numbered.number order by numbered.number
  loop
    return query
      with moved as (
        select p.*, a.debt_micros as debt_before, a.bonus_micros as bonus_before, net.held, net.micros as net, after.*,
          a.entry_count + (p.signed_micros <> 0)::integer as entries, greatest(clock_timestamp(), a.newest_entry_at) as booked_at
        from unnest(turn) p
        join account a using (customer_id)
        cross join lateral (
          select a.held_micros - p.released_micros as held, a.balance_micros - a.debt_micros + p.signed_micros as micros
        ) net
        cross join lateral (
          select greatest(net.micros, net.held) as balance, greatest(net.held - net.micros, 0) as debt,
            greatest(least(a.bonus_micros + p.bonus_micros, net.micros), 0) as bonus
        ) after
      ), written as (
        insert into ledger_transaction (id, kind, idempotency_key, customer_id, reference_id, restores_id, description, shortfall_micros,
            created_at, caller_id)
          select m.transaction_id, m.kind, m.key, m.customer_id, m.reference_id, m.restores_id, m.description,
            case m.kind when 'bonus' then m.untaken_micros else greatest(m.debt - m.debt_before, 0) end, m.booked_at, m.caller_id
          from moved m where m.kind is not null
          returning id, shortfall_micros
      ), entered as (
        insert into ledger_entry (transaction_id, customer_id, system_account, amount_micros, kind, sequence, balance_after_micros,
            bonus_micros)
          select m.transaction_id, side.* from moved m
          cross join lateral (values
            (m.customer_id, null::ledger_system_account, m.signed_micros, m.kind, m.entries, m.net, m.bonus - m.bonus_before),
            (null, m.system_account, -m.signed_micros, null, null, null, 0)
          ) side
          where m.signed_micros <> 0
      ), updated as (
        update account a
          set balance_micros = m.balance, held_micros = m.held, debt_micros = m.debt, bonus_micros = m.bonus, entry_count = m.entries,
            newest_entry_at = case when m.signed_micros = 0 then a.newest_entry_at else m.booked_at end
          from moved m where a.customer_id = m.customer_id
      )
      select id, shortfall_micros from written;
  end loop;
end
$$;

-- Writes one transaction of one account that is locked. Returns its shortfall.
create or replace function record_transaction(
  p_account account, p_transaction_id uuid, p_key text, p_kind text, p_signed_micros bigint, p_bonus_micros bigint,
  p_system_account text, p_reference_id uuid, p_description text, p_untaken_micros bigint default 0, p_restores_id uuid default null,
  p_caller_id uuid default null
) returns bigint language sql as $$
  select shortfall_micros from record_transactions(array[row(
    p_account.customer_id, 0, p_kind, p_transaction_id, p_key, p_signed_micros, p_bonus_micros, p_system_account, p_reference_id, p_caller_id,
    p_restores_id, p_description, p_untaken_micros
  )::posting])
$$;

-- Restores, once and in full, what a call, refund, withdrawal, dispute or returned bonus took from an account, including its bonus
-- part as bonus. Returns false if this key already restored it, or if nothing was taken.
create or replace function restore_transaction(p_transaction_id uuid, p_key text, p_restored_key text, p_description text)
returns boolean language plpgsql as $$
declare
  taken record;
  acc account;
  earlier_key text;
begin
  select t.id, t.kind, t.customer_id, t.reference_id, t.caller_id, e.amount_micros, e.bonus_micros, s.system_account::text as system_account,
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
  perform record_transaction(acc, p_transaction_id, p_key, taken.restoring_kind, -taken.amount_micros, -taken.bonus_micros,
    taken.system_account, taken.reference_id, p_description, p_restores_id => taken.id,
    p_caller_id => case taken.kind when 'call' then taken.caller_id end);
  return true;
end
$$;

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
