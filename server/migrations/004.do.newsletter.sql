-- Subscribers of the newsletter. A subscription begins with the link in the mail (double opt-in); the times are the proof.

create table newsletter_subscription (
  -- Random (version 4): links are derived from it.
  id              uuid primary key,
  email           text not null check (char_length(email) between 3 and 254),
  email_key       text not null unique check (email_key = lower(email_key)),
  language        text not null check (language in ('en', 'es', 'fr', 'hi', 'ar')),
  state           text not null check (state in ('asked', 'confirmed', 'ended')),
  asked_at        timestamptz not null,
  confirmed_at    timestamptz,
  ended_at        timestamptz,
  check (state <> 'confirmed' or confirmed_at is not null)
);

create index newsletter_subscription_asked on newsletter_subscription (asked_at) where state = 'asked';
