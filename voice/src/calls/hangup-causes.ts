import type { FarEnd } from "../sip/trunk.ts";

/** Why a leg ended, in the words of the provider's `call.hangup` event. */
export type HangupCause =
  | "normal_clearing"
  | "originator_cancel"
  | "timeout"
  | "time_limit"
  | "user_busy"
  | "call_rejected"
  | "not_found"
  | "no_answer"
  | "unspecified";

export interface CallEnd {
  readonly cause: HangupCause;
  /** Who ended it: the browser's side, the called side, or neither (a command, a limit, an internal error). */
  readonly source: "caller" | "callee" | "unknown";
  /** The equivalent SIP status; 200 for a call that ended normally. */
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
  [401, "call_rejected"],
  [402, "call_rejected"],
  [403, "call_rejected"],
  [407, "call_rejected"],
  [433, "call_rejected"],
  [603, "call_rejected"],
  [607, "call_rejected"],
]);

/** Q.850 causes that say more than the carrier's SIP status does (ITU-T Q.850 table 1). */
const causesByQ850: ReadonlyMap<number, HangupCause> = new Map([
  [1, "not_found"],
  [17, "user_busy"],
  [18, "no_answer"],
  [19, "no_answer"],
  [21, "call_rejected"],
  [28, "not_found"],
]);

/** "Temporarily unavailable" (RFC 3261 §21.4.18) is what carriers also say of a busy line. */
const VAGUE_STATUS = 480;

/**
 * The cause of an unanswered call that the network ended (RFC 3261 §21). A carrier's own 487 has no meaning: nobody of ours
 * cancelled. "unspecified" for such a status without a Q.850 cause that says more.
 */
function causeOf({ sipStatus, q850Cause }: Pick<FarEnd, "sipStatus" | "q850Cause">): HangupCause {
  const byStatus = causesByStatus.get(sipStatus);
  const byQ850 = q850Cause === null ? undefined : causesByQ850.get(q850Cause);
  return (sipStatus === VAGUE_STATUS ? (byQ850 ?? byStatus) : (byStatus ?? byQ850)) ?? "unspecified";
}

const CANCELLED = 487;
const statusOfCause: Partial<Record<HangupCause, number>> = {
  user_busy: 486,
  not_found: 404,
  call_rejected: 603,
  no_answer: 480,
};

/** Derives the outcome of a dialled call from what the network reported, never from the browser's claims. */
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
  // It took the call and hung up before any sound could flow.
  if (sipStatus === 200) return { cause: "call_rejected", source: "callee", sipStatus: 603, reason };
  const cause = causeOf(far);
  // Whoever reads the status must come to the same cause.
  const tells = causesByStatus.get(sipStatus) === cause || (cause === "unspecified" && sipStatus !== CANCELLED);
  return { cause, source: "callee", sipStatus: tells ? sipStatus : (statusOfCause[cause] ?? 503), reason };
}

/** The caller hung up, or went away for good: before the answer that is a cancelled call, whatever cause the browser named. */
export function endByCaller(answered: boolean): CallEnd {
  return answered
    ? { cause: "normal_clearing", source: "caller", sipStatus: 200, reason: "Caller hung up" }
    : { cause: "originator_cancel", source: "caller", sipStatus: 487, reason: "Caller cancelled" };
}

/** A command of the service ended the call. */
export function endByCommand(answered: boolean): CallEnd {
  return answered
    ? { cause: "normal_clearing", source: "unknown", sipStatus: 200, reason: "Ended by command" }
    : { cause: "originator_cancel", source: "unknown", sipStatus: 487, reason: "Ended by command" };
}

export const endByTimeLimit: CallEnd = { cause: "time_limit", source: "unknown", sipStatus: 200, reason: "Time limit reached" };
/** Nobody gave the parked leg a destination. */
export const endUnrouted: CallEnd = { cause: "timeout", source: "unknown", sipStatus: 503, reason: "Call was not routed" };
/** The browser was lost: its socket or media stayed away too long. */
export const endConnectionLost: CallEnd = {
  cause: "unspecified",
  source: "caller",
  sipStatus: 408,
  reason: "Connection to the caller lost",
};
/** Nothing was heard of the called side for too long. */
export const endFarLost: CallEnd = {
  cause: "unspecified",
  source: "callee",
  sipStatus: 408,
  reason: "Connection to the called side lost",
};
/** The called side answered with media that we cannot use. */
export const endMediaUnusable: CallEnd = {
  cause: "unspecified",
  source: "callee",
  sipStatus: 488,
  reason: "Far media not acceptable",
};
export const endMediaFailed: CallEnd = { cause: "unspecified", source: "unknown", sipStatus: 503, reason: "Media failed" };
/** The call cannot be carried without harm to those that run. */
export const endFull: CallEnd = { cause: "unspecified", source: "unknown", sipStatus: 503, reason: "Exchange is full" };
export const endBadOffer: CallEnd = { cause: "unspecified", source: "caller", sipStatus: 488, reason: "Offer not acceptable" };
/** The exchange was killed in the middle of the call. */
export const endExchangeLost: CallEnd = {
  cause: "unspecified",
  source: "unknown",
  sipStatus: 503,
  reason: "Exchange was restarted",
};
export const endShutdown: CallEnd = { cause: "unspecified", source: "unknown", sipStatus: 503, reason: "Exchange is stopping" };

/** A parked leg is refused by command. */
export function endRejected(cause: "CALL_REJECTED" | "USER_BUSY"): CallEnd {
  return cause === "USER_BUSY"
    ? { cause: "user_busy", source: "callee", sipStatus: 486, reason: "Busy" }
    : { cause: "call_rejected", source: "callee", sipStatus: 603, reason: "Rejected" };
}
