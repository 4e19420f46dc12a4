-- Counters of abuse limits, written by rate-limiter-flexible. `expire` is milliseconds since 1970, as a float because
-- the library reckons with numbers.
create table rate_limit (
  key    varchar(255) primary key,
  points integer not null default 0,
  expire double precision
);

create index rate_limit_expire on rate_limit (expire);
