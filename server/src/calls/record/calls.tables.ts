import type { CallEventKind } from "@farline/contract/operator/calls.ts";
import type { GuardRails } from "@farline/domain/calls/guard-rails.ts";
import type { ColumnType, Generated, Selectable } from "kysely";
import type { DestinationQuality } from "@farline/contract/quality.ts";
import type { CallTable } from "./call-columns.ts";

export type Leg = "parked" | "far";

interface CallEventTable {
  id: string;
  call_id: string;
  source: "provider" | "service";
  kind: CallEventKind;
  leg: Leg | null;
  occurred_at: Date;
  received_at: Date;
  payload: ColumnType<Record<string, unknown>, string, never>;
}

interface EventArchiveTable {
  month: string;
  file: string;
  sha256: string;
  events: number;
  archived_at: Date;
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
  event_archive: EventArchiveTable;
  voice_credential: VoiceCredentialTable;
  guard_rail: GuardRailTable;
  call_block: CallBlockTable;
  echo_test: EchoTestTable;
  caller_number: CallerNumberTable;
  caller_number_check: CallerNumberCheckTable;
  blocked_caller_number: { number: string; reason: string; blocked_at: Date };
  caller_number_removal: { number: string; requested_at: Date };
}

export type GuardRailRow = Selectable<GuardRailTable>;

export type CallerNumberRow = Selectable<CallerNumberTable>;

export type CallRow = Selectable<CallTable>;

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
