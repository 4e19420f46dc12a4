-- Sums of the ledger by the hour of booking, by line of the books. A month's books add these up.
create table ledger_hour (
  hour timestamptz not null,
  line text not null,
  entries integer not null,
  micros bigint not null,
  bonus_micros bigint not null,
  -- The service's side, which mirrors `micros`.
  service_micros bigint not null,
  primary key (hour, line)
);

-- How the running balances of all accounts changed in these hours, in total: balances less debts, bonus, and what accounts below zero owe.
create table ledger_hour_balance (
  hour timestamptz primary key,
  micros bigint not null,
  bonus_micros bigint not null,
  owed_micros bigint not null
);

-- One row: the hours from `since` to before `until` are summed. Nothing was booked before `since`.
create table ledger_hours_summed (
  only_row boolean primary key default true check (only_row),
  since timestamptz not null,
  until timestamptz not null check (until >= since)
);
insert into ledger_hours_summed (since, until)
  select hour, hour from (select date_trunc('hour', coalesce(min(created_at), now()), 'UTC') as hour from ledger_transaction) first;
