-- Farline's tables, by subject. Functions and triggers stand beside the code that calls them, in the `sql` folders of server/src.

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
  language          text not null default 'en',
  status            text not null default 'active' check (status in ('active', 'frozen')),
  created_at        timestamptz not null,
  -- When the account is erased at the earliest: its owner asked for it, and it takes no calls or payments since. Erased ones keep it.
  closes_at         timestamptz,
  -- Why an account is locked, in a word that its owner is told; of no meaning unless the status is 'frozen'.
  frozen_because    text
  check (frozen_because in ('payment', 'calls', 'owner', 'review')),
  -- Paid once for somebody else without an account: cannot sign in, and its key is that of no address.
  is_guest          boolean not null default false check (is_guest = starts_with(email_key, 'guest:'))
);

create index customer_email_start on customer (email_key text_pattern_ops);
-- The overview counts new customers by day.
create index customer_created on customer (created_at);
-- Operators list customers who are not simply active, and search names and domains of mail.
create index customer_restricted on customer (created_at) where status <> 'active' or closes_at is not null;
create index customer_domain on customer ((split_part(email_key, '@', 2)), created_at);
create index customer_name on customer
  using gin (to_tsvector('simple', regexp_replace(normalize(name, nfkd), '[\u0300-\u036f]', '', 'g')));

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
-- What jobs delete when it has expired.
create index session_expires on session (expires_at);
create index session_seen on session (last_seen_at);
create index session_network on session (network, created_at);

-- Why a session ended, for whoever still holds its token: the sign-in page says it.
create table ended_session (
  token_hash  bytea primary key check (octet_length(token_hash) = 32),
  customer_id uuid not null references customer (id) on delete cascade,
  reason      text not null
    check (reason in ('expired', 'signed_out', 'password_changed', 'account_closed', 'other_browser', 'too_many_devices')),
  ended_at    timestamptz not null,
  -- Which session ended, and whether its calls end with it.
  session_id  uuid,
  ends_calls  boolean
);

create index ended_session_customer on ended_session (customer_id);
create index ended_session_ended_at on ended_session (ended_at);
create index ended_session_session on ended_session (session_id) where session_id is not null;

-- Browsers that signed in before: failed sign-ins from elsewhere do not lock them out.
create table known_browser (
  customer_id  uuid not null references customer (id) on delete cascade,
  browser_hash bytea not null check (octet_length(browser_hash) = 32),
  last_used_at timestamptz not null,
  primary key (customer_id, browser_hash)
);

create index known_browser_used on known_browser (last_used_at);
-- Requests of a browser that a customer has used are counted apart from their network.
create index known_browser_hash on known_browser (browser_hash);

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

create index email_change_expires on email_change (expires_at);

-- A link in a mail. Its token is derived from the id and a secret of the service, and is stored nowhere.
create table mail_link (
  id              uuid primary key,
  customer_id     uuid not null references customer (id) on delete cascade,
  use             text not null check (use in ('verify_email', 'reset_password', 'change_email_new', 'change_email_old', 'export_ready')),
  -- The address it was sent to, in lower case.
  email_key       text not null,
  email_change_id uuid references email_change (id) on delete cascade,
  created_at      timestamptz not null,
  expires_at      timestamptz not null,
  used_at         timestamptz,
  -- The session that asked for it, in which alone its code works; null if an operator did. Not referenced: it may end first.
  session_id      uuid,
  -- Codes typed for it, right or wrong.
  code_tries      smallint not null default 0,
  check ((use in ('change_email_new', 'change_email_old')) = (email_change_id is not null))
);

create index mail_link_customer on mail_link (customer_id, use);
create index mail_link_expires on mail_link (expires_at);

-- Password-reset requests. Processed after the response, which is the same for every address, in its timing too.
create table password_reset_request (
  id           uuid primary key,
  email_key    text not null check (char_length(email_key) between 3 and 254),
  requested_at timestamptz not null,
  -- Where the request came from, if it was a browser with our cookie.
  browser_hash bytea
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
create index security_event_network on security_event (network, happened_at) where network is not null;

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

-- What operators set for one customer for a while: the tier, or a limit. It ends by itself.
create table customer_term (
  customer_id uuid not null references customer (id),
  name        text not null check (char_length(name) between 1 and 40),
  -- A tier's name, micro-dollars or a count.
  value       text not null check (char_length(value) between 1 and 40),
  until       timestamptz not null,
  set_at      timestamptz not null,
  set_by      uuid not null,
  reason      text not null check (char_length(reason) between 1 and 500),
  primary key (customer_id, name)
);

-- Operators, what they do to accounts and money and why, and the settings they may change.

-- Operators are people with a sign-in of their own. Records and approvals name them by id, so that the database, not the code,
-- refuses an approval by its own proposer.
create table operator (
  id           uuid primary key,
  email        text not null check (char_length(email) between 3 and 254),
  name         text not null check (char_length(name) between 1 and 120),
  role         text not null check (role in ('support', 'finance', 'admin')),
  created_at   timestamptz not null,
  removed_at   timestamptz,
  -- From when an operator counts as a second person.
  trusted_from timestamptz not null default now() + interval '7 days'
);

create unique index operator_email on operator (lower(email)) where removed_at is null;

alter table customer_term add foreign key (set_by) references operator;

-- A one-time link with which an operator sets up their sign-in. It also carries the secret of an authenticator that awaits its first code.
create table operator_invitation (
  operator_id uuid primary key references operator,
  token_hash  bytea unique check (octet_length(token_hash) = 32),
  expires_at  timestamptz not null,
  secret      bytea,
  secret_key  text,
  proposed_by uuid,
  constraint operator_invitation_secret check ((secret is null) = (secret_key is null)),
  constraint operator_invitation_waits check (token_hash is not null or proposed_by is not null)
);

-- A password is never enough alone: it has an authenticator beside it.
create table operator_password (
  operator_id   uuid primary key references operator,
  password_hash text not null,
  password_key  text,
  secret        bytea not null,
  secret_key    text not null,
  last_step     bigint not null,
  created_at    timestamptz not null
);

create table operator_passkey (
  id            uuid primary key,
  operator_id   uuid not null references operator,
  credential_id bytea not null unique check (octet_length(credential_id) between 1 and 1023),
  public_key    bytea not null,
  sign_count    bigint not null check (sign_count >= 0),
  transports    text[] not null,
  created_at    timestamptz not null,
  last_used_at  timestamptz
);

create index operator_passkey_operator on operator_passkey (operator_id);

create table operator_passkey_challenge (
  challenge_hash bytea primary key check (octet_length(challenge_hash) = 32),
  operator_id    uuid references operator,
  expires_at     timestamptz not null
);

create table operator_session (
  id           uuid primary key,
  operator_id  uuid not null references operator,
  token_hash   bytea not null unique check (octet_length(token_hash) = 32),
  kind         text not null check (kind in ('console', 'command_line')),
  device       text not null check (char_length(device) between 1 and 120),
  network      text not null check (char_length(network) <= 60),
  created_at   timestamptz not null,
  proved_at    timestamptz not null,
  last_seen_at timestamptz not null,
  expires_at   timestamptz not null
);

create index operator_session_operator on operator_session (operator_id);
create index operator_session_expires on operator_session (expires_at);

-- A command line that waits for its operator to confirm its code in the console.
create table operator_command_line (
  code_hash  bytea primary key check (octet_length(code_hash) = 32),
  token_hash bytea not null unique check (octet_length(token_hash) = 32),
  device     text not null check (char_length(device) between 1 and 120),
  expires_at timestamptz not null
);

-- The browsers in which an operator has signed in: wrong passwords of strangers do not count there.
create table operator_browser (
  operator_id  uuid not null references operator (id) on delete cascade,
  browser_hash bytea not null check (octet_length(browser_hash) = 32),
  last_used_at timestamptz not null,
  primary key (operator_id, browser_hash)
);

-- The operators' log: append-only.
create table operation (
  id          uuid primary key,
  -- Their name at that time.
  operator    text not null check (char_length(operator) between 1 and 120),
  action      text not null check (char_length(action) between 1 and 40),
  customer_id uuid references customer (id),
  -- The payment, call or dispute concerned.
  subject     text check (char_length(subject) <= 255),
  reason      text not null check (char_length(reason) between 1 and 500),
  detail      jsonb not null default '{}',
  happened_at timestamptz not null,
  operator_id uuid not null references operator
);

create index operation_customer on operation (customer_id, happened_at desc);
create index operation_operator on operation (operator_id, happened_at desc, id desc);
create index operation_happened on operation (happened_at desc, id desc);

-- Money orders above a limit: one operator proposes, another confirms.
create table approval (
  id            uuid primary key,
  action        text not null check (char_length(action) between 1 and 40),
  customer_id   uuid references customer (id),
  subject       text check (char_length(subject) <= 255),
  amount_micros bigint check (amount_micros > 0),
  -- The order's other parameters.
  detail        jsonb not null,
  reason        text not null check (char_length(reason) between 1 and 500),
  proposed_at   timestamptz not null,
  expires_at    timestamptz not null,
  state         text not null default 'open' check (state in ('open', 'confirmed', 'rejected', 'withdrawn')),
  decided_at    timestamptz,
  proposed_by   uuid not null references operator,
  decided_by    uuid references operator,
  -- What a proposal's operation gets when it is confirmed.
  input         jsonb,
  constraint approval_decided check ((state = 'open') = (decided_by is null) and (state = 'open') = (decided_at is null)),
  constraint approval_by_another check (state not in ('confirmed', 'rejected') or decided_by <> proposed_by),
  constraint approval_withdrawn check (state <> 'withdrawn' or decided_by = proposed_by)
);

create index approval_open on approval (proposed_at) where state = 'open';

-- Accounts that the service froze, until an operator has decided.
create table freeze_review (
  customer_id uuid primary key references customer,
  reason      text not null check (char_length(reason) between 1 and 500),
  opened_at   timestamptz not null
);

-- The figures of the business that operators change while the service runs; names, units and bounds are declared in code. The latest
-- `valid_from` that has passed counts, and of several with the same time the newest.
create table setting (
  id         uuid primary key,
  name       text not null check (char_length(name) between 1 and 80),
  -- Micro-dollars, percent or a count.
  value      bigint not null,
  valid_from timestamptz not null,
  operator   text not null check (char_length(operator) between 1 and 120),
  reason     text not null check (char_length(reason) between 1 and 500),
  created_at timestamptz not null
);

create index setting_name on setting (name, valid_from desc, created_at desc, id desc);

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
  expires_at  timestamptz not null,
  -- The session that asked for it.
  session_id  uuid
);

create index download_ticket_expiry on download_ticket (expires_at);

-- Mails and the newsletter.

create table mail (
  id           uuid primary key,
  -- Writing the same mail twice writes it once.
  key          text not null unique check (char_length(key) between 1 and 200),
  recipient    text not null check (char_length(recipient) between 3 and 254),
  template     text not null,
  language     text not null,
  -- What the template needs: ids of records, never a token. Deleted once the mail is sent or given up.
  data         jsonb,
  state        text not null default 'waiting' check (state in ('waiting', 'sent', 'given_up', 'refused')),
  attempts     integer not null default 0,
  next_at      timestamptz not null,
  -- Not sent after this.
  useful_until timestamptz not null,
  last_error   text check (char_length(last_error) <= 300),
  created_at   timestamptz not null,
  done_at      timestamptz,
  -- By whom and for what a mail was asked for. Limits count each lane by itself.
  lane         text,
  -- The customer who asked, where a lane also counts by account.
  asked_by     uuid,
  check ((state = 'waiting') = (done_at is null)),
  check ((state = 'waiting') = (data is not null))
);

create index mail_due on mail (next_at) where state = 'waiting';
create index mail_done on mail (done_at) where state <> 'waiting';
create index mail_recipient on mail (recipient, done_at) where state <> 'waiting';
create index mail_mailbox on mail (lower(recipient), created_at);

create table newsletter_subscription (
  -- Random (version 4): links are derived from it.
  id           uuid primary key,
  email        text not null check (char_length(email) between 3 and 254),
  email_key    text not null unique check (email_key = lower(email_key)),
  language     text not null,
  state        text not null check (state in ('asked', 'confirmed', 'ended')),
  asked_at     timestamptz not null,
  confirmed_at timestamptz,
  ended_at     timestamptz,
  check (state <> 'confirmed' or confirmed_at is not null)
);

create index newsletter_subscription_asked on newsletter_subscription (asked_at) where state = 'asked';

-- The ledger: double entry in micro-dollars. Only the functions in server/src/ledger/sql write these tables, so checks and
-- references that each charge would pay for are left out: server/src/ledger/verify-ledger.ts finds what they would refuse.

create type ledger_kind as enum ('top_up', 'bonus', 'test_credit', 'call', 'refund', 'dispute', 'adjustment',
  'withdrawal', 'write_off', 'call_refund', 'refund_failed', 'dispute_won', 'gift');

create type ledger_system_account as enum ('revenue', 'payment_clearing', 'promotion', 'test_credit', 'adjustment',
  'write_off', 'gift');

-- One movement of an account, as record_transactions takes it.
create type posting as (
  customer_id      uuid,
  -- Held credit that it releases; negative: that it holds.
  released_micros  bigint,
  -- Null: it only releases, and no transaction is written.
  kind             ledger_kind,
  transaction_id   uuid,
  key              text,
  -- The customer's side, and the bonus part of it.
  signed_micros    bigint,
  bonus_micros     bigint,
  system_account   ledger_system_account,
  reference_id     uuid,
  -- Who called on the account's credit; null if it was the account's customer.
  caller_id        uuid,
  restores_id      uuid,
  description      text,
  -- The spent part of a bonus that is taken back: if none of the bonus is left, the transaction has no entries.
  untaken_micros   bigint
);

-- Check: account_is_sound.
create table account (
  customer_id     uuid primary key references customer (id),
  -- The customer's credit, holds included. balance - held is free for a new call.
  balance_micros  bigint not null default 0,
  -- The sum of the pending holds.
  held_micros     bigint not null default 0,
  -- Owed after a refund or dispute of credit that was spent already. Repaid first by whatever becomes available.
  debt_micros     bigint not null default 0,
  -- The granted part of the credit, between 0 and balance - debt. It follows from the entries alone, never from holds. A call
  -- spends bonus first; refunds, disputes and debts take paid credit first. What was spent of a grant is never owed.
  bonus_micros    bigint not null default 0,
  -- Number of this account's entries, and the sequence of the newest one.
  entry_count     bigint not null default 0,
  -- Booking times of one account never run backwards, so a time stands for a position.
  newest_entry_at timestamptz not null default '-infinity',
  created_at      timestamptz not null default clock_timestamp()
) with (fillfactor = 70);

-- Credit set aside for one call, whose id it has. Found by its id alone: without other indexes it is updated in place.
-- Check: hold_is_sound.
create table hold (
  id            uuid primary key,
  customer_id   uuid not null,
  -- Of the first request; a running call's hold may grow beyond it.
  wanted_micros bigint not null,
  least_micros  bigint not null,
  amount_micros bigint not null,
  state         text not null default 'pending',
  -- What the call cost; the rest of the hold was released.
  posted_micros bigint,
  created_at    timestamptz not null default clock_timestamp(),
  resolved_at   timestamptz,
  -- Who called on the account's credit; null if it was the account's customer.
  caller_id     uuid
) with (fillfactor = 70);

-- The holds of a day, for the same checks.
create index hold_made on hold using brin (created_at) with (pages_per_range = 32, autosummarize = on);

create table ledger_transaction (
  id               uuid primary key,
  kind             ledger_kind not null,
  -- One business event, one key: a repetition finds the first one's transaction.
  idempotency_key  text not null constraint ledger_transaction_key unique,
  customer_id      uuid not null,
  -- The call or payment behind it.
  reference_id     uuid,
  -- The transaction that this one restores; each at most once.
  restores_id      uuid references ledger_transaction (id),
  description      text not null,
  -- Of a reversal: the part that became debt. Of a returned bonus: the part that was spent and is not in the entry.
  shortfall_micros bigint not null default 0,
  created_at       timestamptz not null,
  caller_id        uuid
);

create unique index ledger_transaction_restored_once on ledger_transaction (restores_id) where restores_id is not null;
-- Booking times rise with each row, except where customers' bookings overlap.
create index ledger_transaction_booked on ledger_transaction using brin (created_at) with (pages_per_range = 32, autosummarize = on);

-- Two per transaction: the customer's, and the opposite one of a system account. System accounts have entries alone and no
-- balance row, for which every charge would have to queue.
create table ledger_entry (
  transaction_id       uuid not null,
  customer_id          uuid,
  system_account       ledger_system_account,
  amount_micros        bigint not null,
  -- The remaining columns are those of the customer's entry only.
  kind                 ledger_kind,
  -- Position in the customer's account, 1 for the first entry, without gaps.
  sequence             bigint,
  -- Balance less debt after this entry: the running sum of the customer's entries.
  balance_after_micros bigint,
  -- The signed part that is bonus.
  bonus_micros         bigint not null default 0
);

create unique index ledger_entry_customer_sequence on ledger_entry (customer_id, sequence) where customer_id is not null;
create index ledger_entry_transaction on ledger_entry (transaction_id);
-- Top-ups, refunds and grants are few among the calls: a page of one kind skips the rest.
create index ledger_entry_by_kind on ledger_entry (customer_id, kind, sequence) where kind <> 'call';

-- What the ledger's checks have found right: each account's sums up to its entry `sequence`, and up to when all bookings are known.
create table ledger_mark (
  customer_id  uuid primary key,
  sequence     bigint not null check (sequence > 0),
  net_micros   bigint not null,
  bonus_micros bigint not null
);

-- The result of the latest check of the ledger, for monitoring: one row.
create table ledger_check (
  only_row   boolean primary key default true check (only_row),
  checked_at timestamptz not null,
  deviations int not null check (deviations >= 0),
  -- When the ledger last added up, which a later check that finds deviations keeps.
  good_at    timestamptz,
  booked_to  timestamptz,
  whole_at   timestamptz
);

-- Sums of the ledger by the hour of booking, by line of the books. A month's books add these up.
create table ledger_hour (
  hour           timestamptz not null,
  line           text not null,
  entries        integer not null,
  micros         bigint not null,
  bonus_micros   bigint not null,
  -- The service's side, which mirrors `micros`.
  service_micros bigint not null,
  primary key (hour, line)
);

-- How the running balances of all accounts changed in these hours, in total: balances less debts, bonus, and what accounts below zero owe.
create table ledger_hour_balance (
  hour         timestamptz primary key,
  micros       bigint not null,
  bonus_micros bigint not null,
  owed_micros  bigint not null
);

-- One row: the hours from `since` to before `until` are summed. Nothing was booked before `since`.
create table ledger_hours_summed (
  only_row boolean primary key default true check (only_row),
  since    timestamptz not null,
  until    timestamptz not null check (until >= since)
);

insert into ledger_hours_summed (since, until)
  select hour, hour from (select date_trunc('hour', coalesce(min(created_at), now()), 'UTC') as hour from ledger_transaction) first;

-- A month's books as they were closed, and what finds a month's bookings among all others.
create table closed_month (
  -- '2026-11', in UTC.
  month          text primary key check (month ~ '^20\d\d-(0[1-9]|1[0-2])$'),
  closed_at      timestamptz not null,
  operator_id    uuid not null references operator (id),
  operator       text not null check (char_length(operator) between 1 and 120),
  reason         text not null check (char_length(reason) between 1 and 500),
  -- The customers' credit at its end, which the next month opens with: balances less debts, and the bonus in it.
  closing_micros bigint not null,
  bonus_micros   bigint not null,
  -- The ledger's books and the provider's report, as they were shown.
  books          jsonb not null,
  provider       jsonb not null
);

-- Rate decks. The deck in force is the one with the latest effective_at that has passed; decks never change.

create table deck (
  id         uuid primary key,
  name       text not null check (name <> ''),
  -- A file name, or who loaded it.
  source     text not null,
  created_at timestamptz not null,
  -- SHA-256 of all its prices, so that the same list is noticed.
  checksum   text,
  -- The trunk's name in the exchange's file; null: the deck that calls are sold by.
  trunk      text check (char_length(trunk) between 1 and 64),
  -- The number of a deck's prices, which a list of decks would otherwise count in millions of rows.
  prices     integer not null default 0,
  -- A list of costs names its trunk; a name of spaces is none.
  constraint deck_trunk_named check (trunk ~ '\S')
);

create index deck_checksum on deck (checksum);

create table deck_rate (
  deck_id                     uuid not null references deck (id) on delete cascade,
  prefix                      text not null check (prefix ~ '^[0-9]{1,15}$'),
  description                 text not null,
  country_code                text not null check (country_code ~ '^[A-Z]{2}$'),
  number_type                 text not null,
  -- What the customer pays.
  rate_per_minute_micros      bigint not null check (rate_per_minute_micros >= 0),
  first_interval_seconds      integer not null check (first_interval_seconds > 0),
  next_interval_seconds       integer not null check (next_interval_seconds > 0),
  -- What the carrier charges.
  cost_per_minute_micros      bigint not null check (cost_per_minute_micros >= 0),
  cost_first_interval_seconds integer not null check (cost_first_interval_seconds > 0),
  cost_next_interval_seconds  integer not null check (cost_next_interval_seconds > 0),
  primary key (deck_id, prefix)
);

-- Which deck is in force from when. Decks and activations never change: going back to a deck is a new activation of it.
create table deck_activation (
  id           uuid primary key,
  deck_id      uuid not null references deck (id),
  effective_at timestamptz not null,
  operator     text not null,
  reason       text not null,
  created_at   timestamptz not null,
  -- When an activation that had not come yet was called off.
  cancelled_at timestamptz,
  -- Whether a second operator confirmed an activation. Later price lists are compared with the latest such deck.
  confirmed    boolean not null default false,
  -- The ordinary activation to which a roll-back returned, so that the next one goes further back. Null for all others.
  returns_to   uuid
);

create index deck_activation_effective on deck_activation (effective_at desc, created_at desc);

-- What a deck does not sell although a shorter prefix of it has a price: closed codes, codes that begin later, lines left out, and
-- other countries' numbers under the same calling code.
create table deck_block (
  deck_id      uuid not null references deck (id) on delete cascade,
  prefix       text not null check (prefix ~ '^[0-9]{1,15}$'),
  -- Of the numbering plan.
  country_code text not null check (country_code ~ '^[A-Z]{2}$'),
  primary key (deck_id, prefix)
);

-- The columns of the file from which a deck was imported, in their order, with what each means. The next file of the same carrier is
-- compared with them.
create table deck_columns (
  deck_id uuid primary key references deck (id) on delete cascade,
  layout  jsonb not null check (jsonb_typeof(layout) = 'array'),
  -- The texts of notices that operators have read in a carrier's price lists. The carrier's next file may repeat them.
  notices jsonb not null default '[]' check (jsonb_typeof(notices) = 'array')
);

-- The range of a deck's prices by country and number type, so that a history over many decks need not read millions of rows.
create table deck_country_price (
  deck_id              uuid not null references deck on delete cascade,
  country_code         text not null check (country_code ~ '^[A-Z]{2}$'),
  number_type          text not null,
  prefixes             integer not null check (prefixes > 0),
  lowest_cost_micros   bigint not null,
  highest_cost_micros  bigint not null,
  lowest_price_micros  bigint not null,
  highest_price_micros bigint not null,
  primary key (deck_id, country_code, number_type)
);

-- Calls, the events each follows from, and what limits them.

-- Check: call_is_sound. The customer is not referenced: the account is locked when the call is written, and accounts stay.
-- A call is updated about ten times. Room is kept in each page for that, and the columns are in the order in which they change: an update that
-- stays in its page logs only what lies between the row's first and last change.
create table call (
  -- also the id of its hold
  id                     uuid primary key,
  customer_id            uuid not null,
  -- Whose credit pays; null if it is the caller's own.
  payer_id               uuid references customer (id),
  created_at             timestamptz not null,
  -- The rate in force when the call was authorised, by which it is charged whatever happens to the deck.
  deck_id                uuid not null,
  deck_effective_at      timestamptz not null,
  rate_per_minute_micros bigint not null,
  ticket_expires_at      timestamptz not null,
  first_interval_seconds integer not null,
  next_interval_seconds  integer not null,
  -- The longest call the rules allow. The hold may pay for less; the smaller of the two ends the call.
  cap_seconds            integer not null,
  rate_prefix            text not null,
  rate_description       text not null,
  -- Not derived from the rate: a high-risk range never counts as class A, however cheap.
  price_class            text not null,
  country_code           text not null,
  number_type            text not null,
  -- SHA-256 of the ticket, which is stored nowhere.
  ticket_hash            bytea not null unique,
  -- What a call's decision was made by, for operators: a list of values without their names (DECISION_INPUTS).
  decided_by             json,
  -- E.164. Set by the service; what the browser dials must equal it. Shortened when the call is old, or its customer erased.
  destination            text not null,
  idempotency_key        text,
  -- E.164: what the called person saw.
  caller_number          text,
  -- The session that made a call, or to which it was moved. Null for calls recovered after a restore.
  caller_session_id      uuid,
  -- When the ticket was used, or closed because the call ended before it was dialled: then there is no parked leg.
  ticket_used_at         timestamptz,
  -- The provider's names for the browser's leg and for the leg to the called person.
  parked_call_control_id text,
  parked_leg_id          text,
  session_id             text,
  far_call_control_id    text,
  far_leg_id             text,
  -- Reported by the browser: correlates records, decides nothing.
  client_leg_id          text,
  client_session_id      text,
  client_call_id         text,
  -- When the provider accepted the command to dial; null until that is known.
  transferred_at         timestamptz,
  -- Seconds from the answer after which the provider ends the call; null until it was dialled.
  provider_seconds       integer,
  -- False once the provider said that it cannot move this call's limit.
  extendable             boolean not null default true,
  -- The provider's limit, in seconds from the answer, if it is not what the hold pays for: the hold grew since.
  limit_seconds          integer,
  held_micros            bigint not null,
  -- The limit that decides its maximum length.
  bounded_by             text not null default 'credit',
  -- Each attempt over a trunk, in order: its trunk, start, duration, SIP status, Q.850 cause and outcome.
  trunk_attempts         jsonb,
  -- The trunk that carried the call, or that was tried last; null where the provider names none.
  trunk                  text,
  carrier_cost_micros    bigint,
  -- When the call is hung up because its page left, unless it is resumed before. Stored, so that a restart keeps it.
  hang_up_at             timestamptz,
  -- The page that left: its own requests still in flight do not count as a return.
  left_page              uuid,
  -- Set when both legs must go: the sweeper repeats the command until they are gone.
  hangup_requested_at    timestamptz,
  -- When the provider ends it at the latest; null before the answer.
  ends_at                timestamptz,
  -- The last warning given: so many seconds were left.
  warned_seconds         integer,
  -- How often in a row the exchange of a live call did not answer. An exchange that never comes back has its calls settled at their last proof
  -- of life. Counted, not timed, because the service itself may have been down in between.
  unreachable_checks     integer not null default 0,
  -- When the provider first said that the call's leg is not alive, without a reason that is known yet; null after it was seen alive.
  not_alive_since        timestamptz,
  last_seen_alive_at     timestamptz,
  -- When the sweeper looks at the call next; null once nothing can happen to it any more.
  next_check_at          timestamptz,
  started_at             timestamptz,
  answered_at            timestamptz,
  ended_at               timestamptz,
  charge_micros          bigint not null default 0,
  -- What leaving the silence out of the charge took from the budgets of forgiven silence; null: it was charged.
  forgiven_micros        bigint,
  -- How long a lost side was silent before its call was given up.
  silent_ms              integer not null default 0,
  duration_ms            integer not null default 0,
  billed_seconds         integer not null default 0,
  status                 text not null default 'initiated',
  end_reason             text,
  -- Which side hung up an answered call, as the provider tells it.
  hung_up_by             text
) with (fillfactor = 70);

-- Indexes leave out what does not exist yet for most calls: the names of legs, the end of an unanswered call.
create unique index call_idempotency on call (customer_id, idempotency_key) where idempotency_key is not null;
-- Lists, filters and sums over a customer's calls are answered by this index alone, however many there are.
create index call_history on call (customer_id, created_at desc, id desc)
  include (destination, country_code, status, duration_ms, charge_micros);
-- All customers' ended calls, newest first: lists, and those by what is rare enough to be looked for. An entry is written once, when
-- the call ends; lists read the live ones beside (PARTS_OF_CALLS).
create index call_begun on call (created_at) where ended_at is not null;
create index call_country on call (country_code, created_at) where ended_at is not null;
create index call_trunk on call (trunk, created_at) where ended_at is not null and trunk is not null;
create index call_reason on call (end_reason, created_at) where ended_at is not null and end_reason <> 'hangup';
-- Live calls. They are few, so the sweeper looks through them: an index on the time of their next check would be written with every one.
create index call_live on call (customer_id) where ended_at is null;
create index call_ends on call (ends_at) where ends_at is not null and ended_at is null;
create index call_left on call (hang_up_at) where hang_up_at is not null and ended_at is null;
create index call_session on call (session_id) where session_id is not null;
create unique index call_parked_leg on call (parked_call_control_id) where parked_call_control_id is not null;
create unique index call_far_leg on call (far_call_control_id) where far_call_control_id is not null;
create index call_forgiven on call (ended_at) where forgiven_micros > 0;
-- What operators search by. The pattern classes serve equality and the start of a text in any collation.
create index call_destination on call (destination text_pattern_ops, created_at desc) where ended_at is not null;
create index call_payer on call (payer_id, created_at) where payer_id is not null;

-- Everything known about a call: the provider's signed events, and what the service observed. A call's state is a function of
-- this set; the order of arrival and repetitions do not matter.
create table call_event (
  -- the provider's, or <call>:<kind>
  id          text primary key check (char_length(id) between 1 and 300),
  call_id     uuid not null references call (id) on delete cascade,
  source      text not null check (source in ('provider', 'service')),
  kind        text not null,
  leg         text check (leg in ('parked', 'far')),
  -- By the clock of the source.
  occurred_at timestamptz not null,
  received_at timestamptz not null,
  payload     jsonb not null
);

create index call_event_call on call_event (call_id);

-- Months whose events were moved into a file; the file itself is kept elsewhere.
create table event_archive (
  -- "2025-09"
  month       text primary key check (month ~ '^[0-9]{4}-[0-9]{2}$'),
  file        text not null,
  -- Of the file's lines.
  sha256      text not null check (char_length(sha256) = 64),
  events      integer not null check (events > 0),
  archived_at timestamptz not null
);

-- A customer's credentials at the voice provider. Kept until they expire: the name tells whose leg a parked leg is.
create table voice_credential (
  provider_id    text primary key,
  customer_id    uuid not null references customer (id) on delete cascade,
  sip_username   text not null unique,
  expires_at     timestamptz not null,
  created_at     timestamptz not null,
  session_id     uuid,
  -- When it is next deleted at the provider; null while it is in use.
  removal_due_at timestamptz,
  removal_tries  smallint not null default 0
);

create index voice_credential_customer on voice_credential (customer_id, expires_at desc);
create index voice_credential_removal on voice_credential (removal_due_at);

-- Free calls to the exchange's echo, to try microphone, network and speaker. Nothing is held or charged: a ticket is worth
-- half a minute of echo.
create table echo_test (
  id              uuid primary key,
  customer_id     uuid not null references customer (id) on delete cascade,
  ticket_hash     bytea not null unique check (octet_length(ticket_hash) = 32),
  expires_at      timestamptz not null,
  created_at      timestamptz not null,
  -- The browser's leg at the voice provider, which spends the ticket.
  call_control_id text unique
);

create index echo_test_customer on echo_test (customer_id, created_at);

-- A customer's own limits; null is none.
create table guard_rail (
  customer_id      uuid primary key references customer (id) on delete cascade,
  daily_cap_micros bigint check (daily_cap_micros > 0),
  call_cap_micros  bigint check (call_cap_micros > 0),
  -- The only countries that may be called.
  countries        text[] check (cardinality(countries) between 1 and 250),
  -- Whose midnight begins the day of the daily cap.
  time_zone        text not null,
  updated_at       timestamptz not null
);

-- A pattern of abuse that stops a customer's calls for a while.
create table call_block (
  id            uuid primary key,
  customer_id   uuid not null references customer (id) on delete cascade,
  rule          text not null,
  -- What the rule saw.
  inputs        jsonb not null,
  created_at    timestamptz not null,
  blocked_until timestamptz not null
);

create index call_block_customer on call_block (customer_id, blocked_until);

-- How the browser heard a call, every few seconds. Shown to its owner and to operators; decides nothing.
create table call_quality (
  call_id   uuid not null references call (id) on delete cascade,
  -- Since the answer.
  second    integer not null check (second >= 0),
  mos       real not null check (mos between 1 and 5),
  rtt_ms    real check (rtt_ms >= 0),
  jitter_ms real not null check (jitter_ms >= 0),
  loss_pct  real not null check (loss_pct between 0 and 100),
  primary key (call_id, second)
);

-- How the caller says that an answered call sounded. Shown to its owner and to operators; decides nothing.
create table call_rating (
  call_id  uuid primary key references call (id) on delete cascade,
  sound    text not null check (sound in ('good', 'fair', 'bad')),
  rated_at timestamptz not null
);

-- A customer's request to refund a call, one per call. The money itself is a ledger entry.
create table call_refund_request (
  call_id       uuid primary key references call (id),
  customer_id   uuid not null references customer (id),
  reason        text not null,
  note          text not null check (char_length(note) <= 500),
  -- What was known at the time of the request.
  evidence      jsonb not null,
  state         text not null default 'open' check (state in ('open', 'refunded', 'declined')),
  amount_micros bigint not null default 0 check (amount_micros >= 0),
  -- 'rule', or the operator's name.
  decided_by    text check (char_length(decided_by) between 1 and 100),
  answer        text check (char_length(answer) between 1 and 500),
  created_at    timestamptz not null,
  decided_at    timestamptz,
  constraint call_refund_decided check ((state = 'open') = (decided_at is null) and (decided_at is null) = (decided_by is null)),
  constraint call_refund_amount check ((state = 'refunded') = (amount_micros > 0))
);

create index call_refund_open on call_refund_request (created_at) where state = 'open';
create index call_refund_customer on call_refund_request (customer_id, created_at desc);
-- For the ceilings of the automatic refund rule.
create index call_refund_by_rule on call_refund_request (decided_at) where decided_by = 'rule';

-- Sums of calls by the hour in which they ended, rebuilt from the calls after a change. What an operator reads for a month adds these up.
create table call_hour (
  hour             timestamptz not null,
  country_code     text not null,
  -- '' without one.
  trunk            text not null,
  calls            integer not null,
  answered         integer not null,
  talk_ms          bigint not null,
  charge_micros    bigint not null,
  cost_micros      bigint not null,
  estimated_micros bigint not null,
  primary key (hour, country_code, trunk)
);

-- Attempts of calls by the hour in which the calls were made.
create table trunk_hour (
  hour         timestamptz not null,
  trunk        text not null,
  country_code text not null,
  seizures     integer not null,
  answered     integer not null,
  effective    integer not null,
  -- The sum of mean opinion scores, each times its call's duration, and the sum of these durations.
  mos_ms       double precision not null,
  scored_ms    bigint not null,
  -- The sum of the delays until the far phone rang, and how many attempts had one.
  delay_ms     bigint not null,
  delayed      integer not null,
  primary key (hour, trunk, country_code)
);

-- How many of these attempts rang after a delay, rounded to a quarter of a second.
create table trunk_delay_hour (
  hour     timestamptz not null,
  trunk    text not null,
  delay_ms integer not null,
  attempts integer not null,
  primary key (hour, trunk, delay_ms)
);

-- Hours in which a call has changed after they may have been summed.
create table call_hour_change (
  id   bigint generated always as identity primary key,
  hour timestamptz not null
);

-- One row: the hours from `since` to before `until` are summed. Figures reach back 92 days.
create table call_hours_summed (
  only_row boolean primary key default true check (only_row),
  since    timestamptz not null,
  until    timestamptz not null check (until >= since)
);

insert into call_hours_summed (since, until)
  select hour, hour from (select date_trunc('hour', now(), 'UTC') - interval '100 days' as hour) first;

-- The published quality of calls by destination: rounded figures, without customers. Only the latest report is kept.
create table quality_report (
  -- The last complete day (UTC) that it covers.
  last_day     text primary key check (last_day ~ '^20\d\d-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])$'),
  made_at      timestamptz not null,
  -- As `GET /api/quality` publishes them.
  destinations jsonb not null
);

-- How often the prefixes of a country's mobile and landline numbers were called lately, without customers: what most calls cost follows
-- from it. Made once a day from complete days; a country and type with fewer than 100 counted calls is absent.
create table called_prefix (
  country_code text not null check (country_code ~ '^[A-Z]{2}$'),
  number_type  text not null check (number_type in ('mobile', 'landline', 'fixed_or_mobile')),
  prefix       text not null check (prefix ~ '^\d{1,15}$'),
  calls        integer not null check (calls > 0),
  made_at      timestamptz not null,
  primary key (country_code, number_type, prefix)
);

create table breaker (
  id        uuid primary key,
  -- carrier_spend: the carriers' charges of a day; spend_note: a share of them; prefix, country: a sudden cost there.
  kind      text not null check (kind in ('carrier_spend', 'spend_note', 'prefix', 'country')),
  -- The prefix of the rate, the country's ISO code, the share in percent, or empty.
  subject   text not null check (char_length(subject) <= 15),
  -- What was seen.
  inputs    jsonb not null,
  opened_at timestamptz not null,
  until     timestamptz not null check (until > opened_at),
  lifted_at timestamptz
);

create index breaker_until on breaker (until);

-- Customers' own numbers, which they have proven and calls may show.

create table caller_number (
  -- E.164. One account at a time: providers keep one list for all of us, so a second account could not be asked for a proof.
  number      text primary key check (number ~ '^\+[1-9][0-9]{6,14}$'),
  customer_id uuid not null references customer (id) on delete cascade,
  -- What the exchange wants to see with the number; null where the provider keeps a list itself.
  proof       text check (char_length(proof) between 1 and 200),
  -- Shown by the customer's calls.
  chosen      boolean not null default false,
  proven_at   timestamptz not null,
  -- Since then the provider refuses it: not shown until it is proven again.
  lapsed_at   timestamptz,
  constraint caller_number_shown check (not chosen or lapsed_at is null)
);

create unique index caller_number_chosen on caller_number (customer_id) where chosen;
create index caller_number_customer on caller_number (customer_id);
create index caller_number_proven on caller_number (proven_at) where lapsed_at is null;

-- A call that reads a code to a number, and the tries to repeat it. The code is known to the provider alone.
create table caller_number_check (
  id          uuid primary key,
  customer_id uuid not null references customer (id) on delete cascade,
  number      text not null,
  tries       integer not null default 0 check (tries >= 0),
  created_at  timestamptz not null,
  expires_at  timestamptz not null
);

create unique index caller_number_check_customer on caller_number_check (customer_id);

-- Numbers that an operator took away because somebody objected. Nobody can add them.
create table blocked_caller_number (
  number     text primary key,
  reason     text not null check (char_length(reason) between 1 and 500),
  blocked_at timestamptz not null
);

-- Numbers that the provider has to forget, until it has.
create table caller_number_removal (
  number       text primary key,
  requested_at timestamptz not null
);

-- What calls that read a code cost at most, by UTC day: they have no call's row, but count to what carriers may take in a day.
create table code_call_cost (
  day    date primary key,
  micros bigint not null check (micros >= 0)
);

-- Each customer's address book, and reminders to call somebody.

create table contact (
  id          uuid primary key,
  customer_id uuid not null references customer (id) on delete cascade,
  first_name  text not null check (char_length(first_name) between 1 and 100),
  last_name   text check (char_length(last_name) between 1 and 100),
  company     text check (char_length(company) between 1 and 120),
  email       text check (char_length(email) between 3 and 254),
  notes       text check (char_length(notes) between 1 and 2000),
  favorite    boolean not null default false,
  -- The clock that the customer chose for the main number, of several that its country has.
  time_zone   text check (char_length(time_zone) between 1 and 60),
  -- Lower case without accents: the name to sort by, and everything a search looks at.
  sort_key    text collate "C" not null check (char_length(sort_key) <= 80),
  search_text text not null,
  created_at  timestamptz not null,
  updated_at  timestamptz not null,
  constraint contact_of_customer unique (customer_id, id)
);

create index contact_by_name on contact (customer_id, sort_key, id);
create index contact_favorites on contact (customer_id, sort_key, id) where favorite;

-- A contact has several numbers; one number still belongs to one contact of a customer.
create table contact_number (
  customer_id       uuid not null,
  contact_id        uuid not null,
  -- The order in which the customer wrote them: 0 is the main number.
  position          smallint not null check (position between 0 and 19),
  -- E.164.
  phone_number      text not null check (phone_number ~ '^\+[1-9][0-9]{5,14}$'),
  phone_number_type text not null check (phone_number_type in ('mobile', 'work', 'home', 'other')),
  country_code      text not null check (country_code ~ '^[A-Z]{2}$'),
  -- Dialled after the answer: digits, * and #, with a comma for each pause. Empty without one.
  extension         text not null default '' check (extension ~ '^[0-9*#,]{0,32}$'),
  primary key (contact_id, position),
  foreign key (customer_id, contact_id) references contact (customer_id, id) on delete cascade
);

create unique index contact_number_once on contact_number (contact_id, phone_number, extension);
-- Finds the names for a number.
create index contact_number_number on contact_number (customer_id, phone_number);

-- Reminders to call a contact at a time there, by mail.
create table reminder (
  id           uuid not null unique,
  customer_id  uuid not null,
  contact_id   uuid not null,
  -- Where the contact's main number is, so that summer time there moves the reminder.
  time_zone    text not null check (char_length(time_zone) between 1 and 60),
  country_code text not null check (country_code ~ '^[A-Z]{2}$'),
  -- On the clock there.
  local_time   time not null,
  weekly       boolean not null,
  next_at      timestamptz not null,
  created_at   timestamptz not null,
  primary key (customer_id, id),
  foreign key (customer_id, contact_id) references contact (customer_id, id) on delete cascade
);

create index reminder_due on reminder (next_at);
create index reminder_of_contact on reminder (customer_id, contact_id);

-- Card payments for credit, saved cards, and money that goes back to cards. What is bought, by whom and for how much is
-- written here before the payment provider hears of it; the provider only reports whether it was paid.

create table credit_package (
  id               text primary key,
  amount_micros    bigint not null check (amount_micros > 0 and amount_micros % 10000 = 0),
  bonus_percentage integer not null default 0 check (bonus_percentage between 0 and 100),
  is_popular       boolean not null default false,
  on_sale          boolean not null default true
);

create unique index credit_package_one_popular on credit_package (is_popular) where is_popular and on_sale;

insert into credit_package (id, amount_micros, bonus_percentage, is_popular) values
  ('5', 5000000, 0, false),
  ('10', 10000000, 0, false),
  ('20', 20000000, 5, true),
  ('50', 50000000, 10, false);

-- The customer as the provider knows them: cards are saved in their name.
create table stripe_customer (
  customer_id          uuid primary key references customer (id),
  provider_customer_id text not null unique check (char_length(provider_customer_id) between 1 and 255),
  created_at           timestamptz not null
);

-- Cards saved with the provider: what a person recognises the card by, and the provider's name for it. Number and security
-- code are stored nowhere.
create table saved_card (
  id                uuid primary key,
  customer_id       uuid not null references customer (id),
  payment_method_id text not null unique check (char_length(payment_method_id) between 1 and 255),
  brand             text not null check (char_length(brand) between 1 and 40),
  last4             text not null check (last4 ~ '^\d{4}$'),
  exp_month         integer not null check (exp_month between 1 and 12),
  exp_year          integer not null check (exp_year between 2000 and 2200),
  fingerprint       text,
  -- The bank asked the card's owner when it was saved, and the owner confirmed.
  authenticated     boolean not null default false,
  created_at        timestamptz not null,
  removed_at        timestamptz,
  -- When the provider deleted it; null while it is saved, or until the provider has been told.
  detached_at       timestamptz
);

create unique index saved_card_once on saved_card (customer_id, fingerprint) where removed_at is null and fingerprint is not null;
create index saved_card_of_customer on saved_card (customer_id, id desc) where removed_at is null;
create index saved_card_to_detach on saved_card (removed_at) where removed_at is not null and detached_at is null;

-- Visits to the provider's page that saves a card. Those that saved none are kept for a year.
create table card_setup (
  id            uuid primary key,
  customer_id   uuid not null references customer (id),
  -- created: not yet known to the provider.
  status        text not null default 'created' check (status in ('created', 'open', 'saved', 'expired')),
  session_id    text unique,
  card_id       uuid references saved_card (id),
  -- When the provider is asked again; null once nothing more is expected.
  next_check_at timestamptz,
  last_check_at timestamptz,
  created_at    timestamptz not null,
  expires_at    timestamptz not null
);

create index card_setup_customer on card_setup (customer_id, created_at desc);
create index card_setup_due on card_setup (next_check_at) where next_check_at is not null;
create index card_setup_unfinished on card_setup (created_at) where status <> 'saved';

-- Top-ups charged to a saved card without the customer.
create table auto_top_up (
  customer_id      uuid primary key references customer (id),
  is_on            boolean not null,
  card_id          uuid references saved_card (id),
  -- Credit below this is topped up.
  threshold_micros bigint not null check (threshold_micros > 0 and threshold_micros % 10000 = 0),
  amount_micros    bigint not null check (amount_micros >= threshold_micros and amount_micros % 10000 = 0),
  -- When the customer agreed to unattended charges.
  agreed_at        timestamptz not null,
  -- Consecutive charges that the bank declined.
  failures         integer not null default 0 check (failures >= 0),
  -- Why it does nothing although it is on.
  stopped_reason   text check (stopped_reason in ('declined', 'authentication_required')),
  updated_at       timestamptz not null,
  constraint auto_top_up_card check (not is_on or card_id is not null)
);

create index auto_top_up_working on auto_top_up (customer_id) where is_on and stopped_reason is null;

create table payment (
  id                    uuid primary key,
  customer_id           uuid not null references customer (id),
  kind                  text not null,
  package_id            text references credit_package (id),
  -- Whole cents. The credit bought is the same amount; the bonus is added to it.
  charge_micros         bigint not null check (charge_micros > 0 and charge_micros % 10000 = 0),
  bonus_micros          bigint not null default 0 check (bonus_micros >= 0),
  -- Bonus taken back with refunds and disputes of this payment.
  bonus_returned_micros bigint not null default 0,
  currency              text not null default 'usd' check (currency = 'usd'),
  -- created: not yet known to the provider; open: can be paid; review: paid, but not as ordered, an operator decides.
  status                text not null default 'created' check (status in ('created', 'open', 'pending', 'paid', 'failed', 'expired', 'review')),
  -- The client's Idempotency-Key.
  request_key           text check (char_length(request_key) between 1 and 255),
  session_id            text unique,
  checkout_url          text,
  payment_intent_id     text unique,
  -- What the provider was told about authenticating the card's owner; stored, so that a repetition says the same.
  three_d_secure        text not null default 'automatic' check (three_d_secure in ('automatic', 'any', 'challenge')),
  -- The saved card that is charged without a checkout, automatically or by its owner.
  saved_card_id         uuid references saved_card (id),
  -- The customer agreed that the card they pay with at the checkout is saved.
  keeps_card            boolean not null default false,
  -- Of the card that paid, as reported by the provider. A card has the same fingerprint in every payment.
  card_brand            text,
  card_last4            text check (card_last4 ~ '^\d{4}$'),
  card_fingerprint      text,
  -- The bank asked the card's owner, and the owner confirmed.
  authenticated         boolean not null default false,
  -- The provider's reason why the card did not pay.
  failure_code          text check (char_length(failure_code) <= 100),
  -- Returned to the card so far, in all.
  refunded_micros       bigint not null default 0 check (refunded_micros between 0 and charge_micros),
  -- Held back or taken by disputes.
  disputed_micros       bigint not null default 0 check (disputed_micros >= 0),
  -- Neither refunded nor disputed.
  stayed_micros         bigint not null generated always as (greatest(charge_micros - refunded_micros - disputed_micros, 0)) stored,
  -- When the provider is asked again; null once nothing more is expected.
  next_check_at         timestamptz,
  last_check_at         timestamptz,
  -- The provider accepts no payment after this.
  expires_at            timestamptz not null,
  created_at            timestamptz not null,
  settled_at            timestamptz,
  receipt_id            uuid,
  -- What the payer saw, when the provider showed the price in their own currency; in its smallest unit. The ledger has dollars.
  presented_amount      bigint check (presented_amount > 0),
  presented_currency    text check (presented_currency ~ '^[a-z]{3}$'),
  -- A refund of this payment failed: it may be tried again, and does not stand in the way of an erasure.
  return_failed         boolean not null default false,
  constraint payment_kind check (kind in ('package', 'custom', 'auto')),
  constraint payment_package check ((kind = 'package') = (package_id is not null)),
  constraint payment_auto check (kind <> 'auto' or saved_card_id is not null),
  constraint payment_keeps_new_card check (not keeps_card or saved_card_id is null),
  constraint payment_bonus_returned check (bonus_returned_micros between 0 and bonus_micros),
  constraint payment_request_once unique (customer_id, request_key),
  constraint payment_presented check ((presented_amount is null) = (presented_currency is null))
);

create index payment_customer on payment (customer_id, created_at desc);
-- Newest first, as the account's list shows them.
create index payment_unpaid on payment (customer_id, id desc) where status <> 'paid';
create index payment_due on payment (next_check_at) where next_check_at is not null;
create index payment_fingerprint on payment (card_fingerprint, customer_id) where card_fingerprint is not null;
-- One automatic charge at a time, whatever triggers it.
create unique index payment_auto_in_flight on payment (customer_id) where kind = 'auto' and status in ('created', 'open');
create index payment_without_receipt on payment (settled_at) where status = 'paid' and receipt_id is null;
create index payment_card on payment (card_last4, created_at desc) where card_last4 is not null;
create index payment_card_amount on payment (card_last4, charge_micros, created_at desc) where card_last4 is not null;
-- Payments of the last hours, for monitoring, and lists of payments, newest first.
create index payment_begun on payment (created_at);
create index payment_unpaid_begun on payment (created_at) where status <> 'paid';
create index payment_refunded on payment (created_at) where refunded_micros > 0;
-- The payments whose money moved in a span, for the reconciliation.
create index payment_settled on payment (settled_at) where status = 'paid';

-- Charges that the bank declined, for the limits: card testers have many. Kept for a year.
create table payment_failure (
  -- The provider's charge.
  id               text primary key check (char_length(id) between 1 and 255),
  payment_id       uuid not null references payment (id),
  customer_id      uuid not null references customer (id),
  card_fingerprint text,
  code             text not null,
  failed_at        timestamptz not null
);

create index payment_failure_customer on payment_failure (customer_id, failed_at);
create index payment_failure_age on payment_failure (failed_at);
create index payment_failure_payment on payment_failure (payment_id);

-- A customer's withdrawal of unused credit. Its parts are refunds of the payments that brought the credit.
create table withdrawal (
  id            uuid primary key,
  customer_id   uuid not null references customer (id),
  amount_micros bigint not null check (amount_micros > 0 and amount_micros % 10000 = 0),
  -- The client's Idempotency-Key.
  request_key   text check (char_length(request_key) between 1 and 255),
  created_at    timestamptz not null,
  constraint withdrawal_request_once unique (customer_id, request_key)
);

create index withdrawal_customer on withdrawal (customer_id, id desc);

-- Each refund only moves forward, so the provider's reports may arrive in any order.
create table refund (
  id                 uuid primary key,
  payment_id         uuid not null references payment (id),
  customer_id        uuid not null references customer (id),
  withdrawal_id      uuid references withdrawal (id),
  -- provider: made in the provider's dashboard, and reported afterwards.
  origin             text not null check (origin in ('withdrawal', 'operator', 'outside', 'fraud_warning', 'provider')),
  amount_micros      bigint not null check (amount_micros > 0 and amount_micros % 10000 = 0),
  -- Bonus taken back with it, and restored if the refund fails.
  bonus_micros       bigint not null default 0 check (bonus_micros >= 0),
  -- ordered: taken from the ledger, the provider may not know of it yet; failed: restored to the ledger.
  status             text not null check (status in ('ordered', 'pending', 'succeeded', 'failed')),
  provider_refund_id text unique,
  failure            text check (char_length(failure) <= 300),
  -- When the provider is asked again; null once nothing more is expected.
  next_try_at        timestamptz,
  tries              integer not null default 0,
  created_at         timestamptz not null,
  settled_at         timestamptz,
  receipt_id         uuid,
  -- Of the credit restored because the card did not accept the refund.
  return_receipt_id  uuid,
  -- What a refund waits for, as the payment provider writes it; null once it has settled.
  pending_reason     text,
  constraint refund_withdrawal check ((origin = 'withdrawal') = (withdrawal_id is not null)),
  constraint refund_known_there check (status in ('ordered', 'failed') or provider_refund_id is not null),
  constraint refund_pending_reason check (char_length(pending_reason) between 1 and 100)
);

create index refund_payment on refund (payment_id);
create index refund_of_withdrawal on refund (withdrawal_id) where withdrawal_id is not null;
create index refund_due on refund (next_try_at) where next_try_at is not null;
create index refund_without_receipt on refund (settled_at)
  where (status = 'succeeded' and receipt_id is null)
    or (status = 'failed' and receipt_id is not null and return_receipt_id is null);
-- What guests' cards refused waits for an operator.
create index refund_failed on refund (customer_id) where status = 'failed';
-- A customer's refunds by time, for their story.
create index refund_customer on refund (customer_id, created_at desc);
create index refund_made on refund (created_at);
create index refund_settled on refund (settled_at) where settled_at is not null;

-- A bank's dispute of a payment.
create table dispute (
  -- The provider's.
  id            text primary key check (char_length(id) between 1 and 255),
  payment_id    uuid not null references payment (id),
  amount_micros bigint not null check (amount_micros > 0),
  reason        text not null,
  -- The provider's, for example needs_response, under_review, won, lost.
  status        text not null,
  -- Taken from the customer's account at present; 0 before the money left and after it came back.
  booked_micros bigint not null default 0 check (booked_micros >= 0),
  bonus_micros  bigint not null default 0 check (bonus_micros >= 0),
  -- Counts the bookings: each has its own key in the ledger.
  step          integer not null default 0,
  created_at    timestamptz not null,
  updated_at    timestamptz not null,
  -- Until when the bank waits for our evidence, and what an operator did about it.
  due_at        timestamptz not null default now() + interval '7 days',
  handled       text check (handled in ('answered', 'accepted')),
  handled_by    uuid references operator,
  handled_at    timestamptz,
  constraint dispute_handled check (num_nulls(handled, handled_by, handled_at) in (0, 3))
);

create index dispute_payment on dispute (payment_id);
create index dispute_updated on dispute (updated_at);
-- Every status in which nobody has to act; an unknown one waits for a person.
create index dispute_unhandled on dispute (due_at)
  where status not in ('warning_under_review', 'under_review', 'appeal_under_review', 'lost', 'won', 'warning_closed', 'prevented')
    and handled is null;

-- A card network's warning that a payment was made without the card's owner.
create table fraud_warning (
  -- The provider's.
  id         text primary key check (char_length(id) between 1 and 255),
  payment_id uuid not null references payment (id),
  fraud_type text not null,
  -- refunded: most of it was unspent and returned to the card; review: an operator decides; none: nothing was left to refund.
  decision   text not null check (decision in ('refunded', 'review', 'none')),
  created_at timestamptz not null
);

create index fraud_warning_payment on fraud_warning (payment_id);

-- Events received from the provider; done ones are not processed again.
create table stripe_event (
  event_id    text primary key check (char_length(event_id) between 1 and 255),
  type        text not null,
  received_at timestamptz not null,
  done_at     timestamptz
);

create index stripe_event_received on stripe_event (received_at);

-- Comparisons of the ledger with the provider's records, and their differences.
create table reconciliation_run (
  id              uuid primary key,
  -- Money that moved in this period was compared.
  from_time       timestamptz not null,
  to_time         timestamptz not null,
  started_at      timestamptz not null,
  finished_at     timestamptz,
  charges         integer,
  -- Received less paid out, by the provider and by the ledger.
  provider_micros bigint,
  ledger_micros   bigint,
  -- Payments that the comparison corrected by asking the provider again.
  repaired        integer,
  differences     integer,
  constraint reconciliation_span check (from_time < to_time)
);

create index reconciliation_run_started on reconciliation_run (started_at desc);

create table reconciliation_difference (
  id              uuid primary key,
  run_id          uuid not null references reconciliation_run (id) on delete cascade,
  kind            text not null check (kind in ('unknown_charge', 'amount', 'dispute', 'missing_at_provider', 'unreadable')),
  payment_id      uuid references payment (id),
  -- The provider's object, for example a payment intent.
  reference       text,
  provider_micros bigint,
  ledger_micros   bigint,
  detail          text not null check (char_length(detail) <= 300),
  -- When a difference with the payment provider was first found: each run compares again what differed in the one before.
  found_at        timestamptz
);

create index reconciliation_difference_run on reconciliation_difference (run_id);

-- The payments that a reconciliation compares, while it runs, so that it keeps only a few in memory.
create table reconciliation_payment (
  run_id            uuid not null references reconciliation_run (id) on delete cascade,
  payment_id        uuid not null,
  -- The provider's, if the payment's row does not name it.
  payment_intent_id text,
  primary key (run_id, payment_id)
);

-- Test credit granted in sandbox mode, for its daily limit.
create table test_credit_grant (
  id            uuid primary key,
  customer_id   uuid not null references customer (id),
  amount_micros bigint not null check (amount_micros > 0),
  created_at    timestamptz not null
);

create index test_credit_grant_customer on test_credit_grant (customer_id, created_at);

-- Receipts, numbered without gaps for each year. Paid payments and completed refunds are their own outbox: a row without a
-- receipt is due for one, so a crash between money and receipt loses nothing.

create table receipt_counter (
  year        integer not null,
  -- The first of nine digits; 0 for numbers with fewer.
  series      integer not null default 0 check (series between 0 and 9),
  last_number integer not null check (last_number between 1 and 99999999),
  primary key (year, series)
);

create table receipt (
  id            uuid primary key,
  year          integer not null,
  sequence      integer not null check (sequence > 0),
  number        text not null generated always as
    (year::text || '-' || lpad(sequence::text, greatest(6, char_length(sequence::text)), '0')) stored,
  customer_id   uuid not null references customer (id),
  kind          text not null check (kind in ('payment', 'auto_top_up', 'refund', 'withdrawal', 'refund_returned')),
  payment_id    uuid not null references payment (id),
  refund_id     uuid references refund (id),
  -- The receipt that this one corrects, in part or in full.
  corrects_id   uuid references receipt (id),
  amount_micros bigint not null check (amount_micros > 0 and amount_micros % 10000 = 0),
  bonus_micros  bigint not null check (bonus_micros >= 0),
  -- As of the issue: an issued receipt does not change with the settings.
  card_brand    text,
  card_last4    text check (card_last4 ~ '^\d{4}$'),
  buyer_name    text not null,
  buyer_email   text not null,
  seller        jsonb not null,
  -- Issued by a sandbox: no real money moved.
  sample        boolean not null,
  paid_at       timestamptz not null,
  issued_at     timestamptz not null,
  -- The tax that a receipt states: of a refund, what is left of the payment's tax after the refunds before it.
  tax_micros    bigint,
  -- The month whose books have the receipt, when the month of its payment was closed before it was issued; otherwise null.
  books_month   text,
  constraint receipt_number_once unique (year, sequence),
  constraint receipt_refund check (
    (kind in ('payment', 'auto_top_up')) = (refund_id is null) and (refund_id is null) = (corrects_id is null)
  )
);

create unique index receipt_of_payment on receipt (payment_id) where refund_id is null;
create unique index receipt_of_refund on receipt (refund_id, (kind = 'refund_returned')) where refund_id is not null;
create index receipt_customer on receipt (customer_id, id desc);
-- The receipts of a month, for its taxes.
create index receipt_paid on receipt using brin (paid_at) with (pages_per_range = 32, autosummarize = on);
create index receipt_late on receipt (books_month) where books_month is not null;

alter table payment add foreign key (receipt_id) references receipt;

alter table refund add foreign key (receipt_id) references receipt;

alter table refund add foreign key (return_receipt_id) references receipt;

-- Families, and credit for others.

-- A person of a family: its owner, whose credit the members may use, or a member. The owner's row names the owner itself, so nobody can be
-- in two families.
create table family_member (
  customer_id        uuid primary key references customer (id),
  owner_id           uuid not null references family_member (customer_id) on delete cascade,
  joined_at          timestamptz not null,
  -- The member's choices: which credit pays for calls, and whether the owner sees the called numbers.
  owner_pays         boolean not null default false,
  shows_numbers      boolean not null default false,
  -- The owner's limits for the member.
  daily_cap_micros   bigint check (daily_cap_micros > 0),
  monthly_cap_micros bigint check (monthly_cap_micros > 0),
  countries          text[] check (cardinality(countries) between 1 and 250),
  -- Whose midnight begins the days and months of the limits.
  time_zone          text not null default 'UTC' check (char_length(time_zone) between 1 and 64),
  check (owner_id <> customer_id or not (owner_pays or shows_numbers))
);

create index family_member_owner on family_member (owner_id);

-- An open invitation. Its token is derived from the id, so the database holds none.
create table family_invitation (
  customer_id        uuid not null references family_member (customer_id) on delete cascade,
  id                 uuid not null,
  -- Null for a link that the owner passes on.
  email              text check (char_length(email) <= 320),
  -- The limits that the member will have.
  daily_cap_micros   bigint check (daily_cap_micros > 0),
  monthly_cap_micros bigint check (monthly_cap_micros > 0),
  countries          text[] check (cardinality(countries) between 1 and 250),
  time_zone          text not null check (char_length(time_zone) between 1 and 64),
  created_at         timestamptz not null,
  expires_at         timestamptz not null,
  primary key (customer_id, id),
  unique (id)
);

create index family_invitation_expiry on family_invitation (expires_at);

-- A link by which a customer asks others for credit. Its token is derived from the id (`linkToken`), so only the id is stored.
create table credit_request (
  id          uuid not null unique,
  customer_id uuid not null references customer (id),
  created_at  timestamptz not null,
  expires_at  timestamptz not null,
  -- Shown to anyone who opens the link: the amount asked for, what it is for, and the country called. Null or '' means not given.
  amount_micros bigint check (amount_micros > 0),
  note          text not null default '' check (char_length(note) <= 200),
  country_code  text check (country_code ~ '^[A-Z]{2}$'),
  -- The link that ended when this one was made in its place.
  replaces      uuid,
  primary key (customer_id, id),
  unique (customer_id, replaces)
);

create index credit_request_end on credit_request (expires_at);

create table credit_gift (
  id             uuid primary key,
  payment_id     uuid not null unique references payment (id),
  payer_id       uuid not null references customer (id),
  beneficiary_id uuid not null references customer (id) check (beneficiary_id <> payer_id),
  amount_micros  bigint not null check (amount_micros > 0),
  -- From the payer; '' for none.
  greeting       text not null check (char_length(greeting) <= 200),
  -- 'held': the payment arrived, and the credit waits until it is safe; 'kept': it stayed with the payer.
  state          text not null check (state in ('ordered', 'held', 'given', 'kept')),
  created_at     timestamptz not null,
  decided_at     timestamptz check ((decided_at is null) = (state in ('ordered', 'held'))),
  -- When held credit is given.
  due_at         timestamptz check ((due_at is not null) or state <> 'held')
);

create index credit_gift_due on credit_gift (due_at) where state = 'held';
-- Credit that stayed with a guest goes back to the card.
create index credit_gift_kept on credit_gift (decided_at) where state = 'kept';

create index credit_gift_sent on credit_gift (payer_id, created_at);
create index credit_gift_received on credit_gift (beneficiary_id, created_at);

-- Granted credit: promo codes on top-ups, referrals, and a first call for new customers. Grants are booked in the ledger
-- alone; these tables hold who was promised what, and why somebody got nothing.

create table promo_campaign (
  id              uuid primary key,
  -- What customers type; upper case.
  code            text not null unique check (code ~ '^[A-Z0-9][A-Z0-9-]{2,19}$'),
  -- percent: of what is paid; fixed: the same for each; package: the same for each, with one package only.
  kind            text not null check (kind in ('percent', 'fixed', 'package')),
  bonus_percent   integer check (bonus_percent between 1 and 100),
  -- Whole cents. Of a percentage: the maximum for one top-up.
  bonus_micros    bigint check (bonus_micros > 0 and bonus_micros % 10000 = 0),
  package_id      text references credit_package (id),
  -- The least that must be paid.
  least_micros    bigint not null default 0 check (least_micros >= 0),
  -- The most top-ups it applies to, and the most bonus it grants in all; null for no limit.
  most_uses       integer check (most_uses > 0),
  budget_micros   bigint check (budget_micros > 0),
  -- Promised and granted.
  uses            integer not null default 0 check (uses >= 0),
  promised_micros bigint not null default 0 check (promised_micros >= 0),
  starts_at       timestamptz not null,
  ends_at         timestamptz check (ends_at > starts_at),
  -- When an operator ended it.
  ended_at        timestamptz,
  created_at      timestamptz not null,
  constraint promo_campaign_bonus check (
    case kind when 'percent' then bonus_percent is not null else bonus_percent is null and bonus_micros is not null end),
  constraint promo_campaign_package check ((kind = 'package') = (package_id is not null)),
  constraint promo_campaign_within_uses check (uses <= most_uses),
  constraint promo_campaign_within_budget check (promised_micros <= budget_micros)
);

-- A code on a payment: reserved while it may be paid, granted with its credit, released once it cannot be paid any more.
create table promo_use (
  payment_id       uuid primary key references payment (id) deferrable initially deferred,
  campaign_id      uuid not null references promo_campaign (id),
  customer_id      uuid not null references customer (id),
  bonus_micros     bigint not null check (bonus_micros > 0),
  state            text not null default 'reserved' check (state in ('reserved', 'granted', 'released')),
  -- Of the card that paid: the same card is the same person. Null where cards prove nothing, as in test mode.
  card_fingerprint text,
  created_at       timestamptz not null,
  settled_at       timestamptz,
  constraint promo_use_settled check ((state = 'reserved') = (settled_at is null))
);

create unique index promo_use_once on promo_use (campaign_id, customer_id) where state <> 'released';
create unique index promo_use_card_once on promo_use (campaign_id, card_fingerprint)
  where state = 'granted' and card_fingerprint is not null;

create table referral_code (
  customer_id uuid primary key references customer (id),
  code        text not null unique check (code ~ '^[A-Z2-9]{8}$'),
  created_at  timestamptz not null
);

-- Who joined by whose invitation. Rewarded once, after the invited customer's first payment and when both have verified their
-- addresses; taken back in the transaction that returns that payment.
create table referral (
  invited_id           uuid primary key references customer (id),
  inviter_id           uuid not null references customer (id),
  state                text not null default 'invited' check (state in ('invited', 'rewarded', 'refused', 'taken_back')),
  -- Why there is no reward.
  refusal              text check (refusal in
  ('not_verified', 'too_small', 'frozen', 'disposable_address', 'same_address', 'same_browser', 'same_network', 'same_card',
    'no_origin', 'budget', 'returned')),
  payment_id           uuid references payment (id),
  paid_micros          bigint,
  -- Other customers paid with this card before.
  card_shared          boolean not null default false,
  paid_at              timestamptz,
  invited_bonus_micros bigint not null default 0 check (invited_bonus_micros >= 0),
  inviter_bonus_micros bigint not null default 0 check (inviter_bonus_micros >= 0),
  -- When it is looked at again; null once nothing more is expected.
  next_look_at         timestamptz,
  created_at           timestamptz not null,
  decided_at           timestamptz,
  -- What a refund took that did not reach the payer comes back. A reward that was taken back names the bookings that restore it.
  taken_for            text,
  constraint referral_of_others check (inviter_id <> invited_id),
  constraint referral_refusal check ((state = 'refused') = (refusal is not null))
);

create index referral_of_inviter on referral (inviter_id, decided_at desc);
create index referral_of_payment on referral (payment_id) where payment_id is not null;
create index referral_due on referral (next_look_at) where next_look_at is not null;

-- A small bonus for a first call with a verified address, once per person as far as can be told.
create table first_call (
  customer_id  uuid primary key references customer (id),
  state        text not null default 'due' check (state in ('due', 'granted', 'refused')),
  refusal      text check (refusal in
  ('off', 'frozen', 'same_address', 'disposable_address', 'same_browser', 'same_network', 'no_origin', 'budget')),
  bonus_micros bigint not null default 0 check (bonus_micros >= 0),
  next_look_at timestamptz,
  created_at   timestamptz not null,
  decided_at   timestamptz,
  constraint first_call_decided check ((state = 'due') = (decided_at is null) and (state = 'due') = (next_look_at is not null)),
  constraint first_call_refusal check ((state = 'refused') = (refusal is not null))
);

create index first_call_due on first_call (next_look_at) where next_look_at is not null;

-- What tells whether two accounts belong to the same person, as keyed hashes. Kept when a session ends and when an account is
-- erased, so that neither gives free credit a second time.
create table person_mark (
  customer_id uuid not null references customer (id),
  -- local_network: loopback and private ranges, which many share. It says only that the network is known.
  kind        text not null check (kind in ('mailbox', 'browser', 'network', 'local_network')),
  mark        bytea not null check (length(mark) = 32),
  seen_at     timestamptz not null,
  primary key (customer_id, kind, mark)
);

create index person_mark_others on person_mark (kind, mark, seen_at);
create index person_mark_age on person_mark (seen_at);

-- Free credit of the last days, counted against the budgets of a day.
create table free_credit (
  key           text primary key,
  customer_id   uuid not null references customer (id),
  kind          text not null check (kind in ('first_call', 'referral', 'promo')),
  amount_micros bigint not null check (amount_micros > 0),
  given_at      timestamptz not null
);

create index free_credit_age on free_credit (given_at);

-- Personal data: copies, erasure of accounts, and of called numbers after a while.

-- The latest request of each customer.
create table data_export (
  id           uuid primary key,
  customer_id  uuid not null unique references customer (id) on delete cascade,
  -- downloaded and expired: the file is deleted.
  state        text not null default 'preparing' check (state in ('preparing', 'ready', 'downloaded', 'expired', 'failed')),
  -- Why there is no file.
  failure      text check (failure in ('too_large', 'broken')),
  -- Each try writes parts of its own, so that two processes never mix theirs.
  tries        integer not null default 0 check (tries >= 0),
  -- When a process may begin it; one that dies is followed by another.
  next_try_at  timestamptz,
  bytes        bigint check (bytes > 0),
  requested_at timestamptz not null,
  ready_at     timestamptz,
  expires_at   timestamptz,
  constraint data_export_due check ((state = 'preparing') = (next_try_at is not null)),
  constraint data_export_failure check ((state = 'failed') = (failure is not null))
);

create index data_export_due on data_export (next_try_at) where state = 'preparing';
create index data_export_expiry on data_export (expires_at) where state = 'ready';

-- The file, in pieces. In the database, so that any instance can serve it and it is deleted with its account.
create table data_export_part (
  export_id uuid not null references data_export (id) on delete cascade,
  try       integer not null,
  position  integer not null,
  content   bytea not null,
  primary key (export_id, try, position)
);

create table account_erasure (
  customer_id     uuid primary key references customer (id),
  requested_at    timestamptz not null,
  -- Who ordered it; null for the customer.
  operator        text check (char_length(operator) between 1 and 120),
  -- Credit that the customer gives up because it cannot be withdrawn.
  given_up_micros bigint not null default 0 check (given_up_micros >= 0),
  -- When the job looks again; null once erased.
  next_try_at     timestamptz,
  -- Why it could not be erased when the job looked last.
  blocked_by      text,
  -- From here on it cannot be called off.
  begun_at        timestamptz,
  erased_at       timestamptz,
  constraint account_erasure_due check ((erased_at is null) = (next_try_at is not null))
);

create index account_erasure_next on account_erasure (next_try_at) where next_try_at is not null;

-- How far the numbers of old calls are shortened.
create table number_shortening (
  only_row   boolean primary key default true check (only_row),
  done_until timestamptz not null
);

insert into number_shortening (done_until) values ('-infinity');

-- The case of the queue that an operator has open, so that others see it. The console renews it; an old one counts no more.

create table open_case (
  operator_id uuid primary key references operator (id) on delete cascade,
  -- Kind and id, as the queue's positions have them.
  subject     text not null check (char_length(subject) between 3 and 280),
  since       timestamptz not null,
  seen_at     timestamptz not null
);

-- Questions of customers to the people who run the service, and their answers.

create table support_case (
  id          uuid primary key,
  -- What customers and operators call it by.
  number      bigint generated always as identity (start with 1001) unique,
  customer_id uuid not null references customer (id) on delete cascade,
  topic       text not null check (topic in ('sound', 'charge', 'number', 'payment', 'account', 'other')),
  message     text not null check (char_length(message) between 1 and 2000),
  -- What it is about: the customer's own.
  call_id     uuid references call (id),
  payment_id  uuid references payment (id),
  state       text not null default 'open' check (state in ('open', 'answered', 'closed')),
  answer      text check (char_length(answer) between 1 and 4000),
  -- The client's Idempotency-Key.
  request_key text check (char_length(request_key) between 1 and 255),
  created_at  timestamptz not null,
  answered_at timestamptz,
  closed_at   timestamptz,
  constraint support_case_about_one check (num_nonnulls(call_id, payment_id) <= 1),
  constraint support_case_answered check ((answer is null) = (answered_at is null)),
  constraint support_case_state check (
    case state
      when 'open' then answered_at is null and closed_at is null
      when 'answered' then answered_at is not null and closed_at is null
      else closed_at is not null
    end
  ),
  constraint support_case_request_once unique (customer_id, request_key)
);

create index support_case_customer on support_case (customer_id, id desc);
create index support_case_open on support_case (id) where state = 'open';
create index support_case_call on support_case (call_id) where call_id is not null;
create index support_case_payment on support_case (payment_id) where payment_id is not null;

-- Restores from a backup.

-- Restores from a back-up. While one is not open, the service refuses calls, payments and every other change.
create table restore (
  id             uuid primary key,
  began_at       timestamptz not null,
  -- The newest moment that the restored database knows.
  known_until    timestamptz not null,
  -- The year's receipts after the restore begin above this number, because some up to it may have been issued before.
  receipts_above int,
  opened_at      timestamptz
);

create unique index restore_in_progress on restore ((true)) where opened_at is null;

-- Receipts whose number the payment provider does not keep yet.
create table receipt_to_mark (
  receipt_id uuid primary key references receipt (id)
);

-- Numbers of receipts that a restored database has forgotten, until their payment or refund gets its receipt again.
create table recovered_receipt (
  subject_id uuid primary key,
  year       int not null,
  sequence   int not null check (sequence > 0),
  issued_at  timestamptz not null,
  unique (year, sequence)
);
