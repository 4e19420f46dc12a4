-- What is known about a call besides its course: how it sounded, and whether its charge was contested.

-- How the browser heard a call, every few seconds. Shown to its owner and to operators; it decides nothing.
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

-- A caller's request to have a call's charge back: one for each call. The money itself is a ledger entry.
create table call_refund_request (
  call_id       uuid primary key references call (id),
  customer_id   uuid not null references customer (id),
  reason        text not null,
  note          text not null check (char_length(note) <= 500),
  -- What was known when it was asked for.
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

-- Permission to download something once, in the next minute: an address must not carry a session's token.
create table download_ticket (
  -- SHA-256; the ticket itself is nowhere.
  hash        bytea primary key check (octet_length(hash) = 32),
  customer_id uuid not null references customer (id) on delete cascade,
  -- What may be downloaded, and of it which part.
  subject     text not null,
  facts       jsonb not null,
  expires_at  timestamptz not null
);

create index download_ticket_expiry on download_ticket (expires_at);
