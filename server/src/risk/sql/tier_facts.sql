-- The facts for a customer's tier that come from payments. Payments before p_settled_before are final; a payment counts while at
-- least p_least_micros of it is not returned.
create or replace function tier_facts(
  p_customer_id uuid, p_settled_before timestamptz, p_least_micros bigint,
  out paid bigint, out authenticated bigint, out settled_micros bigint, out disputed boolean
) language sql stable as $$
  select count(*), count(*) filter (where p.authenticated),
    coalesce(sum(p.stayed_micros) filter (where p.settled_at < p_settled_before), 0)::bigint,
    exists (select from dispute d join payment q on q.id = d.payment_id where q.customer_id = p_customer_id)
  from payment p where p.customer_id = p_customer_id and p.status = 'paid' and p.stayed_micros >= p_least_micros
$$;
