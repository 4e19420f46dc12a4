import { declaredRoutes, type DeclaredRoute, type RouteAccess } from "@farline/contract/route-access.ts";
import type { FastifyInstance } from "fastify";

declare module "fastify" {
  interface FastifyContextConfig {
    access: RouteAccess;
  }
}

/**
 * Makes every later route of a listener declare who may call it, which must be what the listener is for.
 * @returns the routes, which grow as they are added
 * @throws Error, from where the route is added, for a route without this access
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
