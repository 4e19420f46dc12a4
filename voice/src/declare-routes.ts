import { declaredRoutes, type DeclaredRoute, type RouteAccess } from "@farline/contract/api/route-access.ts";
import type { FastifyInstance } from "fastify";

declare module "fastify" {
  interface FastifyContextConfig {
    access: RouteAccess;
  }
}

/**
 * Requires every route of a listener to declare this access.
 * @returns the routes, to which later ones are added
 * @throws Error when a route without this access is added
 */
export function declareRoutes(app: FastifyInstance, access: RouteAccess): readonly DeclaredRoute[] {
  const routes: DeclaredRoute[] = [];
  app.addHook("onRoute", (route) => {
    for (const declared of declaredRoutes(route)) {
      if (declared.access !== access)
        throw new Error(`${declared.method} ${declared.url} is for "${declared.access}", its listener for "${access}".`);
      routes.push(declared);
    }
  });
  return routes;
}
