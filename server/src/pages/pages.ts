export { operationsRoutes } from "./operations-routes.ts";
export { createReadiness, type Readiness } from "./readiness.ts";
export { securityHeaders } from "./security-headers.ts";
export { webApp } from "./web-app.ts";
