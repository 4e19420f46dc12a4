-- Customers and every way into their accounts.

create table customer (
  id                uuid primary key,
  name              text not null check (char_length(name) between 1 and 120),
  -- As typed, for mail and display.
  email             text not null check (char_length(email) between 3 and 254),
  -- Lower case: one address is one customer.
  email_key         text not null unique check (email_key = lower(email_key)),
  email_verified    boolean not null default false,
  -- argon2id in PHC form; null for customers who sign in with Google alone.
  password_hash     text,
  -- Which of the service's secrets was mixed into the password before hashing; null for none.
  password_key      text check (char_length(password_key) <= 20),
  -- For a while after a reset no saved card may be charged: it may have been a thief with access to the mailbox.
  password_reset_at timestamptz,
  -- Of mails.
  language          text not null default 'en' check (language in ('en', 'es', 'fr', 'hi', 'ar')),
  status            text not null default 'active' check (status in ('active', 'frozen')),
  created_at        timestamptz not null
);

create table session (
  id               uuid primary key,
  customer_id      uuid not null references customer (id) on delete cascade,
  -- SHA-256 of the token, which is stored nowhere.
  token_hash       bytea not null unique check (octet_length(token_hash) = 32),
  -- SHA-256 of the browser's cookie: such a session works in that browser alone.
  browser_hash     bytea check (octet_length(browser_hash) = 32),
  -- For example "Chrome on Windows".
  device           text not null default 'Unknown device' check (char_length(device) <= 80),
  -- Shortened, for example "203.0.113.x".
  network          text not null default '' check (char_length(network) <= 60),
  created_at       timestamptz not null,
  -- When the customer last proved who they are: by signing in, or by the password again.
  authenticated_at timestamptz not null,
  last_seen_at     timestamptz not null,
  expires_at       timestamptz not null
);

create index session_customer on session (customer_id, last_seen_at);

-- Browsers that signed in before: failed sign-ins from elsewhere do not lock them out.
create table known_browser (
  customer_id  uuid not null references customer (id) on delete cascade,
  browser_hash bytea not null check (octet_length(browser_hash) = 32),
  last_used_at timestamptz not null,
  primary key (customer_id, browser_hash)
);

-- Failed sign-ins to an address, whether or not it has an account.
create table sign_in_guard (
  -- SHA-256 of the address.
  account_key  text primary key,
  tries        integer not null check (tries >= 0),
  first_try_at timestamptz not null,
  last_try_at  timestamptz not null,
  locked_until timestamptz
);

create index sign_in_guard_last_try on sign_in_guard (last_try_at);

-- Password checks and failures of each minute, over all accounts. Kept for an hour.
create table sign_in_minute (
  minute   timestamptz primary key,
  tries    integer not null check (tries >= 0),
  failures integer not null check (failures between 0 and tries)
);

-- Wrong passwords to be added to the account's history. Processed after the response, which therefore takes the same time
-- with and without an account.
create table failed_sign_in (
  id          uuid primary key,
  email_key   text not null check (char_length(email_key) between 1 and 254),
  device      text not null check (char_length(device) <= 80),
  network     text not null check (char_length(network) <= 60),
  happened_at timestamptz not null
);

-- Proof-of-work challenges that were solved, kept until they expire: each is good once.
create table spent_challenge (
  challenge_hash bytea primary key check (octet_length(challenge_hash) = 32),
  expires_at     timestamptz not null
);

create index spent_challenge_expires on spent_challenge (expires_at);

-- A change of address, in force once every address that must confirm it has.
create table email_change (
  id               uuid primary key,
  -- One at a time: a new change replaces the earlier one.
  customer_id      uuid not null unique references customer (id) on delete cascade,
  new_email        text not null check (char_length(new_email) between 3 and 254),
  -- False if the present address was never verified: a customer could not correct a mistyped one.
  needs_old        boolean not null,
  new_confirmed_at timestamptz,
  old_confirmed_at timestamptz,
  done_at          timestamptz,
  created_at       timestamptz not null,
  expires_at       timestamptz not null
);

-- A link in a mail. Its token is derived from the id and a secret of the service, and is stored nowhere.
create table mail_link (
  id              uuid primary key,
  customer_id     uuid not null references customer (id) on delete cascade,
  use             text not null check (use in ('verify_email', 'reset_password', 'change_email_new', 'change_email_old')),
  -- The address it was sent to, in lower case.
  email_key       text not null,
  email_change_id uuid references email_change (id) on delete cascade,
  created_at      timestamptz not null,
  expires_at      timestamptz not null,
  used_at         timestamptz,
  check ((use in ('change_email_new', 'change_email_old')) = (email_change_id is not null))
);

create index mail_link_customer on mail_link (customer_id, use);
create index mail_link_expires on mail_link (expires_at);

-- Password-reset requests. Processed after the response, which is the same for every address, in its timing too.
create table password_reset_request (
  id           uuid primary key,
  email_key    text not null check (char_length(email_key) between 3 and 254),
  requested_at timestamptz not null
);

create table authenticator (
  customer_id  uuid primary key references customer (id) on delete cascade,
  -- The shared secret, AES-256-GCM under a key derived from the service's secret named in secret_key.
  secret       bytea not null,
  secret_key   text not null check (char_length(secret_key) <= 20),
  created_at   timestamptz not null,
  -- Null until the first code was entered: until then no sign-in requires one.
  confirmed_at timestamptz,
  -- The latest 30-second step whose code was used: no code works twice, and none works after a later one.
  last_step    bigint not null default 0
);

create table recovery_code (
  customer_id uuid not null references customer (id) on delete cascade,
  -- SHA-256 of the customer and the code, which has 80 random bits.
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
  -- The authenticator's own count of its signatures; stays 0 if it keeps none.
  sign_count    bigint not null check (sign_count >= 0),
  transports    text[] not null,
  name          text not null check (char_length(name) between 1 and 60),
  -- Whether it is shared by several devices of one account.
  synced        boolean not null,
  created_at    timestamptz not null,
  last_used_at  timestamptz
);

create index passkey_customer on passkey (customer_id, created_at);

-- What a passkey must sign. Good once.
create table passkey_challenge (
  challenge_hash bytea primary key check (octet_length(challenge_hash) = 32),
  -- Who registers a passkey; null for a sign-in, whose customer is not known yet.
  customer_id    uuid references customer (id) on delete cascade,
  expires_at     timestamptz not null
);

create index passkey_challenge_expires on passkey_challenge (expires_at);

-- Sign-ins that passed the first factor and wait for the second.
create table sign_in_challenge (
  challenge_hash bytea primary key check (octet_length(challenge_hash) = 32),
  customer_id    uuid not null references customer (id) on delete cascade,
  tries          integer not null default 0 check (tries between 0 and 5),
  created_at     timestamptz not null,
  expires_at     timestamptz not null
);

create index sign_in_challenge_customer on sign_in_challenge (customer_id);
create index sign_in_challenge_expires on sign_in_challenge (expires_at);

-- Changes to the ways into an account, for its owner. Kept for 90 days.
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

-- Customers as an OpenID provider knows them. Issuer and subject identify the person; the address is what the provider
-- stated when the accounts were linked.
create table identity (
  issuer      text not null,
  subject     text not null check (char_length(subject) between 1 and 255),
  customer_id uuid not null references customer (id) on delete cascade,
  email       text not null,
  linked_at   timestamptz not null,
  primary key (issuer, subject),
  unique (customer_id, issuer)
);

-- Visits to Google's sign-in page.
create table google_flow (
  id           uuid primary key,
  -- SHA-256 of the browser's flow cookie: only the browser that began can finish.
  browser_hash bytea not null check (octet_length(browser_hash) = 32),
  purpose      text not null check (purpose in ('sign_in', 'link')),
  -- Who links Google to their account.
  customer_id  uuid references customer (id) on delete cascade,
  state        text not null,
  nonce        text not null,
  verifier     text not null,
  created_at   timestamptz not null,
  expires_at   timestamptz not null,
  -- Set once, by the request that exchanges the code.
  used_at      timestamptz,
  code_hash    bytea check (octet_length(code_hash) = 32),
  -- The response, for a page that asks twice: AES-256-GCM under a key derived from the cookie and the code, which are stored
  -- nowhere. Null while the exchange runs, and after one that failed.
  answer       bytea,
  failed       boolean not null default false,
  check ((purpose = 'link') = (customer_id is not null))
);

create index google_flow_browser on google_flow (browser_hash, created_at);
create index google_flow_expires on google_flow (expires_at);
