-- Rate decks. The deck in force is the one with the latest effective_at that has passed; decks never change.

create table deck (
  id           uuid primary key,
  name         text not null check (name <> ''),
  -- A file name, or who loaded it.
  source       text not null,
  effective_at timestamptz not null,
  created_at   timestamptz not null
);

create index deck_effective on deck (effective_at desc, created_at desc);

create table deck_rate (
  deck_id                     uuid not null references deck (id) on delete cascade,
  prefix                      text not null check (prefix ~ '^[0-9]{1,15}$'),
  description                 text not null,
  country_code                text not null check (country_code ~ '^[A-Z]{2}$'),
  number_type                 text not null,
  -- What the customer pays.
  rate_per_minute_micros      bigint not null check (rate_per_minute_micros >= 0),
  first_interval_seconds      integer not null check (first_interval_seconds > 0),
  next_interval_seconds       integer not null check (next_interval_seconds > 0),
  -- What the carrier charges.
  cost_per_minute_micros      bigint not null check (cost_per_minute_micros >= 0),
  cost_first_interval_seconds integer not null check (cost_first_interval_seconds > 0),
  cost_next_interval_seconds  integer not null check (cost_next_interval_seconds > 0),
  primary key (deck_id, prefix)
);
