-- The figures of the business that operators change while the service runs; names, units and bounds are declared in code. The latest
-- `valid_from` that has passed counts, and of several with the same time the newest.
create table setting (
  id         uuid primary key,
  name       text not null check (char_length(name) between 1 and 80),
  -- Micro-dollars, percent or a count.
  value      bigint not null,
  valid_from timestamptz not null,
  operator   text not null check (char_length(operator) between 1 and 120),
  reason     text not null check (char_length(reason) between 1 and 500),
  created_at timestamptz not null
);

create index setting_name on setting (name, valid_from desc, created_at desc, id desc);
