import type { FarEnd } from "../sip/trunk.ts";

/** The causes of the provider's `call.hangup` event. */
type HangupCause =
  | "normal_clearing"
  | "originator_cancel"
  | "timeout"
  | "time_limit"
  | "user_busy"
  | "call_rejected"
  | "not_found"
  | "no_answer"
  | "media_timeout"
  | "unspecified";

export interface CallEnd {
  readonly cause: HangupCause;
  /** Who ended it: the browser, the far end, or neither (a command, a limit, an internal error). */
  readonly source: "caller" | "callee" | "unknown";
  /** 200 for a call that ended normally. */
  readonly sipStatus: number;
  readonly reason: string;
}

const causesByStatus: ReadonlyMap<number, HangupCause> = new Map([
  [404, "not_found"],
  [410, "not_found"],
  [484, "not_found"],
  [485, "not_found"],
  [604, "not_found"],
  [486, "user_busy"],
  [600, "user_busy"],
  [408, "no_answer"],
  [480, "no_answer"],
  [487, "no_answer"],
  [401, "call_rejected"],
  [402, "call_rejected"],
  [403, "call_rejected"],
  [407, "call_rejected"],
  [433, "call_rejected"],
  [603, "call_rejected"],
  [607, "call_rejected"],
  [608, "call_rejected"],
]);

/** Q.850 causes that are more specific than the SIP status (ITU-T Q.850 table 1). */
const causesByQ850: ReadonlyMap<number, HangupCause> = new Map([
  [1, "not_found"],
  [17, "user_busy"],
  [18, "no_answer"],
  [19, "no_answer"],
  [21, "call_rejected"],
  [28, "not_found"],
  // The carrier's network: no route, no circuit, out of order, congestion.
  ...[2, 3, 34, 38, 41, 42, 44, 47].map((cause) => [cause, "unspecified"] as const),
]);

const CANCELLED = 487;
/** Carriers also send "temporarily unavailable" (RFC 3261 §21.4.18) for busy, and 487 when they stop ringing for any reason. */
const VAGUE_STATUSES: ReadonlySet<number> = new Set([480, CANCELLED]);

/** The cause of an unanswered call that the network ended (RFC 3261 §21). "unspecified" without a specific status or Q.850 cause. */
function causeOf({ sipStatus, q850Cause }: Pick<FarEnd, "sipStatus" | "q850Cause">): HangupCause {
  const byStatus = causesByStatus.get(sipStatus);
  const byQ850 = q850Cause === null ? undefined : causesByQ850.get(q850Cause);
  return (VAGUE_STATUSES.has(sipStatus) ? (byQ850 ?? byStatus) : (byStatus ?? byQ850)) ?? "unspecified";
}

const statusOfCause: Partial<Record<HangupCause, number>> = {
  user_busy: 486,
  not_found: 404,
  call_rejected: 603,
  no_answer: 480,
};

/** Derives the end of a call from the network's report. */
export function endOfFarCall(far: FarEnd): CallEnd {
  const { sipStatus, reason } = far;
  if (far.answered) {
    if (far.by === "failure") return { cause: "unspecified", source: "unknown", sipStatus, reason };
    return { cause: "normal_clearing", source: far.by === "callee" ? "callee" : "unknown", sipStatus: 200, reason };
  }
  if (far.by === "timeout") return { cause: "timeout", source: "unknown", sipStatus: 480, reason: "Not answered in time" };
  if (far.by === "failure")
    return { cause: "unspecified", source: "unknown", sipStatus: sipStatus >= 500 ? sipStatus : 503, reason };
  if (far.by === "us") return endByCommand(false);
  // Answered and hung up before media could flow.
  if (sipStatus === 200) return { cause: "call_rejected", source: "callee", sipStatus: 603, reason };
  const cause = causeOf(far);
  // The status must lead to the same cause, and 487 means that we cancelled.
  const consistent = sipStatus !== CANCELLED && (causesByStatus.get(sipStatus) ?? "unspecified") === cause;
  return { cause, source: "callee", sipStatus: consistent ? sipStatus : (statusOfCause[cause] ?? 503), reason };
}

function endOf(cause: HangupCause, source: CallEnd["source"], sipStatus: number, reason: string): CallEnd {
  return { cause, source, sipStatus, reason };
}

/** The caller hung up. Before the answer the call is cancelled, whatever cause the browser named. */
export function endByCaller(answered: boolean): CallEnd {
  return answered
    ? endOf("normal_clearing", "caller", 200, "Caller hung up")
    : endOf("originator_cancel", "caller", 487, "Caller cancelled");
}

export function endByCommand(answered: boolean): CallEnd {
  return answered
    ? endOf("normal_clearing", "unknown", 200, "Ended by command")
    : endOf("originator_cancel", "unknown", 487, "Ended by command");
}

export function endRejected(cause: "CALL_REJECTED" | "USER_BUSY"): CallEnd {
  return cause === "USER_BUSY" ? endOf("user_busy", "callee", 486, "Busy") : endOf("call_rejected", "callee", 603, "Rejected");
}

export const endByTimeLimit = endOf("time_limit", "unknown", 200, "Time limit reached");
export const endUnrouted = endOf("timeout", "unknown", 503, "Call was not routed");
/** The caller was never reached or had no microphone, so nobody was dialled. */
export const endSoundBlocked = endOf("media_timeout", "caller", 408, "No audio from the caller");
/** The browser's connection or media was lost for too long. */
export const endConnectionLost = endOf("unspecified", "caller", 408, "Connection to the caller lost");
export const endFarLost = endOf("unspecified", "callee", 408, "Connection to the called side lost");
export const endMediaUnusable = endOf("unspecified", "callee", 488, "Far media not acceptable");
export const endMediaFailed = endOf("unspecified", "unknown", 503, "Media failed");
/** Another call would degrade the others. */
export const endFull = endOf("unspecified", "unknown", 503, "Exchange is full");
export const endBadOffer = endOf("unspecified", "caller", 488, "Offer not acceptable");
export const endExchangeLost = endOf("unspecified", "unknown", 503, "Exchange was restarted");
export const endShutdown = endOf("unspecified", "unknown", 503, "Exchange is stopping");
