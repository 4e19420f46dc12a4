import type { DatabaseWatch } from "../database/database-watch.ts";
import { AppError } from "../app-error.ts";
import type { App } from "./http.ts";

const RETRY_AFTER_SECONDS = 2;
/** Routes that report the service's health or need no database. */
const ALWAYS_OPEN: ReadonlySet<string> = new Set(["/api/health", "/api/ready", "/api/config"]);

/** Refuses requests that need the database while it does not answer. Call it before adding routes. */
export function refuseWithoutDatabase(app: App, watch: Pick<DatabaseWatch, "answering">): void {
  app.addHook("onRequest", async (request) => {
    if (watch.answering) return;
    const { url = "" } = request.routeOptions;
    if (!url.startsWith("/api/") || ALWAYS_OPEN.has(url)) return;
    throw new AppError("unavailable", { retryAfterSeconds: RETRY_AFTER_SECONDS });
  });
}
