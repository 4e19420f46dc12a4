-- Many in one statement: what one call costs the database is mostly what one statement costs, so calls that wait for the
-- database at the same moment are authorised together, and settled together (decision 018).

-- The text of a check is read anew for each statement (see 053): a function's name is short.
create function account_is_sound(a account) returns boolean language plpgsql immutable as $$
begin
  return (
    a.held_micros >= 0 and a.balance_micros >= a.held_micros and a.debt_micros >= 0
    and (a.debt_micros = 0 or a.balance_micros = a.held_micros)
    and a.bonus_micros >= 0 and a.bonus_micros <= greatest(a.balance_micros - a.debt_micros, 0)
  ) is true;
end
$$;

create function hold_is_sound(h hold) returns boolean language plpgsql immutable as $$
begin
  return (
    h.least_micros > 0 and h.wanted_micros >= h.least_micros and h.amount_micros >= h.least_micros
    and (h.posted_micros is null or h.posted_micros between 0 and h.amount_micros)
    and h.state in ('pending', 'posted', 'voided')
    and (h.state = 'pending') = (h.resolved_at is null) and (h.state = 'posted') = (h.posted_micros is not null)
  ) is true;
end
$$;

alter table account drop constraint account_sound, add constraint account_sound check (account_is_sound(account));
alter table hold drop constraint hold_sound, add constraint hold_sound check (hold_is_sound(hold));

-- Most calls of most times have no name at the provider yet, or no end: an index has no use for them. A call's customer has
-- an account, and that stays (053), so nothing needs to look the customer up for each call.
alter table call
  drop constraint call_customer_id_fkey,
  drop constraint call_parked_call_control_id_key,
  drop constraint call_far_call_control_id_key;
create unique index call_parked_leg on call (parked_call_control_id) where parked_call_control_id is not null;
create unique index call_far_leg on call (far_call_control_id) where far_call_control_id is not null;
drop index call_ends;
create index call_ends on call (ends_at) where ends_at is not null and next_check_at is not null;

-- An account after p_signed_micros more (or less), with p_bonus_micros of bonus moved as far as there is any, and
-- p_released_micros out of its holds. What cannot be taken from the free balance becomes debt; what comes in repays debt.
create function account_after(p_account account, p_signed_micros bigint, p_bonus_micros bigint, p_released_micros bigint)
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

-- Sets credit aside for several calls. For a caller that has the locks of these accounts, each named once, and saw that
-- the amounts are free.
create function place_holds(p_ids uuid[], p_customer_ids uuid[], p_wanted_micros bigint[], p_least_micros bigint[], p_amounts_micros bigint[])
returns void language plpgsql as $$
begin
  with placed as (
    insert into hold (id, customer_id, wanted_micros, least_micros, amount_micros)
      select * from unnest(p_ids, p_customer_ids, p_wanted_micros, p_least_micros, p_amounts_micros)
  )
  update account a set held_micros = a.held_micros + h.amount_micros
    from unnest(p_customer_ids, p_amounts_micros) h (customer_id, amount_micros)
    where a.customer_id = h.customer_id;
end
$$;

-- Charges calls against their holds and releases the rest, or releases all where the charge is 0: what post_hold and
-- void_hold do, for those holds that are pending and whose account nobody else has locked, one of each account. Returns
-- the holds it resolved.
create function resolve_holds(p_transaction_ids uuid[], p_hold_ids uuid[], p_charges_micros bigint[], p_descriptions text[])
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

-- Authorises those of several calls, each of another customer, against which nothing speaks: enough credit, no limit and no
-- rule near, no limits of the caller's own, and nobody else has the account locked. What it does for them is what
-- authorise_call does, whose arguments the requests carry; the others are left to that. quiet_calls: with fewer calls in a
-- day than this no pattern of calls can be broken. Answers with what it decided of them.
create function authorise_plain_calls(p_requests jsonb)
returns table (customer_id uuid, held_micros bigint, bounded_by text)
language plpgsql set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
declare
  requests jsonb[] := array(select jsonb_array_elements(p_requests));
  locked uuid[];
begin
  select array_agg(l.customer_id) into locked from (
    select a.customer_id from account a
      where a.customer_id = any (array(select (r->>'customer_id')::uuid from unnest(requests) r))
      for no key update skip locked
  ) l;
  return query
    with request as materialized (
      select r.* from unnest(requests) e cross join lateral jsonb_to_record(e) as r (
        id uuid, customer_id uuid, destination text, country_code text, number_type text, idempotency_key text, rate_prefix text,
        rate_description text, rate_per_minute_micros bigint, first_interval_seconds integer, next_interval_seconds integer,
        deck_id uuid, deck_effective_at timestamptz, cap_seconds integer, ticket_hash bytea, ticket_expires_at timestamptz,
        created_at timestamptz, want_micros bigint, least_micros bigint, live_limit integer, minute_limit integer,
        hour_limit integer, day_limit integer, quiet_calls integer, dear_above_micros bigint, spend_per_day_micros bigint
      )
    ), plain as materialized (
      select r.*, least(a.balance_micros - a.held_micros, r.want_micros) as held_micros
        from request r
        join account a using (customer_id)
        cross join lateral (
          -- Calls last hours at most: what is live, and what ended in a day, began in thirty hours.
          -- Only what the index of the history has; what live calls hold stands in the account.
          select count(*) filter (where c.status not in ('completed', 'failed')) as live,
              count(*) filter (where c.created_at > r.created_at - interval '1 minute') as of_minute,
              count(*) filter (where c.created_at > r.created_at - interval '1 hour') as of_hour,
              count(*) filter (where c.created_at > r.created_at - interval '1 day') as of_day,
              coalesce(sum(c.charge_micros), 0)::bigint as charged
            from call c where c.customer_id = r.customer_id and c.created_at > r.created_at - interval '30 hours'
        ) seen
        where r.customer_id = any (locked)
          and r.least_micros > 0 and r.want_micros >= r.least_micros
          and a.balance_micros - a.held_micros >= r.least_micros
          and (r.live_limit is null or seen.live < r.live_limit)
          and (r.minute_limit is null or seen.of_minute < r.minute_limit)
          and (r.hour_limit is null or seen.of_hour < r.hour_limit)
          and (r.day_limit is null or seen.of_day < r.day_limit)
          and (r.quiet_calls is null or seen.of_day < r.quiet_calls)
          and (r.dear_above_micros is null or r.rate_per_minute_micros <= r.dear_above_micros)
          and (r.spend_per_day_micros is null or seen.charged + a.held_micros + r.want_micros <= r.spend_per_day_micros)
          and not exists (select from guard_rail g where g.customer_id = r.customer_id)
          and not exists (select from call_block b where b.customer_id = r.customer_id and b.blocked_until > r.created_at)
          and (r.idempotency_key is null or not exists (
            select from call c where c.customer_id = r.customer_id and c.idempotency_key = r.idempotency_key))
    ), held as materialized (
      select place_holds(array_agg(p.id), array_agg(p.customer_id), array_agg(p.want_micros), array_agg(p.least_micros),
        array_agg(p.held_micros)) from plain p
    )
    insert into call (
      id, customer_id, destination, country_code, number_type, idempotency_key, rate_prefix, rate_description,
      rate_per_minute_micros, first_interval_seconds, next_interval_seconds, deck_id, deck_effective_at, held_micros,
      bounded_by, cap_seconds, ticket_hash, ticket_expires_at, created_at, next_check_at
    ) select
      p.id, p.customer_id, p.destination, p.country_code, p.number_type, p.idempotency_key, p.rate_prefix, p.rate_description,
      p.rate_per_minute_micros, p.first_interval_seconds, p.next_interval_seconds, p.deck_id, p.deck_effective_at, p.held_micros,
      case when p.held_micros < p.want_micros then 'credit' else 'longest_call' end, p.cap_seconds, p.ticket_hash,
      p.ticket_expires_at, p.created_at, p.ticket_expires_at
    from plain p cross join held
    returning customer_id, held_micros, bounded_by;
end
$$;

-- Settles calls that are over: the charge and the final record, both or neither. Each settlement names its call, what to
-- charge and what to write. Returns the calls it settled; left out are those that are final already (their hold is not
-- pending any more), and those whose call or account somebody else has locked just now.
create function settle_calls(p_settlements jsonb) returns setof uuid
language plpgsql set plan_cache_mode = force_generic_plan as $$
declare
  settlements jsonb[] := array(select jsonb_array_elements(p_settlements));
  locked uuid[];
  resolved uuid[];
begin
  select array_agg(l.id) into locked from (
    select c.id from call c
      where c.id = any (array(select (s->>'id')::uuid from unnest(settlements) s))
      for no key update skip locked
  ) l;
  select resolve_holds(array_agg(s.transaction_id), array_agg(s.id), array_agg(s.charge_micros), array_agg(s.description)) into resolved
    from unnest(settlements) e
      cross join lateral jsonb_to_record(e) s (transaction_id uuid, id uuid, charge_micros bigint, description text)
    where s.id = any (locked);
  return query
    update call c
      set status = s.status, end_reason = s.end_reason, answered_at = s.answered_at, ended_at = s.ended_at,
        duration_ms = s.duration_ms, billed_seconds = s.billed_seconds, charge_micros = s.charge_micros, next_check_at = null
      from unnest(settlements) e cross join lateral jsonb_to_record(e) s (
        id uuid, status text, end_reason text, answered_at timestamptz, ended_at timestamptz, duration_ms integer,
        billed_seconds integer, charge_micros bigint
      )
      where c.id = s.id and c.id = any (resolved)
      returning c.id;
end
$$;
