import type { DeclaredRoute } from "@farline/contract/api/route-access.ts";
import Fastify, { type FastifyInstance } from "fastify";
import { declareRoutes } from "../declare-routes.ts";
import { LISTENERS } from "../listener-bounds.ts";
import type { VertoServer } from "./verto-server.ts";

const BODY_LIMIT_BYTES = 1;
const CHECK_INTERVAL_MS = 1_000;
/** Far above the limits for sockets. Reached only through a proxy that forwards unfinished requests. */
const MAX_CONNECTIONS = 10_000;
/** Then the connection is closed. A load balancer opens a new one. */
const MAX_REQUESTS_PER_CONNECTION = 20;

/**
 * The browsers' port: WebSocket upgrades, `GET /healthz` (the exchange runs) and `GET /readyz` (it takes new browsers) for a load
 * balancer. All other requests get 404.
 */
export function createBrowserListener(verto: VertoServer): { app: FastifyInstance; routes: readonly DeclaredRoute[] } {
  const app = Fastify({
    logger: false,
    bodyLimit: BODY_LIMIT_BYTES,
    forceCloseConnections: true,
    requestTimeout: LISTENERS.browsers.silentMs,
    keepAliveTimeout: LISTENERS.browsers.silentMs,
    http: { headersTimeout: LISTENERS.browsers.silentMs, connectionsCheckingInterval: CHECK_INTERVAL_MS },
  });
  const routes = declareRoutes(app, "visitor");
  app.get("/healthz", { config: { access: "visitor" } }, async () => ({ status: "ok" }));
  app.get("/readyz", { config: { access: "visitor" } }, async (_request, reply) =>
    reply.code(verto.ready ? 200 : 503).send({ status: verto.ready ? "ok" : "stopping" }),
  );
  app.server.maxConnections = MAX_CONNECTIONS;
  app.server.maxRequestsPerSocket = MAX_REQUESTS_PER_CONNECTION;
  verto.listenOn(app.server);
  return { app, routes };
}
