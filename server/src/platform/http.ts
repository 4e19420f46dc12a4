import { fastifyCookie } from "@fastify/cookie";
import Fastify, { LogController, type FastifyInstance, type FastifyRequest } from "fastify";
import {
  serializerCompiler,
  validatorCompiler,
  hasZodFastifySchemaValidationErrors,
  type ZodTypeProvider,
} from "fastify-type-provider-zod";
import type { Logger } from "pino";
import { AppError } from "./app-error.ts";

const JSON_LIMIT_BYTES = 64 * 1024;

export type App = FastifyInstance<any, any, any, Logger, ZodTypeProvider>;

/** Builds the HTTP server: JSON only, bounded, one form of error body, no URL query in the log. */
export function createApp(options: { log: Logger; trustedProxies: number }): App {
  const app = Fastify({
    loggerInstance: options.log,
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: JSON_LIMIT_BYTES,
    requestTimeout: 15_000,
    routerOptions: { maxParamLength: 128 },
    trustProxy: (_address: string, hop: number) => hop < options.trustedProxies,
    genReqId: () => crypto.randomUUID(),
  }).withTypeProvider<ZodTypeProvider>() as unknown as App;
  app.setValidatorCompiler(validatorCompiler);
  app.setSerializerCompiler(serializerCompiler);
  acceptJsonOnly(app);
  app.register(fastifyCookie);
  app.setErrorHandler((error, request, reply) => {
    const known = toAppError(error);
    if (known.status >= 500) request.log.error({ err: error, path: pathOf(request) }, "request failed");
    if (known.retryAfterSeconds !== undefined) reply.header("retry-after", String(known.retryAfterSeconds));
    return reply.status(known.status).send(known.body(request.id));
  });
  app.addHook("onResponse", async (request, reply) => {
    request.log.debug(
      { method: request.method, path: pathOf(request), status: reply.statusCode, ms: Math.round(reply.elapsedTime) },
      "request",
    );
  });
  return app;
}

/** The path without its query: tokens and codes may be in there and must not reach a log. */
export function pathOf(request: FastifyRequest): string {
  return request.url.split("?", 1)[0] ?? "/";
}

/**
 * The specification's client sends a JSON header with every call, also those without a body: empty means none. Other
 * content types are refused, because a browser may send them from a foreign page without asking first.
 */
function acceptJsonOnly(app: App): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("application/json", { parseAs: "string" }, (_request, body, done) => {
    const text = body as string;
    if (text.trim() === "") return done(null, undefined);
    try {
      done(null, JSON.parse(text, dropPrototype));
    } catch {
      done(new AppError("malformed_request", "The request is not valid JSON."), undefined);
    }
  });
}

function dropPrototype(key: string, value: unknown): unknown {
  return key === "__proto__" ? undefined : value;
}

function toAppError(error: unknown): AppError {
  if (error instanceof AppError) return error;
  if (hasZodFastifySchemaValidationErrors(error)) return validationError(error.validation);
  switch ((error as { code?: string }).code) {
    case "FST_ERR_CTP_BODY_TOO_LARGE":
      return new AppError("body_too_large", "The request is too large.");
    case "FST_ERR_CTP_INVALID_MEDIA_TYPE":
      return new AppError("unsupported_media_type", "Send the request as application/json.");
  }
  if (meansAway(error)) return new AppError("unavailable", "The service is not ready. Try again in a moment.", { cause: error });
  return new AppError("internal", "Something went wrong on our side. Try again in a moment.", { cause: error });
}

/** Errors of sockets, and of the database: connection lost, out of room, shutting down, read-only (PostgreSQL, appendix A). */
const AWAY_CODE = /^(ECONN|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN|08|53|57P|25006)/;
/** What the database's client library says of a connection that is no more, without a code. */
const AWAY_WORDS = ["timeout exceeded when trying to connect", "Connection terminated", "connection error and is not queryable"];

/** Something that we need is away or went away: not our fault, and worth another try. */
function meansAway(error: unknown): boolean {
  const { code, message } = error as { code?: unknown; message?: unknown };
  if (typeof code === "string" && AWAY_CODE.test(code)) return true;
  return typeof message === "string" && AWAY_WORDS.some((words) => message.includes(words));
}

function validationError(issues: readonly { instancePath: string; message?: string }[]): AppError {
  const fields: Record<string, string[]> = {};
  for (const issue of issues) {
    const name = issue.instancePath.replace(/^\//, "").replaceAll("/", ".") || "body";
    (fields[name] ??= []).push(issue.message ?? "This value is not valid.");
  }
  const first = Object.values(fields)[0]?.[0] ?? "Some values are not valid.";
  return new AppError("validation_failed", first, { fields });
}
