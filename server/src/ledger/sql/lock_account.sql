-- Locks and returns an account. Every money operation starts here, so operations on one account are serialised.
-- Errors of the ledger's functions:
--   FL001 insufficient credit (detail: JSON with required, available and debt in micro-dollars)
--   FL002 the id or key was already used with other content
--   FL003 no such account
--   FL004 no such hold
--   FL005 the hold was resolved the other way
--   FL006 the charge is negative or exceeds the hold
--   FL007 invalid amount or kind
--   FL008 more than the withdrawable credit (detail as FL001)
--   FL009 no such transaction
create or replace function lock_account(p_customer_id uuid) returns account language plpgsql as $$
declare
  locked account;
begin
  select * into locked from account where customer_id = p_customer_id for no key update;
  if not found then
    raise exception 'no account of customer %', p_customer_id using errcode = 'FL003';
  end if;
  return locked;
end
$$;
