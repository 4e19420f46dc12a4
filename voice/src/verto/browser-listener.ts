import type { DeclaredRoute } from "@farline/contract/route-access.ts";
import Fastify, { type FastifyInstance } from "fastify";
import { declareRoutes } from "../declare-routes.ts";
import type { VertoServer } from "./verto-server.ts";

/** No request on this listener has a body worth reading. */
const bodyLimitBytes = 1;
/** A request has to arrive within this; a connection without one is kept no longer. */
const requestTimeoutMs = 5_000;
const checkIntervalMs = 1_000;
/** Far above what may wait and be signed in: only a proxy that passes on unfinished requests comes near. */
const maxConnections = 10_000;

/**
 * The browsers' port: WebSocket upgrades, and `GET /healthz` for a load balancer, which says that the exchange runs and nothing
 * more. Whatever else is requested is not here.
 */
export function createBrowserListener(verto: VertoServer): { app: FastifyInstance; routes: readonly DeclaredRoute[] } {
  const app = Fastify({
    logger: false,
    bodyLimit: bodyLimitBytes,
    forceCloseConnections: true,
    requestTimeout: requestTimeoutMs,
    keepAliveTimeout: requestTimeoutMs,
    http: { headersTimeout: requestTimeoutMs, connectionsCheckingInterval: checkIntervalMs },
  });
  const routes = declareRoutes(app, "visitor");
  app.get("/healthz", { config: { access: "visitor" } }, async () => ({ status: "ok" }));
  app.server.maxConnections = maxConnections;
  verto.listenOn(app.server);
  return { app, routes };
}
