import type { Database } from "../../platform/database/database.ts";
import type { Metric } from "../../platform/metric.ts";
import { differencesOf, latestEnd, latestRun, type Difference, type ReconciliationRun } from "./reconciliation.store.ts";
import type { Context } from "../../context.ts";

/** The latest completed run with its differences; null before the first. */
export async function latestReconciliation(db: Database): Promise<{ run: ReconciliationRun; differences: Difference[] } | null> {
  const run = await latestRun(db);
  return run === undefined ? null : { run, differences: await differencesOf(db, run.id) };
}

/** It runs every night. */
const LATE_SECONDS = 36 * 60 * 60;

/** Metrics of the reconciliation. */
export function reconciliationMetrics({ handle, clock }: Context): Metric[] {
  return [
    {
      name: "farline_reconciliation_age_seconds",
      help: "Time since ledger and payment provider were last compared to the end",
      read: async () => {
        const at = await latestEnd(handle.db);
        return at === undefined ? 0 : Math.max(0, Math.floor((clock.now().getTime() - at.getTime()) / 1_000));
      },
      runbook: "person-needed",
      level: "ticket",
      warning: (seconds) =>
        seconds < LATE_SECONDS
          ? null
          : `Ledger and payment provider were last compared ${Math.floor(seconds / 3_600)} hours ago. See the log for why no comparison ends.`,
    },
    {
      name: "farline_reconciliation_differences",
      help: "Differences between ledger and payment provider found by the latest reconciliation",
      read: async () => (await latestRun(handle.db))?.differences ?? 0,
      runbook: "person-needed",
      level: "ticket",
      warning: (differences) =>
        differences === 0 ? null : `Ledger and payment provider differ in ${differences} places. See the command reconcile.`,
    },
  ];
}
