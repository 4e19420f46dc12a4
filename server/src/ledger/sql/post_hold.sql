-- Charges a call against its hold and releases the rest. A repetition returns the first charge.
create or replace function post_hold(p_transaction_id uuid, p_hold_id uuid, p_charge_micros bigint, p_description text)
returns bigint language plpgsql as $$
declare
  acc account;
  held hold;
begin
  select a.* into acc from hold h join account a using (customer_id) where h.id = p_hold_id for no key update of a;
  if not found then
    raise exception 'no hold %', p_hold_id using errcode = 'FL004';
  end if;
  update hold set state = 'posted', posted_micros = p_charge_micros, resolved_at = clock_timestamp()
    where id = p_hold_id and resolved_at is null and p_charge_micros between 0 and amount_micros
    returning * into held;
  if not found then
    select * into held from hold where id = p_hold_id;
    if held.state = 'posted' then
      return held.posted_micros;
    elsif held.state = 'voided' then
      raise exception 'hold % was voided', p_hold_id using errcode = 'FL005';
    end if;
    raise exception 'charge % on hold % of %', p_charge_micros, p_hold_id, held.amount_micros using errcode = 'FL006';
  end if;
  if p_charge_micros = 0 then
    perform release_held(acc, held.amount_micros);
  else
    perform record_transaction(acc, p_transaction_id, 'call:' || p_hold_id, 'call', -p_charge_micros, -p_charge_micros,
      held.amount_micros, 'revenue', p_hold_id, p_description);
  end if;
  return p_charge_micros;
end
$$;
