import type { Job } from "../platform/jobs/jobs.ts";
import type { Context } from "../context.ts";
import { insertBreaker, listBreakers, readCarrierSpend, readHourlyCosts } from "./breaker.store.ts";
import { decidePauses, decideSpend, ignoredHourlyCost, startOfDay, type NewBreaker } from "./decide-breakers.ts";

export { breakerMetrics, breakerText, breakerVerbs, readBreakers } from "./breakers.ts";
export { addCodeCallCost, CALL_COST, callsSince } from "./breaker.store.ts";
export { readCallRisk, readFreshPayments, readPaymentFacts } from "./risk-facts.store.ts";
export type { Breaker } from "./risk.tables.ts";

const WATCH_EVERY_MS = 30_000;

/** The job that checks carrier costs. */
export function riskJobs(ctx: Context): Job[] {
  return [{ name: "watch-costs", everyMs: WATCH_EVERY_MS, run: () => watchCosts(ctx) }];
}

/** Checks carrier costs and pauses destinations with suspicious ones. Each finding is recorded once and logged for operators. */
export async function watchCosts({ handle, clock, log, config, settings }: Context): Promise<void> {
  const limits = settings.current().carrierCosts;
  const scale = config.limitsScale;
  if (scale === 0) return;
  const now = clock.now();
  const day = startOfDay(now);
  const known = await listBreakers(handle.db, day);
  const today = known.filter((one) => one.opened_at >= day);
  const made: NewBreaker[] = [
    ...decideSpend(await readCarrierSpend(handle.db, day, now), today, { now, scale, limits }),
    ...decidePauses(await readHourlyCosts(handle.db, now, ignoredHourlyCost(limits, scale)), known, { now, scale, limits }),
  ];
  for (const breaker of made) {
    await insertBreaker(handle.db, { ...breaker, openedAt: now });
    const { kind: rule, subject, inputs, until } = breaker;
    if (rule === "spend_note") log.warn({ rule, subject, inputs }, "carrier cost passed a warning threshold of the daily limit");
    else log.error({ rule, subject, inputs, until }, "a breaker stops calls; see the command breakers");
  }
}
