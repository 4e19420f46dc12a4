-- Opens a customer's account; does nothing if it exists.
create or replace function open_account(p_customer_id uuid) returns void language sql as $$
  insert into account (customer_id) values (p_customer_id) on conflict (customer_id) do nothing
$$;
