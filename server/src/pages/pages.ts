import { existsSync } from "node:fs";
import { pathToFileURL } from "node:url";
import type { PageRenderer } from "@farline/contract/public-pages.ts";

export { operationsRoutes, monitorGuard } from "./operations-routes.ts";
export { inlineCode, securityHeaders } from "./security-headers.ts";
export { publicPages } from "./public-pages.ts";
export { createMonitoring } from "./metrics.ts";
export { createReadiness, partMetrics, partStates, presentParts, type ReadReadiness } from "./readiness.ts";
export { webApp } from "./web-app.ts";

/**
 * Loads the renderer of the public pages; null before `npm run build`.
 * @param file the renderer's bundle
 */
export async function loadPageRenderer(file: string): Promise<PageRenderer | null> {
  if (!existsSync(file)) return null;
  const module = (await import(pathToFileURL(file).href)) as { default: PageRenderer };
  return module.default;
}
