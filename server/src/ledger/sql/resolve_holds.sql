-- post_hold or, for a charge of 0, void_hold for several holds in one statement. Skips holds that are resolved already and
-- accounts that are locked by others, and takes one hold per account. Returns the holds it resolved.
create or replace function resolve_holds(p_transaction_ids uuid[], p_hold_ids uuid[], p_charges_micros bigint[], p_descriptions text[])
returns uuid[] language plpgsql set plan_cache_mode = force_generic_plan as $$
declare
  locked uuid[];
  resolved uuid[];
begin
  select array_agg(l.customer_id) into locked from (
    select a.customer_id from hold h join account a using (customer_id) where h.id = any (p_hold_ids) for no key update of a skip locked
  ) l;
  with wanted as materialized (
    select distinct on (h.customer_id) w.transaction_id, w.hold_id, w.charge_micros, w.description, h.amount_micros, a as before,
        account_after(a, -w.charge_micros, -w.charge_micros, h.amount_micros) as after
      from unnest(p_transaction_ids, p_hold_ids, p_charges_micros, p_descriptions) w (transaction_id, hold_id, charge_micros, description)
      join hold h on h.id = w.hold_id
      join account a on a.customer_id = h.customer_id
      where h.customer_id = any (locked) and h.state = 'pending' and w.charge_micros between 0 and h.amount_micros
  ), emptied as (
    update hold h
      set state = case when w.charge_micros > 0 then 'posted' else 'voided' end, posted_micros = nullif(w.charge_micros, 0),
        resolved_at = clock_timestamp()
      from wanted w where h.id = w.hold_id
  ), booked as (
    insert into ledger_transaction (id, kind, idempotency_key, customer_id, reference_id, description, shortfall_micros, created_at)
      select w.transaction_id, 'call', 'call:' || w.hold_id, (w.before).customer_id, w.hold_id, w.description,
          greatest((w.after).debt_micros - (w.before).debt_micros, 0), (w.after).newest_entry_at
        from wanted w where w.charge_micros > 0
  ), entered as (
    insert into ledger_entry (transaction_id, customer_id, system_account, amount_micros, sequence, balance_after_micros, bonus_micros, kind)
      select w.transaction_id, (w.before).customer_id, null::ledger_system_account, -w.charge_micros, (w.after).entry_count,
          (w.after).balance_micros - (w.after).debt_micros, (w.after).bonus_micros - (w.before).bonus_micros, 'call'::ledger_kind
        from wanted w where w.charge_micros > 0
      union all
      select w.transaction_id, null, 'revenue', w.charge_micros, null, null, 0, null from wanted w where w.charge_micros > 0
  ), moved as (
    update account a
      set balance_micros = (w.after).balance_micros, held_micros = (w.after).held_micros, debt_micros = (w.after).debt_micros,
        bonus_micros = (w.after).bonus_micros, entry_count = (w.after).entry_count, newest_entry_at = (w.after).newest_entry_at
      from wanted w where a.customer_id = (w.before).customer_id
  )
  select array_agg(w.hold_id) into resolved from wanted w;
  return resolved;
end
$$;
