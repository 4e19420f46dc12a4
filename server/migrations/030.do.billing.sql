-- Card payments for credit. What is paid for, what it gives and who gets it stand here, before the payment provider
-- hears of it; the provider only tells whether it was paid.

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

create table payment (
  id                uuid primary key,
  customer_id       uuid not null references customer (id),
  kind              text not null check (kind in ('package', 'custom')),
  package_id        text references credit_package (id),
  -- Whole cents. The credit bought is the same amount; the bonus comes on top.
  charge_micros     bigint not null check (charge_micros > 0 and charge_micros % 10000 = 0),
  bonus_micros      bigint not null default 0 check (bonus_micros >= 0),
  currency          text not null default 'usd' check (currency = 'usd'),
  -- created: not yet known to the provider; open: can be paid; review: paid, but not as ordered, a person has to look.
  status            text not null default 'created' check (status in ('created', 'open', 'paid', 'failed', 'expired', 'review')),
  -- The client's Idempotency-Key.
  request_key       text check (char_length(request_key) between 1 and 255),
  session_id        text unique,
  checkout_url      text,
  payment_intent_id text unique,
  -- What the card got back so far, in all; each change counts the version up.
  refunded_micros   bigint not null default 0 check (refunded_micros between 0 and charge_micros),
  refund_version    integer not null default 0,
  -- When the poller asks the provider again; null once nothing is expected any more.
  next_check_at     timestamptz,
  last_check_at     timestamptz,
  -- The provider takes no payment after this.
  expires_at        timestamptz not null,
  created_at        timestamptz not null,
  settled_at        timestamptz,
  constraint payment_package check ((kind = 'package') = (package_id is not null)),
  constraint payment_request_once unique (customer_id, request_key)
);

create index payment_customer on payment (customer_id, created_at desc);
create index payment_due on payment (next_check_at) where next_check_at is not null;

-- Events of the payment provider that were received; done ones are not worked on again.
create table stripe_event (
  event_id    text primary key check (char_length(event_id) between 1 and 255),
  type        text not null,
  received_at timestamptz not null,
  done_at     timestamptz
);

create index stripe_event_received on stripe_event (received_at);

-- Credit handed out in sandbox mode, for its daily cap.
create table test_credit_grant (
  id            uuid primary key,
  customer_id   uuid not null references customer (id),
  amount_micros bigint not null check (amount_micros > 0),
  created_at    timestamptz not null
);

create index test_credit_grant_customer on test_credit_grant (customer_id, created_at);
