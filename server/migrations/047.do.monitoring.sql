-- The result of the latest check of the ledger, for monitoring: one row.
create table ledger_check (
  only_row boolean primary key default true check (only_row),
  checked_at timestamptz not null,
  deviations int not null check (deviations >= 0)
);
-- Payments of the last hours, for monitoring.
create index payment_begun on payment using brin (created_at) with (pages_per_range = 32);
