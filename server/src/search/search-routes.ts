import { actingAs, type Context } from "../context.ts";
import { operatorOf } from "../operator/operator.ts";
import { serve } from "../platform/http/endpoint.ts";
import type { App } from "../platform/http/http.ts";
import { searchEverything } from "./search-everything.ts";

/** `/api/operator/search`. */
export function searchRoutes(app: App, ctx: Context): void {
  serve(app, "POST /api/operator/search", (request) => searchEverything(actingAs(ctx, operatorOf(request)), request.body.text));
}
