-- Only money that stayed counts: towards a tier, towards a free first call's bounds, and against the bonus it earned.

alter table payment
  -- What of a payment is not on its way back to a card, nor disputed.
  add column stayed_micros bigint not null
    generated always as (greatest(charge_micros - refunded_micros - disputed_micros, 0)) stored;

drop function tier_facts(uuid, timestamptz);

-- What a tier follows from, besides the customer's own row. p_settled_before: payments before it are settled for good;
-- p_least_micros: a payment counts while at least so much of it stays.
create function tier_facts(
  p_customer_id uuid, p_settled_before timestamptz, p_least_micros bigint,
  out paid bigint, out authenticated bigint, out settled_micros bigint, out disputed boolean
) language sql stable as $$
  select count(*), count(*) filter (where p.authenticated),
    coalesce(sum(p.stayed_micros) filter (where p.settled_at < p_settled_before), 0)::bigint,
    exists (select from dispute d join payment q on q.id = d.payment_id where q.customer_id = p_customer_id)
  from payment p where p.customer_id = p_customer_id and p.status = 'paid' and p.stayed_micros >= p_least_micros
$$;

-- Takes back bonus that money which leaves had earned, once per key: what is there of it, and for what was spent free paid
-- credit, as far as there is any. The rest is the shortfall, and nobody owes it.
create function return_bonus(
  p_transaction_id uuid, p_key text, p_customer_id uuid, p_amount_micros bigint, p_reference_id uuid, p_description text
) returns table (applied boolean, shortfall_micros bigint) language plpgsql as $$
declare
  acc account;
  of_bonus bigint;
  taken bigint;
begin
  if p_amount_micros <= 0 then
    raise exception 'a return of % makes no sense', p_amount_micros using errcode = 'FL007';
  end if;
  acc := lock_account(p_customer_id);
  if ledger_key_used(p_key, p_customer_id, 'bonus', -p_amount_micros, p_reference_id) then
    return query select false, t.shortfall_micros from ledger_transaction t where t.idempotency_key = p_key;
    return;
  end if;
  of_bonus := least(p_amount_micros, acc.bonus_micros);
  taken := of_bonus + least(p_amount_micros - of_bonus, acc.balance_micros - greatest(acc.held_micros, acc.bonus_micros));
  return query select true, record_transaction(acc, p_transaction_id, p_key, 'bonus', -taken, -of_bonus, 0, 'promotion',
    p_reference_id, p_description, p_untaken_micros => p_amount_micros - taken);
end
$$;

-- What an invitation brought is taken back in the transaction in which its payment goes back.
update referral set state = 'taken_back', next_look_at = null where state = 'taking_back';
alter table referral drop constraint referral_state_check, add constraint referral_state_check
  check (state in ('invited', 'rewarded', 'refused', 'taken_back'));

-- Whether somebody has paid stands in their payments.
alter table first_call drop column paid_at;
