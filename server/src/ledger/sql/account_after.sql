-- The account after p_signed_micros is added, p_bonus_micros of it bonus (never below zero), and p_released_micros leaves its
-- holds. What the free balance cannot cover becomes debt; incoming credit repays debt first.
create or replace function account_after(p_account account, p_signed_micros bigint, p_bonus_micros bigint, p_released_micros bigint)
returns account language plpgsql stable as $$
declare
  net bigint := p_account.balance_micros - p_account.debt_micros + p_signed_micros;
begin
  p_account.held_micros := p_account.held_micros - p_released_micros;
  p_account.balance_micros := greatest(net, p_account.held_micros);
  p_account.debt_micros := p_account.balance_micros - net;
  p_account.bonus_micros := greatest(least(p_account.bonus_micros + p_bonus_micros, net), 0);
  if p_signed_micros <> 0 then
    p_account.entry_count := p_account.entry_count + 1;
    p_account.newest_entry_at := greatest(clock_timestamp(), p_account.newest_entry_at);
  end if;
  return p_account;
end
$$;
