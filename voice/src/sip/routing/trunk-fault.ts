import type { FarEnd } from "../trunk.ts";

/**
 * Refusals that concern the trunk and not the number (the table in docs/operate/voice.md): our account, a time-out, media types, an
 * extension, too many requests, too many hops, our offer.
 */
const FAULT_STATUSES: ReadonlySet<number> = new Set([401, 402, 403, 407, 408, 415, 421, 429, 483, 488]);
/** The carrier does not accept our password, address or balance. */
const ACCOUNT_STATUSES: ReadonlySet<number> = new Set([401, 402, 403, 407]);
/** Those that concern every number. A 403 may concern one country. */
const ALL_CALLS_STATUSES: ReadonlySet<number> = new Set([401, 402, 407]);
/**
 * Q.850 causes that blame the number or the callee, whatever the status: unallocated, busy, no response, no answer, rejected, number
 * changed, incomplete. Another trunk would not help.
 */
const CALLEE_CAUSES: ReadonlySet<number> = new Set([1, 17, 18, 19, 21, 22, 28]);
/**
 * Q.850 causes of the carrier's network, whatever the status: no route to the network or the destination, no circuit, out of order,
 * temporary failure, congestion, channel or resource unavailable.
 */
const NETWORK_CAUSES: ReadonlySet<number> = new Set([2, 3, 34, 38, 41, 42, 44, 47]);

type Refusal = Pick<FarEnd, "by" | "sipStatus" | "q850Cause">;

/** Whether another trunk may reach the number. */
export function isTrunkFault({ by, sipStatus, q850Cause }: Refusal): boolean {
  if (by !== "callee") return by === "failure";
  if (q850Cause !== null && CALLEE_CAUSES.has(q850Cause)) return false;
  if (q850Cause !== null && NETWORK_CAUSES.has(q850Cause) && sipStatus >= 400 && sipStatus < 600) return true;
  return (sipStatus >= 300 && sipStatus < 400) || FAULT_STATUSES.has(sipStatus) || (sipStatus >= 500 && sipStatus < 600);
}

/** Whether another address of the same trunk may accept the call: there was no response, or a 503 about this server (RFC 3263 §4.3). */
export function isAddressFault({ by, sipStatus, q850Cause }: Refusal): boolean {
  return (
    (sipStatus === 503 && q850Cause === null && (by === "callee" || by === "failure")) || (sipStatus === 408 && by === "failure")
  );
}

/** Whether the operator must act, because the carrier refuses our account. */
export function isAccountRefusal(refusal: Refusal): boolean {
  return refusal.by === "callee" && ACCOUNT_STATUSES.has(refusal.sipStatus) && isTrunkFault(refusal);
}

/** Whether the carrier refuses all our calls, whatever the number. */
export function refusesAllCalls(refusal: Refusal): boolean {
  return isAccountRefusal(refusal) && ALL_CALLS_STATUSES.has(refusal.sipStatus);
}
