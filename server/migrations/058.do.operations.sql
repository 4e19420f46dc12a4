-- What operators did to accounts and money, with the reason they gave. Never changed.

create table operation (
  id          uuid primary key,
  -- Who, for example the name at the shell.
  operator    text not null check (char_length(operator) between 1 and 120),
  action      text not null check (char_length(action) between 1 and 40),
  customer_id uuid references customer (id),
  -- The payment, call or dispute it was about.
  subject     text check (char_length(subject) <= 255),
  reason      text not null check (char_length(reason) between 1 and 500),
  detail      jsonb not null default '{}',
  happened_at timestamptz not null
);

create index operation_customer on operation (customer_id, happened_at desc);
create index operation_happened on operation (happened_at desc);
