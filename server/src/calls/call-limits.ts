/** How much an account may do, as data. Every account counts as new: the lowest tier of the risk rules. */

/** How many calls; multiplied by the configured scale, 0 of which turns a limit off. */
export const countLimits = { liveCalls: 1, callsPerMinute: 6, callsPerHour: 40, callsPerDay: 120, tokensPerMinute: 10 } as const;

/** How long a ticket is good, from the answer that carries it. */
export const TICKET_LIFE_SECONDS = 60;
/** How long the called phone may ring. */
export const RING_LIMIT_SECONDS = 60;
/** A call may be seen this much after its limit before the service ends it: the provider's own limit comes first. */
export const LIMIT_GRACE_SECONDS = 5;

/** The scaled limit, or null when limits are off. A scale below 1 leaves at least one. */
export function scaled(limit: number, scale: number): number | null {
  return scale === 0 ? null : Math.max(1, Math.floor(limit * scale));
}
