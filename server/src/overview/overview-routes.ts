import { actingAs, type ServiceContext } from "../context.ts";
import { operatorOf } from "../operator/operator.ts";
import { serve } from "../platform/http/endpoint.ts";
import type { App } from "../platform/http/http.ts";
import { sharedReading } from "../platform/shared-reading.ts";
import { readOverviewMetrics, readOverview, type OverviewSources } from "./read-overview.ts";

/** Hints ask for the page each second, from every open console; days and trunks change less. */
const METRICS_GOOD_FOR_MS = 15_000;

/** `GET /api/operator/overview`. */
export function overviewRoutes(app: App, ctx: ServiceContext, sources: Omit<OverviewSources, "metrics">): void {
  const metrics = sharedReading(() => readOverviewMetrics(ctx), METRICS_GOOD_FOR_MS);
  serve(app, "GET /api/operator/overview", (request) =>
    readOverview(actingAs(ctx, operatorOf(request)), { ...sources, metrics }),
  );
}
