-- Outgoing mails, written in the transaction of what they report. Sent ones are kept for a while, without their contents, as
-- evidence that a mail was sent.

create table mail (
  id           uuid primary key,
  -- Writing the same mail twice writes it once.
  key          text not null unique check (char_length(key) between 1 and 200),
  recipient    text not null check (char_length(recipient) between 3 and 254),
  template     text not null,
  language     text not null check (language in ('en', 'es', 'fr', 'hi', 'ar')),
  -- What the template needs: ids of records, never a token. Deleted once the mail is sent or given up.
  data         jsonb,
  state        text not null default 'waiting' check (state in ('waiting', 'sent', 'given_up')),
  attempts     integer not null default 0,
  next_at      timestamptz not null,
  -- Not sent after this.
  useful_until timestamptz not null,
  last_error   text check (char_length(last_error) <= 300),
  created_at   timestamptz not null,
  done_at      timestamptz,
  check ((state = 'waiting') = (done_at is null)),
  check ((state = 'waiting') = (data is not null))
);

create index mail_due on mail (next_at) where state = 'waiting';
create index mail_done on mail (done_at) where state <> 'waiting';
