import type { Context } from "../context.ts";
import type { Metric } from "../platform/metric.ts";
import { oldestOpenCase } from "./case.store.ts";

export { caseRoutes } from "./case-routes.ts";
export type { QueuedCase } from "./case.store.ts";
export { caseVerbs, openCases, findCase } from "./decide-case.ts";

const HOUR_MS = 60 * 60 * 1000;
/** From this age on, a question is late. */
const LATE_HOURS = 24;

/** For monitoring. */
export function caseMetrics({ handle, clock }: Context): Metric[] {
  return [
    {
      name: "farline_oldest_case_hours",
      help: "Age of the oldest open customer question in whole hours",
      read: async () => {
        const since = await oldestOpenCase(handle.db);
        return since === undefined ? 0 : Math.floor((clock.now().getTime() - since.getTime()) / HOUR_MS);
      },
      runbook: "person-needed",
      level: "ticket",
      warning: (hours) =>
        hours < LATE_HOURS ? null : `A customer's question has waited for ${hours} hours. See the command cases.`,
    },
  ];
}
