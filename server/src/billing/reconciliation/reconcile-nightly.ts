import { DAY_MS } from "@farline/domain/durations.ts";
import { reconcilePayments } from "./reconcile-payments.ts";
import { forgetRuns, latestRun } from "./reconciliation.store.ts";
import type { Context } from "../../context.ts";

/** In UTC, when few customers pay. */
const HOUR_OF_DAY = 3;
/** The provider's redelivery period, so that each payment is compared on several nights. */
const SPAN_MS = 3 * DAY_MS;
const RUNS_KEPT_MS = 400 * DAY_MS;
/** No run takes as long. */
const UNFINISHED_KEPT_MS = 7 * DAY_MS;

/** Job: reconciles ledger and provider once a day. After a missed night, runs as soon as the service does. */
export async function reconcileNightly(ctx: Context, signal: AbortSignal): Promise<void> {
  const now = ctx.clock.now();
  const { db } = ctx.handle;
  const last = await latestRun(db);
  if (last !== undefined && last.started_at >= lastNight(now)) return;
  const before = (ms: number) => new Date(now.getTime() - ms);
  await reconcilePayments(ctx, { from: before(SPAN_MS), to: now }, signal);
  await forgetRuns(db, { finished: before(RUNS_KEPT_MS), unfinished: before(UNFINISHED_KEPT_MS) }, signal);
}

function lastNight(now: Date): Date {
  const today = Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate(), HOUR_OF_DAY);
  return new Date(today <= now.getTime() ? today : today - DAY_MS);
}
