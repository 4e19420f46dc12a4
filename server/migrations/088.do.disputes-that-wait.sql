-- Every status in which nobody has to act; an unknown one waits for a person.
create index if not exists dispute_unhandled on dispute (due_at)
  where status not in ('warning_under_review', 'under_review', 'appeal_under_review', 'lost', 'won', 'warning_closed', 'prevented')
    and handled is null;
drop index if exists dispute_waiting;
