import { existsSync } from "node:fs";
import { join, sep } from "node:path";
import fastifyStatic from "@fastify/static";
import type { FastifyReply, FastifyRequest } from "fastify";
import { AppError } from "../platform/app-error.ts";
import { pathOf, type App } from "../platform/http.ts";

const INDEX = "index.html";
const NOT_BUILT = "The web app is not built yet. Run npm run build, then load this page again.\n";

/**
 * Serves the built web app: files as they are, and its one page for every address a browser opens that is none of the
 * API's. Files whose names hold a hash of their content may be kept for ever; the page is asked for again each time.
 * @param folder what `npm run build` made; it may be absent
 */
export function webApp(app: App, folder: string): void {
  const built = existsSync(join(folder, INDEX));
  if (built)
    app.register(fastifyStatic, {
      root: folder,
      preCompressed: true,
      cacheControl: false,
      setHeaders: (reply, path) => void reply.header("cache-control", cacheControlOf(path)),
    });
  app.setNotFoundHandler(async (request, reply) => {
    if (!isPageRequest(request)) throw new AppError("not_found", "There is nothing at this address.");
    if (!built) return reply.status(503).type("text/plain; charset=utf-8").send(NOT_BUILT);
    return sendPage(reply);
  });
}

function sendPage(reply: FastifyReply): FastifyReply {
  return reply.sendFile(INDEX);
}

function cacheControlOf(path: string): string {
  return path.includes(`${sep}assets${sep}`) ? "public, max-age=31536000, immutable" : "no-cache";
}

function isPageRequest(request: FastifyRequest): boolean {
  const path = pathOf(request);
  if (request.method !== "GET" && request.method !== "HEAD") return false;
  if (path === "/api" || path.startsWith("/api/") || path.startsWith("/assets/")) return false;
  return (request.headers.accept ?? "").includes("text/html");
}
