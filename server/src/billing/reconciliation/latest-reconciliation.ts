import type { Database } from "../../platform/database/database.ts";
import type { Metric } from "../../platform/metric.ts";
import { differencesOf, latestRun, type Difference, type ReconciliationRun } from "./reconciliation.store.ts";
import type { Context } from "../../context.ts";

/** The latest completed run with its differences; null before the first. */
export async function latestReconciliation(db: Database): Promise<{ run: ReconciliationRun; differences: Difference[] } | null> {
  const run = await latestRun(db);
  return run === undefined ? null : { run, differences: await differencesOf(db, run.id) };
}

/** Metrics of the reconciliation. */
export function reconciliationMetrics({ handle }: Context): Metric[] {
  return [
    {
      name: "farline_reconciliation_differences",
      help: "Differences between ledger and payment provider found by the latest reconciliation",
      read: async () => (await latestRun(handle.db))?.differences ?? 0,
      runbook: "person-needed",
      warning: (differences) =>
        differences === 0 ? null : `Ledger and payment provider differ in ${differences} places. See the command reconcile.`,
    },
  ];
}
