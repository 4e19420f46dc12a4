-- What calls that read a code cost at most, by UTC day: they have no call's row, but count to what carriers may take in a day.
create table code_call_cost (
  day    date primary key,
  micros bigint not null check (micros >= 0)
);
