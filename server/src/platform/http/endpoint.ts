import {
  api,
  type AnswerOf,
  type EndpointName,
  type ParametersOf,
  type ReadBodyOf,
  type ReadQueryOf,
} from "@farline/contract/api/api.ts";
import { statusOf, type Endpoint } from "@farline/contract/api/endpoint.ts";
import type { FastifyReply, FastifyRequest, FastifySchema, RouteShorthandOptions } from "fastify";
import { z } from "zod";
import type { App } from "./http.ts";
import { AppError } from "../app-error.ts";

const PRINTABLE = /^[\x21-\x7e]{1,255}$/;

/** A request whose parameters, query and body were parsed with the endpoint's schemas. */
export type EndpointRequest<N extends EndpointName> = FastifyRequest<{
  Params: ParametersOf<N>;
  Querystring: ReadQueryOf<N>;
  Body: ReadBodyOf<N>;
}>;

/** Returns the declared JSON, or sends a file, stream or bytes itself and returns the reply. */
type Handlers = {
  [N in EndpointName]: (request: EndpointRequest<N>, reply: FastifyReply) => Promise<AnswerOf<N> | FastifyReply>;
};

interface Options<Handler> {
  /** Runs after the access check and before the body is read, for rate limits. */
  readonly onRequest?: RouteShorthandOptions["onRequest"];
  /** Runs after the body is read, for limits that depend on it. */
  readonly preHandler?: RouteShorthandOptions["preHandler"];
  /** Maximum size of a raw body. */
  readonly bodyLimit?: number;
  readonly errorHandler?: (error: Error) => never;
  readonly handler: Handler;
}

/** Serves an endpoint as the contract declares it: its access, schemas and success status. */
export function serve<N extends EndpointName>(app: App, name: N, given: Handlers[N] | Options<Handlers[N]>): void {
  const endpoint: Endpoint = api[name];
  const { handler, ...options } = typeof given === "function" ? { handler: given } : given;
  const [method = "", url = ""] = name.split(" ");
  const register = (scope: App): void =>
    void scope.route({
      ...options,
      method,
      url,
      config: { access: endpoint.access, ...(endpoint.right === undefined ? {} : { right: endpoint.right }) },
      schema: schemaOf(url, endpoint),
      handler: async (request, reply) => {
        const answer = await handler(request as EndpointRequest<N>, reply);
        // A reply that a handler returns is awaited too. If its reader left a stream, it is not `sent`, but has its headers.
        return reply.sent || reply.raw.headersSent ? reply : reply.status(statusOf(endpoint)).send(answer);
      },
    });
  if (endpoint.raw === undefined) return register(app);
  const { type } = endpoint.raw;
  app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    if (type === "application/gzip") scope.addContentTypeParser(type, (_request, body, done) => done(null, body));
    else scope.addContentTypeParser(encodingsOf(type), { parseAs: "buffer" }, (_request, body, done) => done(null, body));
    scope.addHook("preHandler", async (request) => void (request.body ??= Buffer.alloc(0)));
    register(scope as unknown as App);
  });
}

/** A form has two encodings, and mail programs may use either (RFC 8058 §3.1). */
function encodingsOf(type: string): string[] {
  return type === "application/x-www-form-urlencoded" ? [type, "multipart/form-data"] : [type];
}

function schemaOf(url: string, { query, body }: Endpoint): FastifySchema {
  const names = [...url.matchAll(/:(\w+)/g)].map(([, name = ""]) => name);
  return {
    ...(names.length > 0 ? { params: z.object(Object.fromEntries(names.map((name) => [name, z.string()]))) } : {}),
    ...(query === undefined ? {} : { querystring: query }),
    ...(body === undefined ? {} : { body }),
  };
}

/** The request's Idempotency-Key, or null. @throws AppError malformed_request */
export function requestKeyOf(request: FastifyRequest): string | null {
  const key = request.headers["idempotency-key"];
  if (key === undefined) return null;
  if (typeof key !== "string" || !PRINTABLE.test(key))
    throw new AppError("malformed_request", { reason: "idempotency_key_invalid" });
  return key;
}
