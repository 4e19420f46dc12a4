-- Copies of everything held about a customer, on request.

-- The latest request of each customer.
create table data_export (
  id            uuid primary key,
  customer_id   uuid not null unique references customer (id) on delete cascade,
  -- downloaded and expired: the file is deleted.
  state         text not null default 'preparing' check (state in ('preparing', 'ready', 'downloaded', 'expired', 'failed')),
  -- Why there is no file.
  failure       text check (failure in ('too_large', 'broken')),
  -- Each try writes parts of its own, so that two processes never mix theirs.
  tries         integer not null default 0 check (tries >= 0),
  -- When a process may begin it; one that dies is followed by another.
  next_try_at   timestamptz,
  bytes         bigint check (bytes > 0),
  requested_at  timestamptz not null,
  ready_at      timestamptz,
  expires_at    timestamptz,
  constraint data_export_due check ((state = 'preparing') = (next_try_at is not null)),
  constraint data_export_failure check ((state = 'failed') = (failure is not null))
);

create index data_export_due on data_export (next_try_at) where state = 'preparing';
create index data_export_expiry on data_export (expires_at) where state = 'ready';

-- The file, in pieces. In the database, so that any instance can serve it and it is deleted with its account.
create table data_export_part (
  export_id uuid not null references data_export (id) on delete cascade,
  try       integer not null,
  position  integer not null,
  content   bytea not null,
  primary key (export_id, try, position)
);

alter table mail_link drop constraint mail_link_use_check;
alter table mail_link add constraint mail_link_use_check
  check (use in ('verify_email', 'reset_password', 'change_email_new', 'change_email_old', 'export_ready'));
