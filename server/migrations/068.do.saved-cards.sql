-- Cards that customers saved with the payment provider. Here stands what a person knows a card by, and the provider's name
-- for it; number and security code are nowhere.

-- The customer as the provider knows them: cards are saved in their name.
create table stripe_customer (
  customer_id          uuid primary key references customer (id),
  provider_customer_id text not null unique check (char_length(provider_customer_id) between 1 and 255),
  created_at           timestamptz not null
);

create table saved_card (
  id                uuid primary key,
  customer_id       uuid not null references customer (id),
  payment_method_id text not null unique check (char_length(payment_method_id) between 1 and 255),
  brand             text not null check (char_length(brand) between 1 and 40),
  last4             text not null check (last4 ~ '^\d{4}$'),
  exp_month         integer not null check (exp_month between 1 and 12),
  exp_year          integer not null check (exp_year between 2000 and 2200),
  fingerprint       text,
  created_at        timestamptz not null,
  removed_at        timestamptz,
  -- When the provider forgot it; null while it is saved, or still has to be told.
  detached_at       timestamptz
);

create unique index saved_card_once on saved_card (customer_id, fingerprint) where removed_at is null and fingerprint is not null;
create index saved_card_of_customer on saved_card (customer_id, id desc) where removed_at is null;
create index saved_card_to_detach on saved_card (removed_at) where removed_at is not null and detached_at is null;

-- Visits to the provider's page that saves a card.
create table card_setup (
  id            uuid primary key,
  customer_id   uuid not null references customer (id),
  -- created: not yet known to the provider.
  status        text not null default 'created' check (status in ('created', 'open', 'saved', 'expired')),
  session_id    text unique,
  card_id       uuid references saved_card (id),
  -- When the provider is asked again; null once nothing is expected any more.
  next_check_at timestamptz,
  last_check_at timestamptz,
  created_at    timestamptz not null,
  expires_at    timestamptz not null
);

create index card_setup_customer on card_setup (customer_id, created_at desc);
create index card_setup_due on card_setup (next_check_at) where next_check_at is not null;
