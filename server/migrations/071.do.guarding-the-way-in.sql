-- Proofs of work against robots, failed sign-ins of all accounts together, and addresses of throw-away mail services.

-- Challenges that were answered: none is good twice. Kept until they expire.
create table spent_challenge (
  challenge_hash bytea primary key check (octet_length(challenge_hash) = 32),
  expires_at     timestamptz not null
);

create index spent_challenge_expires on spent_challenge (expires_at);

-- How many passwords were looked at in a minute, and how many were wrong. Kept for an hour.
create table sign_in_minute (
  minute   timestamptz primary key,
  tries    integer not null check (tries >= 0),
  failures integer not null check (failures between 0 and tries)
);

-- Wrong passwords that still have to be written to the account's history. They are looked up after the answer was sent:
-- it takes the same time for every address, with an account or without.
create table failed_sign_in (
  id          uuid primary key,
  email_key   text not null check (char_length(email_key) between 1 and 254),
  device      text not null check (char_length(device) <= 80),
  network     text not null check (char_length(network) <= 60),
  happened_at timestamptz not null
);

alter table first_call drop constraint first_call_refusal_check;
alter table first_call add constraint first_call_refusal_check
  check (refusal in ('off', 'frozen', 'same_address', 'disposable_address', 'same_browser', 'same_network', 'no_browser'));
alter table referral drop constraint referral_refusal_check;
alter table referral add constraint referral_refusal_check
  check (refusal in ('not_verified', 'too_small', 'frozen', 'disposable_address', 'same_browser', 'same_network', 'same_card', 'returned'));
