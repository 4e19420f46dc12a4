import { timingSafeEqual } from "node:crypto";
import type { ConfigResponse } from "@farline/contract/accounts.ts";
import type { FastifyRequest } from "fastify";
import { AppError } from "../platform/app-error.ts";
import type { Config } from "../platform/settings/config.ts";
import { serve } from "../platform/http/endpoint.ts";
import type { App, Guard } from "../platform/http/http.ts";
import type { Monitoring } from "./metrics.ts";
import { offersOf } from "../promotions/promotions.ts";
import { openApiDocument } from "./openapi.ts";
import { securityText } from "./site-files.ts";
import { neededPartsDown, partStates, type ReadReadiness } from "./readiness.ts";
import type { ServiceContext } from "../context.ts";

const LOOPBACK = /^(::1|(::ffff:)?127\.\d+\.\d+\.\d+)$/;

/** `/api/health`, `/api/ready`, `/api/config`, `/api/openapi.json`, `/metrics` and `/.well-known/security.txt`. */
export function operationsRoutes(
  app: App,
  { config, clock }: ServiceContext,
  parts: {
    readonly readiness: ReadReadiness;
    /** A service that is about to stop still serves, but balancers should send nothing more. */
    readonly lifecycle: { readonly stopping: boolean };
    readonly monitoring: Monitoring;
  },
): void {
  const { readiness, lifecycle, monitoring } = parts;
  serve(app, "GET /api/health", async () => ({ status: "ok" }));

  serve(app, "GET /api/ready", async (request, reply) => {
    const known = await readiness();
    const states = partStates(known);
    const down = neededPartsDown(known);
    const needed = lifecycle.stopping ? ["stopping", ...down] : down;
    if (needed.length === 0) {
      // Only monitoring sees sentences; everybody may know which part works.
      const warnings = mayReadMetrics(request, config.metricsToken) ? await monitoring.troubles() : [];
      return { status: states.intake === "down" ? "closed" : "ready", parts: states, warnings };
    }
    const message = `Not ready: ${needed.join(", ")}.`;
    return reply.status(503).send({ status: "unavailable", code: "unavailable", message, parts: states });
  });

  serve(app, "GET /api/config", async () => appConfig(config));

  app.get("/.well-known/security.txt", { config: { access: "visitor" } }, async (_request, reply) =>
    reply.type("text/plain; charset=utf-8").send(securityText(config.publicUrl, config.supportEmail, clock.now())),
  );

  serve(app, "GET /api/openapi.json", async (_request, reply) =>
    reply.type("application/json; charset=utf-8").send(await openApiDocument()),
  );

  app.get("/metrics", { config: { access: "monitor" } }, async (_request, reply) =>
    reply.type(monitoring.contentType).send(await monitoring.write()),
  );
}

/** What the web app needs before sign-in. Its pages carry it too. */
export function appConfig(config: Config): ConfigResponse {
  return {
    mode: config.mode,
    sandbox_url: config.sandboxUrl,
    currency: "USD",
    google: config.google !== null,
    ...offersOf(config.promotions),
    seller: config.sellerNotice,
  };
}

/** Enforces the access `monitor`: for anybody else the route does not exist. */
export function monitorGuard(config: Config): Guard {
  return (request) => {
    if (!mayReadMetrics(request, config.metricsToken)) throw new AppError("not_found", { reason: "address_unknown" });
  };
}

/** With a configured token, only its holder; without one, only direct requests from this machine. */
function mayReadMetrics(request: FastifyRequest, token: string | null): boolean {
  if (token === null)
    return (
      LOOPBACK.test(request.socket.remoteAddress ?? "") &&
      request.headers["x-forwarded-for"] === undefined &&
      request.headers.forwarded === undefined
    );
  const wanted = Buffer.from(`Bearer ${token}`);
  const given = Buffer.from(request.headers.authorization ?? "");
  return wanted.length === given.length && timingSafeEqual(wanted, given);
}
