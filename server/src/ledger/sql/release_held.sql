-- Releases held credit, which repays debt first. The sum of the entries does not change.
create or replace function release_held(p_account account, p_released_micros bigint) returns void language plpgsql as $$
declare
  new_held bigint := p_account.held_micros - p_released_micros;
  net bigint := p_account.balance_micros - p_account.debt_micros;
  new_balance bigint := greatest(net, new_held);
begin
  update account set balance_micros = new_balance, held_micros = new_held, debt_micros = new_balance - net
    where customer_id = p_account.customer_id;
end
$$;
