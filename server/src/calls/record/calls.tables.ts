import type { GuardRails } from "@farline/domain/calls/guard-rails.ts";
import type { CallStatus, EndReason, HungUpBy } from "@farline/contract/calls.ts";
import type { HoldBound } from "@farline/domain/calls/decide-call.ts";
import type { PriceClass } from "@farline/domain/calls/call-terms.ts";
import type { ColumnType, Generated, Selectable } from "kysely";
import type { DestinationQuality } from "@farline/contract/quality.ts";

/** Written at authorisation and never changed. */
type Fixed<T> = ColumnType<T, never, never>;

/** Null or default at first; set by later events. */
type Later<T> = ColumnType<T | null, never, T | null>;

export type Leg = "parked" | "far";

interface CallTable {
  id: Fixed<string>;
  customer_id: Fixed<string>;
  /** The family's owner whose credit pays; null if it is the caller's own. */
  payer_id: Fixed<string | null>;
  /** The session that made the call, or to which it was moved; null if it is unknown. */
  caller_session_id: ColumnType<string | null, never, string>;
  destination: Fixed<string>;
  country_code: Fixed<string>;
  number_type: Fixed<string>;
  status: ColumnType<CallStatus, never, CallStatus>;
  end_reason: Later<EndReason>;
  hung_up_by: Later<HungUpBy>;
  idempotency_key: Fixed<string | null>;
  rate_prefix: Fixed<string>;
  rate_description: Fixed<string>;
  rate_per_minute_micros: Fixed<bigint>;
  price_class: Fixed<PriceClass>;
  first_interval_seconds: Fixed<number>;
  next_interval_seconds: Fixed<number>;
  deck_id: Fixed<string>;
  deck_effective_at: Fixed<Date>;
  held_micros: ColumnType<bigint, never, bigint>;
  cap_seconds: Fixed<number>;
  bounded_by: ColumnType<HoldBound, never, HoldBound>;
  /** What `decideCall` decided by; null for calls from before it was kept. */
  decided_by: Fixed<DecisionInputs | null>;
  limit_seconds: Later<number>;
  provider_seconds: Later<number>;
  extendable: ColumnType<boolean, never, boolean>;
  ends_at: Later<Date>;
  warned_seconds: Later<60 | 15>;
  ticket_hash: Fixed<Buffer>;
  ticket_expires_at: Fixed<Date>;
  /** When the ticket was used, or closed because the call ended before dialling (then there is no parked leg). */
  ticket_used_at: Later<Date>;
  parked_call_control_id: Later<string>;
  parked_leg_id: Later<string>;
  session_id: Later<string>;
  far_call_control_id: Later<string>;
  far_leg_id: Later<string>;
  transferred_at: Later<Date>;
  client_leg_id: Later<string>;
  client_session_id: Later<string>;
  client_call_id: Later<string>;
  created_at: Fixed<Date>;
  started_at: Later<Date>;
  answered_at: Later<Date>;
  ended_at: Later<Date>;
  duration_ms: ColumnType<number, never, number>;
  billed_seconds: ColumnType<number, never, number>;
  charge_micros: ColumnType<bigint, never, bigint>;
  /** The silence of a lost side before the call was given up. */
  silent_ms: ColumnType<number, never, number>;
  /** What forgiving this silence took from the budgets; null if it was charged, or there was none. */
  forgiven_micros: Later<bigint>;
  carrier_cost_micros: Later<bigint>;
  /** The exchange's trunk that carried the call, or the last one tried; null if the provider names none. */
  trunk: Later<string>;
  trunk_attempts: ColumnType<TrunkAttempt[] | null, never, string | null>;
  caller_number: Later<string>;
  hangup_requested_at: Later<Date>;
  hang_up_at: Later<Date>;
  left_page: Later<string>;
  last_seen_alive_at: Later<Date>;
  not_alive_since: Later<Date>;
  /** How often in a row the voice provider did not answer about this call. */
  unreachable_checks: ColumnType<number, never, number>;
  next_check_at: Later<Date>;
}

/** The inputs of a call's decision for operators. Amounts are decimal text. */
export type DecisionInputs = Readonly<Record<string, string | number | null>>;

/** An attempt over one trunk, as reported by our exchange. */
export interface TrunkAttempt {
  trunk: string;
  started_at: string;
  /** Time until its outcome was known. */
  duration_ms: number;
  /** Until the first ringing or answer; null without either. */
  post_dial_delay_ms: number | null;
  /** Null without a final response. */
  sip_status: number | null;
  q850_cause: number | null;
  outcome: "answered" | "refused" | "failed" | "silent" | "unanswered" | "cancelled";
}

interface CallEventTable {
  id: string;
  call_id: string;
  source: "provider" | "service";
  kind: string;
  leg: Leg | null;
  occurred_at: Date;
  received_at: Date;
  payload: ColumnType<Record<string, unknown>, string, never>;
}

interface GuardRailTable extends GuardRails {
  customer_id: string;
  time_zone: string;
  updated_at: Date;
}

interface CallBlockTable {
  id: string;
  customer_id: string;
  rule: string;
  inputs: ColumnType<unknown, string, never>;
  created_at: Date;
  blocked_until: Date;
}

interface EchoTestTable {
  id: string;
  customer_id: string;
  ticket_hash: Buffer;
  expires_at: Date;
  created_at: Date;
  call_control_id: string | null;
}

interface VoiceCredentialTable {
  provider_id: string;
  customer_id: string;
  sip_username: string;
  expires_at: Date;
  created_at: Date;
  session_id: string | null;
  removal_due_at: Date | null;
  removal_tries: Generated<number>;
}

interface CallerNumberTable {
  number: string;
  customer_id: string;
  proof: string | null;
  chosen: Generated<boolean>;
  proven_at: Date;
  lapsed_at: Date | null;
}

interface CallerNumberCheckTable {
  id: string;
  customer_id: string;
  number: string;
  tries: number;
  created_at: Date;
  expires_at: Date;
}

/** Kysely types of the calls' tables. */
export interface CallTables {
  call: CallTable;
  call_event: CallEventTable;
  voice_credential: VoiceCredentialTable;
  guard_rail: GuardRailTable;
  call_block: CallBlockTable;
  echo_test: EchoTestTable;
  caller_number: CallerNumberTable;
  caller_number_check: CallerNumberCheckTable;
  blocked_caller_number: { number: string; reason: string; blocked_at: Date };
  caller_number_removal: { number: string; requested_at: Date };
}

export type CallRow = Selectable<CallTable>;

export type GuardRailRow = Selectable<GuardRailTable>;

export type CallerNumberRow = Selectable<CallerNumberTable>;

export type CallEventRow = Selectable<CallEventTable>;

interface QualityReportTable {
  /** "2026-11-25" */
  last_day: ColumnType<string, string, never>;
  made_at: ColumnType<Date, Date, never>;
  destinations: ColumnType<DestinationQuality[], string, never>;
}

export interface QualityReportTables {
  quality_report: QualityReportTable;
}

/** Validity of a ticket from its issue. */
export const TICKET_LIFE_SECONDS = 60;

/** How long the called phone may ring. */
export const RING_LIMIT_SECONDS = 60;

/** Grace after a call's limit before the service ends it, so that the provider's own limit acts first. */
export const LIMIT_GRACE_SECONDS = 5;

/** Request limits per customer, multiplied by the configured scale. */
export const TOKENS_PER_MINUTE = 10;

/** Three times the highest tier's limit of calls per minute. */
export const CALL_REQUESTS_PER_MINUTE = 30;

export const QUOTES_PER_MINUTE = 60;

export const ECHO_TESTS_PER_HOUR = 10;

export const EXTENSIONS_PER_MINUTE = 20;

export const MOVES_PER_MINUTE = 20;
