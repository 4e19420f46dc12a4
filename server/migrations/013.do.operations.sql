-- What operators do to accounts and money, and why.

-- The operators' log: append-only.
create table operation (
  id          uuid primary key,
  -- For example the name at the shell.
  operator    text not null check (char_length(operator) between 1 and 120),
  action      text not null check (char_length(action) between 1 and 40),
  customer_id uuid references customer (id),
  -- The payment, call or dispute concerned.
  subject     text check (char_length(subject) <= 255),
  reason      text not null check (char_length(reason) between 1 and 500),
  detail      jsonb not null default '{}',
  happened_at timestamptz not null
);

create index operation_customer on operation (customer_id, happened_at desc);
create index operation_happened on operation (happened_at desc);

-- Money orders above a limit: one operator proposes, another confirms.
create table approval (
  id            uuid primary key,
  action        text not null check (char_length(action) between 1 and 40),
  customer_id   uuid not null references customer (id),
  subject       text check (char_length(subject) <= 255),
  amount_micros bigint not null check (amount_micros > 0),
  -- The order's other parameters.
  detail        jsonb not null,
  reason        text not null check (char_length(reason) between 1 and 500),
  proposed_by   text not null check (char_length(proposed_by) between 1 and 120),
  proposed_at   timestamptz not null,
  expires_at    timestamptz not null,
  state         text not null default 'open' check (state in ('open', 'confirmed', 'rejected')),
  decided_by    text check (char_length(decided_by) between 1 and 120),
  decided_at    timestamptz,
  constraint approval_decided check ((state = 'open') = (decided_by is null) and (state = 'open') = (decided_at is null)),
  -- The proposer may withdraw it, but not confirm it.
  constraint approval_by_another check (state <> 'confirmed' or lower(decided_by) <> lower(proposed_by))
);

create index approval_open on approval (proposed_at) where state = 'open';
