import { actingAs, type Context } from "../context.ts";
import { operatorOf } from "../operator/operator.ts";
import { serve } from "../platform/http/endpoint.ts";
import type { App } from "../platform/http/http.ts";
import { readCustomer } from "./read-customer.ts";
import { readStory } from "./read-story.ts";

export { readCustomer } from "./read-customer.ts";

export { readStory } from "./read-story.ts";

/** `/api/operator/customers`. */
export function storyRoutes(app: App, ctx: Context): void {
  serve(app, "GET /api/operator/customers/:id", (request) =>
    readCustomer(actingAs(ctx, operatorOf(request)), { customer: request.params.id }),
  );

  serve(app, "GET /api/operator/customers/:id/story", (request) =>
    readStory(actingAs(ctx, operatorOf(request)), { customer: request.params.id, ...request.query }),
  );
}
