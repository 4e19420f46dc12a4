-- Erasure of accounts, and of called numbers after a while.

-- When the account is erased at the earliest: its owner asked for it, and it takes no calls or payments since. Erased ones keep it.
alter table customer add column closes_at timestamptz;

create table account_erasure (
  customer_id      uuid primary key references customer (id),
  requested_at     timestamptz not null,
  -- Who ordered it; null for the customer.
  operator         text check (char_length(operator) between 1 and 120),
  -- Credit that the customer gives up because it cannot be withdrawn.
  given_up_micros  bigint not null default 0 check (given_up_micros >= 0),
  -- When the job looks again; null once erased.
  next_try_at      timestamptz,
  -- Why it could not be erased when the job looked last.
  blocked_by       text,
  -- From here on it cannot be called off.
  begun_at         timestamptz,
  erased_at        timestamptz,
  constraint account_erasure_due check ((erased_at is null) = (next_try_at is not null))
);

create index account_erasure_next on account_erasure (next_try_at) where next_try_at is not null;

-- How far the numbers of old calls are shortened.
create table number_shortening (
  only_row   boolean primary key default true check (only_row),
  done_until timestamptz not null
);

insert into number_shortening (done_until) values ('-infinity');
