import { DAY_MS } from "@farline/domain/durations.ts";
import { reconcilePayments } from "./reconcile-payments.ts";
import { forgetRuns, latestRun } from "./reconciliation.store.ts";
import type { Context } from "../../context.ts";

/** In UTC, when few customers pay. */
const HOUR_OF_DAY = 3;
/** The provider's redelivery period, so that each payment is compared on several nights. */
const SPAN_MS = 3 * DAY_MS;
const RUNS_KEPT_MS = 400 * DAY_MS;

/** Job: reconciles ledger and provider once a day. After a missed night, runs as soon as the service does. */
export async function reconcileNightly(ctx: Context): Promise<void> {
  const now = ctx.clock.now();
  const { db } = ctx.handle;
  const last = await latestRun(db);
  if (last !== undefined && last.started_at >= lastNight(now)) return;
  await reconcilePayments(ctx, { from: new Date(now.getTime() - SPAN_MS), to: now });
  await forgetRuns(db, new Date(now.getTime() - RUNS_KEPT_MS));
}

function lastNight(now: Date): Date {
  const today = Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate(), HOUR_OF_DAY);
  return new Date(today <= now.getTime() ? today : today - DAY_MS);
}
