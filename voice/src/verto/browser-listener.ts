import type { DeclaredRoute } from "@farline/contract/route-access.ts";
import Fastify, { type FastifyInstance } from "fastify";
import { declareRoutes } from "../declare-routes.ts";
import type { VertoServer } from "./verto-server.ts";

/** No request on this listener has a body worth reading. */
const bodyLimitBytes = 1;

/**
 * The browsers' port: WebSocket upgrades, and `GET /healthz` for a load balancer, which says that the exchange runs and nothing
 * more. Whatever else is requested is not here.
 */
export function createBrowserListener(verto: VertoServer): { app: FastifyInstance; routes: readonly DeclaredRoute[] } {
  const app = Fastify({ logger: false, bodyLimit: bodyLimitBytes, forceCloseConnections: true });
  const routes = declareRoutes(app, "visitor");
  app.get("/healthz", { config: { access: "visitor" } }, async () => ({ status: "ok" }));
  verto.listenOn(app.server);
  return { app, routes };
}
