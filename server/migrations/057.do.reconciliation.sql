-- Comparisons of the ledger with what the payment provider says, and what did not fit.

create table reconciliation_run (
  id                 uuid primary key,
  -- Money that moved in this span was compared.
  from_time          timestamptz not null,
  to_time            timestamptz not null,
  started_at         timestamptz not null,
  finished_at        timestamptz,
  charges            integer,
  -- What came in at the provider less what went out, and the same by the ledger.
  provider_micros    bigint,
  ledger_micros      bigint,
  -- Payments that the comparison itself set right by looking at the provider again.
  repaired           integer,
  differences        integer,
  constraint reconciliation_span check (from_time < to_time)
);

create index reconciliation_run_started on reconciliation_run (started_at desc);

create table reconciliation_difference (
  id              uuid primary key,
  run_id          uuid not null references reconciliation_run (id) on delete cascade,
  kind            text not null check (kind in ('unknown_charge', 'amount', 'dispute', 'missing_at_provider', 'unreadable')),
  payment_id      uuid references payment (id),
  -- The provider's object, for example a payment intent.
  reference       text,
  provider_micros bigint,
  ledger_micros   bigint,
  detail          text not null check (char_length(detail) <= 300)
);

create index reconciliation_difference_run on reconciliation_difference (run_id);
