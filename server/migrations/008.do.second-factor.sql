-- Authenticator apps, recovery codes, passkeys, sign-ins that wait for their second factor, and what happened to the ways
-- into an account.

create table authenticator (
  customer_id  uuid primary key references customer (id) on delete cascade,
  -- The shared secret, AES-256-GCM under a key made from the service's secret of this name.
  secret       bytea not null,
  secret_key   text not null check (char_length(secret_key) <= 20),
  created_at   timestamptz not null,
  -- Null while the first code has not been seen: until then it asks nobody for anything.
  confirmed_at timestamptz,
  -- The latest 30-second step whose code was used: no code is good twice, and none is good after a later one.
  last_step    bigint not null default 0
);

create table recovery_code (
  customer_id uuid not null references customer (id) on delete cascade,
  -- SHA-256 over the customer and the code, which has 80 random bits.
  code_hash   bytea not null check (octet_length(code_hash) = 32),
  created_at  timestamptz not null,
  used_at     timestamptz,
  primary key (customer_id, code_hash)
);

create table passkey (
  id            uuid primary key,
  customer_id   uuid not null references customer (id) on delete cascade,
  credential_id bytea not null unique check (octet_length(credential_id) between 1 and 1023),
  -- COSE.
  public_key    bytea not null,
  -- As the authenticator counts its signatures; stays 0 where it does not.
  sign_count    bigint not null check (sign_count >= 0),
  transports    text[] not null,
  name          text not null check (char_length(name) between 1 and 60),
  -- Whether it lives in an account that several devices share.
  synced        boolean not null,
  created_at    timestamptz not null,
  last_used_at  timestamptz
);

create index passkey_customer on passkey (customer_id, created_at);

-- What a passkey has to sign. Good once.
create table passkey_challenge (
  challenge_hash bytea primary key check (octet_length(challenge_hash) = 32),
  -- Who registers; null for a sign-in, where nobody is known yet.
  customer_id    uuid references customer (id) on delete cascade,
  expires_at     timestamptz not null
);

create index passkey_challenge_expires on passkey_challenge (expires_at);

-- Sign-ins whose first factor was right.
create table sign_in_challenge (
  challenge_hash bytea primary key check (octet_length(challenge_hash) = 32),
  customer_id    uuid not null references customer (id) on delete cascade,
  tries          integer not null default 0 check (tries between 0 and 5),
  created_at     timestamptz not null,
  expires_at     timestamptz not null
);

create index sign_in_challenge_customer on sign_in_challenge (customer_id);
create index sign_in_challenge_expires on sign_in_challenge (expires_at);

-- What happened to the ways into an account. Kept for 90 days.
create table security_event (
  id          uuid primary key,
  customer_id uuid not null references customer (id) on delete cascade,
  kind        text not null check (char_length(kind) between 1 and 40),
  -- For example the name of a passkey.
  detail      text check (char_length(detail) <= 300),
  device      text check (char_length(device) <= 80),
  network     text check (char_length(network) <= 60),
  happened_at timestamptz not null
);

create index security_event_customer on security_event (customer_id, happened_at);
create index security_event_happened on security_event (happened_at);
