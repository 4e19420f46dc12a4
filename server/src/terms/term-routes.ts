import { actingAs, type Context } from "../context.ts";
import { operatorOf, orProposed } from "../operator/operator.ts";
import { serve } from "../platform/http/endpoint.ts";
import type { App } from "../platform/http/http.ts";
import { changeTerm } from "./change-term.ts";

/** `/api/operator/customers/:id/terms`: one customer's tier and limits. */
export function termRoutes(app: App, ctx: Context): void {
  serve(app, "POST /api/operator/customers/:id/terms", async (request) => {
    const { until, ...order } = request.body;
    const term = { customer: request.params.id, until: until === undefined ? null : new Date(until), ...order };
    const { proposal } = await orProposed(changeTerm(actingAs(ctx, operatorOf(request)), term));
    return { proposal };
  });
}
