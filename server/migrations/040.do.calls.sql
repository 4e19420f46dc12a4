-- Calls, what is known about each, and the sign-ins to the voice provider they are placed with.

create table call (
  id                     uuid primary key,  -- also the id of its hold
  customer_id            uuid not null references customer (id),
  -- E.164. Set by the service; what the browser dials must equal it.
  destination            text not null check (destination ~ '^\+[1-9][0-9]{5,14}$'),
  country_code           text not null check (country_code ~ '^[A-Z]{2}$'),
  number_type            text not null,
  status                 text not null default 'initiated'
                         check (status in ('initiated', 'ringing', 'in-progress', 'completed', 'failed')),
  end_reason             text,
  idempotency_key        text check (char_length(idempotency_key) between 1 and 200),

  -- The rate in force when the call was authorised: what the call is charged by, whatever happens to the deck.
  rate_prefix            text not null,
  rate_description       text not null,
  rate_per_minute_micros bigint not null check (rate_per_minute_micros > 0),
  first_interval_seconds integer not null check (first_interval_seconds > 0),
  next_interval_seconds  integer not null check (next_interval_seconds > 0),
  deck_id                uuid not null,
  deck_effective_at      timestamptz not null,

  held_micros            bigint not null check (held_micros > 0),
  -- The longest call the rules allow. What the hold pays for may be less; the smaller of the two ends the call.
  cap_seconds            integer not null check (cap_seconds > 0),

  -- SHA-256 of the ticket; the ticket itself is nowhere.
  ticket_hash            bytea not null unique check (octet_length(ticket_hash) = 32),
  ticket_expires_at      timestamptz not null,
  ticket_used_at         timestamptz,

  -- The provider's names for the browser's leg and for the leg to the called person.
  parked_call_control_id text unique,
  parked_leg_id          text,
  session_id             text,
  far_call_control_id    text unique,
  far_leg_id             text,
  -- When the provider took the command to dial; null while that is not known.
  transferred_at         timestamptz,

  -- What the browser reported about itself: joins records, decides nothing.
  client_leg_id          text,
  client_session_id      text,
  client_call_id         text,

  created_at             timestamptz not null,
  started_at             timestamptz,
  answered_at            timestamptz,
  ended_at               timestamptz,
  duration_ms            integer not null default 0 check (duration_ms >= 0),
  billed_seconds         integer not null default 0 check (billed_seconds >= 0),
  charge_micros          bigint not null default 0,
  carrier_cost_micros    bigint,

  -- Set when both legs should be gone: the sweeper repeats the command until they are.
  hangup_requested_at    timestamptz,
  last_seen_alive_at     timestamptz,
  -- When the sweeper looks at the call next; null once nothing can happen to it any more.
  next_check_at          timestamptz,

  constraint call_charge_within_hold check (charge_micros between 0 and held_micros),
  constraint call_charged_only_when_completed check (charge_micros = 0 or status = 'completed'),
  constraint call_final check (
    (status in ('completed', 'failed')) = (ended_at is not null and end_reason is not null and next_check_at is null)
  ),
  constraint call_completed_was_answered check (status <> 'completed' or answered_at is not null)
);

create unique index call_idempotency on call (customer_id, idempotency_key) where idempotency_key is not null;
create index call_history on call (customer_id, created_at desc, id desc);
create index call_live on call (customer_id) where next_check_at is not null;
create index call_due on call (next_check_at) where next_check_at is not null;
create index call_session on call (session_id) where session_id is not null;

-- Everything known about a call: the provider's signed events, and what the service found by itself. A call's state is
-- a function of this set; the order of arrival and repetitions do not matter.
create table call_event (
  id          text primary key check (char_length(id) between 1 and 300),  -- the provider's, or <call>:<kind>
  call_id     uuid not null references call (id) on delete cascade,
  source      text not null check (source in ('provider', 'service')),
  kind        text not null,
  leg         text check (leg in ('parked', 'far')),
  -- By the clock of whoever saw it.
  occurred_at timestamptz not null,
  received_at timestamptz not null,
  payload     jsonb not null
);

create index call_event_call on call_event (call_id);

-- A customer's sign-ins at the voice provider. Kept until they expire: the name tells whose leg a parked leg is.
create table voice_credential (
  provider_id  text primary key,
  customer_id  uuid not null references customer (id) on delete cascade,
  sip_username text not null unique,
  expires_at   timestamptz not null,
  created_at   timestamptz not null
);

create index voice_credential_customer on voice_credential (customer_id, expires_at desc);
