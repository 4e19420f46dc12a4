-- Other customers who seem to be the same person as one: the same mailbox or browser, or a network that both used since a time.
create or replace function customers_alike(asked uuid, network_since timestamptz)
  returns table (customer_id uuid, kind text) language sql stable as $$
  select other.customer_id, other.kind
  from person_mark mine join person_mark other using (kind, mark)
  where mine.customer_id = asked and other.customer_id <> asked
    and (kind in ('mailbox', 'browser') or (kind = 'network' and other.seen_at > network_since))
$$;
