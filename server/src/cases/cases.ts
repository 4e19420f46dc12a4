export { caseRoutes } from "./case-routes.ts";
export type { QueuedCase } from "./case.store.ts";
export { caseMetrics } from "./case-metrics.ts";
export { caseVerbs, countCases, openCases, findCase } from "./decide-case.ts";
