export { overviewRoutes } from "./overview-routes.ts";
export { readFigures, readOverview, type OverviewSources } from "./read-overview.ts";
