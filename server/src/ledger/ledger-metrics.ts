import type { Metric } from "../platform/metric.ts";
import type { Context } from "../context.ts";
import { latestCheck } from "./ledger-check.store.ts";

/** Metrics of the ledger for monitoring, from its hourly check. */
export function ledgerMetrics({ handle, clock }: Context): Metric[] {
  return [
    {
      name: "farline_ledger_deviations",
      help: "Deviations found by the latest check of the ledger",
      read: async () => (await latestCheck(handle.db))?.deviations ?? 0,
      runbook: "ledger-drift",
      warning: (deviations) =>
        deviations === 0 ? null : `The ledger does not add up in ${deviations} places. Each is in the log as "ledger drift".`,
    },
    {
      name: "farline_ledger_check_age_seconds",
      help: "Time since the latest check of the ledger; 0 before the first",
      read: async () => {
        const check = await latestCheck(handle.db);
        return check === null ? 0 : Math.max(0, Math.floor((clock.now().getTime() - check.at.getTime()) / 1_000));
      },
    },
  ];
}
