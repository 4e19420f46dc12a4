-- A called number cut to the prefix of its rate, "+491515*". At least four digits go.
create or replace function shorten_number(number text, prefix text) returns text language sql immutable as $$
  select case when number like '%*' then number
    else '+' || left(prefix, greatest(1, least(char_length(prefix), char_length(number) - 5))) || '*' end
$$;

-- Shortens the called numbers of ended calls, also in the ledger's texts, and empties the events they follow from. Entries of a family's calls name no number. Returns how
-- many were shortened; calls shortened before are not touched.
create or replace function shorten_calls(ids uuid[]) returns integer language sql as $$
  with shortened as (
    update call set destination = shorten_number(destination, rate_prefix)
    where id = any (ids) and destination not like '%*' and ended_at is not null
    returning id, destination
  ), events as (
    -- The ids are named again: a join alone may read every event.
    update call_event set payload = '{}' where call_id = any (ids) and call_id in (select id from shortened)
  ), texts as (
    update ledger_transaction t
    set description = case t.kind when 'call' then 'Call to ' else 'Refund of the call to ' end || shortened.destination
    from shortened
    where t.caller_id is null and t.idempotency_key in ('call:' || shortened.id, 'call_refund:' || shortened.id)
  )
  select count(*)::integer from shortened
$$;
