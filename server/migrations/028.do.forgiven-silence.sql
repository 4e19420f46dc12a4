-- How long a lost side was silent before its call was given up, and what leaving that out of the charge took from the budgets of
-- forgiven silence; null: it was charged. Check: call_is_sound.
alter table call
  add column silent_ms integer not null default 0,
  add column forgiven_micros bigint;

create index call_forgiven on call (ended_at) where forgiven_micros > 0;
