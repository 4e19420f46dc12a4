-- The payments that a reconciliation compares, while it runs, so that it keeps only a few in memory.
create table reconciliation_payment (
  run_id uuid not null references reconciliation_run (id) on delete cascade,
  payment_id uuid not null,
  -- The provider's, if the payment's row does not name it.
  payment_intent_id text,
  primary key (run_id, payment_id)
);
