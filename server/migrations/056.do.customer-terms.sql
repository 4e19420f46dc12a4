-- What operators set for one customer for a while: the tier, or a limit. It ends by itself.
create table customer_term (
  customer_id uuid not null references customer (id),
  name text not null check (char_length(name) between 1 and 40),
  -- A tier's name, micro-dollars or a count.
  value text not null check (char_length(value) between 1 and 40),
  until timestamptz not null,
  set_at timestamptz not null,
  set_by uuid not null references operator (id),
  reason text not null check (char_length(reason) between 1 and 500),
  primary key (customer_id, name)
);
