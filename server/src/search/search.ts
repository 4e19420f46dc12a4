export { searchRoutes } from "./search-routes.ts";
export { searchEverything } from "./search-everything.ts";
