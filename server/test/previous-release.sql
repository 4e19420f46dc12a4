-- server/schema.sql as of release 1 (see CONTRIBUTING.md).

set check_function_bodies = off;

create type ledger_kind as enum ('top_up', 'bonus', 'test_credit', 'call', 'refund', 'dispute', 'adjustment', 'withdrawal', 'write_off', 'call_refund', 'refund_failed', 'dispute_won');

create type ledger_system_account as enum ('revenue', 'payment_clearing', 'promotion', 'test_credit', 'adjustment', 'write_off');

create table account (
  customer_id uuid not null,
  balance_micros bigint default 0 not null,
  held_micros bigint default 0 not null,
  debt_micros bigint default 0 not null,
  bonus_micros bigint default 0 not null,
  entry_count bigint default 0 not null,
  newest_entry_at timestamp with time zone default '-infinity'::timestamp with time zone not null,
  created_at timestamp with time zone default clock_timestamp() not null
) with (fillfactor=70);

create table approval (
  id uuid not null,
  action text not null,
  customer_id uuid not null,
  subject text,
  amount_micros bigint not null,
  detail jsonb not null,
  reason text not null,
  proposed_by text not null,
  proposed_at timestamp with time zone not null,
  expires_at timestamp with time zone not null,
  state text default 'open'::text not null,
  decided_by text,
  decided_at timestamp with time zone
);

create table authenticator (
  customer_id uuid not null,
  secret bytea not null,
  secret_key text not null,
  created_at timestamp with time zone not null,
  confirmed_at timestamp with time zone,
  last_step bigint default 0 not null
);

create table auto_top_up (
  customer_id uuid not null,
  is_on boolean not null,
  card_id uuid,
  threshold_micros bigint not null,
  amount_micros bigint not null,
  agreed_at timestamp with time zone not null,
  failures integer default 0 not null,
  stopped_reason text,
  updated_at timestamp with time zone not null
);

create table breaker (
  id uuid not null,
  kind text not null,
  subject text not null,
  inputs jsonb not null,
  opened_at timestamp with time zone not null,
  until timestamp with time zone not null,
  lifted_at timestamp with time zone
);

create table call (
  id uuid not null,
  customer_id uuid not null,
  destination text not null,
  country_code text not null,
  number_type text not null,
  status text default 'initiated'::text not null,
  end_reason text,
  idempotency_key text,
  rate_prefix text not null,
  rate_description text not null,
  rate_per_minute_micros bigint not null,
  price_class text not null,
  first_interval_seconds integer not null,
  next_interval_seconds integer not null,
  deck_id uuid not null,
  deck_effective_at timestamp with time zone not null,
  held_micros bigint not null,
  cap_seconds integer not null,
  bounded_by text default 'credit'::text not null,
  limit_seconds integer,
  extendable boolean default true not null,
  ends_at timestamp with time zone,
  warned_seconds integer,
  ticket_hash bytea not null,
  ticket_expires_at timestamp with time zone not null,
  ticket_used_at timestamp with time zone,
  parked_call_control_id text,
  parked_leg_id text,
  session_id text,
  far_call_control_id text,
  far_leg_id text,
  transferred_at timestamp with time zone,
  client_leg_id text,
  client_session_id text,
  client_call_id text,
  created_at timestamp with time zone not null,
  started_at timestamp with time zone,
  answered_at timestamp with time zone,
  ended_at timestamp with time zone,
  duration_ms integer default 0 not null,
  billed_seconds integer default 0 not null,
  charge_micros bigint default 0 not null,
  carrier_cost_micros bigint,
  hang_up_at timestamp with time zone,
  left_page uuid,
  hangup_requested_at timestamp with time zone,
  last_seen_alive_at timestamp with time zone,
  next_check_at timestamp with time zone
);

create table call_block (
  id uuid not null,
  customer_id uuid not null,
  rule text not null,
  inputs jsonb not null,
  created_at timestamp with time zone not null,
  blocked_until timestamp with time zone not null
);

create table call_event (
  id text not null,
  call_id uuid not null,
  source text not null,
  kind text not null,
  leg text,
  occurred_at timestamp with time zone not null,
  received_at timestamp with time zone not null,
  payload jsonb not null
);

create table call_quality (
  call_id uuid not null,
  second integer not null,
  mos real not null,
  rtt_ms real,
  jitter_ms real not null,
  loss_pct real not null
);

create table call_refund_request (
  call_id uuid not null,
  customer_id uuid not null,
  reason text not null,
  note text not null,
  evidence jsonb not null,
  state text default 'open'::text not null,
  amount_micros bigint default 0 not null,
  decided_by text,
  answer text,
  created_at timestamp with time zone not null,
  decided_at timestamp with time zone
);

create table card_setup (
  id uuid not null,
  customer_id uuid not null,
  status text default 'created'::text not null,
  session_id text,
  card_id uuid,
  next_check_at timestamp with time zone,
  last_check_at timestamp with time zone,
  created_at timestamp with time zone not null,
  expires_at timestamp with time zone not null
);

create table contact (
  id uuid not null,
  customer_id uuid not null,
  first_name text not null,
  last_name text,
  company text,
  email text,
  phone_number text not null,
  phone_number_type text not null,
  country_code text not null,
  notes text,
  favorite boolean default false not null,
  sort_key text collate "C" not null,
  search_text text not null,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null
);

create table credit_package (
  id text not null,
  amount_micros bigint not null,
  bonus_percentage integer default 0 not null,
  is_popular boolean default false not null,
  on_sale boolean default true not null
);

create table customer (
  id uuid not null,
  name text not null,
  email text not null,
  email_key text not null,
  email_verified boolean default false not null,
  password_hash text,
  password_key text,
  password_reset_at timestamp with time zone,
  language text default 'en'::text not null,
  status text default 'active'::text not null,
  created_at timestamp with time zone not null
);

create table deck (
  id uuid not null,
  name text not null,
  source text not null,
  effective_at timestamp with time zone not null,
  created_at timestamp with time zone not null
);

create table deck_rate (
  deck_id uuid not null,
  prefix text not null,
  description text not null,
  country_code text not null,
  number_type text not null,
  rate_per_minute_micros bigint not null,
  first_interval_seconds integer not null,
  next_interval_seconds integer not null,
  cost_per_minute_micros bigint not null,
  cost_first_interval_seconds integer not null,
  cost_next_interval_seconds integer not null
);

create table dispute (
  id text not null,
  payment_id uuid not null,
  amount_micros bigint not null,
  reason text not null,
  status text not null,
  booked_micros bigint default 0 not null,
  bonus_micros bigint default 0 not null,
  step integer default 0 not null,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null
);

create table download_ticket (
  hash bytea not null,
  customer_id uuid not null,
  subject text not null,
  facts jsonb not null,
  expires_at timestamp with time zone not null
);

create table echo_test (
  id uuid not null,
  customer_id uuid not null,
  ticket_hash bytea not null,
  expires_at timestamp with time zone not null,
  created_at timestamp with time zone not null,
  call_control_id text
);

create table email_change (
  id uuid not null,
  customer_id uuid not null,
  new_email text not null,
  needs_old boolean not null,
  new_confirmed_at timestamp with time zone,
  old_confirmed_at timestamp with time zone,
  done_at timestamp with time zone,
  created_at timestamp with time zone not null,
  expires_at timestamp with time zone not null
);

create table failed_sign_in (
  id uuid not null,
  email_key text not null,
  device text not null,
  network text not null,
  happened_at timestamp with time zone not null
);

create table first_call (
  customer_id uuid not null,
  state text default 'due'::text not null,
  refusal text,
  mailbox text,
  bonus_micros bigint default 0 not null,
  next_look_at timestamp with time zone,
  created_at timestamp with time zone not null,
  decided_at timestamp with time zone
);

create table first_call_origin (
  customer_id uuid not null,
  kind text not null,
  value text not null,
  seen_at timestamp with time zone not null
);

create table fraud_warning (
  id text not null,
  payment_id uuid not null,
  fraud_type text not null,
  decision text not null,
  created_at timestamp with time zone not null
);

create table google_flow (
  id uuid not null,
  browser_hash bytea not null,
  purpose text not null,
  customer_id uuid,
  state text not null,
  nonce text not null,
  verifier text not null,
  created_at timestamp with time zone not null,
  expires_at timestamp with time zone not null,
  used_at timestamp with time zone,
  code_hash bytea,
  answer bytea,
  failed boolean default false not null
);

create table guard_rail (
  customer_id uuid not null,
  daily_cap_micros bigint,
  call_cap_micros bigint,
  countries text[],
  time_zone text not null,
  updated_at timestamp with time zone not null
);

create table hold (
  id uuid not null,
  customer_id uuid not null,
  wanted_micros bigint not null,
  least_micros bigint not null,
  amount_micros bigint not null,
  state text default 'pending'::text not null,
  posted_micros bigint,
  created_at timestamp with time zone default clock_timestamp() not null,
  resolved_at timestamp with time zone
) with (fillfactor=70);

create table identity (
  issuer text not null,
  subject text not null,
  customer_id uuid not null,
  email text not null,
  linked_at timestamp with time zone not null
);

create table known_browser (
  customer_id uuid not null,
  browser_hash bytea not null,
  last_used_at timestamp with time zone not null
);

create table ledger_entry (
  transaction_id uuid not null,
  customer_id uuid,
  system_account ledger_system_account,
  amount_micros bigint not null,
  kind ledger_kind,
  sequence bigint,
  balance_after_micros bigint,
  bonus_micros bigint default 0 not null
);

create table ledger_transaction (
  id uuid not null,
  kind ledger_kind not null,
  idempotency_key text not null,
  customer_id uuid not null,
  reference_id uuid,
  restores_id uuid,
  description text not null,
  shortfall_micros bigint default 0 not null,
  created_at timestamp with time zone not null
);

create table mail (
  id uuid not null,
  key text not null,
  recipient text not null,
  template text not null,
  language text not null,
  data jsonb,
  state text default 'waiting'::text not null,
  attempts integer default 0 not null,
  next_at timestamp with time zone not null,
  useful_until timestamp with time zone not null,
  last_error text,
  created_at timestamp with time zone not null,
  done_at timestamp with time zone
);

create table mail_link (
  id uuid not null,
  customer_id uuid not null,
  use text not null,
  email_key text not null,
  email_change_id uuid,
  created_at timestamp with time zone not null,
  expires_at timestamp with time zone not null,
  used_at timestamp with time zone
);

create table newsletter_subscription (
  id uuid not null,
  email text not null,
  email_key text not null,
  language text not null,
  state text not null,
  asked_at timestamp with time zone not null,
  confirmed_at timestamp with time zone,
  ended_at timestamp with time zone
);

create table operation (
  id uuid not null,
  operator text not null,
  action text not null,
  customer_id uuid,
  subject text,
  reason text not null,
  detail jsonb default '{}'::jsonb not null,
  happened_at timestamp with time zone not null
);

create table passkey (
  id uuid not null,
  customer_id uuid not null,
  credential_id bytea not null,
  public_key bytea not null,
  sign_count bigint not null,
  transports text[] not null,
  name text not null,
  synced boolean not null,
  created_at timestamp with time zone not null,
  last_used_at timestamp with time zone
);

create table passkey_challenge (
  challenge_hash bytea not null,
  customer_id uuid,
  expires_at timestamp with time zone not null
);

create table password_reset_request (
  id uuid not null,
  email_key text not null,
  requested_at timestamp with time zone not null
);

create table payment (
  id uuid not null,
  customer_id uuid not null,
  kind text not null,
  package_id text,
  charge_micros bigint not null,
  bonus_micros bigint default 0 not null,
  bonus_returned_micros bigint default 0 not null,
  currency text default 'usd'::text not null,
  status text default 'created'::text not null,
  request_key text,
  session_id text,
  checkout_url text,
  payment_intent_id text,
  three_d_secure text default 'automatic'::text not null,
  saved_card_id uuid,
  keeps_card boolean default false not null,
  card_brand text,
  card_last4 text,
  card_fingerprint text,
  authenticated boolean default false not null,
  failure_code text,
  refunded_micros bigint default 0 not null,
  disputed_micros bigint default 0 not null,
  stayed_micros bigint generated always as (GREATEST(((charge_micros - refunded_micros) - disputed_micros), (0)::bigint)) stored not null,
  next_check_at timestamp with time zone,
  last_check_at timestamp with time zone,
  expires_at timestamp with time zone not null,
  created_at timestamp with time zone not null,
  settled_at timestamp with time zone,
  receipt_id uuid
);

create table payment_failure (
  id text not null,
  payment_id uuid not null,
  customer_id uuid not null,
  card_fingerprint text,
  code text not null,
  failed_at timestamp with time zone not null
);

create table promo_campaign (
  id uuid not null,
  code text not null,
  kind text not null,
  bonus_percent integer,
  bonus_micros bigint,
  package_id text,
  least_micros bigint default 0 not null,
  most_uses integer,
  budget_micros bigint,
  uses integer default 0 not null,
  promised_micros bigint default 0 not null,
  starts_at timestamp with time zone not null,
  ends_at timestamp with time zone,
  ended_at timestamp with time zone,
  created_at timestamp with time zone not null
);

create table promo_use (
  payment_id uuid not null,
  campaign_id uuid not null,
  customer_id uuid not null,
  bonus_micros bigint not null,
  state text default 'reserved'::text not null,
  card_fingerprint text,
  created_at timestamp with time zone not null,
  settled_at timestamp with time zone
);

create table rate_limit (
  key character varying(255) not null,
  points integer default 0 not null,
  expire double precision
);

create table receipt (
  id uuid not null,
  year integer not null,
  sequence integer not null,
  number text generated always as ((((year)::text || '-'::text) || lpad((sequence)::text, GREATEST(6, char_length((sequence)::text)), '0'::text))) stored not null,
  customer_id uuid not null,
  kind text not null,
  payment_id uuid not null,
  refund_id uuid,
  corrects_id uuid,
  amount_micros bigint not null,
  bonus_micros bigint not null,
  card_brand text,
  card_last4 text,
  buyer_name text not null,
  buyer_email text not null,
  seller jsonb not null,
  sample boolean not null,
  paid_at timestamp with time zone not null,
  issued_at timestamp with time zone not null
);

create table receipt_counter (
  year integer not null,
  last_number integer not null
);

create table reconciliation_difference (
  id uuid not null,
  run_id uuid not null,
  kind text not null,
  payment_id uuid,
  reference text,
  provider_micros bigint,
  ledger_micros bigint,
  detail text not null
);

create table reconciliation_run (
  id uuid not null,
  from_time timestamp with time zone not null,
  to_time timestamp with time zone not null,
  started_at timestamp with time zone not null,
  finished_at timestamp with time zone,
  charges integer,
  provider_micros bigint,
  ledger_micros bigint,
  repaired integer,
  differences integer
);

create table recovery_code (
  customer_id uuid not null,
  code_hash bytea not null,
  created_at timestamp with time zone not null,
  used_at timestamp with time zone
);

create table referral (
  invited_id uuid not null,
  inviter_id uuid not null,
  state text default 'invited'::text not null,
  refusal text,
  payment_id uuid,
  paid_micros bigint,
  card_shared boolean default false not null,
  paid_at timestamp with time zone,
  invited_bonus_micros bigint default 0 not null,
  inviter_bonus_micros bigint default 0 not null,
  next_look_at timestamp with time zone,
  created_at timestamp with time zone not null,
  decided_at timestamp with time zone
);

create table referral_code (
  customer_id uuid not null,
  code text not null,
  created_at timestamp with time zone not null
);

create table refund (
  id uuid not null,
  payment_id uuid not null,
  customer_id uuid not null,
  withdrawal_id uuid,
  origin text not null,
  amount_micros bigint not null,
  bonus_micros bigint default 0 not null,
  status text not null,
  provider_refund_id text,
  failure text,
  next_try_at timestamp with time zone,
  tries integer default 0 not null,
  created_at timestamp with time zone not null,
  settled_at timestamp with time zone,
  receipt_id uuid,
  return_receipt_id uuid
);

create table saved_card (
  id uuid not null,
  customer_id uuid not null,
  payment_method_id text not null,
  brand text not null,
  last4 text not null,
  exp_month integer not null,
  exp_year integer not null,
  fingerprint text,
  authenticated boolean default false not null,
  created_at timestamp with time zone not null,
  removed_at timestamp with time zone,
  detached_at timestamp with time zone
);

create table schema_function (
  signature text not null,
  checksum text not null,
  release integer not null
);

create table schema_version (
  version bigint not null,
  name text,
  md5 text,
  run_at timestamp with time zone
);

create table security_event (
  id uuid not null,
  customer_id uuid not null,
  kind text not null,
  detail text,
  device text,
  network text,
  happened_at timestamp with time zone not null
);

create table session (
  id uuid not null,
  customer_id uuid not null,
  token_hash bytea not null,
  browser_hash bytea,
  device text default 'Unknown device'::text not null,
  network text default ''::text not null,
  created_at timestamp with time zone not null,
  authenticated_at timestamp with time zone not null,
  last_seen_at timestamp with time zone not null,
  expires_at timestamp with time zone not null
);

create table sign_in_challenge (
  challenge_hash bytea not null,
  customer_id uuid not null,
  tries integer default 0 not null,
  created_at timestamp with time zone not null,
  expires_at timestamp with time zone not null
);

create table sign_in_guard (
  account_key text not null,
  tries integer not null,
  first_try_at timestamp with time zone not null,
  last_try_at timestamp with time zone not null,
  locked_until timestamp with time zone
);

create table sign_in_minute (
  minute timestamp with time zone not null,
  tries integer not null,
  failures integer not null
);

create table spent_challenge (
  challenge_hash bytea not null,
  expires_at timestamp with time zone not null
);

create table stripe_customer (
  customer_id uuid not null,
  provider_customer_id text not null,
  created_at timestamp with time zone not null
);

create table stripe_event (
  event_id text not null,
  type text not null,
  received_at timestamp with time zone not null,
  done_at timestamp with time zone
);

create table test_credit_grant (
  id uuid not null,
  customer_id uuid not null,
  amount_micros bigint not null,
  created_at timestamp with time zone not null
);

create table voice_credential (
  provider_id text not null,
  customer_id uuid not null,
  sip_username text not null,
  expires_at timestamp with time zone not null,
  created_at timestamp with time zone not null
);

create table withdrawal (
  id uuid not null,
  customer_id uuid not null,
  amount_micros bigint not null,
  request_key text,
  created_at timestamp with time zone not null
);

CREATE OR REPLACE FUNCTION public.account_after(p_account account, p_signed_micros bigint, p_bonus_micros bigint, p_released_micros bigint)
 RETURNS account
 LANGUAGE plpgsql
 STABLE
AS $function$
declare
  net bigint := p_account.balance_micros - p_account.debt_micros + p_signed_micros;
begin
  p_account.held_micros := p_account.held_micros - p_released_micros;
  p_account.balance_micros := greatest(net, p_account.held_micros);
  p_account.debt_micros := p_account.balance_micros - net;
  p_account.bonus_micros := greatest(least(p_account.bonus_micros + p_bonus_micros, net), 0);
  if p_signed_micros <> 0 then
    p_account.entry_count := p_account.entry_count + 1;
    p_account.newest_entry_at := greatest(clock_timestamp(), p_account.newest_entry_at);
  end if;
  return p_account;
end
$function$
;

CREATE OR REPLACE FUNCTION public.account_is_sound(a account)
 RETURNS boolean
 LANGUAGE plpgsql
 IMMUTABLE
AS $function$
begin
  return (
    a.held_micros >= 0 and a.balance_micros >= a.held_micros and a.debt_micros >= 0
    and (a.debt_micros = 0 or a.balance_micros = a.held_micros)
    and a.bonus_micros >= 0 and a.bonus_micros <= greatest(a.balance_micros - a.debt_micros, 0)
  ) is true;
end
$function$
;

CREATE OR REPLACE FUNCTION public.address_proved()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  insert into first_call (customer_id, next_look_at, created_at) values (new.id, now(), now()) on conflict do nothing;
  update referral set next_look_at = now()
    where state = 'invited' and next_look_at is not null and new.id in (invited_id, inviter_id);
  return null;
end
$function$
;

CREATE OR REPLACE FUNCTION public.authorise_call(p_call jsonb, p_want_micros bigint, p_least_micros bigint, p_live_limit integer, p_minute_limit integer, p_hour_limit integer, p_day_limit integer, p_rules jsonb DEFAULT NULL::jsonb)
 RETURNS call
 LANGUAGE plpgsql
AS $function$
declare
  wanted call := jsonb_populate_record(null::call, p_call);
  acc account := lock_account(wanted.customer_id);
  made call;
  seen record;
  wait_seconds integer;
  allowed bigint;
  rule text;
begin
  if wanted.idempotency_key is not null then
    select * into made from call where customer_id = wanted.customer_id and idempotency_key = wanted.idempotency_key;
    if found then
      return made;
    end if;
  end if;

  -- Calls last hours at most: what is live, and what ended in a day, began in thirty hours.
  select count(*) filter (where next_check_at is not null) as live,
      count(*) filter (where created_at > wanted.created_at - interval '1 minute') as of_minute,
      count(*) filter (where created_at > wanted.created_at - interval '1 hour') as of_hour,
      count(*) filter (where created_at > wanted.created_at - interval '1 day') as of_day,
      coalesce(sum(case when next_check_at is null then charge_micros else held_micros end), 0)::bigint as spent_at_most,
      exists (select from guard_rail where customer_id = wanted.customer_id) as has_rail,
      exists (select from call_block where customer_id = wanted.customer_id and blocked_until > wanted.created_at) as blocked
    into seen
    from call where customer_id = wanted.customer_id and created_at > wanted.created_at - interval '30 hours';

  if p_live_limit <= seen.live then
    raise exception 'too many live calls' using errcode = 'FC001';
  end if;
  if p_minute_limit <= seen.of_minute or p_hour_limit <= seen.of_hour or p_day_limit <= seen.of_day then
    wait_seconds := greatest(
      seconds_until_call_allowed(wanted.customer_id, wanted.created_at, interval '1 minute', p_minute_limit),
      seconds_until_call_allowed(wanted.customer_id, wanted.created_at, interval '1 hour', p_hour_limit),
      seconds_until_call_allowed(wanted.customer_id, wanted.created_at, interval '1 day', p_day_limit)
    );
    if wait_seconds > 0 then
      raise exception 'too many calls' using errcode = 'FC002', detail = wait_seconds::text;
    end if;
  end if;
  -- Each of the rules counts calls of a day, this one included.
  if p_rules is not null and (seen.blocked or seen.of_day + 1 >= least(
    (p_rules->>'near_numbers_per_hour')::integer, (p_rules->>'short_calls_per_hour')::integer,
    (p_rules->>'same_number_per_hour')::integer, (p_rules->>'numbers_per_day')::integer, (p_rules->>'countries_per_day')::integer
  )) then
    perform check_call_pattern(wanted, p_rules);
  end if;
  if seen.has_rail and exists (select from guard_rail where customer_id = wanted.customer_id and wanted.country_code <> all (countries)) then
    raise exception 'country not allowed' using errcode = 'FC003';
  end if;

  allowed := p_want_micros;
  wanted.bounded_by := 'longest_call';
  if seen.has_rail or (p_rules is not null and (
    wanted.price_class > 'A'
    or seen.spent_at_most + p_want_micros > (p_rules->>'spend_per_day_micros')::bigint
  )) then
    select a.allowed_micros, a.bound, a.rule into allowed, wanted.bounded_by, rule
      from call_allowance(wanted, p_want_micros, wanted.created_at, p_rules) a;
  end if;
  if allowed < p_least_micros and wanted.bounded_by = 'spend_limit' then
    raise exception 'spend limit' using errcode = 'FC006',
      detail = json_build_object('rule', rule, 'seconds', 86400, 'inputs', allowed::text)::text;
  elsif allowed < p_least_micros then
    raise exception 'limit of the caller' using detail = allowed::text,
      errcode = case wanted.bounded_by when 'call_cap' then 'FC004' else 'FC005' end;
  end if;
  wanted.held_micros := place_hold(acc, wanted.id, allowed, p_least_micros);
  if wanted.held_micros < allowed then
    wanted.bounded_by := 'credit';
  end if;
  insert into call (
    id, customer_id, destination, country_code, number_type, idempotency_key, rate_prefix, rate_description,
    rate_per_minute_micros, price_class, first_interval_seconds, next_interval_seconds, deck_id, deck_effective_at, held_micros,
    bounded_by, cap_seconds, ticket_hash, ticket_expires_at, created_at, next_check_at
  ) values (
    wanted.id, wanted.customer_id, wanted.destination, wanted.country_code, wanted.number_type, wanted.idempotency_key,
    wanted.rate_prefix, wanted.rate_description, wanted.rate_per_minute_micros, wanted.price_class,
    wanted.first_interval_seconds, wanted.next_interval_seconds, wanted.deck_id, wanted.deck_effective_at, wanted.held_micros,
    wanted.bounded_by, wanted.cap_seconds, wanted.ticket_hash, wanted.ticket_expires_at, wanted.created_at,
    wanted.ticket_expires_at
  ) returning * into made;
  return made;
end
$function$
;

CREATE OR REPLACE FUNCTION public.authorise_plain_calls(p_requests jsonb)
 RETURNS TABLE(customer_id uuid, held_micros bigint, bounded_by text)
 LANGUAGE plpgsql
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
#variable_conflict use_column
declare
  requests jsonb[] := array(select jsonb_array_elements(p_requests));
  locked uuid[];
begin
  select array_agg(l.customer_id) into locked from (
    select a.customer_id from account a
      where a.customer_id = any (array(select (r->>'customer_id')::uuid from unnest(requests) r))
      for no key update skip locked
  ) l;
  return query
    with request as materialized (
      select r.* from unnest(requests) e cross join lateral jsonb_to_record(e) as r (
        id uuid, customer_id uuid, destination text, country_code text, number_type text, idempotency_key text, rate_prefix text,
        rate_description text, rate_per_minute_micros bigint, price_class text, first_interval_seconds integer,
        next_interval_seconds integer, deck_id uuid, deck_effective_at timestamptz, cap_seconds integer, ticket_hash bytea,
        ticket_expires_at timestamptz, created_at timestamptz, want_micros bigint, least_micros bigint, live_limit integer, minute_limit integer,
        hour_limit integer, day_limit integer, quiet_calls integer, spend_per_day_micros bigint
      )
    ), plain as materialized (
      select r.*, least(a.balance_micros - a.held_micros, r.want_micros) as held_micros
        from request r
        join account a using (customer_id)
        cross join lateral (
          -- Calls last hours at most: what is live, and what ended in a day, began in thirty hours.
          -- Only what the index of the history has; what live calls hold stands in the account.
          select count(*) filter (where c.status not in ('completed', 'failed')) as live,
              count(*) filter (where c.created_at > r.created_at - interval '1 minute') as of_minute,
              count(*) filter (where c.created_at > r.created_at - interval '1 hour') as of_hour,
              count(*) filter (where c.created_at > r.created_at - interval '1 day') as of_day,
              coalesce(sum(c.charge_micros), 0)::bigint as charged
            from call c where c.customer_id = r.customer_id and c.created_at > r.created_at - interval '30 hours'
        ) seen
        where r.customer_id = any (locked)
          and r.least_micros > 0 and r.want_micros >= r.least_micros
          and a.balance_micros - a.held_micros >= r.least_micros
          and (r.live_limit is null or seen.live < r.live_limit)
          and (r.minute_limit is null or seen.of_minute < r.minute_limit)
          and (r.hour_limit is null or seen.of_hour < r.hour_limit)
          and (r.day_limit is null or seen.of_day < r.day_limit)
          and (r.quiet_calls is null or seen.of_day < r.quiet_calls)
          and (r.spend_per_day_micros is null
            or (r.price_class = 'A' and seen.charged + a.held_micros + r.want_micros <= r.spend_per_day_micros))
          and not exists (select from guard_rail g where g.customer_id = r.customer_id)
          and not exists (select from call_block b where b.customer_id = r.customer_id and b.blocked_until > r.created_at)
          and (r.idempotency_key is null or not exists (
            select from call c where c.customer_id = r.customer_id and c.idempotency_key = r.idempotency_key))
    ), held as materialized (
      select place_holds(array_agg(p.id), array_agg(p.customer_id), array_agg(p.want_micros), array_agg(p.least_micros),
        array_agg(p.held_micros)) from plain p
    )
    insert into call (
      id, customer_id, destination, country_code, number_type, idempotency_key, rate_prefix, rate_description,
      rate_per_minute_micros, price_class, first_interval_seconds, next_interval_seconds, deck_id, deck_effective_at, held_micros,
      bounded_by, cap_seconds, ticket_hash, ticket_expires_at, created_at, next_check_at
    ) select
      p.id, p.customer_id, p.destination, p.country_code, p.number_type, p.idempotency_key, p.rate_prefix, p.rate_description,
      p.rate_per_minute_micros, p.price_class, p.first_interval_seconds, p.next_interval_seconds, p.deck_id, p.deck_effective_at,
      p.held_micros, case when p.held_micros < p.want_micros then 'credit' else 'longest_call' end, p.cap_seconds, p.ticket_hash,
      p.ticket_expires_at, p.created_at, p.ticket_expires_at
    from plain p cross join held
    returning customer_id, held_micros, bounded_by;
end
$function$
;

CREATE OR REPLACE FUNCTION public.call_allowance(p_call call, p_want_micros bigint, p_now timestamp with time zone, p_rules jsonb, OUT allowed_micros bigint, OUT bound text, OUT rule text)
 RETURNS record
 LANGUAGE plpgsql
 STABLE
AS $function$
declare
  rail guard_rail;
  yesterday timestamptz := p_now - interval '1 day';
  rest bigint;
  fresh_rest bigint;
begin
  allowed_micros := p_want_micros;
  bound := 'longest_call';
  if p_rules is not null then
    rule := 'spend';
    rest := (p_rules->>'spend_per_day_micros')::bigint - call_spending(p_call.customer_id, yesterday, p_call.id, '');
    if p_call.price_class > 'A' then
      rest := least(rest, (p_rules->>'dear_spend_per_day_micros')::bigint
        - call_spending(p_call.customer_id, yesterday, p_call.id, p_rules->>'dear_above_class'));
      -- Null, and no bound, where no payment is fresh.
      fresh_rest := (p_rules->>'fresh_spend_per_day_micros')::bigint
        - call_spending(p_call.customer_id, yesterday, p_call.id, 'A');
      if fresh_rest <= rest then
        rest := fresh_rest;
        rule := 'fresh_credit';
      end if;
    end if;
    if rest < allowed_micros then
      allowed_micros := rest;
      bound := 'spend_limit';
    end if;
  end if;
  select * into rail from guard_rail where customer_id = p_call.customer_id;
  if rail.call_cap_micros < allowed_micros then
    allowed_micros := rail.call_cap_micros;
    bound := 'call_cap';
  end if;
  if rail.daily_cap_micros is not null then
    rest := rail.daily_cap_micros - call_spending(p_call.customer_id, guard_rail_day(rail, p_now), p_call.id, '');
    if rest < allowed_micros then
      allowed_micros := rest;
      bound := 'daily_cap';
    end if;
  end if;
  allowed_micros := greatest(allowed_micros, 0);
end
$function$
;

CREATE OR REPLACE FUNCTION public.call_is_sound(c call)
 RETURNS boolean
 LANGUAGE plpgsql
 IMMUTABLE
AS $function$
begin
  return (
    c.destination ~ '^\+[1-9][0-9]{5,14}$'
    and c.country_code ~ '^[A-Z]{2}$'
    and c.status in ('initiated', 'ringing', 'in-progress', 'completed', 'failed')
    and (c.idempotency_key is null or char_length(c.idempotency_key) between 1 and 200)
    and c.price_class in ('A', 'B', 'C')
    and c.rate_per_minute_micros > 0 and c.first_interval_seconds > 0 and c.next_interval_seconds > 0
    and c.bounded_by in ('credit', 'longest_call', 'spend_limit', 'call_cap', 'daily_cap')
    and c.cap_seconds > 0
    and (c.limit_seconds is null or c.limit_seconds > 0)
    and (c.warned_seconds is null or c.warned_seconds in (60, 15))
    and octet_length(c.ticket_hash) = 32
    and c.duration_ms >= 0 and c.billed_seconds >= 0
    and c.held_micros > 0 and c.charge_micros between 0 and c.held_micros
    -- Only what was answered is charged, and only once it is over.
    and (c.charge_micros = 0 or c.status = 'completed')
    and (c.status <> 'completed' or c.answered_at is not null)
    and (c.status in ('completed', 'failed'))
      = (c.ended_at is not null and c.end_reason is not null and c.next_check_at is null)
  ) is true;
end
$function$
;

CREATE OR REPLACE FUNCTION public.call_spending(p_customer_id uuid, p_since timestamp with time zone, p_but uuid, p_above_class text)
 RETURNS bigint
 LANGUAGE sql
 STABLE
AS $function$
  select coalesce(sum(case when next_check_at is null then charge_micros else held_micros end), 0)::bigint
  from call
  where customer_id = p_customer_id and created_at > p_since - interval '6 hours' and id is distinct from p_but
    and price_class > p_above_class and (next_check_at is not null or ended_at >= p_since)
$function$
;

CREATE OR REPLACE FUNCTION public.check_call_pattern(p_wanted call, p_rules jsonb)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
declare
  seen record;
  block call_block;
  rule text;
  wait_seconds integer;
begin
  select * into block from call_block
    where customer_id = p_wanted.customer_id and blocked_until > p_wanted.created_at order by blocked_until desc limit 1;
  if found then
    raise exception 'calls are blocked' using errcode = 'FC006', detail = json_build_object('rule', 'blocked',
      'seconds', ceil(extract(epoch from block.blocked_until - p_wanted.created_at)), 'inputs', block.rule)::text;
  end if;
  select
    count(*) filter (where destination = p_wanted.destination and created_at > p_wanted.created_at - interval '1 hour') + 1 as same_number,
    count(distinct destination) filter (where destination <> p_wanted.destination) + 1 as numbers,
    count(distinct country_code) filter (where country_code <> p_wanted.country_code) + 1 as countries,
    case when p_wanted.destination ~ (p_rules->>'earns_nothing') then 0 else
      count(distinct destination) filter (where destination <> p_wanted.destination
        and left(destination, -3) = left(p_wanted.destination, -3) and created_at > p_wanted.created_at - interval '1 hour') + 1
    end as near_numbers,
    count(*) filter (where status = 'completed' and ended_at > p_wanted.created_at - interval '1 hour'
      and duration_ms < (p_rules->>'short_call_ms')::integer and destination !~ (p_rules->>'earns_nothing')) as short_calls
    into seen
    from call where customer_id = p_wanted.customer_id and created_at > p_wanted.created_at - interval '1 day';
  select r.rule, r.seconds into rule, wait_seconds from (values
    ('near_numbers', 86400, seen.near_numbers >= (p_rules->>'near_numbers_per_hour')::integer),
    ('short_calls', 3600, seen.short_calls >= (p_rules->>'short_calls_per_hour')::integer),
    ('same_number', 3600, seen.same_number > (p_rules->>'same_number_per_hour')::integer),
    ('numbers', 86400, seen.numbers > (p_rules->>'numbers_per_day')::integer),
    ('countries', 86400, seen.countries > (p_rules->>'countries_per_day')::integer)
  ) as r (rule, seconds, broken) where r.broken limit 1;
  if found then
    raise exception 'pattern of calls' using errcode = 'FC006',
      detail = json_build_object('rule', rule, 'seconds', wait_seconds, 'inputs', to_json(seen))::text;
  end if;
end
$function$
;

CREATE OR REPLACE FUNCTION public.entries_before(p_customer_id uuid, p_moment timestamp with time zone)
 RETURNS bigint
 LANGUAGE plpgsql
 STABLE
AS $function$
declare
  least_possible bigint := 0;
  most_possible bigint;
  newest_at timestamptz;
  middle bigint;
  middle_at timestamptz;
begin
  select entry_count, newest_entry_at into most_possible, newest_at from account where customer_id = p_customer_id;
  if newest_at < p_moment then
    return most_possible;
  end if;
  while least_possible < most_possible loop
    middle := (least_possible + most_possible + 1) / 2;
    select t.created_at into strict middle_at from ledger_entry e join ledger_transaction t on t.id = e.transaction_id
      where e.customer_id = p_customer_id and e.sequence = middle;
    if middle_at < p_moment then
      least_possible := middle;
    else
      most_possible := middle - 1;
    end if;
  end loop;
  return least_possible;
end
$function$
;

CREATE OR REPLACE FUNCTION public.extend_call(p_call_id uuid, p_want_micros bigint, p_limit_seconds integer, p_now timestamp with time zone, p_rules jsonb)
 RETURNS call
 LANGUAGE plpgsql
AS $function$
declare
  running call;
  allowed bigint;
  new_bound text;
  new_held bigint;
begin
  select * into running from call where id = p_call_id for no key update;
  if running.next_check_at is null then
    return running;
  end if;
  perform lock_account(running.customer_id);
  select a.allowed_micros, a.bound into allowed, new_bound from call_allowance(running, p_want_micros, p_now, p_rules) a;
  new_held := running.held_micros;
  if allowed > new_held then
    new_held := extend_hold(running.id, allowed);
    if new_held < allowed then
      new_bound := 'credit';
    end if;
  end if;
  update call set held_micros = new_held, bounded_by = new_bound, limit_seconds = coalesce(limit_seconds, p_limit_seconds)
    where id = p_call_id returning * into running;
  return running;
end
$function$
;

CREATE OR REPLACE FUNCTION public.extend_hold(p_hold_id uuid, p_want_micros bigint)
 RETURNS bigint
 LANGUAGE plpgsql
AS $function$
declare
  acc account;
  held hold;
  amount bigint;
begin
  select * into held from hold where id = p_hold_id;
  if not found then
    raise exception 'no hold %', p_hold_id using errcode = 'FL004';
  end if;
  acc := lock_account(held.customer_id);
  select * into held from hold where id = p_hold_id;
  if held.state <> 'pending' then
    raise exception 'hold % was %', p_hold_id, held.state using errcode = 'FL005';
  end if;
  amount := least(p_want_micros, held.amount_micros + acc.balance_micros - acc.held_micros);
  if amount <= held.amount_micros then
    return held.amount_micros;
  end if;
  update hold set amount_micros = amount where id = p_hold_id;
  update account set held_micros = acc.held_micros + amount - held.amount_micros where customer_id = acc.customer_id;
  return amount;
end
$function$
;

CREATE OR REPLACE FUNCTION public.guard_rail_day(p_rail guard_rail, p_now timestamp with time zone)
 RETURNS timestamp with time zone
 LANGUAGE sql
 STABLE
AS $function$
  select date_trunc('day', p_now at time zone p_rail.time_zone) at time zone p_rail.time_zone
$function$
;

CREATE OR REPLACE FUNCTION public.hold_credit(p_hold_id uuid, p_customer_id uuid, p_want_micros bigint, p_least_micros bigint)
 RETURNS bigint
 LANGUAGE plpgsql
AS $function$
begin
  return place_hold(lock_account(p_customer_id), p_hold_id, p_want_micros, p_least_micros);
end
$function$
;

CREATE OR REPLACE FUNCTION public.hold_is_sound(h hold)
 RETURNS boolean
 LANGUAGE plpgsql
 IMMUTABLE
AS $function$
begin
  return (
    h.least_micros > 0 and h.wanted_micros >= h.least_micros and h.amount_micros >= h.least_micros
    and (h.posted_micros is null or h.posted_micros between 0 and h.amount_micros)
    and h.state in ('pending', 'posted', 'voided')
    and (h.state = 'pending') = (h.resolved_at is null) and (h.state = 'posted') = (h.posted_micros is not null)
  ) is true;
end
$function$
;

CREATE OR REPLACE FUNCTION public.ledger_key_used(p_key text, p_customer_id uuid, p_kind text, p_signed_micros bigint, p_reference_id uuid)
 RETURNS boolean
 LANGUAGE plpgsql
AS $function$
declare
  known record;
begin
  -- A bonus that was taken back in part, or not at all because it was spent, stands for the whole that was asked for.
  select t.customer_id, t.kind::text as kind, t.reference_id,
      coalesce(e.amount_micros, 0) - case when t.kind = 'bonus' then t.shortfall_micros else 0 end as signed_micros
    into known
    from ledger_transaction t
    left join ledger_entry e on e.transaction_id = t.id and e.customer_id is not null
    where t.idempotency_key = p_key;
  if not found then
    return false;
  elsif (known.customer_id, known.kind, known.signed_micros) is distinct from (p_customer_id, p_kind, p_signed_micros)
    or known.reference_id is distinct from p_reference_id then
    raise exception 'key % exists with other content', p_key using errcode = 'FL002';
  end if;
  return true;
end
$function$
;

CREATE OR REPLACE FUNCTION public.lock_account(p_customer_id uuid)
 RETURNS account
 LANGUAGE plpgsql
AS $function$
declare
  locked account;
begin
  select * into locked from account where customer_id = p_customer_id for no key update;
  if not found then
    raise exception 'no account of customer %', p_customer_id using errcode = 'FL003';
  end if;
  return locked;
end
$function$
;

CREATE OR REPLACE FUNCTION public.open_account(p_customer_id uuid)
 RETURNS void
 LANGUAGE sql
AS $function$
  insert into account (customer_id) values (p_customer_id) on conflict (customer_id) do nothing
$function$
;

CREATE OR REPLACE FUNCTION public.place_hold(p_account account, p_hold_id uuid, p_want_micros bigint, p_least_micros bigint)
 RETURNS bigint
 LANGUAGE plpgsql
AS $function$
declare
  known hold;
  available bigint := p_account.balance_micros - p_account.held_micros;
  amount bigint := least(available, p_want_micros);
begin
  if p_least_micros <= 0 or p_want_micros < p_least_micros then
    raise exception 'a hold of % to % makes no sense', p_least_micros, p_want_micros using errcode = 'FL007';
  end if;
  if amount >= p_least_micros then
    insert into hold (id, customer_id, wanted_micros, least_micros, amount_micros)
      values (p_hold_id, p_account.customer_id, p_want_micros, p_least_micros, amount)
      on conflict (id) do nothing;
    if found then
      update account set held_micros = held_micros + amount where customer_id = p_account.customer_id;
      return amount;
    end if;
  end if;
  select * into known from hold where id = p_hold_id;
  if not found then
    raise exception 'too little credit' using errcode = 'FL001', detail = json_build_object(
      'required', p_least_micros::text, 'available', available::text, 'debt', p_account.debt_micros::text)::text;
  elsif (known.customer_id, known.wanted_micros, known.least_micros) is distinct from (p_account.customer_id, p_want_micros, p_least_micros) then
    raise exception 'hold % exists with other content', p_hold_id using errcode = 'FL002';
  end if;
  return known.amount_micros;
end
$function$
;

CREATE OR REPLACE FUNCTION public.place_holds(p_ids uuid[], p_customer_ids uuid[], p_wanted_micros bigint[], p_least_micros bigint[], p_amounts_micros bigint[])
 RETURNS void
 LANGUAGE plpgsql
AS $function$
begin
  with placed as (
    insert into hold (id, customer_id, wanted_micros, least_micros, amount_micros)
      select * from unnest(p_ids, p_customer_ids, p_wanted_micros, p_least_micros, p_amounts_micros)
  )
  update account a set held_micros = a.held_micros + h.amount_micros
    from unnest(p_customer_ids, p_amounts_micros) h (customer_id, amount_micros)
    where a.customer_id = h.customer_id;
end
$function$
;

CREATE OR REPLACE FUNCTION public.post_credit(p_transaction_id uuid, p_key text, p_customer_id uuid, p_kind text, p_amount_micros bigint, p_reference_id uuid, p_description text)
 RETURNS boolean
 LANGUAGE plpgsql
AS $function$
declare
  acc account;
  system_account text := case p_kind when 'top_up' then 'payment_clearing' when 'bonus' then 'promotion'
    when 'test_credit' then 'test_credit' when 'adjustment' then 'adjustment' when 'write_off' then 'write_off' end;
begin
  if p_amount_micros <= 0 or system_account is null then
    raise exception 'a credit of % as % makes no sense', p_amount_micros, p_kind using errcode = 'FL007';
  end if;
  acc := lock_account(p_customer_id);
  if ledger_key_used(p_key, p_customer_id, p_kind, p_amount_micros, p_reference_id) then
    return false;
  end if;
  if p_kind = 'write_off' and p_amount_micros > acc.debt_micros then
    raise exception 'a write-off of % of a debt of %', p_amount_micros, acc.debt_micros using errcode = 'FL007';
  end if;
  perform record_transaction(acc, p_transaction_id, p_key, p_kind, p_amount_micros,
    case p_kind when 'bonus' then p_amount_micros else 0 end, 0, system_account, p_reference_id, p_description);
  return true;
end
$function$
;

CREATE OR REPLACE FUNCTION public.post_hold(p_transaction_id uuid, p_hold_id uuid, p_charge_micros bigint, p_description text)
 RETURNS bigint
 LANGUAGE plpgsql
AS $function$
declare
  acc account;
  held hold;
begin
  select a.* into acc from hold h join account a using (customer_id) where h.id = p_hold_id for no key update of a;
  if not found then
    raise exception 'no hold %', p_hold_id using errcode = 'FL004';
  end if;
  update hold set state = 'posted', posted_micros = p_charge_micros, resolved_at = clock_timestamp()
    where id = p_hold_id and resolved_at is null and p_charge_micros between 0 and amount_micros
    returning * into held;
  if not found then
    select * into held from hold where id = p_hold_id;
    if held.state = 'posted' then
      return held.posted_micros;
    elsif held.state = 'voided' then
      raise exception 'hold % was voided', p_hold_id using errcode = 'FL005';
    end if;
    raise exception 'charge % on hold % of %', p_charge_micros, p_hold_id, held.amount_micros using errcode = 'FL006';
  end if;
  if p_charge_micros = 0 then
    perform release_held(acc, held.amount_micros);
  else
    perform record_transaction(acc, p_transaction_id, 'call:' || p_hold_id, 'call', -p_charge_micros, -p_charge_micros,
      held.amount_micros, 'revenue', p_hold_id, p_description);
  end if;
  return p_charge_micros;
end
$function$
;

CREATE OR REPLACE FUNCTION public.post_reversal(p_transaction_id uuid, p_key text, p_customer_id uuid, p_kind text, p_amount_micros bigint, p_reference_id uuid, p_description text)
 RETURNS TABLE(applied boolean, shortfall_micros bigint)
 LANGUAGE plpgsql
AS $function$
declare
  acc account;
  taken bigint;
begin
  if p_amount_micros <= 0 or p_kind not in ('refund', 'dispute', 'bonus') then
    raise exception 'a reversal of % as % makes no sense', p_amount_micros, p_kind using errcode = 'FL007';
  end if;
  acc := lock_account(p_customer_id);
  if ledger_key_used(p_key, p_customer_id, p_kind, -p_amount_micros, p_reference_id) then
    return query select false, t.shortfall_micros from ledger_transaction t where t.idempotency_key = p_key;
    return;
  end if;
  if p_kind <> 'bonus' then
    return query select true, record_transaction(acc, p_transaction_id, p_key, p_kind, -p_amount_micros, 0, 0,
      'payment_clearing', p_reference_id, p_description);
    return;
  end if;
  taken := least(p_amount_micros, acc.bonus_micros);
  return query select true, record_transaction(acc, p_transaction_id, p_key, 'bonus', -taken, -taken, 0, 'promotion',
    p_reference_id, p_description, p_untaken_micros => p_amount_micros - taken);
end
$function$
;

CREATE OR REPLACE FUNCTION public.record_transaction(p_account account, p_transaction_id uuid, p_key text, p_kind text, p_signed_micros bigint, p_bonus_micros bigint, p_released_micros bigint, p_system_account text, p_reference_id uuid, p_description text, p_untaken_micros bigint DEFAULT 0, p_restores_id uuid DEFAULT NULL::uuid)
 RETURNS bigint
 LANGUAGE plpgsql
AS $function$
declare
  new_held bigint := p_account.held_micros - p_released_micros;
  net bigint := p_account.balance_micros - p_account.debt_micros + p_signed_micros;
  new_balance bigint := greatest(net, new_held);
  new_debt bigint := new_balance - net;
  new_bonus bigint := greatest(least(p_account.bonus_micros + p_bonus_micros, net), 0);
  shortfall bigint := case when p_kind = 'bonus' then p_untaken_micros else greatest(new_debt - p_account.debt_micros, 0) end;
  booked_at timestamptz := greatest(clock_timestamp(), p_account.newest_entry_at);
begin
  insert into ledger_transaction (id, kind, idempotency_key, customer_id, reference_id, description, shortfall_micros, created_at, restores_id)
    values (p_transaction_id, p_kind::ledger_kind, p_key, p_account.customer_id, p_reference_id, p_description, shortfall, booked_at, p_restores_id);
  if p_signed_micros = 0 then
    return shortfall;
  end if;
  insert into ledger_entry (transaction_id, customer_id, system_account, amount_micros, sequence, balance_after_micros, bonus_micros, kind) values
    (p_transaction_id, p_account.customer_id, null, p_signed_micros, p_account.entry_count + 1, net, new_bonus - p_account.bonus_micros, p_kind::ledger_kind),
    (p_transaction_id, null, p_system_account::ledger_system_account, -p_signed_micros, null, null, 0, null);
  update account
    set balance_micros = new_balance, held_micros = new_held, debt_micros = new_debt, bonus_micros = new_bonus,
      entry_count = p_account.entry_count + 1, newest_entry_at = booked_at
    where customer_id = p_account.customer_id;
  return shortfall;
end
$function$
;

CREATE OR REPLACE FUNCTION public.refuse_account_end()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  raise exception 'an account stays: its entries and holds name it';
end
$function$
;

CREATE OR REPLACE FUNCTION public.refuse_ledger_change()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  raise exception 'the ledger is append-only: correct a mistake with a new transaction';
end
$function$
;

CREATE OR REPLACE FUNCTION public.refuse_operation_change()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  raise exception 'what operators did is append-only';
end
$function$
;

CREATE OR REPLACE FUNCTION public.refuse_receipt_change()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  raise exception 'a receipt is never changed or deleted: issue another that corrects it';
end
$function$
;

CREATE OR REPLACE FUNCTION public.release_held(p_account account, p_released_micros bigint)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
declare
  new_held bigint := p_account.held_micros - p_released_micros;
  net bigint := p_account.balance_micros - p_account.debt_micros;
  new_balance bigint := greatest(net, new_held);
begin
  update account set balance_micros = new_balance, held_micros = new_held, debt_micros = new_balance - net
    where customer_id = p_account.customer_id;
end
$function$
;

CREATE OR REPLACE FUNCTION public.resolve_holds(p_transaction_ids uuid[], p_hold_ids uuid[], p_charges_micros bigint[], p_descriptions text[])
 RETURNS uuid[]
 LANGUAGE plpgsql
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
declare
  locked uuid[];
  resolved uuid[];
begin
  select array_agg(l.customer_id) into locked from (
    select a.customer_id from hold h join account a using (customer_id) where h.id = any (p_hold_ids) for no key update of a skip locked
  ) l;
  with wanted as materialized (
    select distinct on (h.customer_id) w.transaction_id, w.hold_id, w.charge_micros, w.description, h.amount_micros, a as before,
        account_after(a, -w.charge_micros, -w.charge_micros, h.amount_micros) as after
      from unnest(p_transaction_ids, p_hold_ids, p_charges_micros, p_descriptions) w (transaction_id, hold_id, charge_micros, description)
      join hold h on h.id = w.hold_id
      join account a on a.customer_id = h.customer_id
      where h.customer_id = any (locked) and h.state = 'pending' and w.charge_micros between 0 and h.amount_micros
  ), emptied as (
    update hold h
      set state = case when w.charge_micros > 0 then 'posted' else 'voided' end, posted_micros = nullif(w.charge_micros, 0),
        resolved_at = clock_timestamp()
      from wanted w where h.id = w.hold_id
  ), booked as (
    insert into ledger_transaction (id, kind, idempotency_key, customer_id, reference_id, description, shortfall_micros, created_at)
      select w.transaction_id, 'call', 'call:' || w.hold_id, (w.before).customer_id, w.hold_id, w.description,
          greatest((w.after).debt_micros - (w.before).debt_micros, 0), (w.after).newest_entry_at
        from wanted w where w.charge_micros > 0
  ), entered as (
    insert into ledger_entry (transaction_id, customer_id, system_account, amount_micros, sequence, balance_after_micros, bonus_micros, kind)
      select w.transaction_id, (w.before).customer_id, null::ledger_system_account, -w.charge_micros, (w.after).entry_count,
          (w.after).balance_micros - (w.after).debt_micros, (w.after).bonus_micros - (w.before).bonus_micros, 'call'::ledger_kind
        from wanted w where w.charge_micros > 0
      union all
      select w.transaction_id, null, 'revenue', w.charge_micros, null, null, 0, null from wanted w where w.charge_micros > 0
  ), moved as (
    update account a
      set balance_micros = (w.after).balance_micros, held_micros = (w.after).held_micros, debt_micros = (w.after).debt_micros,
        bonus_micros = (w.after).bonus_micros, entry_count = (w.after).entry_count, newest_entry_at = (w.after).newest_entry_at
      from wanted w where a.customer_id = (w.before).customer_id
  )
  select array_agg(w.hold_id) into resolved from wanted w;
  return resolved;
end
$function$
;

CREATE OR REPLACE FUNCTION public.restore_transaction(p_transaction_id uuid, p_key text, p_restored_key text, p_description text)
 RETURNS boolean
 LANGUAGE plpgsql
AS $function$
declare
  taken record;
  acc account;
  earlier_key text;
begin
  select t.id, t.kind, t.customer_id, t.reference_id, e.amount_micros, e.bonus_micros, s.system_account::text as system_account,
      case t.kind when 'call' then 'call_refund' when 'refund' then 'refund_failed' when 'withdrawal' then 'refund_failed'
        when 'dispute' then 'dispute_won' when 'bonus' then 'bonus' end as restoring_kind
    into taken
    from ledger_transaction t
    left join ledger_entry e on e.transaction_id = t.id and e.customer_id is not null
    left join ledger_entry s on s.transaction_id = t.id and s.customer_id is null
    where t.idempotency_key = p_restored_key;
  if not found then
    raise exception 'no transaction %', p_restored_key using errcode = 'FL009';
  elsif taken.restoring_kind is null or taken.amount_micros > 0 then
    raise exception 'a % of % cannot be given back', taken.kind, taken.amount_micros using errcode = 'FL007';
  elsif taken.amount_micros is null then
    return false;
  end if;
  acc := lock_account(taken.customer_id);
  select idempotency_key into earlier_key from ledger_transaction where restores_id = taken.id;
  if earlier_key = p_key then
    return false;
  elsif earlier_key is not null or exists (select from ledger_transaction where idempotency_key = p_key) then
    raise exception '% was given back, or key % exists with other content', p_restored_key, p_key using errcode = 'FL002';
  end if;
  perform record_transaction(acc, p_transaction_id, p_key, taken.restoring_kind, -taken.amount_micros, -taken.bonus_micros, 0,
    taken.system_account, taken.reference_id, p_description, p_restores_id => taken.id);
  return true;
end
$function$
;

CREATE OR REPLACE FUNCTION public.return_bonus(p_transaction_id uuid, p_key text, p_customer_id uuid, p_amount_micros bigint, p_reference_id uuid, p_description text)
 RETURNS TABLE(applied boolean, shortfall_micros bigint)
 LANGUAGE plpgsql
AS $function$
declare
  acc account;
  of_bonus bigint;
  taken bigint;
begin
  if p_amount_micros <= 0 then
    raise exception 'a return of % makes no sense', p_amount_micros using errcode = 'FL007';
  end if;
  acc := lock_account(p_customer_id);
  if ledger_key_used(p_key, p_customer_id, 'bonus', -p_amount_micros, p_reference_id) then
    return query select false, t.shortfall_micros from ledger_transaction t where t.idempotency_key = p_key;
    return;
  end if;
  of_bonus := least(p_amount_micros, acc.bonus_micros);
  taken := of_bonus + least(p_amount_micros - of_bonus, acc.balance_micros - greatest(acc.held_micros, acc.bonus_micros));
  return query select true, record_transaction(acc, p_transaction_id, p_key, 'bonus', -taken, -of_bonus, 0, 'promotion',
    p_reference_id, p_description, p_untaken_micros => p_amount_micros - taken);
end
$function$
;

CREATE OR REPLACE FUNCTION public.seconds_until_call_allowed(p_customer_id uuid, p_now timestamp with time zone, p_window interval, p_limit integer)
 RETURNS integer
 LANGUAGE sql
 STABLE
AS $function$
  select coalesce((
    select ceil(extract(epoch from created_at + p_window - p_now))::integer
    from call
    where p_limit is not null and customer_id = p_customer_id and created_at > p_now - p_window
    order by created_at desc
    offset greatest(p_limit - 1, 0) limit 1
  ), 0)
$function$
;

CREATE OR REPLACE FUNCTION public.settle_calls(p_settlements jsonb)
 RETURNS SETOF uuid
 LANGUAGE plpgsql
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
declare
  settlements jsonb[] := array(select jsonb_array_elements(p_settlements));
  locked uuid[];
  resolved uuid[];
begin
  select array_agg(l.id) into locked from (
    select c.id from call c
      where c.id = any (array(select (s->>'id')::uuid from unnest(settlements) s))
      for no key update skip locked
  ) l;
  select resolve_holds(array_agg(s.transaction_id), array_agg(s.id), array_agg(s.charge_micros), array_agg(s.description)) into resolved
    from unnest(settlements) e
      cross join lateral jsonb_to_record(e) s (transaction_id uuid, id uuid, charge_micros bigint, description text)
    where s.id = any (locked);
  return query
    update call c
      set status = s.status, end_reason = s.end_reason, answered_at = s.answered_at, ended_at = s.ended_at,
        duration_ms = s.duration_ms, billed_seconds = s.billed_seconds, charge_micros = s.charge_micros, next_check_at = null
      from unnest(settlements) e cross join lateral jsonb_to_record(e) s (
        id uuid, status text, end_reason text, answered_at timestamptz, ended_at timestamptz, duration_ms integer,
        billed_seconds integer, charge_micros bigint
      )
      where c.id = s.id and c.id = any (resolved)
      returning c.id;
end
$function$
;

CREATE OR REPLACE FUNCTION public.statement_bounds(p_customer_id uuid, p_from timestamp with time zone, p_to timestamp with time zone, OUT opened_at bigint, OUT closed_at bigint, OUT opening_micros bigint, OUT closing_micros bigint)
 RETURNS record
 LANGUAGE plpgsql
AS $function$
begin
  perform from account where customer_id = p_customer_id for share;
  if not found then
    raise exception 'no account of customer %', p_customer_id using errcode = 'FL003';
  end if;
  opened_at := entries_before(p_customer_id, p_from);
  closed_at := greatest(entries_before(p_customer_id, p_to), opened_at);
  opening_micros := coalesce((select balance_after_micros from ledger_entry where customer_id = p_customer_id and sequence = opened_at), 0);
  closing_micros := coalesce((select balance_after_micros from ledger_entry where customer_id = p_customer_id and sequence = closed_at), 0);
end
$function$
;

CREATE OR REPLACE FUNCTION public.tier_facts(p_customer_id uuid, p_settled_before timestamp with time zone, p_least_micros bigint, OUT paid bigint, OUT authenticated bigint, OUT settled_micros bigint, OUT disputed boolean)
 RETURNS record
 LANGUAGE sql
 STABLE
AS $function$
  select count(*), count(*) filter (where p.authenticated),
    coalesce(sum(p.stayed_micros) filter (where p.settled_at < p_settled_before), 0)::bigint,
    exists (select from dispute d join payment q on q.id = d.payment_id where q.customer_id = p_customer_id)
  from payment p where p.customer_id = p_customer_id and p.status = 'paid' and p.stayed_micros >= p_least_micros
$function$
;

CREATE OR REPLACE FUNCTION public.void_hold(p_hold_id uuid)
 RETURNS boolean
 LANGUAGE plpgsql
AS $function$
declare
  acc account;
  held hold;
begin
  select * into held from hold where id = p_hold_id;
  if not found then
    raise exception 'no hold %', p_hold_id using errcode = 'FL004';
  end if;
  acc := lock_account(held.customer_id);
  select * into held from hold where id = p_hold_id;
  if held.state = 'voided' then
    return false;
  elsif held.state = 'posted' then
    raise exception 'hold % was posted', p_hold_id using errcode = 'FL005';
  end if;
  update hold set state = 'voided', resolved_at = clock_timestamp() where id = p_hold_id;
  perform release_held(acc, held.amount_micros);
  return true;
end
$function$
;

CREATE OR REPLACE FUNCTION public.withdraw_credit(p_transaction_id uuid, p_key text, p_customer_id uuid, p_amount_micros bigint, p_reference_id uuid, p_description text)
 RETURNS boolean
 LANGUAGE plpgsql
AS $function$
declare
  acc account;
  withdrawable bigint;
begin
  if p_amount_micros <= 0 then
    raise exception 'a withdrawal of % makes no sense', p_amount_micros using errcode = 'FL007';
  end if;
  acc := lock_account(p_customer_id);
  if ledger_key_used(p_key, p_customer_id, 'withdrawal', -p_amount_micros, p_reference_id) then
    return false;
  end if;
  withdrawable := acc.balance_micros - greatest(acc.bonus_micros, acc.held_micros);
  if p_amount_micros > withdrawable then
    raise exception 'more than may be withdrawn' using errcode = 'FL008', detail = json_build_object(
      'required', p_amount_micros::text, 'available', withdrawable::text, 'debt', acc.debt_micros::text)::text;
  end if;
  perform record_transaction(acc, p_transaction_id, p_key, 'withdrawal', -p_amount_micros, 0, 0, 'payment_clearing',
    p_reference_id, p_description);
  return true;
end
$function$
;

alter table account add constraint account_pkey PRIMARY KEY (customer_id);
alter table account add constraint account_sound CHECK (account_is_sound(account.*));
alter table approval add constraint approval_action_check CHECK (((char_length(action) >= 1) AND (char_length(action) <= 40)));
alter table approval add constraint approval_amount_micros_check CHECK ((amount_micros > 0));
alter table approval add constraint approval_by_another CHECK (((state <> 'confirmed'::text) OR (lower(decided_by) <> lower(proposed_by))));
alter table approval add constraint approval_decided CHECK ((((state = 'open'::text) = (decided_by IS NULL)) AND ((state = 'open'::text) = (decided_at IS NULL))));
alter table approval add constraint approval_decided_by_check CHECK (((char_length(decided_by) >= 1) AND (char_length(decided_by) <= 120)));
alter table approval add constraint approval_pkey PRIMARY KEY (id);
alter table approval add constraint approval_proposed_by_check CHECK (((char_length(proposed_by) >= 1) AND (char_length(proposed_by) <= 120)));
alter table approval add constraint approval_reason_check CHECK (((char_length(reason) >= 1) AND (char_length(reason) <= 500)));
alter table approval add constraint approval_state_check CHECK ((state = ANY (ARRAY['open'::text, 'confirmed'::text, 'rejected'::text])));
alter table approval add constraint approval_subject_check CHECK ((char_length(subject) <= 255));
alter table authenticator add constraint authenticator_pkey PRIMARY KEY (customer_id);
alter table authenticator add constraint authenticator_secret_key_check CHECK ((char_length(secret_key) <= 20));
alter table auto_top_up add constraint auto_top_up_card CHECK (((NOT is_on) OR (card_id IS NOT NULL)));
alter table auto_top_up add constraint auto_top_up_check CHECK (((amount_micros >= threshold_micros) AND ((amount_micros % (10000)::bigint) = 0)));
alter table auto_top_up add constraint auto_top_up_failures_check CHECK ((failures >= 0));
alter table auto_top_up add constraint auto_top_up_pkey PRIMARY KEY (customer_id);
alter table auto_top_up add constraint auto_top_up_stopped_reason_check CHECK ((stopped_reason = ANY (ARRAY['declined'::text, 'authentication_required'::text])));
alter table auto_top_up add constraint auto_top_up_threshold_micros_check CHECK (((threshold_micros > 0) AND ((threshold_micros % (10000)::bigint) = 0)));
alter table breaker add constraint breaker_check CHECK ((until > opened_at));
alter table breaker add constraint breaker_kind_check CHECK ((kind = ANY (ARRAY['carrier_spend'::text, 'spend_note'::text, 'prefix'::text, 'country'::text])));
alter table breaker add constraint breaker_pkey PRIMARY KEY (id);
alter table breaker add constraint breaker_subject_check CHECK ((char_length(subject) <= 15));
alter table call add constraint call_pkey PRIMARY KEY (id);
alter table call add constraint call_sound CHECK (call_is_sound(call.*));
alter table call add constraint call_ticket_hash_key UNIQUE (ticket_hash);
alter table call_block add constraint call_block_pkey PRIMARY KEY (id);
alter table call_event add constraint call_event_id_check CHECK (((char_length(id) >= 1) AND (char_length(id) <= 300)));
alter table call_event add constraint call_event_leg_check CHECK ((leg = ANY (ARRAY['parked'::text, 'far'::text])));
alter table call_event add constraint call_event_pkey PRIMARY KEY (id);
alter table call_event add constraint call_event_source_check CHECK ((source = ANY (ARRAY['provider'::text, 'service'::text])));
alter table call_quality add constraint call_quality_jitter_ms_check CHECK ((jitter_ms >= (0)::double precision));
alter table call_quality add constraint call_quality_loss_pct_check CHECK (((loss_pct >= (0)::double precision) AND (loss_pct <= (100)::double precision)));
alter table call_quality add constraint call_quality_mos_check CHECK (((mos >= (1)::double precision) AND (mos <= (5)::double precision)));
alter table call_quality add constraint call_quality_pkey PRIMARY KEY (call_id, second);
alter table call_quality add constraint call_quality_rtt_ms_check CHECK ((rtt_ms >= (0)::double precision));
alter table call_quality add constraint call_quality_second_check CHECK ((second >= 0));
alter table call_refund_request add constraint call_refund_amount CHECK (((state = 'refunded'::text) = (amount_micros > 0)));
alter table call_refund_request add constraint call_refund_decided CHECK ((((state = 'open'::text) = (decided_at IS NULL)) AND ((decided_at IS NULL) = (decided_by IS NULL))));
alter table call_refund_request add constraint call_refund_request_amount_micros_check CHECK ((amount_micros >= 0));
alter table call_refund_request add constraint call_refund_request_answer_check CHECK (((char_length(answer) >= 1) AND (char_length(answer) <= 500)));
alter table call_refund_request add constraint call_refund_request_decided_by_check CHECK (((char_length(decided_by) >= 1) AND (char_length(decided_by) <= 100)));
alter table call_refund_request add constraint call_refund_request_note_check CHECK ((char_length(note) <= 500));
alter table call_refund_request add constraint call_refund_request_pkey PRIMARY KEY (call_id);
alter table call_refund_request add constraint call_refund_request_state_check CHECK ((state = ANY (ARRAY['open'::text, 'refunded'::text, 'declined'::text])));
alter table card_setup add constraint card_setup_pkey PRIMARY KEY (id);
alter table card_setup add constraint card_setup_session_id_key UNIQUE (session_id);
alter table card_setup add constraint card_setup_status_check CHECK ((status = ANY (ARRAY['created'::text, 'open'::text, 'saved'::text, 'expired'::text])));
alter table contact add constraint contact_company_check CHECK (((char_length(company) >= 1) AND (char_length(company) <= 120)));
alter table contact add constraint contact_country_code_check CHECK ((country_code ~ '^[A-Z]{2}$'::text));
alter table contact add constraint contact_email_check CHECK (((char_length(email) >= 3) AND (char_length(email) <= 254)));
alter table contact add constraint contact_first_name_check CHECK (((char_length(first_name) >= 1) AND (char_length(first_name) <= 100)));
alter table contact add constraint contact_last_name_check CHECK (((char_length(last_name) >= 1) AND (char_length(last_name) <= 100)));
alter table contact add constraint contact_notes_check CHECK (((char_length(notes) >= 1) AND (char_length(notes) <= 2000)));
alter table contact add constraint contact_phone_number_check CHECK ((phone_number ~ '^\+[1-9][0-9]{5,14}$'::text));
alter table contact add constraint contact_phone_number_type_check CHECK ((phone_number_type = ANY (ARRAY['mobile'::text, 'work'::text, 'home'::text, 'other'::text])));
alter table contact add constraint contact_pkey PRIMARY KEY (id);
alter table contact add constraint contact_sort_key_check CHECK ((char_length(sort_key) <= 80));
alter table credit_package add constraint credit_package_amount_micros_check CHECK (((amount_micros > 0) AND ((amount_micros % (10000)::bigint) = 0)));
alter table credit_package add constraint credit_package_bonus_percentage_check CHECK (((bonus_percentage >= 0) AND (bonus_percentage <= 100)));
alter table credit_package add constraint credit_package_pkey PRIMARY KEY (id);
alter table customer add constraint customer_email_check CHECK (((char_length(email) >= 3) AND (char_length(email) <= 254)));
alter table customer add constraint customer_email_key_check CHECK ((email_key = lower(email_key)));
alter table customer add constraint customer_email_key_key UNIQUE (email_key);
alter table customer add constraint customer_language_check CHECK ((language = ANY (ARRAY['en'::text, 'es'::text, 'fr'::text, 'hi'::text, 'ar'::text])));
alter table customer add constraint customer_name_check CHECK (((char_length(name) >= 1) AND (char_length(name) <= 120)));
alter table customer add constraint customer_password_key_check CHECK ((char_length(password_key) <= 20));
alter table customer add constraint customer_pkey PRIMARY KEY (id);
alter table customer add constraint customer_status_check CHECK ((status = ANY (ARRAY['active'::text, 'frozen'::text])));
alter table deck add constraint deck_name_check CHECK ((name <> ''::text));
alter table deck add constraint deck_pkey PRIMARY KEY (id);
alter table deck_rate add constraint deck_rate_cost_first_interval_seconds_check CHECK ((cost_first_interval_seconds > 0));
alter table deck_rate add constraint deck_rate_cost_next_interval_seconds_check CHECK ((cost_next_interval_seconds > 0));
alter table deck_rate add constraint deck_rate_cost_per_minute_micros_check CHECK ((cost_per_minute_micros >= 0));
alter table deck_rate add constraint deck_rate_country_code_check CHECK ((country_code ~ '^[A-Z]{2}$'::text));
alter table deck_rate add constraint deck_rate_first_interval_seconds_check CHECK ((first_interval_seconds > 0));
alter table deck_rate add constraint deck_rate_next_interval_seconds_check CHECK ((next_interval_seconds > 0));
alter table deck_rate add constraint deck_rate_pkey PRIMARY KEY (deck_id, prefix);
alter table deck_rate add constraint deck_rate_prefix_check CHECK ((prefix ~ '^[0-9]{1,15}$'::text));
alter table deck_rate add constraint deck_rate_rate_per_minute_micros_check CHECK ((rate_per_minute_micros >= 0));
alter table dispute add constraint dispute_amount_micros_check CHECK ((amount_micros > 0));
alter table dispute add constraint dispute_bonus_micros_check CHECK ((bonus_micros >= 0));
alter table dispute add constraint dispute_booked_micros_check CHECK ((booked_micros >= 0));
alter table dispute add constraint dispute_id_check CHECK (((char_length(id) >= 1) AND (char_length(id) <= 255)));
alter table dispute add constraint dispute_pkey PRIMARY KEY (id);
alter table download_ticket add constraint download_ticket_hash_check CHECK ((octet_length(hash) = 32));
alter table download_ticket add constraint download_ticket_pkey PRIMARY KEY (hash);
alter table echo_test add constraint echo_test_call_control_id_key UNIQUE (call_control_id);
alter table echo_test add constraint echo_test_pkey PRIMARY KEY (id);
alter table echo_test add constraint echo_test_ticket_hash_check CHECK ((octet_length(ticket_hash) = 32));
alter table echo_test add constraint echo_test_ticket_hash_key UNIQUE (ticket_hash);
alter table email_change add constraint email_change_customer_id_key UNIQUE (customer_id);
alter table email_change add constraint email_change_new_email_check CHECK (((char_length(new_email) >= 3) AND (char_length(new_email) <= 254)));
alter table email_change add constraint email_change_pkey PRIMARY KEY (id);
alter table failed_sign_in add constraint failed_sign_in_device_check CHECK ((char_length(device) <= 80));
alter table failed_sign_in add constraint failed_sign_in_email_key_check CHECK (((char_length(email_key) >= 1) AND (char_length(email_key) <= 254)));
alter table failed_sign_in add constraint failed_sign_in_network_check CHECK ((char_length(network) <= 60));
alter table failed_sign_in add constraint failed_sign_in_pkey PRIMARY KEY (id);
alter table first_call add constraint first_call_bonus_micros_check CHECK ((bonus_micros >= 0));
alter table first_call add constraint first_call_decided CHECK ((((state = 'due'::text) = (decided_at IS NULL)) AND ((state = 'due'::text) = (next_look_at IS NOT NULL))));
alter table first_call add constraint first_call_pkey PRIMARY KEY (customer_id);
alter table first_call add constraint first_call_refusal CHECK (((state = 'refused'::text) = (refusal IS NOT NULL)));
alter table first_call add constraint first_call_refusal_check CHECK ((refusal = ANY (ARRAY['off'::text, 'frozen'::text, 'same_address'::text, 'disposable_address'::text, 'same_browser'::text, 'same_network'::text, 'no_browser'::text])));
alter table first_call add constraint first_call_state_check CHECK ((state = ANY (ARRAY['due'::text, 'granted'::text, 'refused'::text])));
alter table first_call_origin add constraint first_call_origin_kind_check CHECK ((kind = ANY (ARRAY['browser'::text, 'network'::text])));
alter table first_call_origin add constraint first_call_origin_pkey PRIMARY KEY (customer_id, kind, value);
alter table fraud_warning add constraint fraud_warning_decision_check CHECK ((decision = ANY (ARRAY['refunded'::text, 'review'::text, 'none'::text])));
alter table fraud_warning add constraint fraud_warning_id_check CHECK (((char_length(id) >= 1) AND (char_length(id) <= 255)));
alter table fraud_warning add constraint fraud_warning_pkey PRIMARY KEY (id);
alter table google_flow add constraint google_flow_browser_hash_check CHECK ((octet_length(browser_hash) = 32));
alter table google_flow add constraint google_flow_check CHECK (((purpose = 'link'::text) = (customer_id IS NOT NULL)));
alter table google_flow add constraint google_flow_code_hash_check CHECK ((octet_length(code_hash) = 32));
alter table google_flow add constraint google_flow_pkey PRIMARY KEY (id);
alter table google_flow add constraint google_flow_purpose_check CHECK ((purpose = ANY (ARRAY['sign_in'::text, 'link'::text])));
alter table guard_rail add constraint guard_rail_call_cap_micros_check CHECK ((call_cap_micros > 0));
alter table guard_rail add constraint guard_rail_countries_check CHECK (((cardinality(countries) >= 1) AND (cardinality(countries) <= 250)));
alter table guard_rail add constraint guard_rail_daily_cap_micros_check CHECK ((daily_cap_micros > 0));
alter table guard_rail add constraint guard_rail_pkey PRIMARY KEY (customer_id);
alter table hold add constraint hold_pkey PRIMARY KEY (id);
alter table hold add constraint hold_sound CHECK (hold_is_sound(hold.*));
alter table identity add constraint identity_customer_id_issuer_key UNIQUE (customer_id, issuer);
alter table identity add constraint identity_pkey PRIMARY KEY (issuer, subject);
alter table identity add constraint identity_subject_check CHECK (((char_length(subject) >= 1) AND (char_length(subject) <= 255)));
alter table known_browser add constraint known_browser_browser_hash_check CHECK ((octet_length(browser_hash) = 32));
alter table known_browser add constraint known_browser_pkey PRIMARY KEY (customer_id, browser_hash);
alter table ledger_transaction add constraint ledger_transaction_key UNIQUE (idempotency_key);
alter table ledger_transaction add constraint ledger_transaction_pkey PRIMARY KEY (id);
alter table mail add constraint mail_check CHECK (((state = 'waiting'::text) = (done_at IS NULL)));
alter table mail add constraint mail_check1 CHECK (((state = 'waiting'::text) = (data IS NOT NULL)));
alter table mail add constraint mail_key_check CHECK (((char_length(key) >= 1) AND (char_length(key) <= 200)));
alter table mail add constraint mail_key_key UNIQUE (key);
alter table mail add constraint mail_language_check CHECK ((language = ANY (ARRAY['en'::text, 'es'::text, 'fr'::text, 'hi'::text, 'ar'::text])));
alter table mail add constraint mail_last_error_check CHECK ((char_length(last_error) <= 300));
alter table mail add constraint mail_pkey PRIMARY KEY (id);
alter table mail add constraint mail_recipient_check CHECK (((char_length(recipient) >= 3) AND (char_length(recipient) <= 254)));
alter table mail add constraint mail_state_check CHECK ((state = ANY (ARRAY['waiting'::text, 'sent'::text, 'given_up'::text])));
alter table mail_link add constraint mail_link_check CHECK (((use = ANY (ARRAY['change_email_new'::text, 'change_email_old'::text])) = (email_change_id IS NOT NULL)));
alter table mail_link add constraint mail_link_pkey PRIMARY KEY (id);
alter table mail_link add constraint mail_link_use_check CHECK ((use = ANY (ARRAY['verify_email'::text, 'reset_password'::text, 'change_email_new'::text, 'change_email_old'::text])));
alter table newsletter_subscription add constraint newsletter_subscription_check CHECK (((state <> 'confirmed'::text) OR (confirmed_at IS NOT NULL)));
alter table newsletter_subscription add constraint newsletter_subscription_email_check CHECK (((char_length(email) >= 3) AND (char_length(email) <= 254)));
alter table newsletter_subscription add constraint newsletter_subscription_email_key_check CHECK ((email_key = lower(email_key)));
alter table newsletter_subscription add constraint newsletter_subscription_email_key_key UNIQUE (email_key);
alter table newsletter_subscription add constraint newsletter_subscription_language_check CHECK ((language = ANY (ARRAY['en'::text, 'es'::text, 'fr'::text, 'hi'::text, 'ar'::text])));
alter table newsletter_subscription add constraint newsletter_subscription_pkey PRIMARY KEY (id);
alter table newsletter_subscription add constraint newsletter_subscription_state_check CHECK ((state = ANY (ARRAY['asked'::text, 'confirmed'::text, 'ended'::text])));
alter table operation add constraint operation_action_check CHECK (((char_length(action) >= 1) AND (char_length(action) <= 40)));
alter table operation add constraint operation_operator_check CHECK (((char_length(operator) >= 1) AND (char_length(operator) <= 120)));
alter table operation add constraint operation_pkey PRIMARY KEY (id);
alter table operation add constraint operation_reason_check CHECK (((char_length(reason) >= 1) AND (char_length(reason) <= 500)));
alter table operation add constraint operation_subject_check CHECK ((char_length(subject) <= 255));
alter table passkey add constraint passkey_credential_id_check CHECK (((octet_length(credential_id) >= 1) AND (octet_length(credential_id) <= 1023)));
alter table passkey add constraint passkey_credential_id_key UNIQUE (credential_id);
alter table passkey add constraint passkey_name_check CHECK (((char_length(name) >= 1) AND (char_length(name) <= 60)));
alter table passkey add constraint passkey_pkey PRIMARY KEY (id);
alter table passkey add constraint passkey_sign_count_check CHECK ((sign_count >= 0));
alter table passkey_challenge add constraint passkey_challenge_challenge_hash_check CHECK ((octet_length(challenge_hash) = 32));
alter table passkey_challenge add constraint passkey_challenge_pkey PRIMARY KEY (challenge_hash);
alter table password_reset_request add constraint password_reset_request_email_key_check CHECK (((char_length(email_key) >= 3) AND (char_length(email_key) <= 254)));
alter table password_reset_request add constraint password_reset_request_pkey PRIMARY KEY (id);
alter table payment add constraint payment_auto CHECK (((kind <> 'auto'::text) OR (saved_card_id IS NOT NULL)));
alter table payment add constraint payment_bonus_micros_check CHECK ((bonus_micros >= 0));
alter table payment add constraint payment_bonus_returned CHECK (((bonus_returned_micros >= 0) AND (bonus_returned_micros <= bonus_micros)));
alter table payment add constraint payment_card_last4_check CHECK ((card_last4 ~ '^\d{4}$'::text));
alter table payment add constraint payment_charge_micros_check CHECK (((charge_micros > 0) AND ((charge_micros % (10000)::bigint) = 0)));
alter table payment add constraint payment_check CHECK (((refunded_micros >= 0) AND (refunded_micros <= charge_micros)));
alter table payment add constraint payment_currency_check CHECK ((currency = 'usd'::text));
alter table payment add constraint payment_disputed_micros_check CHECK ((disputed_micros >= 0));
alter table payment add constraint payment_failure_code_check CHECK ((char_length(failure_code) <= 100));
alter table payment add constraint payment_keeps_new_card CHECK (((NOT keeps_card) OR (saved_card_id IS NULL)));
alter table payment add constraint payment_kind CHECK ((kind = ANY (ARRAY['package'::text, 'custom'::text, 'auto'::text])));
alter table payment add constraint payment_package CHECK (((kind = 'package'::text) = (package_id IS NOT NULL)));
alter table payment add constraint payment_payment_intent_id_key UNIQUE (payment_intent_id);
alter table payment add constraint payment_pkey PRIMARY KEY (id);
alter table payment add constraint payment_request_key_check CHECK (((char_length(request_key) >= 1) AND (char_length(request_key) <= 255)));
alter table payment add constraint payment_request_once UNIQUE (customer_id, request_key);
alter table payment add constraint payment_session_id_key UNIQUE (session_id);
alter table payment add constraint payment_status_check CHECK ((status = ANY (ARRAY['created'::text, 'open'::text, 'paid'::text, 'failed'::text, 'expired'::text, 'review'::text])));
alter table payment add constraint payment_three_d_secure_check CHECK ((three_d_secure = ANY (ARRAY['automatic'::text, 'any'::text, 'challenge'::text])));
alter table payment_failure add constraint payment_failure_id_check CHECK (((char_length(id) >= 1) AND (char_length(id) <= 255)));
alter table payment_failure add constraint payment_failure_pkey PRIMARY KEY (id);
alter table promo_campaign add constraint promo_campaign_bonus CHECK (
CASE kind
    WHEN 'percent'::text THEN (bonus_percent IS NOT NULL)
    ELSE ((bonus_percent IS NULL) AND (bonus_micros IS NOT NULL))
END);
alter table promo_campaign add constraint promo_campaign_bonus_micros_check CHECK (((bonus_micros > 0) AND ((bonus_micros % (10000)::bigint) = 0)));
alter table promo_campaign add constraint promo_campaign_bonus_percent_check CHECK (((bonus_percent >= 1) AND (bonus_percent <= 100)));
alter table promo_campaign add constraint promo_campaign_budget_micros_check CHECK ((budget_micros > 0));
alter table promo_campaign add constraint promo_campaign_check CHECK ((ends_at > starts_at));
alter table promo_campaign add constraint promo_campaign_code_check CHECK ((code ~ '^[A-Z0-9][A-Z0-9-]{2,19}$'::text));
alter table promo_campaign add constraint promo_campaign_code_key UNIQUE (code);
alter table promo_campaign add constraint promo_campaign_kind_check CHECK ((kind = ANY (ARRAY['percent'::text, 'fixed'::text, 'package'::text])));
alter table promo_campaign add constraint promo_campaign_least_micros_check CHECK ((least_micros >= 0));
alter table promo_campaign add constraint promo_campaign_most_uses_check CHECK ((most_uses > 0));
alter table promo_campaign add constraint promo_campaign_package CHECK (((kind = 'package'::text) = (package_id IS NOT NULL)));
alter table promo_campaign add constraint promo_campaign_pkey PRIMARY KEY (id);
alter table promo_campaign add constraint promo_campaign_promised_micros_check CHECK ((promised_micros >= 0));
alter table promo_campaign add constraint promo_campaign_uses_check CHECK ((uses >= 0));
alter table promo_campaign add constraint promo_campaign_within_budget CHECK ((promised_micros <= budget_micros));
alter table promo_campaign add constraint promo_campaign_within_uses CHECK ((uses <= most_uses));
alter table promo_use add constraint promo_use_bonus_micros_check CHECK ((bonus_micros > 0));
alter table promo_use add constraint promo_use_pkey PRIMARY KEY (payment_id);
alter table promo_use add constraint promo_use_settled CHECK (((state = 'reserved'::text) = (settled_at IS NULL)));
alter table promo_use add constraint promo_use_state_check CHECK ((state = ANY (ARRAY['reserved'::text, 'granted'::text, 'released'::text])));
alter table rate_limit add constraint rate_limit_pkey PRIMARY KEY (key);
alter table receipt add constraint receipt_amount_micros_check CHECK (((amount_micros > 0) AND ((amount_micros % (10000)::bigint) = 0)));
alter table receipt add constraint receipt_bonus_micros_check CHECK ((bonus_micros >= 0));
alter table receipt add constraint receipt_card_last4_check CHECK ((card_last4 ~ '^\d{4}$'::text));
alter table receipt add constraint receipt_kind_check CHECK ((kind = ANY (ARRAY['payment'::text, 'auto_top_up'::text, 'refund'::text, 'withdrawal'::text, 'refund_returned'::text])));
alter table receipt add constraint receipt_number_once UNIQUE (year, sequence);
alter table receipt add constraint receipt_pkey PRIMARY KEY (id);
alter table receipt add constraint receipt_refund CHECK ((((kind = ANY (ARRAY['payment'::text, 'auto_top_up'::text])) = (refund_id IS NULL)) AND ((refund_id IS NULL) = (corrects_id IS NULL))));
alter table receipt add constraint receipt_sequence_check CHECK ((sequence > 0));
alter table receipt_counter add constraint receipt_counter_last_number_check CHECK ((last_number > 0));
alter table receipt_counter add constraint receipt_counter_pkey PRIMARY KEY (year);
alter table reconciliation_difference add constraint reconciliation_difference_detail_check CHECK ((char_length(detail) <= 300));
alter table reconciliation_difference add constraint reconciliation_difference_kind_check CHECK ((kind = ANY (ARRAY['unknown_charge'::text, 'amount'::text, 'dispute'::text, 'missing_at_provider'::text, 'unreadable'::text])));
alter table reconciliation_difference add constraint reconciliation_difference_pkey PRIMARY KEY (id);
alter table reconciliation_run add constraint reconciliation_run_pkey PRIMARY KEY (id);
alter table reconciliation_run add constraint reconciliation_span CHECK ((from_time < to_time));
alter table recovery_code add constraint recovery_code_code_hash_check CHECK ((octet_length(code_hash) = 32));
alter table recovery_code add constraint recovery_code_pkey PRIMARY KEY (customer_id, code_hash);
alter table referral add constraint referral_invited_bonus_micros_check CHECK ((invited_bonus_micros >= 0));
alter table referral add constraint referral_inviter_bonus_micros_check CHECK ((inviter_bonus_micros >= 0));
alter table referral add constraint referral_of_others CHECK ((inviter_id <> invited_id));
alter table referral add constraint referral_pkey PRIMARY KEY (invited_id);
alter table referral add constraint referral_refusal CHECK (((state = 'refused'::text) = (refusal IS NOT NULL)));
alter table referral add constraint referral_refusal_check CHECK ((refusal = ANY (ARRAY['not_verified'::text, 'too_small'::text, 'frozen'::text, 'disposable_address'::text, 'same_browser'::text, 'same_network'::text, 'same_card'::text, 'returned'::text])));
alter table referral add constraint referral_state_check CHECK ((state = ANY (ARRAY['invited'::text, 'rewarded'::text, 'refused'::text, 'taken_back'::text])));
alter table referral_code add constraint referral_code_code_check CHECK ((code ~ '^[A-Z2-9]{8}$'::text));
alter table referral_code add constraint referral_code_code_key UNIQUE (code);
alter table referral_code add constraint referral_code_pkey PRIMARY KEY (customer_id);
alter table refund add constraint refund_amount_micros_check CHECK (((amount_micros > 0) AND ((amount_micros % (10000)::bigint) = 0)));
alter table refund add constraint refund_bonus_micros_check CHECK ((bonus_micros >= 0));
alter table refund add constraint refund_failure_check CHECK ((char_length(failure) <= 300));
alter table refund add constraint refund_known_there CHECK (((status = ANY (ARRAY['ordered'::text, 'failed'::text])) OR (provider_refund_id IS NOT NULL)));
alter table refund add constraint refund_origin_check CHECK ((origin = ANY (ARRAY['withdrawal'::text, 'operator'::text, 'fraud_warning'::text, 'provider'::text])));
alter table refund add constraint refund_pkey PRIMARY KEY (id);
alter table refund add constraint refund_provider_refund_id_key UNIQUE (provider_refund_id);
alter table refund add constraint refund_status_check CHECK ((status = ANY (ARRAY['ordered'::text, 'pending'::text, 'succeeded'::text, 'failed'::text])));
alter table refund add constraint refund_withdrawal CHECK (((origin = 'withdrawal'::text) = (withdrawal_id IS NOT NULL)));
alter table saved_card add constraint saved_card_brand_check CHECK (((char_length(brand) >= 1) AND (char_length(brand) <= 40)));
alter table saved_card add constraint saved_card_exp_month_check CHECK (((exp_month >= 1) AND (exp_month <= 12)));
alter table saved_card add constraint saved_card_exp_year_check CHECK (((exp_year >= 2000) AND (exp_year <= 2200)));
alter table saved_card add constraint saved_card_last4_check CHECK ((last4 ~ '^\d{4}$'::text));
alter table saved_card add constraint saved_card_payment_method_id_check CHECK (((char_length(payment_method_id) >= 1) AND (char_length(payment_method_id) <= 255)));
alter table saved_card add constraint saved_card_payment_method_id_key UNIQUE (payment_method_id);
alter table saved_card add constraint saved_card_pkey PRIMARY KEY (id);
alter table schema_function add constraint schema_function_pkey PRIMARY KEY (signature);
alter table schema_version add constraint schema_version_pkey PRIMARY KEY (version);
alter table security_event add constraint security_event_detail_check CHECK ((char_length(detail) <= 300));
alter table security_event add constraint security_event_device_check CHECK ((char_length(device) <= 80));
alter table security_event add constraint security_event_kind_check CHECK (((char_length(kind) >= 1) AND (char_length(kind) <= 40)));
alter table security_event add constraint security_event_network_check CHECK ((char_length(network) <= 60));
alter table security_event add constraint security_event_pkey PRIMARY KEY (id);
alter table session add constraint session_browser_hash_check CHECK ((octet_length(browser_hash) = 32));
alter table session add constraint session_device_check CHECK ((char_length(device) <= 80));
alter table session add constraint session_network_check CHECK ((char_length(network) <= 60));
alter table session add constraint session_pkey PRIMARY KEY (id);
alter table session add constraint session_token_hash_check CHECK ((octet_length(token_hash) = 32));
alter table session add constraint session_token_hash_key UNIQUE (token_hash);
alter table sign_in_challenge add constraint sign_in_challenge_challenge_hash_check CHECK ((octet_length(challenge_hash) = 32));
alter table sign_in_challenge add constraint sign_in_challenge_pkey PRIMARY KEY (challenge_hash);
alter table sign_in_challenge add constraint sign_in_challenge_tries_check CHECK (((tries >= 0) AND (tries <= 5)));
alter table sign_in_guard add constraint sign_in_guard_pkey PRIMARY KEY (account_key);
alter table sign_in_guard add constraint sign_in_guard_tries_check CHECK ((tries >= 0));
alter table sign_in_minute add constraint sign_in_minute_check CHECK (((failures >= 0) AND (failures <= tries)));
alter table sign_in_minute add constraint sign_in_minute_pkey PRIMARY KEY (minute);
alter table sign_in_minute add constraint sign_in_minute_tries_check CHECK ((tries >= 0));
alter table spent_challenge add constraint spent_challenge_challenge_hash_check CHECK ((octet_length(challenge_hash) = 32));
alter table spent_challenge add constraint spent_challenge_pkey PRIMARY KEY (challenge_hash);
alter table stripe_customer add constraint stripe_customer_pkey PRIMARY KEY (customer_id);
alter table stripe_customer add constraint stripe_customer_provider_customer_id_check CHECK (((char_length(provider_customer_id) >= 1) AND (char_length(provider_customer_id) <= 255)));
alter table stripe_customer add constraint stripe_customer_provider_customer_id_key UNIQUE (provider_customer_id);
alter table stripe_event add constraint stripe_event_event_id_check CHECK (((char_length(event_id) >= 1) AND (char_length(event_id) <= 255)));
alter table stripe_event add constraint stripe_event_pkey PRIMARY KEY (event_id);
alter table test_credit_grant add constraint test_credit_grant_amount_micros_check CHECK ((amount_micros > 0));
alter table test_credit_grant add constraint test_credit_grant_pkey PRIMARY KEY (id);
alter table voice_credential add constraint voice_credential_pkey PRIMARY KEY (provider_id);
alter table voice_credential add constraint voice_credential_sip_username_key UNIQUE (sip_username);
alter table withdrawal add constraint withdrawal_amount_micros_check CHECK (((amount_micros > 0) AND ((amount_micros % (10000)::bigint) = 0)));
alter table withdrawal add constraint withdrawal_pkey PRIMARY KEY (id);
alter table withdrawal add constraint withdrawal_request_key_check CHECK (((char_length(request_key) >= 1) AND (char_length(request_key) <= 255)));
alter table withdrawal add constraint withdrawal_request_once UNIQUE (customer_id, request_key);
alter table account add constraint account_customer_id_fkey FOREIGN KEY (customer_id) REFERENCES customer(id);
alter table approval add constraint approval_customer_id_fkey FOREIGN KEY (customer_id) REFERENCES customer(id);
alter table authenticator add constraint authenticator_customer_id_fkey FOREIGN KEY (customer_id) REFERENCES customer(id) ON DELETE CASCADE;
alter table auto_top_up add constraint auto_top_up_card_id_fkey FOREIGN KEY (card_id) REFERENCES saved_card(id);
alter table auto_top_up add constraint auto_top_up_customer_id_fkey FOREIGN KEY (customer_id) REFERENCES customer(id);
alter table call_block add constraint call_block_customer_id_fkey FOREIGN KEY (customer_id) REFERENCES customer(id) ON DELETE CASCADE;
alter table call_event add constraint call_event_call_id_fkey FOREIGN KEY (call_id) REFERENCES call(id) ON DELETE CASCADE;
alter table call_quality add constraint call_quality_call_id_fkey FOREIGN KEY (call_id) REFERENCES call(id) ON DELETE CASCADE;
alter table call_refund_request add constraint call_refund_request_call_id_fkey FOREIGN KEY (call_id) REFERENCES call(id);
alter table call_refund_request add constraint call_refund_request_customer_id_fkey FOREIGN KEY (customer_id) REFERENCES customer(id);
alter table card_setup add constraint card_setup_card_id_fkey FOREIGN KEY (card_id) REFERENCES saved_card(id);
alter table card_setup add constraint card_setup_customer_id_fkey FOREIGN KEY (customer_id) REFERENCES customer(id);
alter table contact add constraint contact_customer_id_fkey FOREIGN KEY (customer_id) REFERENCES customer(id) ON DELETE CASCADE;
alter table deck_rate add constraint deck_rate_deck_id_fkey FOREIGN KEY (deck_id) REFERENCES deck(id) ON DELETE CASCADE;
alter table dispute add constraint dispute_payment_id_fkey FOREIGN KEY (payment_id) REFERENCES payment(id);
alter table download_ticket add constraint download_ticket_customer_id_fkey FOREIGN KEY (customer_id) REFERENCES customer(id) ON DELETE CASCADE;
alter table echo_test add constraint echo_test_customer_id_fkey FOREIGN KEY (customer_id) REFERENCES customer(id) ON DELETE CASCADE;
alter table email_change add constraint email_change_customer_id_fkey FOREIGN KEY (customer_id) REFERENCES customer(id) ON DELETE CASCADE;
alter table first_call add constraint first_call_customer_id_fkey FOREIGN KEY (customer_id) REFERENCES customer(id);
alter table first_call_origin add constraint first_call_origin_customer_id_fkey FOREIGN KEY (customer_id) REFERENCES customer(id);
alter table fraud_warning add constraint fraud_warning_payment_id_fkey FOREIGN KEY (payment_id) REFERENCES payment(id);
alter table google_flow add constraint google_flow_customer_id_fkey FOREIGN KEY (customer_id) REFERENCES customer(id) ON DELETE CASCADE;
alter table guard_rail add constraint guard_rail_customer_id_fkey FOREIGN KEY (customer_id) REFERENCES customer(id) ON DELETE CASCADE;
alter table identity add constraint identity_customer_id_fkey FOREIGN KEY (customer_id) REFERENCES customer(id) ON DELETE CASCADE;
alter table known_browser add constraint known_browser_customer_id_fkey FOREIGN KEY (customer_id) REFERENCES customer(id) ON DELETE CASCADE;
alter table ledger_transaction add constraint ledger_transaction_restores_id_fkey FOREIGN KEY (restores_id) REFERENCES ledger_transaction(id);
alter table mail_link add constraint mail_link_customer_id_fkey FOREIGN KEY (customer_id) REFERENCES customer(id) ON DELETE CASCADE;
alter table mail_link add constraint mail_link_email_change_id_fkey FOREIGN KEY (email_change_id) REFERENCES email_change(id) ON DELETE CASCADE;
alter table operation add constraint operation_customer_id_fkey FOREIGN KEY (customer_id) REFERENCES customer(id);
alter table passkey add constraint passkey_customer_id_fkey FOREIGN KEY (customer_id) REFERENCES customer(id) ON DELETE CASCADE;
alter table passkey_challenge add constraint passkey_challenge_customer_id_fkey FOREIGN KEY (customer_id) REFERENCES customer(id) ON DELETE CASCADE;
alter table payment add constraint payment_customer_id_fkey FOREIGN KEY (customer_id) REFERENCES customer(id);
alter table payment add constraint payment_package_id_fkey FOREIGN KEY (package_id) REFERENCES credit_package(id);
alter table payment add constraint payment_receipt_id_fkey FOREIGN KEY (receipt_id) REFERENCES receipt(id);
alter table payment add constraint payment_saved_card_id_fkey FOREIGN KEY (saved_card_id) REFERENCES saved_card(id);
alter table payment_failure add constraint payment_failure_customer_id_fkey FOREIGN KEY (customer_id) REFERENCES customer(id);
alter table payment_failure add constraint payment_failure_payment_id_fkey FOREIGN KEY (payment_id) REFERENCES payment(id);
alter table promo_campaign add constraint promo_campaign_package_id_fkey FOREIGN KEY (package_id) REFERENCES credit_package(id);
alter table promo_use add constraint promo_use_campaign_id_fkey FOREIGN KEY (campaign_id) REFERENCES promo_campaign(id);
alter table promo_use add constraint promo_use_customer_id_fkey FOREIGN KEY (customer_id) REFERENCES customer(id);
alter table promo_use add constraint promo_use_payment_id_fkey FOREIGN KEY (payment_id) REFERENCES payment(id) DEFERRABLE INITIALLY DEFERRED;
alter table receipt add constraint receipt_corrects_id_fkey FOREIGN KEY (corrects_id) REFERENCES receipt(id);
alter table receipt add constraint receipt_customer_id_fkey FOREIGN KEY (customer_id) REFERENCES customer(id);
alter table receipt add constraint receipt_payment_id_fkey FOREIGN KEY (payment_id) REFERENCES payment(id);
alter table receipt add constraint receipt_refund_id_fkey FOREIGN KEY (refund_id) REFERENCES refund(id);
alter table reconciliation_difference add constraint reconciliation_difference_payment_id_fkey FOREIGN KEY (payment_id) REFERENCES payment(id);
alter table reconciliation_difference add constraint reconciliation_difference_run_id_fkey FOREIGN KEY (run_id) REFERENCES reconciliation_run(id) ON DELETE CASCADE;
alter table recovery_code add constraint recovery_code_customer_id_fkey FOREIGN KEY (customer_id) REFERENCES customer(id) ON DELETE CASCADE;
alter table referral add constraint referral_invited_id_fkey FOREIGN KEY (invited_id) REFERENCES customer(id);
alter table referral add constraint referral_inviter_id_fkey FOREIGN KEY (inviter_id) REFERENCES customer(id);
alter table referral add constraint referral_payment_id_fkey FOREIGN KEY (payment_id) REFERENCES payment(id);
alter table referral_code add constraint referral_code_customer_id_fkey FOREIGN KEY (customer_id) REFERENCES customer(id);
alter table refund add constraint refund_customer_id_fkey FOREIGN KEY (customer_id) REFERENCES customer(id);
alter table refund add constraint refund_payment_id_fkey FOREIGN KEY (payment_id) REFERENCES payment(id);
alter table refund add constraint refund_receipt_id_fkey FOREIGN KEY (receipt_id) REFERENCES receipt(id);
alter table refund add constraint refund_return_receipt_id_fkey FOREIGN KEY (return_receipt_id) REFERENCES receipt(id);
alter table refund add constraint refund_withdrawal_id_fkey FOREIGN KEY (withdrawal_id) REFERENCES withdrawal(id);
alter table saved_card add constraint saved_card_customer_id_fkey FOREIGN KEY (customer_id) REFERENCES customer(id);
alter table security_event add constraint security_event_customer_id_fkey FOREIGN KEY (customer_id) REFERENCES customer(id) ON DELETE CASCADE;
alter table session add constraint session_customer_id_fkey FOREIGN KEY (customer_id) REFERENCES customer(id) ON DELETE CASCADE;
alter table sign_in_challenge add constraint sign_in_challenge_customer_id_fkey FOREIGN KEY (customer_id) REFERENCES customer(id) ON DELETE CASCADE;
alter table stripe_customer add constraint stripe_customer_customer_id_fkey FOREIGN KEY (customer_id) REFERENCES customer(id);
alter table test_credit_grant add constraint test_credit_grant_customer_id_fkey FOREIGN KEY (customer_id) REFERENCES customer(id);
alter table voice_credential add constraint voice_credential_customer_id_fkey FOREIGN KEY (customer_id) REFERENCES customer(id) ON DELETE CASCADE;
alter table withdrawal add constraint withdrawal_customer_id_fkey FOREIGN KEY (customer_id) REFERENCES customer(id);

CREATE INDEX approval_open ON approval USING btree (proposed_at) WHERE state = 'open'::text;
CREATE INDEX auto_top_up_working ON auto_top_up USING btree (customer_id) WHERE is_on AND stopped_reason IS NULL;
CREATE INDEX breaker_until ON breaker USING btree (until);
CREATE INDEX call_begun ON call USING brin (created_at) WITH (pages_per_range='32');
CREATE INDEX call_due ON call USING btree (next_check_at) WHERE next_check_at IS NOT NULL;
CREATE INDEX call_ends ON call USING btree (ends_at) WHERE ends_at IS NOT NULL AND next_check_at IS NOT NULL;
CREATE UNIQUE INDEX call_far_leg ON call USING btree (far_call_control_id) WHERE far_call_control_id IS NOT NULL;
CREATE INDEX call_history ON call USING btree (customer_id, created_at DESC, id DESC) INCLUDE (destination, country_code, status, duration_ms, charge_micros);
CREATE UNIQUE INDEX call_idempotency ON call USING btree (customer_id, idempotency_key) WHERE idempotency_key IS NOT NULL;
CREATE INDEX call_left ON call USING btree (hang_up_at) WHERE hang_up_at IS NOT NULL AND next_check_at IS NOT NULL;
CREATE INDEX call_live ON call USING btree (customer_id) WHERE next_check_at IS NOT NULL;
CREATE UNIQUE INDEX call_parked_leg ON call USING btree (parked_call_control_id) WHERE parked_call_control_id IS NOT NULL;
CREATE INDEX call_session ON call USING btree (session_id) WHERE session_id IS NOT NULL;
CREATE INDEX call_block_customer ON call_block USING btree (customer_id, blocked_until);
CREATE INDEX call_event_call ON call_event USING btree (call_id);
CREATE INDEX call_refund_by_rule ON call_refund_request USING btree (decided_at) WHERE decided_by = 'rule'::text;
CREATE INDEX call_refund_customer ON call_refund_request USING btree (customer_id, created_at DESC);
CREATE INDEX call_refund_open ON call_refund_request USING btree (created_at) WHERE state = 'open'::text;
CREATE INDEX card_setup_customer ON card_setup USING btree (customer_id, created_at DESC);
CREATE INDEX card_setup_due ON card_setup USING btree (next_check_at) WHERE next_check_at IS NOT NULL;
CREATE INDEX card_setup_unfinished ON card_setup USING btree (created_at) WHERE status <> 'saved'::text;
CREATE INDEX contact_by_name ON contact USING btree (customer_id, sort_key, id);
CREATE INDEX contact_favorites ON contact USING btree (customer_id, sort_key, id) WHERE favorite;
CREATE UNIQUE INDEX contact_number ON contact USING btree (customer_id, phone_number);
CREATE UNIQUE INDEX credit_package_one_popular ON credit_package USING btree (is_popular) WHERE is_popular AND on_sale;
CREATE INDEX deck_effective ON deck USING btree (effective_at DESC, created_at DESC);
CREATE INDEX dispute_payment ON dispute USING btree (payment_id);
CREATE INDEX download_ticket_expiry ON download_ticket USING btree (expires_at);
CREATE INDEX echo_test_customer ON echo_test USING btree (customer_id, created_at);
CREATE INDEX first_call_due ON first_call USING btree (next_look_at) WHERE next_look_at IS NOT NULL;
CREATE UNIQUE INDEX first_call_mailbox_once ON first_call USING btree (mailbox) WHERE state = 'granted'::text;
CREATE INDEX first_call_origin_network ON first_call_origin USING btree (seen_at) WHERE kind = 'network'::text;
CREATE INDEX first_call_origin_value ON first_call_origin USING btree (kind, value, seen_at);
CREATE INDEX fraud_warning_payment ON fraud_warning USING btree (payment_id);
CREATE INDEX google_flow_browser ON google_flow USING btree (browser_hash, created_at);
CREATE INDEX google_flow_expires ON google_flow USING btree (expires_at);
CREATE INDEX ledger_entry_by_kind ON ledger_entry USING btree (customer_id, kind, sequence) WHERE kind <> 'call'::ledger_kind;
CREATE UNIQUE INDEX ledger_entry_customer_sequence ON ledger_entry USING btree (customer_id, sequence) WHERE customer_id IS NOT NULL;
CREATE INDEX ledger_entry_transaction ON ledger_entry USING btree (transaction_id);
CREATE UNIQUE INDEX ledger_transaction_restored_once ON ledger_transaction USING btree (restores_id) WHERE restores_id IS NOT NULL;
CREATE INDEX mail_done ON mail USING btree (done_at) WHERE state <> 'waiting'::text;
CREATE INDEX mail_due ON mail USING btree (next_at) WHERE state = 'waiting'::text;
CREATE INDEX mail_link_customer ON mail_link USING btree (customer_id, use);
CREATE INDEX mail_link_expires ON mail_link USING btree (expires_at);
CREATE INDEX newsletter_subscription_asked ON newsletter_subscription USING btree (asked_at) WHERE state = 'asked'::text;
CREATE INDEX operation_customer ON operation USING btree (customer_id, happened_at DESC);
CREATE INDEX operation_happened ON operation USING btree (happened_at DESC);
CREATE INDEX passkey_customer ON passkey USING btree (customer_id, created_at);
CREATE INDEX passkey_challenge_expires ON passkey_challenge USING btree (expires_at);
CREATE UNIQUE INDEX payment_auto_in_flight ON payment USING btree (customer_id) WHERE kind = 'auto'::text AND (status = ANY (ARRAY['created'::text, 'open'::text]));
CREATE INDEX payment_customer ON payment USING btree (customer_id, created_at DESC);
CREATE INDEX payment_due ON payment USING btree (next_check_at) WHERE next_check_at IS NOT NULL;
CREATE INDEX payment_fingerprint ON payment USING btree (card_fingerprint, customer_id) WHERE card_fingerprint IS NOT NULL;
CREATE INDEX payment_unpaid ON payment USING btree (customer_id, id DESC) WHERE status <> 'paid'::text;
CREATE INDEX payment_without_receipt ON payment USING btree (settled_at) WHERE status = 'paid'::text AND receipt_id IS NULL;
CREATE INDEX payment_failure_age ON payment_failure USING btree (failed_at);
CREATE INDEX payment_failure_customer ON payment_failure USING btree (customer_id, failed_at);
CREATE UNIQUE INDEX promo_use_card_once ON promo_use USING btree (campaign_id, card_fingerprint) WHERE state = 'granted'::text AND card_fingerprint IS NOT NULL;
CREATE UNIQUE INDEX promo_use_once ON promo_use USING btree (campaign_id, customer_id) WHERE state <> 'released'::text;
CREATE INDEX rate_limit_expire ON rate_limit USING btree (expire);
CREATE INDEX receipt_customer ON receipt USING btree (customer_id, id DESC);
CREATE UNIQUE INDEX receipt_of_payment ON receipt USING btree (payment_id) WHERE refund_id IS NULL;
CREATE UNIQUE INDEX receipt_of_refund ON receipt USING btree (refund_id, (kind = 'refund_returned'::text)) WHERE refund_id IS NOT NULL;
CREATE INDEX reconciliation_difference_run ON reconciliation_difference USING btree (run_id);
CREATE INDEX reconciliation_run_started ON reconciliation_run USING btree (started_at DESC);
CREATE INDEX referral_due ON referral USING btree (next_look_at) WHERE next_look_at IS NOT NULL;
CREATE INDEX referral_of_inviter ON referral USING btree (inviter_id, decided_at DESC);
CREATE INDEX referral_of_payment ON referral USING btree (payment_id) WHERE payment_id IS NOT NULL;
CREATE INDEX refund_due ON refund USING btree (next_try_at) WHERE next_try_at IS NOT NULL;
CREATE INDEX refund_of_withdrawal ON refund USING btree (withdrawal_id) WHERE withdrawal_id IS NOT NULL;
CREATE INDEX refund_payment ON refund USING btree (payment_id);
CREATE INDEX refund_without_receipt ON refund USING btree (settled_at) WHERE status = 'succeeded'::text AND receipt_id IS NULL OR status = 'failed'::text AND receipt_id IS NOT NULL AND return_receipt_id IS NULL;
CREATE INDEX saved_card_of_customer ON saved_card USING btree (customer_id, id DESC) WHERE removed_at IS NULL;
CREATE UNIQUE INDEX saved_card_once ON saved_card USING btree (customer_id, fingerprint) WHERE removed_at IS NULL AND fingerprint IS NOT NULL;
CREATE INDEX saved_card_to_detach ON saved_card USING btree (removed_at) WHERE removed_at IS NOT NULL AND detached_at IS NULL;
CREATE INDEX security_event_customer ON security_event USING btree (customer_id, happened_at);
CREATE INDEX security_event_happened ON security_event USING btree (happened_at);
CREATE INDEX session_customer ON session USING btree (customer_id, last_seen_at);
CREATE INDEX sign_in_challenge_customer ON sign_in_challenge USING btree (customer_id);
CREATE INDEX sign_in_challenge_expires ON sign_in_challenge USING btree (expires_at);
CREATE INDEX sign_in_guard_last_try ON sign_in_guard USING btree (last_try_at);
CREATE INDEX spent_challenge_expires ON spent_challenge USING btree (expires_at);
CREATE INDEX stripe_event_received ON stripe_event USING btree (received_at);
CREATE INDEX test_credit_grant_customer ON test_credit_grant USING btree (customer_id, created_at);
CREATE INDEX voice_credential_customer ON voice_credential USING btree (customer_id, expires_at DESC);
CREATE INDEX withdrawal_customer ON withdrawal USING btree (customer_id, id DESC);

CREATE TRIGGER account_stays BEFORE DELETE OR TRUNCATE ON account FOR EACH STATEMENT EXECUTE FUNCTION refuse_account_end();
CREATE TRIGGER customer_address_proved AFTER INSERT OR UPDATE OF email_verified ON customer FOR EACH ROW WHEN (new.email_verified) EXECUTE FUNCTION address_proved();
CREATE TRIGGER ledger_entry_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON ledger_entry FOR EACH STATEMENT EXECUTE FUNCTION refuse_ledger_change();
CREATE TRIGGER ledger_transaction_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON ledger_transaction FOR EACH STATEMENT EXECUTE FUNCTION refuse_ledger_change();
CREATE TRIGGER operation_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON operation FOR EACH STATEMENT EXECUTE FUNCTION refuse_operation_change();
CREATE TRIGGER receipt_stays BEFORE DELETE OR TRUNCATE ON receipt FOR EACH STATEMENT EXECUTE FUNCTION refuse_receipt_change();
CREATE TRIGGER receipt_unchanged BEFORE UPDATE OF year, sequence, customer_id, kind, payment_id, refund_id, corrects_id, amount_micros, bonus_micros, card_brand, card_last4, seller, sample, paid_at, issued_at ON receipt FOR EACH STATEMENT EXECUTE FUNCTION refuse_receipt_change();

insert into schema_version (version, name, md5) values ('0', null, null);
insert into schema_version (version, name, md5) values ('1', 'accounts', 'a2deb454655224f8557a04ed11937aad');
insert into schema_version (version, name, md5) values ('2', 'platform', 'c1fda6ec3958c45f10494eb42fcf29ba');
insert into schema_version (version, name, md5) values ('3', 'mail', '87be6f72cdc761f731d8f58ad7dd4169');
insert into schema_version (version, name, md5) values ('4', 'newsletter', '8620c92dc285bc3097068bc66486c2d0');
insert into schema_version (version, name, md5) values ('5', 'ledger', 'f0196b468c593e55679249a4dc047a31');
insert into schema_version (version, name, md5) values ('6', 'rates', '6ba16eacc4dada495e8a9b2103fee271');
insert into schema_version (version, name, md5) values ('7', 'calls', 'df066b675f6c116648fc0ca3d5cf41a2');
insert into schema_version (version, name, md5) values ('8', 'contacts', '3b1de673a8225664c26686fd356db779');
insert into schema_version (version, name, md5) values ('9', 'billing', '4ac8e2982f87632cfa616cb8e9ed0568');
insert into schema_version (version, name, md5) values ('10', 'documents', '3965573f598a7aed75da9b58f01bfb48');
insert into schema_version (version, name, md5) values ('11', 'promotions', '0af084ba1356f547ef18713026e13579');
insert into schema_version (version, name, md5) values ('12', 'risk', 'd8998b22c54b83b4fc6f46f8eb544bb3');
insert into schema_version (version, name, md5) values ('13', 'operations', 'c4ab4a3071ab38d1fe6b6dc9f6856c51');

insert into schema_function (signature, checksum, release) values ('account_after(account,bigint,bigint,bigint)', '689b0447502b2d9d826614a7d53e9f4f9124d0789416312b1b141360b3998e9e', '1');
insert into schema_function (signature, checksum, release) values ('account_is_sound(account)', '6fef66752b3b4a0e99bc30a42cd296c719a98e48dee0e19c6e6d60758008352a', '1');
insert into schema_function (signature, checksum, release) values ('address_proved()', '51b8501930f66c09f1a528b3a4d32b2745003a075ba349ff196e088ec71a6762', '1');
insert into schema_function (signature, checksum, release) values ('authorise_call(jsonb,bigint,bigint,integer,integer,integer,integer,jsonb)', 'fac8e9c02d7b26bd145f120ce8d71f5f0b6126b0a473b352955cfd9031cf107f', '1');
insert into schema_function (signature, checksum, release) values ('authorise_plain_calls(jsonb)', 'b78493db4e1db5dddfbfa4cc3ed09b7acecc337bc5cafbbf78a83f7a30f339b4', '1');
insert into schema_function (signature, checksum, release) values ('call_allowance(call,bigint,timestamp with time zone,jsonb)', 'cbfc260b47ebaa092a8441edd59cda0b9245cd153e2615d13d382d2914bcc231', '1');
insert into schema_function (signature, checksum, release) values ('call_is_sound(call)', 'e830f04278a2bd9704bcc7e4ab74ecf9296000fb196eda651fc07b4f615baaae', '1');
insert into schema_function (signature, checksum, release) values ('call_spending(uuid,timestamp with time zone,uuid,text)', '15e3e1ab9ffde9b3174d1be2b3271455c034bbca951e94b2de659b192c2106b1', '1');
insert into schema_function (signature, checksum, release) values ('check_call_pattern(call,jsonb)', '4e74d099f40669470635ff948fa0942c5ca4afd108d67e6ef5630e1bdcff2190', '1');
insert into schema_function (signature, checksum, release) values ('entries_before(uuid,timestamp with time zone)', 'b3ea8699dc697cc9ff2c96da39ea759ae95437a979fbaaefcf3bce294558e865', '1');
insert into schema_function (signature, checksum, release) values ('extend_call(uuid,bigint,integer,timestamp with time zone,jsonb)', '7ff40a48d427a65382449e987e07c6ae1f5f919ba1a7523c4150c31248f1f48b', '1');
insert into schema_function (signature, checksum, release) values ('extend_hold(uuid,bigint)', '35d41b54eedc685ef9e1ff2949bd45b22f083679628fea7a3f46d09f4d0f805b', '1');
insert into schema_function (signature, checksum, release) values ('guard_rail_day(guard_rail,timestamp with time zone)', 'f61ab3be08c6e7167d72fc8257ec5e44612ee69889cedc745358cea6e3dd0dc7', '1');
insert into schema_function (signature, checksum, release) values ('hold_credit(uuid,uuid,bigint,bigint)', '5a99049214ce10a6ac6e0397575f14568a262304f98df75d5e4c267b99e7bbb1', '1');
insert into schema_function (signature, checksum, release) values ('hold_is_sound(hold)', '6cf349c5038935f4cb9528ad4a6b6b2e04d8e50462325c323a62545698e6c28b', '1');
insert into schema_function (signature, checksum, release) values ('ledger_key_used(text,uuid,text,bigint,uuid)', 'fb8a5abaf0857a8c505c7423e1ee733171b280ca5ba5edcbf2b81d822a56e0c2', '1');
insert into schema_function (signature, checksum, release) values ('lock_account(uuid)', '17f31b4e4ce310e35c82e5ff4db3c899dfb8c6864b0fe0f809440584e40de471', '1');
insert into schema_function (signature, checksum, release) values ('open_account(uuid)', '9b7f64fb8ffb94b255e757d362e4ae6e7d41a2dbe1acc81e2d628a96892c2f66', '1');
insert into schema_function (signature, checksum, release) values ('place_hold(account,uuid,bigint,bigint)', 'd895a2d9cde4949dfb4c359eab080b8f451eec1ae266fc5e51a7c13286417def', '1');
insert into schema_function (signature, checksum, release) values ('place_holds(uuid[],uuid[],bigint[],bigint[],bigint[])', '06f3f66d7d7713fee309a6472cd2a3b4cd07637f2d9be36761ae018a71a46da9', '1');
insert into schema_function (signature, checksum, release) values ('post_credit(uuid,text,uuid,text,bigint,uuid,text)', '15df96026110e301bcfe2a63789546a196628b590ef6578d291538841122ea0b', '1');
insert into schema_function (signature, checksum, release) values ('post_hold(uuid,uuid,bigint,text)', '8c8938f7bdb17f8e1d266c8123eed8a392d313b9d4c17a4439fa6ebfa108d0d8', '1');
insert into schema_function (signature, checksum, release) values ('post_reversal(uuid,text,uuid,text,bigint,uuid,text)', 'd62226892cc39cbbbd5cf71bda44a17d2654cc94db924f8f4f59f7056b5b317f', '1');
insert into schema_function (signature, checksum, release) values ('record_transaction(account,uuid,text,text,bigint,bigint,bigint,text,uuid,text,bigint,uuid)', 'eec83bb8ee01de7a4dd2a0927a27444b57657d2d89c378ad27d61021328800c9', '1');
insert into schema_function (signature, checksum, release) values ('refuse_account_end()', '6a587b725590b900655ea947ec60ebd639d14bbb0639fe6194e43428e6eaacec', '1');
insert into schema_function (signature, checksum, release) values ('refuse_ledger_change()', '574f1fa4058d6e4876035464f592166af6a87e6d57533d10208ef684bf4aa20d', '1');
insert into schema_function (signature, checksum, release) values ('refuse_operation_change()', '006a8cd7d276b46b7e3c3143dda74812a5adcf899bc2674cac7dabbbe6547c15', '1');
insert into schema_function (signature, checksum, release) values ('refuse_receipt_change()', '3a578da6ed2fa763aa8621f25bfbd44c4d7819bf7f1288891d492354236f22d9', '1');
insert into schema_function (signature, checksum, release) values ('release_held(account,bigint)', '6768764ffc5e57cc1c75631033c6cbbbd1e4d72b8bd154df3b12522592942627', '1');
insert into schema_function (signature, checksum, release) values ('resolve_holds(uuid[],uuid[],bigint[],text[])', '77ed05340a85503c7b846feb43500f9c4ea0e5a3f5bc213feefbf0237607351c', '1');
insert into schema_function (signature, checksum, release) values ('restore_transaction(uuid,text,text,text)', '9941f0c8f15f55ce6aed7028bed6857c5cd64f28eb363c915d70d7167b3e4256', '1');
insert into schema_function (signature, checksum, release) values ('return_bonus(uuid,text,uuid,bigint,uuid,text)', '49423ea49a291b4d1b2ea39d4b49eb6f221335a2c32a0b6d832356c988b05089', '1');
insert into schema_function (signature, checksum, release) values ('seconds_until_call_allowed(uuid,timestamp with time zone,interval,integer)', 'baa847d8129d7eeb10088fde16e6ec93857b2ff56aa4bfb80929b5be4d4d9308', '1');
insert into schema_function (signature, checksum, release) values ('settle_calls(jsonb)', '08df1044dc679512ac30d9ffcdb0a60b528b8e056a5e86fbe21bb47f0dd3fab5', '1');
insert into schema_function (signature, checksum, release) values ('statement_bounds(uuid,timestamp with time zone,timestamp with time zone)', 'd29440345f538983b1c69780cd0533d395669f9221bc2ca78a2d30f771531c27', '1');
insert into schema_function (signature, checksum, release) values ('tier_facts(uuid,timestamp with time zone,bigint)', '0a53acccd1ae86b397018b48a45400699bb28605d43bf63b5b5ce99ecdd7785a', '1');
insert into schema_function (signature, checksum, release) values ('void_hold(uuid)', 'cd074ac33789e2e5bbf0277f1be3912e8aad3976a65227fc5566802cfdf4ee6c', '1');
insert into schema_function (signature, checksum, release) values ('withdraw_credit(uuid,text,uuid,bigint,uuid,text)', '564c89174878fc1b138624ca574a27e177396f9d799bee0ed16e99fd5f6eedf0', '1');

insert into credit_package (id, amount_micros, bonus_percentage, is_popular, on_sale) values ('5', '5000000', '0', 'false', 'true');
insert into credit_package (id, amount_micros, bonus_percentage, is_popular, on_sale) values ('10', '10000000', '0', 'false', 'true');
insert into credit_package (id, amount_micros, bonus_percentage, is_popular, on_sale) values ('20', '20000000', '5', 'true', 'true');
insert into credit_package (id, amount_micros, bonus_percentage, is_popular, on_sale) values ('50', '50000000', '10', 'false', 'true');
