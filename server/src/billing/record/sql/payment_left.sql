-- What of each payment can still go back to its card: not refunded or on its way, not taken by a bank, and nothing while a bank still
-- decides about a part. Of that, `given_micros` is somebody else's credit until the gift is returned.
create or replace function payment_left(p_payment_ids uuid[])
returns table (payment_id uuid, returnable_micros bigint, given_micros bigint) language sql stable as $$
  select p.id,
    case when exists (select from dispute d where d.payment_id = p.id and d.booked_micros > 0 and d.status <> 'lost')
      then 0 else p.stayed_micros end,
    coalesce((
      select gift.amount_micros - gift_returned(gift.id, gift.beneficiary_id)
      from credit_gift gift where gift.payment_id = p.id and gift.state = 'given'), 0)
  from payment p where p.id = any (p_payment_ids)
$$;
