-- Top-ups that a customer's saved card pays by itself, and the rules around them.

-- Somebody who got into the mailbox must not be able to charge a card at once.
alter table customer add column password_reset_at timestamptz;

create table auto_top_up (
  customer_id      uuid primary key references customer (id),
  is_on            boolean not null,
  card_id          uuid references saved_card (id),
  -- Credit below this is topped up.
  threshold_micros bigint not null check (threshold_micros > 0 and threshold_micros % 10000 = 0),
  amount_micros    bigint not null check (amount_micros >= threshold_micros and amount_micros % 10000 = 0),
  -- When the customer agreed that the card is charged without them.
  agreed_at        timestamptz not null,
  -- Charges in a row that the bank declined.
  failures         integer not null default 0 check (failures >= 0),
  -- Why it does nothing although it is on.
  stopped_reason   text check (stopped_reason in ('declined', 'authentication_required')),
  updated_at       timestamptz not null,
  constraint auto_top_up_card check (not is_on or card_id is not null)
);

create index auto_top_up_working on auto_top_up (customer_id) where is_on and stopped_reason is null;

alter table payment
  drop constraint payment_kind_check,
  add constraint payment_kind check (kind in ('package', 'custom', 'auto')),
  -- Of an automatic top-up: the card it charges.
  add column saved_card_id uuid references saved_card (id),
  -- Why the card did not pay, as the provider says it.
  add column failure_code text check (char_length(failure_code) <= 100),
  add constraint payment_auto check ((kind = 'auto') = (saved_card_id is not null));

-- One charge at a time, whatever triggers it.
create unique index payment_auto_in_flight on payment (customer_id) where kind = 'auto' and status in ('created', 'open');
