-- Sums of calls by the hour in which they ended, rebuilt from the calls after a change. What an operator reads for a month adds these up.
create table call_hour (
  hour timestamptz not null,
  country_code text not null,
  -- '' without one.
  trunk text not null,
  calls integer not null,
  answered integer not null,
  talk_ms bigint not null,
  charge_micros bigint not null,
  cost_micros bigint not null,
  estimated_micros bigint not null,
  primary key (hour, country_code, trunk)
);

-- Attempts of calls by the hour in which the calls were made.
create table trunk_hour (
  hour timestamptz not null,
  trunk text not null,
  seizures integer not null,
  answered integer not null,
  effective integer not null,
  -- The sum of mean opinion scores, each times its call's duration, and the sum of these durations.
  mos_ms double precision not null,
  scored_ms bigint not null,
  primary key (hour, trunk)
);

-- How many of these attempts rang after a delay, rounded to a quarter of a second.
create table trunk_delay_hour (
  hour timestamptz not null,
  trunk text not null,
  delay_ms integer not null,
  attempts integer not null,
  primary key (hour, trunk, delay_ms)
);

-- Hours in which a call has changed after they may have been summed.
create table call_hour_change (
  id bigint generated always as identity primary key,
  hour timestamptz not null
);

-- One row: the hours from `since` to before `until` are summed. Figures reach back 92 days.
create table call_hours_summed (
  only_row boolean primary key default true check (only_row),
  since timestamptz not null,
  until timestamptz not null check (until >= since)
);
insert into call_hours_summed (since, until)
  select hour, hour from (select date_trunc('hour', now(), 'UTC') - interval '100 days' as hour) first;
