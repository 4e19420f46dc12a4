-- How often in a row the exchange of a live call did not answer. An exchange that never comes back has its calls settled at their last proof
-- of life. Counted, not timed, because the service itself may have been down in between.
alter table call add column unreachable_checks integer not null default 0;
