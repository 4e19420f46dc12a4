-- Places several holds. The caller holds the locks of these accounts, names each once, and has checked that the amounts are free.
create or replace function place_holds(p_ids uuid[], p_customer_ids uuid[], p_wanted_micros bigint[], p_least_micros bigint[], p_amounts_micros bigint[])
returns void language plpgsql as $$
begin
  with placed as (
    insert into hold (id, customer_id, wanted_micros, least_micros, amount_micros)
      select * from unnest(p_ids, p_customer_ids, p_wanted_micros, p_least_micros, p_amounts_micros)
  )
  update account a set held_micros = a.held_micros + h.amount_micros
    from unnest(p_customer_ids, p_amounts_micros) h (customer_id, amount_micros)
    where a.customer_id = h.customer_id;
end
$$;
