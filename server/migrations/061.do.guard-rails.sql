-- What bounds a call besides its credit: the caller's own limits and the rules against abuse. And what a running call needs
-- to be made longer, warned of its end, and stopped.

-- A caller's own limits; null is none.
create table guard_rail (
  customer_id      uuid primary key references customer (id) on delete cascade,
  daily_cap_micros bigint check (daily_cap_micros > 0),
  call_cap_micros  bigint check (call_cap_micros > 0),
  -- The only countries that may be called.
  countries        text[] check (cardinality(countries) between 1 and 250),
  -- Whose midnight begins the day of the daily cap.
  time_zone        text not null,
  updated_at       timestamptz not null
);

-- A pattern of calls that stops an account from calling for a while.
create table call_block (
  id            uuid primary key,
  customer_id   uuid not null references customer (id) on delete cascade,
  rule          text not null,
  -- What the rule saw.
  inputs        jsonb not null,
  created_at    timestamptz not null,
  blocked_until timestamptz not null
);

create index call_block_customer on call_block (customer_id, blocked_until);

alter table call
  -- What its longest length follows from.
  add column bounded_by text not null default 'credit'
    check (bounded_by in ('credit', 'longest_call', 'spend_limit', 'call_cap', 'daily_cap')),
  -- The limit the provider has, in seconds from the answer, where it is not what the hold pays for: the hold grew since.
  add column limit_seconds integer check (limit_seconds > 0),
  -- The provider said that it cannot move the limit of this call.
  add column extendable boolean not null default true,
  -- When the provider ends it at the latest; null before the answer.
  add column ends_at timestamptz,
  -- The last warning given: that many seconds were left.
  add column warned_seconds integer check (warned_seconds in (60, 15));

update call set bounded_by = 'longest_call' where held_micros * 60 >= rate_per_minute_micros * cap_seconds;

create index call_ends on call (ends_at) where next_check_at is not null;
