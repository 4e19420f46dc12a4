-- A page that goes away in a call says so. Unless the call is taken up again by then, it is hung up at this moment. Kept
-- here and not in memory, so that a restart forgets nobody who has left.
alter table call
  add column hang_up_at timestamptz,
  -- The page that left: its own questions that were still under way do not count as a return.
  add column left_page   uuid;

create index call_left on call (hang_up_at) where hang_up_at is not null and next_check_at is not null;
