import type { BillingRate } from "@farline/domain/calls/charge.ts";

/** Money that decides which trunks may carry a call, as the service knows it. */
export interface CallPrices {
  /** What the customer pays: no trunk may carry the call that leaves no margin. */
  readonly sale: BillingRate;
  /** What trunks with a price list of their own take for the number, by name; null: the list has no such number. */
  readonly costs: ReadonlyMap<string, BillingRate | null>;
}

/**
 * How an attempt over one trunk ended. `failed`: a fault of the trunk, so that the next one may be tried; `silent`: no response at
 * all; `unanswered`: it rang too long; `cancelled`: from our side, or still under way.
 */
export type AttemptOutcome = "answered" | "refused" | "failed" | "silent" | "unanswered" | "cancelled";

/** One INVITE over one trunk. No text of the carrier's is in it. */
export interface TrunkAttempt {
  readonly trunk: string;
  readonly startedAt: Date;
  /** Until its outcome was clear. */
  readonly durationMs: number;
  /** Null without a final response. */
  readonly sipStatus: number | null;
  readonly q850Cause: number | null;
  readonly outcome: AttemptOutcome;
}

/** How a call went through the network so far. */
export interface CallRoute {
  /** The trunk that was tried last, and so the one that carries the call; null before the first. */
  readonly trunk: string | null;
  /** What that trunk takes; null where nobody has said it. */
  readonly cost: BillingRate | null;
  /** In their order, at most `MAX_ATTEMPTS`. */
  readonly attempts: readonly TrunkAttempt[];
}

export const MAX_ATTEMPTS = 8;
