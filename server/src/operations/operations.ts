export { businessRoutes } from "./business-routes.ts";
export { operationRoutes } from "./operation-routes.ts";
export { confirmProposed, perform, type ResultOf } from "./perform.ts";
