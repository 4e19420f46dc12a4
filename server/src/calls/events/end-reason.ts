import type { EndReason } from "@farline/contract/calls.ts";

/** A leg's end as the provider reports it (`call.hangup`). The values are open-ended, so unknown ones are accepted. */
export interface LegEnd {
  /** `hangup_cause` */
  readonly cause: string | null;
  /** `sip_hangup_cause`: a SIP status; 200 or null for a call that ended normally. */
  readonly sipStatus: number | null;
  /** `hangup_source`: caller, callee or unknown. */
  readonly source: string | null;
  /** Our exchange only: when a lost side was last heard, in milliseconds since 1970. */
  readonly heardUntilMs?: number | null;
}

const unansweredReasons: Readonly<Record<string, EndReason>> = {
  user_busy: "busy",
  timeout: "no_answer",
  no_answer: "no_answer",
  no_user_response: "no_answer",
  call_rejected: "rejected",
  originator_cancel: "cancelled",
  not_found: "invalid_number",
  unallocated_number: "invalid_number",
  invalid_number_format: "invalid_number",
  // Our exchange dials nobody until it hears the caller.
  media_timeout: "sound_blocked",
};

/** RFC 3261 §21. If the caller cancelled, the cause says so; a 487 of the carrier's own means that it stopped ringing. */
const unansweredStatuses: Readonly<Record<number, EndReason>> = {
  404: "invalid_number",
  408: "no_answer",
  410: "invalid_number",
  480: "no_answer",
  484: "invalid_number",
  486: "busy",
  487: "no_answer",
  600: "busy",
  603: "rejected",
  604: "invalid_number",
};

/** Final INVITE responses that never end an answered leg. (A 408 may also end a conversation.) */
const REFUSALS: ReadonlySet<number | null> = new Set([403, 404, 410, 480, 484, 486, 487, 600, 603, 604]);

/** Whether the leg was definitely never answered. Otherwise its answer event may still arrive. */
export function certainlyUnanswered(end: LegEnd): boolean {
  return (end.cause !== null && unansweredReasons[end.cause] !== undefined) || REFUSALS.has(end.sipStatus);
}

/**
 * Whether the provider or a carrier refused to dial: a country that is not allowed, too many concurrent calls, or a refused caller
 * id. RFC 3261 §21.4.4; a phone that declines sends 603.
 */
export function isRefusedOnTheWay(end: LegEnd): boolean {
  return end.sipStatus === 403 && end.source !== "callee";
}

/** The end reason of an unanswered call. */
export function reasonUnanswered(end: LegEnd): EndReason {
  if (isRefusedOnTheWay(end)) return "network_failure";
  const byCause = unansweredReasons[end.cause ?? ""];
  if (byCause !== undefined) return byCause;
  if (end.source === "caller") return end.cause === "unspecified" ? "connection_lost" : "cancelled";
  const byStatus = unansweredStatuses[end.sipStatus ?? 0];
  if (byStatus !== undefined) return byStatus;
  if (end.cause !== "normal_clearing") return "network_failure";
  return end.source === "callee" ? "rejected" : "cancelled";
}

/** The end reason of an answered call; `limitReason` if the provider cut it at the commanded limit. */
export function reasonAnswered(end: LegEnd, limitReason: EndReason): EndReason {
  if (end.cause === "time_limit") return limitReason;
  const faulty = end.cause === "unspecified" && end.sipStatus !== null && end.sipStatus !== 200;
  return faulty ? "connection_lost" : "hangup";
}
