-- The part of a gift that its payer can get back: not spent, not returned yet, and not held by a call. Bonus is spent oldest first, so
-- what was received after the gift stays out of it, less what was taken back of that. A source is one gift, or the bonus of one
-- payment; a reward that was taken back counts as still there, because its return does not name it.
create or replace function gift_left(p_received_key text) returns bigint language sql stable as $$
  with received as (
    select e.customer_id, e.sequence, t.reference_id
    from ledger_transaction t join ledger_entry e on e.transaction_id = t.id and e.customer_id is not null
    where t.idempotency_key = p_received_key
  ), source as (
    select coalesce(t.reference_id, t.id) as id, min(e.sequence) as since, greatest(0, sum(e.bonus_micros)) as micros
    from received join ledger_entry e on e.customer_id = received.customer_id and e.kind in ('bonus', 'gift')
      join ledger_transaction t on t.id = e.transaction_id
    group by 1
  )
  select greatest(0, least(
      gift.micros,
      a.bonus_micros - coalesce((select sum(later.micros) from source later where later.since > received.sequence), 0),
      a.balance_micros - a.held_micros
    ))::bigint
  from received join account a on a.customer_id = received.customer_id join source gift on gift.id = received.reference_id
$$;

-- What a refund or a bank took back of a gift from its receiver: the one rule for what is left of it.
create or replace function gift_returned(p_gift_id uuid, p_beneficiary_id uuid) returns bigint language sql stable as $$
  select coalesce(-sum(e.amount_micros), 0)::bigint from ledger_entry e join ledger_transaction t on t.id = e.transaction_id
  where e.customer_id = p_beneficiary_id and e.kind = 'gift' and e.amount_micros < 0 and t.reference_id = p_gift_id
$$;

-- Moves what is left of a gift back to its payer as paid credit, at most p_amount_micros, once per key. Returns what moved.
create or replace function return_gift(
  p_transaction_id uuid, p_returned_id uuid, p_key text, p_returned_key text, p_received_key text, p_customer_id uuid, p_payer_id uuid,
  p_amount_micros bigint, p_reference_id uuid, p_description text
) returns bigint language plpgsql as $$
declare
  beneficiary account;
  payer account;
  taken bigint;
begin
  perform lock_account(least(p_customer_id, p_payer_id));
  perform lock_account(greatest(p_customer_id, p_payer_id));
  beneficiary := lock_account(p_customer_id);
  select -e.amount_micros into taken from ledger_transaction t
    join ledger_entry e on e.transaction_id = t.id and e.customer_id is not null where t.idempotency_key = p_key;
  if found then
    return taken;
  end if;
  taken := least(p_amount_micros, coalesce(gift_left(p_received_key), 0));
  if taken <= 0 then
    return 0;
  end if;
  perform record_transaction(beneficiary, p_transaction_id, p_key, 'gift', -taken, -taken, 'gift', p_reference_id, p_description);
  payer := lock_account(p_payer_id);
  perform record_transaction(payer, p_returned_id, p_returned_key, 'gift', taken, 0, 'gift', p_reference_id, p_description);
  return taken;
end
$$;

-- Takes back, once per key, the bonus of a refunded or disputed payment: from the remaining bonus, then from free paid credit. The
-- shortfall is not owed.
create or replace function return_bonus(
  p_transaction_id uuid, p_key text, p_customer_id uuid, p_amount_micros bigint, p_reference_id uuid, p_description text
) returns table (applied boolean, shortfall_micros bigint) language plpgsql as $$
declare
  acc account;
  of_bonus bigint;
  taken bigint;
begin
  if p_amount_micros <= 0 then
    raise exception 'invalid return of %', p_amount_micros using errcode = 'FL007';
  end if;
  acc := lock_account(p_customer_id);
  if ledger_key_used(p_key, p_customer_id, 'bonus', -p_amount_micros, p_reference_id) then
    return query select false, t.shortfall_micros from ledger_transaction t where t.idempotency_key = p_key;
    return;
  end if;
  of_bonus := least(p_amount_micros, acc.bonus_micros);
  taken := of_bonus + least(p_amount_micros - of_bonus, acc.balance_micros - greatest(acc.held_micros, acc.bonus_micros));
  return query select true, record_transaction(acc, p_transaction_id, p_key, 'bonus', -taken, -of_bonus, 'promotion',
    p_reference_id, p_description, p_untaken_micros => p_amount_micros - taken);
end
$$;

-- Takes credit back once per key. Held credit stays with its call; the part that free credit cannot cover becomes debt. For a bonus,
-- takes only its rest; the spent part is the shortfall and is not owed.
create or replace function post_reversal(
  p_transaction_id uuid, p_key text, p_customer_id uuid, p_kind text, p_amount_micros bigint, p_reference_id uuid, p_description text
) returns table (applied boolean, shortfall_micros bigint) language plpgsql as $$
declare
  acc account;
  taken bigint;
begin
  if p_amount_micros <= 0 or p_kind not in ('refund', 'dispute', 'bonus', 'adjustment') then
    raise exception 'invalid reversal of % as %', p_amount_micros, p_kind using errcode = 'FL007';
  end if;
  acc := lock_account(p_customer_id);
  if ledger_key_used(p_key, p_customer_id, p_kind, -p_amount_micros, p_reference_id) then
    return query select false, t.shortfall_micros from ledger_transaction t where t.idempotency_key = p_key;
    return;
  end if;
  if p_kind <> 'bonus' then
    return query select true, record_transaction(acc, p_transaction_id, p_key, p_kind, -p_amount_micros, 0,
      case p_kind when 'adjustment' then 'adjustment' else 'payment_clearing' end, p_reference_id, p_description);
    return;
  end if;
  taken := least(p_amount_micros, acc.bonus_micros);
  return query select true, record_transaction(acc, p_transaction_id, p_key, 'bonus', -taken, -taken, 'promotion',
    p_reference_id, p_description, p_untaken_micros => p_amount_micros - taken);
end
$$;
