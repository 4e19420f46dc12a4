-- Customers' own numbers, which they have proven and calls may show.

create table caller_number (
  -- E.164. One account at a time: providers keep one list for all of us, so a second account could not be asked for a proof.
  number      text primary key check (number ~ '^\+[1-9][0-9]{6,14}$'),
  customer_id uuid not null references customer (id) on delete cascade,
  -- What the exchange wants to see with the number; null where the provider keeps a list itself.
  proof       text check (char_length(proof) between 1 and 200),
  -- Shown by the customer's calls.
  chosen      boolean not null default false,
  proven_at   timestamptz not null,
  -- Since then the provider refuses it: not shown until it is proven again.
  lapsed_at   timestamptz,
  constraint caller_number_shown check (not chosen or lapsed_at is null)
);

create unique index caller_number_chosen on caller_number (customer_id) where chosen;
create index caller_number_customer on caller_number (customer_id);

-- A call that reads a code to a number, and the tries to repeat it. The code is known to the provider alone.
create table caller_number_check (
  id          uuid primary key,
  customer_id uuid not null references customer (id) on delete cascade,
  number      text not null,
  tries       integer not null default 0 check (tries >= 0),
  created_at  timestamptz not null,
  expires_at  timestamptz not null
);

create unique index caller_number_check_customer on caller_number_check (customer_id);

-- Numbers that an operator took away because somebody objected. Nobody can add them.
create table blocked_caller_number (
  number     text primary key,
  reason     text not null check (char_length(reason) between 1 and 500),
  blocked_at timestamptz not null
);

-- Numbers that the provider has to forget, until it has.
create table caller_number_removal (
  number       text primary key,
  requested_at timestamptz not null
);

-- E.164: what the called person saw. Null for calls made before numbers were kept.
alter table call add column caller_number text;
