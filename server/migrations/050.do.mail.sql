-- Mails that wait to be sent, written in the transaction of what they tell about. Sent ones are kept for a while to
-- answer "did you ever write to me", without what stood in them.

create table mail (
  id           uuid primary key,
  -- Writing the same mail twice is writing it once.
  key          text not null unique check (char_length(key) between 1 and 200),
  recipient    text not null check (char_length(recipient) between 3 and 254),
  template     text not null,
  language     text not null check (language in ('en', 'es', 'fr', 'hi', 'ar')),
  -- What the template needs; no token stands here, only the id of its record. Gone once the mail is sent or given up.
  data         jsonb,
  state        text not null default 'waiting' check (state in ('waiting', 'sent', 'given_up')),
  attempts     integer not null default 0,
  next_at      timestamptz not null,
  -- After this the mail is of no use to anybody.
  useful_until timestamptz not null,
  last_error   text check (char_length(last_error) <= 300),
  created_at   timestamptz not null,
  done_at      timestamptz,
  check ((state = 'waiting') = (done_at is null)),
  check ((state = 'waiting') = (data is not null))
);

create index mail_due on mail (next_at) where state = 'waiting';
create index mail_done on mail (done_at) where state <> 'waiting';
