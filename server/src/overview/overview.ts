export { overviewRoutes } from "./overview-routes.ts";
export { readOverviewMetrics, readOverview, type OverviewSources } from "./read-overview.ts";
