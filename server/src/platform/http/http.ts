import { Readable } from "node:stream";
import type { Server, Socket } from "node:net";
import { fastifyCookie } from "@fastify/cookie";
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest, LogController } from "fastify";
import {
  hasZodFastifySchemaValidationErrors,
  serializerCompiler,
  validatorCompiler,
  type ZodTypeProvider,
} from "fastify-type-provider-zod";
import type { Logger } from "pino";
import { cleanTexts } from "@farline/domain/text/clean-text.ts";
import { findUnreadable } from "@farline/domain/text/readable-text.ts";
import { REQUEST_ID_HEADER, wellFormedRequestId } from "@farline/contract/api/log-headers.ts";
import { type DeclaredRoute, declaredRoutes, type RouteAccess } from "@farline/contract/api/route-access.ts";
import type { OperatorRight } from "@farline/contract/operator/rights.ts";
import { type MessageRef, readReason } from "@farline/texts/reason.ts";
import { ClientCounts } from "@farline/domain/client-network.ts";
import { inLogContext, type LogContext } from "../log.ts";
import { AppError } from "../app-error.ts";

const JSON_LIMIT_BYTES = 64 * 1024;

const QUIET_ROUTES: ReadonlySet<string> = new Set(["/api/health", "/api/ready", "/metrics", "/api/webhooks/telnyx"]);

export type App = FastifyInstance<any, any, any, Logger, ZodTypeProvider>;

/** How long a client may take, in milliseconds. */
interface ConnectionTimes {
  /** For a request's headers, from the first byte or from connecting. */
  readonly headersTimeout: number;
  /** For a whole request. */
  readonly requestTimeout: number;
  /** How often both limits are checked. */
  readonly connectionsCheckingInterval: number;
  /** Between two requests. */
  readonly keepAliveTimeout: number;
}

export const CONNECTION_TIMES: ConnectionTimes = {
  headersTimeout: 10_000,
  requestTimeout: 15_000,
  connectionsCheckingInterval: 1_000,
  keepAliveTimeout: 20_000,
};

/** Proxies keep idle connections for up to a minute and must not be cut while they send the next request. */
const PROXY_KEEP_ALIVE_MS = 72_000;

/** Open connections in total, and per client address; the surrounding networks may have a multiple. */
export const MAX_CONNECTIONS = 10_000;

export const CONNECTIONS_PER_HOST = 200;

declare module "fastify" {
  interface FastifyContextConfig {
    access: RouteAccess;
    right?: OperatorRight;
  }
}

/** Admits a request to a route, or refuses it. @throws AppError */
export type Guard = (request: FastifyRequest) => Promise<void> | void;

type GuardedAccess = Extract<RouteAccess, "customer" | "step-up" | "step-up-when" | "operator" | "monitor">;

const GUARDED: ReadonlySet<unknown> = new Set<GuardedAccess>(["customer", "step-up", "step-up-when", "operator", "monitor"]);

/** Guards that enforce a declared access before the body is read. Visitors need none; providers sign the body. */
export type Guards = Partial<Record<GuardedAccess, Guard>>;

/**
 * Builds the HTTP server: JSON only, limited sizes, one error format, no URLs in the log, and no route without a declared
 * access.
 */
export function createApp(options: {
  log: Logger;
  trustedProxies: number;
  guards?: Guards;
  routes?: DeclaredRoute[];
  /** The installation's own address; https if left out. */
  publicUrl?: string | undefined;
  /** Multiplies the connections allowed per address; 0 turns the limit off. */
  limitsScale?: number;
  times?: ConnectionTimes;
}): App {
  const { trustedProxies, limitsScale = 1, times = CONNECTION_TIMES } = options;
  const app = Fastify({
    loggerInstance: options.log,
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: JSON_LIMIT_BYTES,
    requestTimeout: times.requestTimeout,
    keepAliveTimeout: trustedProxies > 0 ? PROXY_KEEP_ALIVE_MS : times.keepAliveTimeout,
    http: { headersTimeout: times.headersTimeout, connectionsCheckingInterval: times.connectionsCheckingInterval },
    routerOptions: { maxParamLength: 128 },
    trustProxy: (_address: string, hop: number) => hop < trustedProxies,
    genReqId: ({ headers }) => (trustedProxies > 0 && wellFormedRequestId(headers[REQUEST_ID_HEADER])) || crypto.randomUUID(),
    // Log lines get the request id from the context.
    childLoggerFactory: (log) => log,
    // For URLs that the router cannot parse, such as `/%`. It runs neither hooks nor the error handler then.
    frameworkErrors: (_error, request: FastifyRequest, reply: FastifyReply) => {
      void reply.header(REQUEST_ID_HEADER, request.id);
      inRequest(request, () => {
        answerError(addressUnreadable(), request, reply);
        logRequest(request, reply);
      });
    },
  }).withTypeProvider<ZodTypeProvider>() as unknown as App;
  boundConnections(app.server, { scale: limitsScale, trustedProxies });
  app.setValidatorCompiler(validatorCompiler);
  app.setSerializerCompiler(serializerCompiler);
  acceptJsonOnly(app);
  app.addHook("onRequest", (request, reply, done) => {
    void reply.header(REQUEST_ID_HEADER, request.id);
    inRequest(request, done);
  });
  app.addHook("preValidation", async (request) => readTexts(request));
  guardRoutes(app, options.guards ?? {}, options.routes);
  app.register(fastifyCookie);
  app.decorate("isPlainHttp", options.publicUrl?.startsWith("http:") === true);
  app.setErrorHandler((error, request, reply) => inRequest(request, () => answerError(error, request, reply)));
  app.addHook("onResponse", async (request, reply) => inRequest(request, () => logRequest(request, reply)));
  return app;
}

const logContexts = new WeakMap<FastifyRequest, LogContext>();

/** Always in the same context, so that a request's own line names the call that its handler has found. */
function inRequest<Result>(request: FastifyRequest, run: () => Result): Result {
  const context = logContexts.get(request) ?? { request_id: request.id };
  logContexts.set(request, context);
  return inLogContext(context, run);
}

/**
 * One line per request. Probes and files that were served are many and say little: they are logged at `debug`, like an accepted event about a
 * call, which has a line of its own.
 */
function logRequest(request: FastifyRequest, reply: FastifyReply): void {
  const route = routeOf(request);
  const status = reply.statusCode;
  const isQuiet = status < 400 && route !== null && (QUIET_ROUTES.has(route) || route.endsWith("*"));
  const facts = { method: request.method, route, status, ms: Math.round(reply.elapsedTime), code: refusals.get(request) };
  request.log[isQuiet ? "debug" : "info"](facts, "request");
}

/** Codes of refused requests, for their log line. */
const refusals = new WeakMap<FastifyRequest, string>();

/** Sends the error as an error body. Errors of ours are logged; the line of the request names the code of every refusal. */
function answerError(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const hasLeft = isClientGone(request) || wasLeft(error, reply);
  const known = hasLeft ? new AppError("malformed_request", { reason: "request_cut" }) : toAppError(error);
  const { code, status } = known;
  const facts = { method: request.method, route: routeOf(request), code, status };
  if (status >= 500) request.log.error({ ...facts, err: error }, "request failed");
  else if (isDataException(error)) request.log.warn({ ...facts, err: error }, "the database refused a value");
  refusals.set(request, code);
  const retryAfterSeconds = known.retryAfterSeconds ?? (status === 503 ? PROVIDER_RETRY_AFTER_SECONDS : undefined);
  if (retryAfterSeconds !== undefined) void reply.header("retry-after", String(retryAfterSeconds));
  void reply.status(status).send(known.body(request.id));
  // Nobody receives this response, so it never ends.
  if (hasLeft) logRequest(request, reply);
  return reply;
}

/** Whether work was ended because its client no longer waits for the answer. Any other error is a failure, even if the client left. */
function wasLeft(error: unknown, { raw }: FastifyReply): boolean {
  const { name, code } = error as { name?: unknown; code?: unknown };
  return raw.destroyed && (name === "AbortError" || code === "ABORT_ERR" || code === "ERR_STREAM_PREMATURE_CLOSE");
}

/** Whether the connection ended before the request had arrived in full. */
function isClientGone({ raw }: FastifyRequest): boolean {
  return raw.destroyed && !raw.complete;
}

/** The route's pattern. The real URL may contain tokens and codes, which must not be logged. */
function routeOf(request: FastifyRequest): string | null {
  return request.routeOptions.url ?? null;
}

/** A body that takes longer may come after the end of the access that its headers had. */
const ACCESS_GOOD_FOR_MS = 1_000;

/**
 * Runs the guard of a route's declared access before the route's own hooks: after the server's hooks, so that a refusal has
 * all headers, but before the body is read; and again after a body that took its time.
 */
function guardRoutes(app: App, guards: Guards, routes: DeclaredRoute[] = []): void {
  const admittedAt = new WeakMap<FastifyRequest, number>();
  app.addHook("onRoute", (route) => {
    const declared = declaredRoutes(route);
    routes.push(...declared);
    const access = route.config?.access;
    if (access === "visitor" || access === "provider") return;
    const guard = isGuarded(access) ? guards[access] : undefined;
    if (guard === undefined) throw new Error(`No guard enforces the access of ${route.url}: ${String(access)}.`);
    const admit = async (request: FastifyRequest): Promise<void> => {
      await guard(request);
      admittedAt.set(request, performance.now());
    };
    const admitAgain = async (request: FastifyRequest): Promise<void> => {
      if (performance.now() - (admittedAt.get(request) ?? 0) > ACCESS_GOOD_FOR_MS) await guard(request);
    };
    route.onRequest = [admit, ...[route.onRequest ?? []].flat()];
    route.preHandler = [admitAgain, ...[route.preHandler ?? []].flat()];
  });
}

function isGuarded(access: RouteAccess | undefined): access is GuardedAccess {
  return GUARDED.has(access);
}

/**
 * Accepts empty bodies, because the specification's client sends a JSON header with every request. Other content types are
 * refused: browsers send some of them across origins without a preflight.
 */
function acceptJsonOnly(app: App): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("application/json", { parseAs: "buffer" }, (_request, body, done) => {
    try {
      const text = utf8.decode(body as Buffer);
      done(null, text.trim() === "" ? undefined : JSON.parse(text, dropPrototype));
    } catch {
      done(new AppError("malformed_request", { reason: "not_json" }), undefined);
    }
  });
}

/** Throws if a body is not UTF-8, instead of storing replacement characters (RFC 8259, section 8.1). */
const utf8 = new TextDecoder("utf-8", { fatal: true });

/** Checks and cleans all incoming text in one place, so that no schema has to. Providers' bodies stay unchanged, because they are signed. */
function readTexts(request: FastifyRequest): void {
  if (findUnreadable(request.params) !== null) throw addressUnreadable();
  // A file that arrives as a stream has no texts.
  const body = request.body instanceof Readable ? undefined : request.body;
  for (const part of [request.query, body]) {
    const unreadable = findUnreadable(part);
    if (unreadable !== null) throw validationError([unreadable]);
  }
  if (request.routeOptions.config.access === "provider") return;
  request.query = cleanTexts(request.query);
  if (body !== undefined) request.body = cleanTexts(body);
}

function addressUnreadable(): AppError {
  return new AppError("malformed_request", { reason: "address_unreadable" });
}

function dropPrototype(key: string, value: unknown): unknown {
  return key === "__proto__" ? undefined : value;
}

function toAppError(error: unknown): AppError {
  if (error instanceof AppError) return error;
  if (hasZodFastifySchemaValidationErrors(error)) return validationError(error.validation);
  switch ((error as { code?: string }).code) {
    case "FST_ERR_CTP_BODY_TOO_LARGE":
      return new AppError("body_too_large");
    case "FST_ERR_CTP_INVALID_MEDIA_TYPE":
      return new AppError("unsupported_media_type");
  }
  if (isClientError(error)) return new AppError("malformed_request");
  if (isDataException(error)) return new AppError("malformed_request", { reason: "value_unusable", cause: error });
  if (isDependencyUnavailable(error))
    return new AppError("unavailable", { cause: error, retryAfterSeconds: RETRY_AFTER_SECONDS });
  return new AppError("internal", { cause: error });
}

/** Whether the HTTP framework refused the request, for example for a body without a content type. */
function isClientError(error: unknown): boolean {
  const { code = "", statusCode = 500 } = error as { code?: string; statusCode?: number };
  return code.startsWith("FST_") && statusCode >= 400 && statusCode < 500;
}

/** PostgreSQL's class 22: a value that passed the schemas, but that a column rejects. It translates its word for the severity (`lc_messages`). */
function isDataException(error: unknown): boolean {
  const { code, severity } = error as { code?: unknown; severity?: unknown };
  return typeof code === "string" && /^22[0-9A-Z]{3}$/.test(code) && typeof severity === "string";
}

/**
 * Socket errors, and database errors for a lost connection, full disk, failed disk, shutdown, read-only mode, a deadlock, a conflict between
 * transactions, a lock or statement that took too long and a statement that a migration made stale (PostgreSQL, appendix A).
 */
const UNAVAILABLE_CODE =
  /^(ECONN|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN|08|53|57P|57014|58|55P03|40001|40P01|25006|0A000)/;

/** The payment provider's client does not pass on the socket's code. */
const UNAVAILABLE_TYPE = /^Stripe(Connection|API|RateLimit)Error$/;

const RETRY_AFTER_SECONDS = 2;

/** For every 503 that names no time, mostly of providers that do not answer. */
const PROVIDER_RETRY_AFTER_SECONDS = 5;

/** The database client's messages for a closed connection, which have no code. */
const UNAVAILABLE_MESSAGES = [
  "timeout exceeded when trying to connect",
  "Connection terminated",
  "connection error and is not queryable",
];

/** Whether a dependency is unavailable, so that a retry may succeed. */
function isDependencyUnavailable(error: unknown): boolean {
  const { code, type, message } = error as { code?: unknown; type?: unknown; message?: unknown };
  if (typeof code === "string" && UNAVAILABLE_CODE.test(code)) return true;
  if (typeof type === "string" && UNAVAILABLE_TYPE.test(type)) return true;
  return typeof message === "string" && UNAVAILABLE_MESSAGES.some((words) => message.includes(words));
}

function validationError(issues: readonly { instancePath: string; message?: string }[]): AppError {
  const fields: Record<string, MessageRef> = {};
  for (const issue of issues) {
    const name = issue.instancePath.replace(/^\//, "").replaceAll("/", ".") || "body";
    fields[name] ??= readReason(issue.message ?? "") ?? { reason: "value_invalid" };
  }
  const [first = { reason: "validation_failed" } satisfies MessageRef] = Object.values(fields);
  return new AppError("validation_failed", { ...first, fields });
}

/**
 * Bounds the connections that one client can hold open. A connection over the bound is closed at once, before it costs anything.
 * @param options.scale multiplies the bound of an address; 0 turns it off
 * @param options.trustedProxies behind a proxy, every connection is the proxy's, which limits its own clients
 */
function boundConnections(server: Server, options: { readonly scale: number; readonly trustedProxies: number }): void {
  server.maxConnections = MAX_CONNECTIONS;
  if (options.trustedProxies > 0 || options.scale === 0) return;
  const max = Math.max(1, Math.round(CONNECTIONS_PER_HOST * options.scale));
  const counts = new ClientCounts({ total: MAX_CONNECTIONS, perHost: max });
  server.prependListener("connection", (socket: Socket) => {
    const release = counts.take(socket.remoteAddress ?? "");
    if (release === null) socket.destroy();
    else socket.once("close", release);
  });
}
