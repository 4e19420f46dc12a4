-- Free paid credit of an account in micro-dollars: what may be withdrawn or given away. Never bonus, and never what is held for calls.
create or replace function withdrawable_micros(acc account) returns bigint language sql immutable as $$
  select acc.balance_micros - greatest(acc.bonus_micros, acc.held_micros)
$$;
