-- Whether the calls of this session must end. A session whose row is gone without a record counts as ended, so that no way of ending sessions
-- can forget their calls.
create or replace function has_session_ended(caller_session uuid) returns boolean language sql stable as $$
  select caller_session is not null
    and not exists (select from session s where s.id = caller_session)
    and not exists (select from ended_session e where e.session_id = caller_session and not e.ends_calls)
$$;
