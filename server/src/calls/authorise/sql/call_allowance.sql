-- How much of p_want_micros the call may cost, which bound decides, and by which rule where the bound is spend_limit.
-- p_rules null: the abuse rules are off. What fresh payments leave for calls above class A is a rule of its own.
create or replace function call_allowance(
  p_call call, p_want_micros bigint, p_now timestamptz, p_rules jsonb, out allowed_micros bigint, out bound text, out rule text
) language plpgsql stable as $$
declare
  rail guard_rail;
  yesterday timestamptz := p_now - interval '1 day';
  rest bigint;
  fresh_rest bigint;
begin
  allowed_micros := p_want_micros;
  bound := 'longest_call';
  if p_rules is not null then
    rule := 'spend';
    rest := (p_rules->>'spend_per_day_micros')::bigint - call_spending(p_call.customer_id, yesterday, p_call.id, '');
    if p_call.price_class > 'A' then
      rest := least(rest, (p_rules->>'dear_spend_per_day_micros')::bigint
        - call_spending(p_call.customer_id, yesterday, p_call.id, p_rules->>'dear_above_class'));
      -- Null, and no bound, where no payment is fresh.
      fresh_rest := (p_rules->>'fresh_spend_per_day_micros')::bigint
        - call_spending(p_call.customer_id, yesterday, p_call.id, 'A');
      if fresh_rest <= rest then
        rest := fresh_rest;
        rule := 'fresh_credit';
      end if;
    end if;
    if rest < allowed_micros then
      allowed_micros := rest;
      bound := 'spend_limit';
    end if;
  end if;
  select * into rail from guard_rail where customer_id = p_call.customer_id;
  if rail.call_cap_micros < allowed_micros then
    allowed_micros := rail.call_cap_micros;
    bound := 'call_cap';
  end if;
  if rail.daily_cap_micros is not null then
    rest := rail.daily_cap_micros - call_spending(p_call.customer_id, guard_rail_day(rail, p_now), p_call.id, '');
    if rest < allowed_micros then
      allowed_micros := rest;
      bound := 'daily_cap';
    end if;
  end if;
  allowed_micros := greatest(allowed_micros, 0);
end
$$;
