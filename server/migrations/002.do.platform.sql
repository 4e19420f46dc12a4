-- What belongs to no subject.

-- Counters of rate limits, written by rate-limiter-flexible. `expire` is a float of milliseconds since 1970 because the
-- library computes with JavaScript numbers.
create table rate_limit (
  key    varchar(255) primary key,
  points integer not null default 0,
  expire double precision
);

create index rate_limit_expire on rate_limit (expire);

-- Permission for one download within a minute: a URL must not carry a session's token.
create table download_ticket (
  -- SHA-256 of the ticket, which is stored nowhere.
  hash        bytea primary key check (octet_length(hash) = 32),
  customer_id uuid not null references customer (id) on delete cascade,
  -- What may be downloaded, and its parameters.
  subject     text not null,
  facts       jsonb not null,
  expires_at  timestamptz not null
);

create index download_ticket_expiry on download_ticket (expires_at);
