import type { FastifyInstance, FastifyRequest } from "fastify";

/** Accepts form bodies, unparsed, besides the content types accepted so far. */
export function acceptForms(app: FastifyInstance): void {
  app.addContentTypeParser("application/x-www-form-urlencoded", { parseAs: "string" }, (_request, body, done) =>
    done(null, body),
  );
}

/** Accepts form bodies and nothing else. */
export function acceptOnlyForms(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  acceptForms(app);
}

/** The unparsed form; empty without one. */
export function formText(request: FastifyRequest): string {
  return typeof request.body === "string" ? request.body : "";
}

/** Whether another site submits the request in the user's name. */
export function isCrossSite(request: FastifyRequest): boolean {
  return request.headers["sec-fetch-site"] === "cross-site";
}
