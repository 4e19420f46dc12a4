import { actingAs, type Context } from "../../context.ts";
import { operatorOf } from "../../operator/operator.ts";
import { serve } from "../../platform/http/endpoint.ts";
import type { App } from "../../platform/http/http.ts";
import { readTrafficReport } from "../metrics/traffic-report.ts";
import { readCallForOperator } from "./read-call-for-operator.ts";
import { operatorEventRoute } from "./operator-event-route.ts";
import { liveSnapshots, readLiveCalls } from "./read-live-calls.ts";

/** `/api/operator/calls` and `/api/operator/traffic`. */
export function operatorCallRoutes(app: App, ctx: Context): void {
  operatorEventRoute(app, ctx);

  const live = liveSnapshots(ctx);
  serve(app, "GET /api/operator/calls/live", (request) => readLiveCalls(actingAs(ctx, operatorOf(request)), request.query, live));

  serve(app, "GET /api/operator/calls/:id", (request) =>
    readCallForOperator(actingAs(ctx, operatorOf(request)), { call: request.params.id }),
  );

  serve(app, "GET /api/operator/traffic", ({ query }) => readTrafficReport(ctx, query));
}
