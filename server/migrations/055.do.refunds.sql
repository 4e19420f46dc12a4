-- Money that goes back to cards: withdrawals of the customer's own, refunds by the operator, and those made at the
-- provider. Each is a row of its own that only moves forward, so looks at the provider may come in any order.

alter table payment
  drop column refund_version,
  -- What the provider was told about asking the card's owner; kept, so that a repetition says the same.
  add column three_d_secure text not null default 'automatic' check (three_d_secure in ('automatic', 'any', 'challenge')),
  -- Of the card that paid, as the provider tells it.
  add column card_brand text,
  add column card_last4 text check (card_last4 ~ '^\d{4}$'),
  -- The same card has the same fingerprint in every payment.
  add column card_fingerprint text,
  -- The bank asked the card's owner, and the owner confirmed.
  add column authenticated boolean not null default false,
  -- Bonus that went away again with refunds and disputes of this payment.
  add column bonus_returned_micros bigint not null default 0,
  -- What disputes hold back or took of this payment.
  add column disputed_micros bigint not null default 0 check (disputed_micros >= 0),
  add constraint payment_bonus_returned check (bonus_returned_micros between 0 and bonus_micros);

create index payment_fingerprint on payment (card_fingerprint, customer_id) where card_fingerprint is not null;

-- A customer's wish to get unused credit back. Its parts are refunds of the payments that brought the credit.
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

create table refund (
  id                 uuid primary key,
  payment_id         uuid not null references payment (id),
  customer_id        uuid not null references customer (id),
  withdrawal_id      uuid references withdrawal (id),
  -- provider: made there by hand, and heard of afterwards.
  origin             text not null check (origin in ('withdrawal', 'operator', 'fraud_warning', 'provider')),
  amount_micros      bigint not null check (amount_micros > 0 and amount_micros % 10000 = 0),
  -- Bonus that went with it; comes back if the refund fails.
  bonus_micros       bigint not null default 0 check (bonus_micros >= 0),
  -- ordered: taken from the ledger, the provider may not know of it yet; failed: given back to the ledger.
  status             text not null check (status in ('ordered', 'pending', 'succeeded', 'failed')),
  provider_refund_id text unique,
  failure            text check (char_length(failure) <= 300),
  -- When the provider is asked (again); null once nothing is expected any more.
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
