-- Until when the bank waits for our evidence, and what an operator did about it.
alter table dispute
  add column due_at timestamptz not null default now() + interval '7 days',
  add column handled text check (handled in ('answered', 'accepted')),
  add column handled_by uuid references operator,
  add column handled_at timestamptz,
  add constraint dispute_handled check (num_nulls(handled, handled_by, handled_at) in (0, 3));
create index dispute_waiting on dispute (due_at) where status in ('needs_response', 'warning_needs_response') and handled is null;

-- Accounts that the service froze, until an operator has decided.
create table freeze_review (
  customer_id uuid primary key references customer,
  reason text not null check (char_length(reason) between 1 and 500),
  opened_at timestamptz not null
);
