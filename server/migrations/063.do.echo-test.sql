-- Free calls to the exchange's own echo: a person hears that microphone, network and loudspeaker work. Nothing is held and
-- nothing is charged, so a ticket for one is worth half a minute of echo and nothing else.
create table echo_test (
  id              uuid primary key,
  customer_id     uuid not null references customer (id) on delete cascade,
  ticket_hash     bytea not null unique check (octet_length(ticket_hash) = 32),
  expires_at      timestamptz not null,
  created_at      timestamptz not null,
  -- The browser's leg at the voice provider; the ticket is used up with it.
  call_control_id text unique
);

create index echo_test_customer on echo_test (customer_id, created_at);
