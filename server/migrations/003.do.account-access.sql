-- Getting into an account and back into it: languages, devices, links in mails, wrong tries.

alter table customer
  -- Of the mails.
  add column language text not null default 'en' check (language in ('en', 'es', 'fr', 'hi', 'ar')),
  -- Which of the service's secrets the password was mixed with before hashing; null for none.
  add column password_key text check (char_length(password_key) <= 20);

alter table session
  -- When the person last proved who they are: by signing in, or by the password again.
  add column authenticated_at timestamptz,
  -- For example "Chrome on Windows".
  add column device text not null default 'Unknown device' check (char_length(device) <= 80),
  -- Shortened, for example "203.0.113.x".
  add column network text not null default '' check (char_length(network) <= 60),
  -- SHA-256 of the browser's cookie. A session that has it is good in that browser alone.
  add column browser_hash bytea check (octet_length(browser_hash) = 32);
update session set authenticated_at = created_at;
alter table session alter column authenticated_at set not null;

-- Browsers in which somebody signed in before: wrong tries of others do not lock them out.
create table known_browser (
  customer_id  uuid not null references customer (id) on delete cascade,
  browser_hash bytea not null check (octet_length(browser_hash) = 32),
  last_used_at timestamptz not null,
  primary key (customer_id, browser_hash)
);

-- Tries to sign in to an address, known or not, that did not succeed.
create table sign_in_guard (
  -- SHA-256 of the address.
  account_key  text primary key,
  tries        integer not null check (tries >= 0),
  first_try_at timestamptz not null,
  last_try_at  timestamptz not null,
  locked_until timestamptz
);

create index sign_in_guard_last_try on sign_in_guard (last_try_at);

-- A change of address, in force once it is confirmed where it must be.
create table email_change (
  id               uuid primary key,
  -- One at a time: a new one takes the place of the one before.
  customer_id      uuid not null unique references customer (id) on delete cascade,
  new_email        text not null check (char_length(new_email) between 3 and 254),
  -- Not where the present address was never verified, or somebody would be stuck with a mistyped one.
  needs_old        boolean not null,
  new_confirmed_at timestamptz,
  old_confirmed_at timestamptz,
  done_at          timestamptz,
  created_at       timestamptz not null,
  expires_at       timestamptz not null
);

-- A link in a mail. Its token is made from the id and a secret of the service, and stands nowhere.
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

-- Wishes for a new password. They are looked at after the answer was sent: it is the same for every address, in time too.
create table password_reset_request (
  id           uuid primary key,
  email_key    text not null check (char_length(email_key) between 3 and 254),
  requested_at timestamptz not null
);
