-- What operators have set for a customer for a while, by name; an empty object if nothing.
create or replace function customer_terms_in_force(p_customer_id uuid, p_now timestamptz)
returns jsonb language sql stable as $$
  select coalesce(jsonb_object_agg(name, value), '{}') from customer_term where customer_id = p_customer_id and until > p_now
$$;
