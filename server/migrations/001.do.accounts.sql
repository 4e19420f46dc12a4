-- People who call, and the sessions they are signed in with.

create table customer (
  id             uuid primary key,
  name           text not null check (char_length(name) between 1 and 120),
  -- As typed, for mail and display.
  email          text not null check (char_length(email) between 3 and 254),
  -- Lower case: one address is one customer.
  email_key      text not null unique check (email_key = lower(email_key)),
  -- argon2id in PHC form; null for people who only sign in through another provider.
  password_hash  text,
  email_verified boolean not null default false,
  status         text not null default 'active' check (status in ('active', 'frozen')),
  created_at     timestamptz not null
);

create table session (
  id           uuid primary key,
  customer_id  uuid not null references customer (id) on delete cascade,
  -- SHA-256 of the token; the token itself is nowhere.
  token_hash   bytea not null unique check (octet_length(token_hash) = 32),
  created_at   timestamptz not null,
  last_seen_at timestamptz not null,
  expires_at   timestamptz not null
);

create index session_customer on session (customer_id, last_seen_at);
