-- Calls, the events each follows from, and what limits them.

-- Check: call_is_sound. The customer is not referenced: the account is locked when the call is written, and accounts stay.
create table call (
  id                     uuid primary key,  -- also the id of its hold
  customer_id            uuid not null,
  -- E.164. Set by the service; what the browser dials must equal it.
  destination            text not null,
  country_code           text not null,
  number_type            text not null,
  status                 text not null default 'initiated',
  end_reason             text,
  idempotency_key        text,

  -- The rate in force when the call was authorised, by which it is charged whatever happens to the deck.
  rate_prefix            text not null,
  rate_description       text not null,
  rate_per_minute_micros bigint not null,
  -- Not derived from the rate: a high-risk range never counts as class A, however cheap.
  price_class            text not null,
  first_interval_seconds integer not null,
  next_interval_seconds  integer not null,
  deck_id                uuid not null,
  deck_effective_at      timestamptz not null,

  held_micros            bigint not null,
  -- The longest call the rules allow. The hold may pay for less; the smaller of the two ends the call.
  cap_seconds            integer not null,
  -- The limit that decides its maximum length.
  bounded_by             text not null default 'credit',
  -- The provider's limit, in seconds from the answer, if it is not what the hold pays for: the hold grew since.
  limit_seconds          integer,
  -- False once the provider said that it cannot move this call's limit.
  extendable             boolean not null default true,
  -- When the provider ends it at the latest; null before the answer.
  ends_at                timestamptz,
  -- The last warning given: so many seconds were left.
  warned_seconds         integer,

  -- SHA-256 of the ticket, which is stored nowhere.
  ticket_hash            bytea not null unique,
  ticket_expires_at      timestamptz not null,
  ticket_used_at         timestamptz,

  -- The provider's names for the browser's leg and for the leg to the called person.
  parked_call_control_id text,
  parked_leg_id          text,
  session_id             text,
  far_call_control_id    text,
  far_leg_id             text,
  -- When the provider accepted the command to dial; null until that is known.
  transferred_at         timestamptz,

  -- Reported by the browser: correlates records, decides nothing.
  client_leg_id          text,
  client_session_id      text,
  client_call_id         text,

  created_at             timestamptz not null,
  started_at             timestamptz,
  answered_at            timestamptz,
  ended_at               timestamptz,
  duration_ms            integer not null default 0,
  billed_seconds         integer not null default 0,
  charge_micros          bigint not null default 0,
  carrier_cost_micros    bigint,

  -- When the call is hung up because its page left, unless it is resumed before. Stored, so that a restart keeps it.
  hang_up_at             timestamptz,
  -- The page that left: its own requests still in flight do not count as a return.
  left_page              uuid,
  -- Set when both legs must go: the sweeper repeats the command until they are gone.
  hangup_requested_at    timestamptz,
  last_seen_alive_at     timestamptz,
  -- When the sweeper looks at the call next; null once nothing can happen to it any more.
  next_check_at          timestamptz
);

-- Indexes leave out what does not exist yet for most calls: the names of legs, the end of an unanswered call.
create unique index call_idempotency on call (customer_id, idempotency_key) where idempotency_key is not null;
-- Lists, filters and sums over a customer's calls are answered by this index alone, however many there are.
create index call_history on call (customer_id, created_at desc, id desc)
  include (destination, country_code, status, duration_ms, charge_micros);
-- The last hours' calls of all customers. Rows are written in the order of their time, so a range index is enough.
create index call_begun on call using brin (created_at) with (pages_per_range = 32);
create index call_live on call (customer_id) where next_check_at is not null;
create index call_due on call (next_check_at) where next_check_at is not null;
create index call_ends on call (ends_at) where ends_at is not null and next_check_at is not null;
create index call_left on call (hang_up_at) where hang_up_at is not null and next_check_at is not null;
create index call_session on call (session_id) where session_id is not null;
create unique index call_parked_leg on call (parked_call_control_id) where parked_call_control_id is not null;
create unique index call_far_leg on call (far_call_control_id) where far_call_control_id is not null;

-- Everything known about a call: the provider's signed events, and what the service observed. A call's state is a function of
-- this set; the order of arrival and repetitions do not matter.
create table call_event (
  id          text primary key check (char_length(id) between 1 and 300),  -- the provider's, or <call>:<kind>
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

-- A customer's credentials at the voice provider. Kept until they expire: the name tells whose leg a parked leg is.
create table voice_credential (
  provider_id  text primary key,
  customer_id  uuid not null references customer (id) on delete cascade,
  sip_username text not null unique,
  expires_at   timestamptz not null,
  created_at   timestamptz not null
);

create index voice_credential_customer on voice_credential (customer_id, expires_at desc);

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
