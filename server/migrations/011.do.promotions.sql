-- Granted credit: promo codes on top-ups, referrals, and a first call for new customers. Grants are booked in the ledger
-- alone; these tables hold who was promised what, and why somebody got nothing.

create table promo_campaign (
  id               uuid primary key,
  -- What customers type; upper case.
  code             text not null unique check (code ~ '^[A-Z0-9][A-Z0-9-]{2,19}$'),
  -- percent: of what is paid; fixed: the same for each; package: the same for each, with one package only.
  kind             text not null check (kind in ('percent', 'fixed', 'package')),
  bonus_percent    integer check (bonus_percent between 1 and 100),
  -- Whole cents. Of a percentage: the maximum for one top-up.
  bonus_micros     bigint check (bonus_micros > 0 and bonus_micros % 10000 = 0),
  package_id       text references credit_package (id),
  -- The least that must be paid.
  least_micros     bigint not null default 0 check (least_micros >= 0),
  -- The most top-ups it applies to, and the most bonus it grants in all; null for no limit.
  most_uses        integer check (most_uses > 0),
  budget_micros    bigint check (budget_micros > 0),
  -- Promised and granted.
  uses             integer not null default 0 check (uses >= 0),
  promised_micros  bigint not null default 0 check (promised_micros >= 0),
  starts_at        timestamptz not null,
  ends_at          timestamptz check (ends_at > starts_at),
  -- When an operator ended it.
  ended_at         timestamptz,
  created_at       timestamptz not null,
  constraint promo_campaign_bonus check (
    case kind when 'percent' then bonus_percent is not null else bonus_percent is null and bonus_micros is not null end),
  constraint promo_campaign_package check ((kind = 'package') = (package_id is not null)),
  constraint promo_campaign_within_uses check (uses <= most_uses),
  constraint promo_campaign_within_budget check (promised_micros <= budget_micros)
);

-- A code on a payment: reserved while it may be paid, granted with its credit, released once it cannot be paid any more.
create table promo_use (
  payment_id       uuid primary key references payment (id) deferrable initially deferred,
  campaign_id      uuid not null references promo_campaign (id),
  customer_id      uuid not null references customer (id),
  bonus_micros     bigint not null check (bonus_micros > 0),
  state            text not null default 'reserved' check (state in ('reserved', 'granted', 'released')),
  -- Of the card that paid: the same card is the same person. Null where cards prove nothing, as in test mode.
  card_fingerprint text,
  created_at       timestamptz not null,
  settled_at       timestamptz,
  constraint promo_use_settled check ((state = 'reserved') = (settled_at is null))
);

create unique index promo_use_once on promo_use (campaign_id, customer_id) where state <> 'released';
create unique index promo_use_card_once on promo_use (campaign_id, card_fingerprint)
  where state = 'granted' and card_fingerprint is not null;

create table referral_code (
  customer_id uuid primary key references customer (id),
  code        text not null unique check (code ~ '^[A-Z2-9]{8}$'),
  created_at  timestamptz not null
);

-- Who joined by whose invitation. Rewarded once, after the invited customer's first payment and when both have verified their
-- addresses; taken back in the transaction that returns that payment.
create table referral (
  invited_id            uuid primary key references customer (id),
  inviter_id            uuid not null references customer (id),
  state                 text not null default 'invited' check (state in ('invited', 'rewarded', 'refused', 'taken_back')),
  -- Why there is no reward.
  refusal               text check (refusal in
    ('not_verified', 'too_small', 'frozen', 'disposable_address', 'same_browser', 'same_network', 'same_card', 'returned')),
  payment_id            uuid references payment (id),
  paid_micros           bigint,
  -- Other customers paid with this card before.
  card_shared           boolean not null default false,
  paid_at               timestamptz,
  invited_bonus_micros  bigint not null default 0 check (invited_bonus_micros >= 0),
  inviter_bonus_micros  bigint not null default 0 check (inviter_bonus_micros >= 0),
  -- When it is looked at again; null once nothing more is expected.
  next_look_at          timestamptz,
  created_at            timestamptz not null,
  decided_at            timestamptz,
  constraint referral_of_others check (inviter_id <> invited_id),
  constraint referral_refusal check ((state = 'refused') = (refusal is not null))
);

create index referral_of_inviter on referral (inviter_id, decided_at desc);
create index referral_of_payment on referral (payment_id) where payment_id is not null;
create index referral_due on referral (next_look_at) where next_look_at is not null;

-- A small bonus for a first call with a verified address, once per person as far as can be told.
create table first_call (
  customer_id  uuid primary key references customer (id),
  state        text not null default 'due' check (state in ('due', 'granted', 'refused')),
  refusal      text check (refusal in
    ('off', 'frozen', 'same_address', 'disposable_address', 'same_browser', 'same_network', 'no_browser')),
  -- The address without what mail services ignore.
  mailbox      text,
  bonus_micros bigint not null default 0 check (bonus_micros >= 0),
  next_look_at timestamptz,
  created_at   timestamptz not null,
  decided_at   timestamptz,
  constraint first_call_decided check ((state = 'due') = (decided_at is null) and (state = 'due') = (next_look_at is not null)),
  constraint first_call_refusal check ((state = 'refused') = (refusal is not null))
);

create unique index first_call_mailbox_once on first_call (mailbox) where state = 'granted';
create index first_call_due on first_call (next_look_at) where next_look_at is not null;

-- The browsers and networks of customers who were granted a first call. Networks are kept for a year.
create table first_call_origin (
  customer_id uuid not null references customer (id),
  kind        text not null check (kind in ('browser', 'network')),
  value       text not null,
  seen_at     timestamptz not null,
  primary key (customer_id, kind, value)
);

create index first_call_origin_value on first_call_origin (kind, value, seen_at);
create index first_call_origin_network on first_call_origin (seen_at) where kind = 'network';
