/** What an account may do, as data. Every account counts as new: the lowest tier of the risk rules. */

/** How many calls; multiplied by the configured scale, 0 of which turns a limit off. */
export const countLimits = { liveCalls: 1, callsPerMinute: 6, callsPerHour: 40, callsPerDay: 120, tokensPerMinute: 10 } as const;

/** The longest call of all: what the provider's `time_limit_secs` takes at most. */
export const PRODUCT_CAP_SECONDS = 14_400;

/** Price classes by the price per minute, cheapest first, with the longest call of each. Dearer ones are not open to new accounts. */
export const priceClasses: readonly { readonly name: "A" | "B"; readonly upToMicros: bigint; readonly capSeconds: number }[] = [
  { name: "A", upToMicros: 150_000n, capSeconds: 60 * 60 },
  { name: "B", upToMicros: 600_000n, capSeconds: 20 * 60 },
];

/** Kinds of number that are never dialled: they exist to take money from whoever calls. */
export const blockedNumberTypes: ReadonlySet<string> = new Set([
  "premium",
  "shared_cost",
  "uan",
  "pager",
  "voicemail",
  "personal",
  "satellite",
  "international_network",
]);

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
