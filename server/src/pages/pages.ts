export { operationsRoutes, monitorGuard } from "./operations-routes.ts";
export { inlineCode } from "./inline-code.ts";
export { loadPageRenderer } from "./page-renderer.ts";
export { publicPages } from "./public-pages.ts";
export { createMonitoring } from "./metrics.ts";
export { absentProviders, createReadiness, partMetrics, type Readiness, type ReadReadiness } from "./readiness.ts";
export { securityHeaders } from "./security-headers.ts";
export { webApp } from "./web-app.ts";
