-- Card payments for credit, saved cards, and money that goes back to cards. What is bought, by whom and for how much is
-- written here before the payment provider hears of it; the provider only reports whether it was paid.

create table credit_package (
  id               text primary key,
  amount_micros    bigint not null check (amount_micros > 0 and amount_micros % 10000 = 0),
  bonus_percentage integer not null default 0 check (bonus_percentage between 0 and 100),
  is_popular       boolean not null default false,
  on_sale          boolean not null default true
);

create unique index credit_package_one_popular on credit_package (is_popular) where is_popular and on_sale;

insert into credit_package (id, amount_micros, bonus_percentage, is_popular) values
  ('5', 5000000, 0, false),
  ('10', 10000000, 0, false),
  ('20', 20000000, 5, true),
  ('50', 50000000, 10, false);

-- The customer as the provider knows them: cards are saved in their name.
create table stripe_customer (
  customer_id          uuid primary key references customer (id),
  provider_customer_id text not null unique check (char_length(provider_customer_id) between 1 and 255),
  created_at           timestamptz not null
);

-- Cards saved with the provider: what a person recognises the card by, and the provider's name for it. Number and security
-- code are stored nowhere.
create table saved_card (
  id                uuid primary key,
  customer_id       uuid not null references customer (id),
  payment_method_id text not null unique check (char_length(payment_method_id) between 1 and 255),
  brand             text not null check (char_length(brand) between 1 and 40),
  last4             text not null check (last4 ~ '^\d{4}$'),
  exp_month         integer not null check (exp_month between 1 and 12),
  exp_year          integer not null check (exp_year between 2000 and 2200),
  fingerprint       text,
  -- The bank asked the card's owner when it was saved, and the owner confirmed.
  authenticated     boolean not null default false,
  created_at        timestamptz not null,
  removed_at        timestamptz,
  -- When the provider deleted it; null while it is saved, or until the provider has been told.
  detached_at       timestamptz
);

create unique index saved_card_once on saved_card (customer_id, fingerprint) where removed_at is null and fingerprint is not null;
create index saved_card_of_customer on saved_card (customer_id, id desc) where removed_at is null;
create index saved_card_to_detach on saved_card (removed_at) where removed_at is not null and detached_at is null;

-- Visits to the provider's page that saves a card. Those that saved none are kept for a year.
create table card_setup (
  id            uuid primary key,
  customer_id   uuid not null references customer (id),
  -- created: not yet known to the provider.
  status        text not null default 'created' check (status in ('created', 'open', 'saved', 'expired')),
  session_id    text unique,
  card_id       uuid references saved_card (id),
  -- When the provider is asked again; null once nothing more is expected.
  next_check_at timestamptz,
  last_check_at timestamptz,
  created_at    timestamptz not null,
  expires_at    timestamptz not null
);

create index card_setup_customer on card_setup (customer_id, created_at desc);
create index card_setup_due on card_setup (next_check_at) where next_check_at is not null;
create index card_setup_unfinished on card_setup (created_at) where status <> 'saved';

-- Top-ups charged to a saved card without the customer.
create table auto_top_up (
  customer_id      uuid primary key references customer (id),
  is_on            boolean not null,
  card_id          uuid references saved_card (id),
  -- Credit below this is topped up.
  threshold_micros bigint not null check (threshold_micros > 0 and threshold_micros % 10000 = 0),
  amount_micros    bigint not null check (amount_micros >= threshold_micros and amount_micros % 10000 = 0),
  -- When the customer agreed to unattended charges.
  agreed_at        timestamptz not null,
  -- Consecutive charges that the bank declined.
  failures         integer not null default 0 check (failures >= 0),
  -- Why it does nothing although it is on.
  stopped_reason   text check (stopped_reason in ('declined', 'authentication_required')),
  updated_at       timestamptz not null,
  constraint auto_top_up_card check (not is_on or card_id is not null)
);

create index auto_top_up_working on auto_top_up (customer_id) where is_on and stopped_reason is null;

create table payment (
  id                    uuid primary key,
  customer_id           uuid not null references customer (id),
  kind                  text not null,
  package_id            text references credit_package (id),
  -- Whole cents. The credit bought is the same amount; the bonus is added to it.
  charge_micros         bigint not null check (charge_micros > 0 and charge_micros % 10000 = 0),
  bonus_micros          bigint not null default 0 check (bonus_micros >= 0),
  -- Bonus taken back with refunds and disputes of this payment.
  bonus_returned_micros bigint not null default 0,
  currency              text not null default 'usd' check (currency = 'usd'),
  -- created: not yet known to the provider; open: can be paid; review: paid, but not as ordered, an operator decides.
  status                text not null default 'created' check (status in ('created', 'open', 'paid', 'failed', 'expired', 'review')),
  -- The client's Idempotency-Key.
  request_key           text check (char_length(request_key) between 1 and 255),
  session_id            text unique,
  checkout_url          text,
  payment_intent_id     text unique,
  -- What the provider was told about authenticating the card's owner; stored, so that a repetition says the same.
  three_d_secure        text not null default 'automatic' check (three_d_secure in ('automatic', 'any', 'challenge')),
  -- The saved card that is charged without a checkout, automatically or by its owner.
  saved_card_id         uuid references saved_card (id),
  -- The customer agreed that the card they pay with at the checkout is saved.
  keeps_card            boolean not null default false,
  -- Of the card that paid, as reported by the provider. A card has the same fingerprint in every payment.
  card_brand            text,
  card_last4            text check (card_last4 ~ '^\d{4}$'),
  card_fingerprint      text,
  -- The bank asked the card's owner, and the owner confirmed.
  authenticated         boolean not null default false,
  -- The provider's reason why the card did not pay.
  failure_code          text check (char_length(failure_code) <= 100),
  -- Returned to the card so far, in all.
  refunded_micros       bigint not null default 0 check (refunded_micros between 0 and charge_micros),
  -- Held back or taken by disputes.
  disputed_micros       bigint not null default 0 check (disputed_micros >= 0),
  -- Neither refunded nor disputed.
  stayed_micros         bigint not null generated always as (greatest(charge_micros - refunded_micros - disputed_micros, 0)) stored,
  -- When the provider is asked again; null once nothing more is expected.
  next_check_at         timestamptz,
  last_check_at         timestamptz,
  -- The provider accepts no payment after this.
  expires_at            timestamptz not null,
  created_at            timestamptz not null,
  settled_at            timestamptz,
  constraint payment_kind check (kind in ('package', 'custom', 'auto')),
  constraint payment_package check ((kind = 'package') = (package_id is not null)),
  constraint payment_auto check (kind <> 'auto' or saved_card_id is not null),
  constraint payment_keeps_new_card check (not keeps_card or saved_card_id is null),
  constraint payment_bonus_returned check (bonus_returned_micros between 0 and bonus_micros),
  constraint payment_request_once unique (customer_id, request_key)
);

create index payment_customer on payment (customer_id, created_at desc);
-- Newest first, as the account's list shows them.
create index payment_unpaid on payment (customer_id, id desc) where status <> 'paid';
create index payment_due on payment (next_check_at) where next_check_at is not null;
create index payment_fingerprint on payment (card_fingerprint, customer_id) where card_fingerprint is not null;
-- One automatic charge at a time, whatever triggers it.
create unique index payment_auto_in_flight on payment (customer_id) where kind = 'auto' and status in ('created', 'open');

-- Charges that the bank declined, for the limits: card testers have many. Kept for a year.
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
create index payment_failure_age on payment_failure (failed_at);

-- A customer's withdrawal of unused credit. Its parts are refunds of the payments that brought the credit.
create table withdrawal (
  id            uuid primary key,
  customer_id   uuid not null references customer (id),
  amount_micros bigint not null check (amount_micros > 0 and amount_micros % 10000 = 0),
  -- The client's Idempotency-Key.
  request_key   text check (char_length(request_key) between 1 and 255),
  created_at    timestamptz not null,
  constraint withdrawal_request_once unique (customer_id, request_key)
);

create index withdrawal_customer on withdrawal (customer_id, id desc);

-- Each refund only moves forward, so the provider's reports may arrive in any order.
create table refund (
  id                 uuid primary key,
  payment_id         uuid not null references payment (id),
  customer_id        uuid not null references customer (id),
  withdrawal_id      uuid references withdrawal (id),
  -- provider: made in the provider's dashboard, and reported afterwards.
  origin             text not null check (origin in ('withdrawal', 'operator', 'fraud_warning', 'provider')),
  amount_micros      bigint not null check (amount_micros > 0 and amount_micros % 10000 = 0),
  -- Bonus taken back with it, and restored if the refund fails.
  bonus_micros       bigint not null default 0 check (bonus_micros >= 0),
  -- ordered: taken from the ledger, the provider may not know of it yet; failed: restored to the ledger.
  status             text not null check (status in ('ordered', 'pending', 'succeeded', 'failed')),
  provider_refund_id text unique,
  failure            text check (char_length(failure) <= 300),
  -- When the provider is asked again; null once nothing more is expected.
  next_try_at        timestamptz,
  tries              integer not null default 0,
  created_at         timestamptz not null,
  settled_at         timestamptz,
  constraint refund_withdrawal check ((origin = 'withdrawal') = (withdrawal_id is not null)),
  constraint refund_known_there check (status in ('ordered', 'failed') or provider_refund_id is not null)
);

create index refund_payment on refund (payment_id);
create index refund_of_withdrawal on refund (withdrawal_id) where withdrawal_id is not null;
create index refund_due on refund (next_try_at) where next_try_at is not null;

-- A bank's dispute of a payment.
create table dispute (
  -- The provider's.
  id            text primary key check (char_length(id) between 1 and 255),
  payment_id    uuid not null references payment (id),
  amount_micros bigint not null check (amount_micros > 0),
  reason        text not null,
  -- The provider's, for example needs_response, under_review, won, lost.
  status        text not null,
  -- Taken from the customer's account at present; 0 before the money left and after it came back.
  booked_micros bigint not null default 0 check (booked_micros >= 0),
  bonus_micros  bigint not null default 0 check (bonus_micros >= 0),
  -- Counts the bookings: each has its own key in the ledger.
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
  -- refunded: most of it was unspent and returned to the card; review: an operator decides; none: nothing was left to refund.
  decision   text not null check (decision in ('refunded', 'review', 'none')),
  created_at timestamptz not null
);

create index fraud_warning_payment on fraud_warning (payment_id);

-- Events received from the provider; done ones are not processed again.
create table stripe_event (
  event_id    text primary key check (char_length(event_id) between 1 and 255),
  type        text not null,
  received_at timestamptz not null,
  done_at     timestamptz
);

create index stripe_event_received on stripe_event (received_at);

-- Comparisons of the ledger with the provider's records, and their differences.
create table reconciliation_run (
  id              uuid primary key,
  -- Money that moved in this period was compared.
  from_time       timestamptz not null,
  to_time         timestamptz not null,
  started_at      timestamptz not null,
  finished_at     timestamptz,
  charges         integer,
  -- Received less paid out, by the provider and by the ledger.
  provider_micros bigint,
  ledger_micros   bigint,
  -- Payments that the comparison corrected by asking the provider again.
  repaired        integer,
  differences     integer,
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

-- Test credit granted in sandbox mode, for its daily limit.
create table test_credit_grant (
  id            uuid primary key,
  customer_id   uuid not null references customer (id),
  amount_micros bigint not null check (amount_micros > 0),
  created_at    timestamptz not null
);

create index test_credit_grant_customer on test_credit_grant (customer_id, created_at);
