-- What limits follow a customer's tier, what stops calls for the whole platform, and what needs a second operator.

-- Calls of the last hours, whoever made them. Rows come in the order of their time, so an index of ranges does.
create index call_begun on call using brin (created_at) with (pages_per_range = 32);

-- What stopped calls, and what only told the operators. In force from its beginning until its end or until it is lifted.
create table breaker (
  id         uuid primary key,
  -- carrier_spend: what the carriers take in a day; spend_note: a share of that; prefix, country: a sudden cost there.
  kind       text not null check (kind in ('carrier_spend', 'spend_note', 'prefix', 'country')),
  -- The prefix of the rate, the country's ISO code, the share in percent, or nothing.
  subject    text not null check (char_length(subject) <= 15),
  -- What was seen.
  inputs     jsonb not null,
  opened_at  timestamptz not null,
  until      timestamptz not null check (until > opened_at),
  lifted_at  timestamptz
);

create index breaker_until on breaker (until);

-- Money orders of operators above a limit: one proposes, another confirms.
create table approval (
  id            uuid primary key,
  action        text not null check (char_length(action) between 1 and 40),
  customer_id   uuid not null references customer (id),
  subject       text check (char_length(subject) <= 255),
  amount_micros bigint not null check (amount_micros > 0),
  -- What else the order says.
  detail        jsonb not null,
  reason        text not null check (char_length(reason) between 1 and 500),
  proposed_by   text not null check (char_length(proposed_by) between 1 and 120),
  proposed_at   timestamptz not null,
  expires_at    timestamptz not null,
  state         text not null default 'open' check (state in ('open', 'confirmed', 'rejected')),
  decided_by    text check (char_length(decided_by) between 1 and 120),
  decided_at    timestamptz,
  constraint approval_decided check ((state = 'open') = (decided_by is null) and (state = 'open') = (decided_at is null)),
  -- Whoever proposes may take it back, but not confirm it.
  constraint approval_by_another check (state <> 'confirmed' or lower(decided_by) <> lower(proposed_by))
);

create index approval_open on approval (proposed_at) where state = 'open';
