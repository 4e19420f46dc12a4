-- Many in one statement: what one call costs the database is mostly what one statement costs, so calls that wait for the
-- database at the same moment are authorised together, and settled together (decision 018).

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
