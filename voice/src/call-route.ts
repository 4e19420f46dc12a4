import type { BillingRate } from "@farline/domain/calls/charge.ts";

/**
 * How an attempt over one trunk ended. `failed`: a fault of the trunk, so the next one may be tried; `silent`: no response;
 * `unanswered`: the ring time-out; `cancelled`: by us, or still in progress.
 */
export type AttemptOutcome = "answered" | "refused" | "failed" | "silent" | "unanswered" | "cancelled";

/** One attempt over one trunk. Contains no carrier-supplied text. */
export interface TrunkAttempt {
  readonly trunk: string;
  readonly startedAt: Date;
  readonly durationMs: number;
  /** Post-dial delay: from the INVITE to the first 18x or 2xx response; null without either. */
  readonly postDialDelayMs: number | null;
  readonly sipStatus: number | null;
  readonly q850Cause: number | null;
  readonly outcome: AttemptOutcome;
}

/** The trunks that a call has tried. */
export interface CallRoute {
  /** The last trunk tried, which carries the call; null before the first. */
  readonly trunk: string | null;
  readonly cost: BillingRate | null;
  /** At most `MAX_ATTEMPTS`. */
  readonly attempts: readonly TrunkAttempt[];
}

export const MAX_ATTEMPTS = 8;
