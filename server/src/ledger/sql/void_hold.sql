-- Releases a hold without a charge. Returns false if it was already released.
create or replace function void_hold(p_hold_id uuid) returns boolean language plpgsql as $$
declare
  acc account;
  held hold;
begin
  select * into held from hold where id = p_hold_id;
  if not found then
    raise exception 'no hold %', p_hold_id using errcode = 'FL004';
  end if;
  acc := lock_account(held.customer_id);
  select * into held from hold where id = p_hold_id;
  if held.state = 'voided' then
    return false;
  elsif held.state = 'posted' then
    raise exception 'hold % was posted', p_hold_id using errcode = 'FL005';
  end if;
  update hold set state = 'voided', resolved_at = clock_timestamp() where id = p_hold_id;
  perform release_held(acc, held.amount_micros);
  return true;
end
$$;
