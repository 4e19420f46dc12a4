import type { DeclaredRoute } from "@farline/contract/route-access.ts";
import Fastify, { type FastifyInstance } from "fastify";
import { declareRoutes } from "../declare-routes.ts";
import type { VertoServer } from "./verto-server.ts";

/** No request on this listener needs a body. */
const bodyLimitBytes = 1;
/** A connection is closed when its request has not arrived within this time. */
const requestTimeoutMs = 5_000;
const checkIntervalMs = 1_000;
/** Far above the limits for anonymous and signed-in sockets: only a proxy that forwards unfinished requests gets near it. */
const maxConnections = 10_000;

/**
 * The browsers' port: WebSocket upgrades, and `GET /healthz` for a load balancer, which reports that the exchange runs and nothing
 * more. Every other request gets 404.
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
