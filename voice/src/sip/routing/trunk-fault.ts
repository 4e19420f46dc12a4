import type { FarEnd } from "../trunk.ts";

/** Request time-out, extension required. */
const FAULT_STATUSES: ReadonlySet<number> = new Set([408, 421]);
/**
 * Q.850 causes that blame the number or the callee, whatever the status: unallocated, busy, no response, no answer, rejected, number
 * changed, incomplete. Another trunk would not help.
 */
const CALLEE_CAUSES: ReadonlySet<number> = new Set([1, 17, 18, 19, 21, 22, 28]);

/** Whether another trunk may reach the number: this one failed, timed out, redirected, or required an unsupported extension. */
export function isTrunkFault({ by, sipStatus, q850Cause }: Pick<FarEnd, "by" | "sipStatus" | "q850Cause">): boolean {
  if (by === "failure") return true;
  if (by !== "callee" || (q850Cause !== null && CALLEE_CAUSES.has(q850Cause))) return false;
  return (sipStatus >= 300 && sipStatus < 400) || FAULT_STATUSES.has(sipStatus) || (sipStatus >= 500 && sipStatus < 600);
}
