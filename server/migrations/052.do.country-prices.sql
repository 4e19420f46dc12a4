-- The range of a deck's prices by country and number type, so that a history over many decks need not read millions of rows.
create table deck_country_price (
  deck_id uuid not null references deck on delete cascade,
  country_code text not null check (country_code ~ '^[A-Z]{2}$'),
  number_type text not null,
  prefixes integer not null check (prefixes > 0),
  lowest_cost_micros bigint not null,
  highest_cost_micros bigint not null,
  lowest_price_micros bigint not null,
  highest_price_micros bigint not null,
  primary key (deck_id, country_code, number_type)
);
insert into deck_country_price
  select deck_id, country_code, number_type, count(*), min(cost_per_minute_micros), max(cost_per_minute_micros),
    min(rate_per_minute_micros), max(rate_per_minute_micros)
  from deck_rate group by deck_id, country_code, number_type;
