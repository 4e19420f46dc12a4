-- Restores from a back-up. While one is not open, the service refuses calls, payments and every other change.
create table restore (
  id uuid primary key,
  began_at timestamptz not null,
  -- The newest moment that the restored database knows.
  known_until timestamptz not null,
  -- The year's receipts after the restore begin above this number, because some up to it may have been issued before.
  receipts_above int,
  opened_at timestamptz
);
create unique index restore_in_progress on restore ((true)) where opened_at is null;
-- Receipts whose number the payment provider does not keep yet.
create table receipt_to_mark (receipt_id uuid primary key references receipt (id));
-- Numbers of receipts that a restored database has forgotten, until their payment or refund gets its receipt again.
create table recovered_receipt (
  subject_id uuid primary key,
  year int not null,
  sequence int not null check (sequence > 0),
  issued_at timestamptz not null,
  unique (year, sequence)
);
