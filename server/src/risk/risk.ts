import type { Job } from "../platform/jobs/jobs.ts";
import { watchCosts } from "./watch-costs.ts";
import type { Context } from "../context.ts";

export { breakerMetrics, liftBreaker, readBreakers } from "./breakers.ts";
export { addCodeCallCost, CALL_COST, callsSince } from "./breaker.store.ts";
export { readCallRisk, readFreshPayments, readPaymentFacts, type PaymentFacts } from "./risk-facts.store.ts";
export type { Breaker } from "./risk.tables.ts";

const WATCH_EVERY_MS = 30_000;

/** The job that checks carrier costs. */
export function riskJobs(ctx: Context): Job[] {
  return [{ name: "watch-costs", everyMs: WATCH_EVERY_MS, run: () => watchCosts(ctx) }];
}
