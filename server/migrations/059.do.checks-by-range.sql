-- What the ledger's checks have found right: each account's sums up to its entry `sequence`, and up to when all bookings are known.
create table ledger_mark (
  customer_id uuid primary key,
  sequence bigint not null check (sequence > 0),
  net_micros bigint not null,
  bonus_micros bigint not null
);
alter table ledger_check add column booked_to timestamptz;
alter table ledger_check add column whole_at timestamptz;

-- The holds of a day, for the same checks.
create index hold_made on hold using brin (created_at) with (pages_per_range = 32);

-- The payments whose money moved in a span, for the reconciliation.
create index payment_settled on payment (settled_at) where status = 'paid';
create index refund_made on refund (created_at);
create index refund_settled on refund (settled_at) where settled_at is not null;
create index dispute_updated on dispute (updated_at);

-- What jobs delete when it has expired.
create index session_expires on session (expires_at);
create index session_seen on session (last_seen_at);
create index email_change_expires on email_change (expires_at);
create index known_browser_used on known_browser (last_used_at);
create index caller_number_proven on caller_number (proven_at) where lapsed_at is null;
