-- Breakers that stop calls for the whole platform, or only warn the operators. In force until their end or until lifted.

create table breaker (
  id         uuid primary key,
  -- carrier_spend: the carriers' charges of a day; spend_note: a share of them; prefix, country: a sudden cost there.
  kind       text not null check (kind in ('carrier_spend', 'spend_note', 'prefix', 'country')),
  -- The prefix of the rate, the country's ISO code, the share in percent, or empty.
  subject    text not null check (char_length(subject) <= 15),
  -- What was seen.
  inputs     jsonb not null,
  opened_at  timestamptz not null,
  until      timestamptz not null check (until > opened_at),
  lifted_at  timestamptz
);

create index breaker_until on breaker (until);
