-- What a member's calls on the owner's credit cost today and this month, in the time zone of the member's limits: charges, and holds of
-- live calls. One row, of zeros if there is no member. p_without is a call to leave out, or null. A set, so that its caller's plan includes it.
create or replace function family_spending(member family_member, p_at timestamptz, p_without uuid)
returns table (today bigint, month bigint) language sql stable as $$
  select coalesce(sum(spent_on_call(c, began.day)), 0)::bigint, coalesce(sum(spent_on_call(c, began.month)), 0)::bigint
  from (select date_trunc('day', p_at, member.time_zone) as day, date_trunc('month', p_at, member.time_zone) as month) began
  -- A call that ended this month began at most so long before it.
  join call c on c.customer_id = member.customer_id and c.payer_id = member.owner_id
    and c.created_at > began.month - interval '6 hours' and c.id is distinct from p_without
  where member.customer_id is not null
$$;
