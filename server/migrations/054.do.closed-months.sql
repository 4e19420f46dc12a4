-- A month's books as they were closed, and what finds a month's bookings among all others.
create table closed_month (
  -- '2026-11', in UTC.
  month          text primary key check (month ~ '^20\d\d-(0[1-9]|1[0-2])$'),
  closed_at      timestamptz not null,
  operator_id    uuid not null references operator (id),
  operator       text not null check (char_length(operator) between 1 and 120),
  reason         text not null check (char_length(reason) between 1 and 500),
  -- The customers' credit at its end, which the next month opens with: balances less debts, and the bonus in it.
  closing_micros bigint not null,
  bonus_micros   bigint not null,
  -- The ledger's books and the provider's report, as they were shown.
  books          jsonb not null,
  provider       jsonb not null
);

-- Booking times rise with each row, except where customers' bookings overlap.
create index ledger_transaction_booked on ledger_transaction using brin (created_at) with (pages_per_range = 32);
