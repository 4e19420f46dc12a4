-- Whether a call of this session must end, because the session was ended by somebody's hand. A session whose row is gone without a word counts
-- as ended, so no way to end one can forget its calls.
create or replace function has_session_ended(caller_session uuid) returns boolean language sql stable as $$
  select caller_session is not null
    and not exists (select from session s where s.id = caller_session)
    and not exists (select from ended_session e where e.session_id = caller_session and not e.ends_calls)
$$;
