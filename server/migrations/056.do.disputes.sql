-- What banks and card networks say against a payment, and cards that were declined.

create table dispute (
  -- The provider's.
  id            text primary key check (char_length(id) between 1 and 255),
  payment_id    uuid not null references payment (id),
  amount_micros bigint not null check (amount_micros > 0),
  reason        text not null,
  -- As the provider says it, for example needs_response, under_review, won, lost.
  status        text not null,
  -- Taken from the customer's account at present; 0 before the money left and after it came back.
  booked_micros bigint not null default 0 check (booked_micros >= 0),
  bonus_micros  bigint not null default 0 check (bonus_micros >= 0),
  -- Counts the bookings: each has a key of its own in the ledger.
  step          integer not null default 0,
  created_at    timestamptz not null,
  updated_at    timestamptz not null
);

create index dispute_payment on dispute (payment_id);

-- A card network's warning that a payment was made without the card's owner.
create table fraud_warning (
  -- The provider's.
  id         text primary key check (char_length(id) between 1 and 255),
  payment_id uuid not null references payment (id),
  fraud_type text not null,
  -- refunded: most of it was unspent and went back to the card; review: a person has to decide; none: nothing was left to do.
  decision   text not null check (decision in ('refunded', 'review', 'none')),
  created_at timestamptz not null
);

create index fraud_warning_payment on fraud_warning (payment_id);

-- Charges that the bank declined, for the limits: someone who tests stolen cards has many.
create table payment_failure (
  -- The provider's charge.
  id               text primary key check (char_length(id) between 1 and 255),
  payment_id       uuid not null references payment (id),
  customer_id      uuid not null references customer (id),
  card_fingerprint text,
  code             text not null,
  failed_at        timestamptz not null
);

create index payment_failure_customer on payment_failure (customer_id, failed_at);
