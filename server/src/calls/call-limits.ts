/** How much an account may do, as data. Every account counts as new: the lowest tier of the risk rules. */

/** How many calls; multiplied by the configured scale, 0 of which turns a limit off. */
export const countLimits = {
  liveCalls: 1,
  callsPerMinute: 6,
  callsPerHour: 40,
  callsPerDay: 120,
  tokensPerMinute: 10,
  echoTestsPerHour: 10,
  extensionsPerMinute: 20,
} as const;

/**
 * Patterns that ordinary callers do not show and that people who earn by calls do. Counts are multiplied by the configured
 * scale like the others; see migration 062 for what each one looks at.
 */
const callRules = {
  /** Different numbers within one thousand in an hour: this many stop the account for a day. */
  near_numbers_per_hour: 4,
  /** Answered calls below `short_call_ms` in an hour: this many stop the account for an hour. */
  short_calls_per_hour: 10,
  same_number_per_hour: 12,
  numbers_per_day: 25,
  countries_per_day: 5,
} as const;
/** Micro-dollars in 24 hours, in all and on destinations dearer than `dear_above_micros` a minute. */
const spendRules = { spend_per_day_micros: 30_000_000, dear_spend_per_day_micros: 10_000_000 } as const;
const SHORT_CALL_MS = 10_000;
const DEAR_ABOVE_MICROS = 150_000;
/** Numbers that Ofcom keeps for drama: nobody has them, so nobody earns on them, and whoever tries the service out calls them. */
const EARNS_NOTHING = "^\\+442079460";

/** How long a broken rule stops an account, in milliseconds. The other rules only refuse the call. */
export const blocksAccountMs: Readonly<Record<string, number>> = {
  near_numbers: 24 * 60 * 60 * 1000,
  short_calls: 60 * 60 * 1000,
};

/** The rules as `authorise_call` and `extend_call` take them; null when limits are off. */
export function rulesFor(scale: number): Record<string, number | string> | null {
  if (scale === 0) return null;
  const counts = Object.entries(callRules).map(([rule, limit]) => [rule, scaled(limit, scale)] as const);
  const amounts = Object.entries(spendRules).map(([rule, micros]) => [rule, Math.floor(micros * scale)] as const);
  return {
    ...Object.fromEntries([...counts, ...amounts].map(([rule, limit]) => [rule, limit ?? 0])),
    short_call_ms: SHORT_CALL_MS,
    dear_above_micros: DEAR_ABOVE_MICROS,
    earns_nothing: EARNS_NOTHING,
  };
}

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
