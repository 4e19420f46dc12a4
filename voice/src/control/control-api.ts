import { createHash, randomUUID, timingSafeEqual } from "node:crypto";
import type { IncomingMessage, Server } from "node:http";
import { isIP } from "node:net";
import type { Duplex } from "node:stream";
import { CALL_ID_HEADER, REQUEST_ID_HEADER, wellFormedCallId, wellFormedRequestId } from "@farline/contract/api/log-headers.ts";
import type { DeclaredRoute } from "@farline/contract/api/route-access.ts";
import { findUnreadable } from "@farline/domain/text/readable-text.ts";
import type { KeyList } from "@farline/contract/settings/setting.ts";
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from "fastify";
import type { Logger } from "pino";
import { ZodError } from "zod";
import { CallProblem } from "../calls/call-leg.ts";
import { type NumberChecks, NumberProblem } from "../calls/verification/number-checks.ts";
import type { Call } from "../calls/call.ts";
import type { Calls } from "../calls/calls.ts";
import { BROWSER_ADDRESS, BROWSER_TAB, type BrowserUpgrade } from "../nodes/forwarded-browsers.ts";
import type { Nodes } from "../nodes/nodes.ts";
import { declareRoutes } from "../declare-routes.ts";
import { boundConnections, LISTENERS } from "../listener-bounds.ts";
import { inLogContext } from "../log.ts";
import type { EventLog } from "../journal/event-log.ts";
import { callCommands } from "./call-commands.ts";
import { callEventRoutes } from "./call-event-routes.ts";
import { credentialRoutes } from "./credential-routes.ts";
import type { Credentials } from "./credentials.ts";
import { askOtherNodes, nodeRoutes, rejectMisdirected } from "./forward-command.ts";
import { fromCallProblem, fromNumberProblem, invalid, notFound, TelnyxError } from "./telnyx-error.ts";
import { verifiedNumberRoutes } from "./verified-number-routes.ts";
import { FOR_NODE, type NodeResponse } from "../nodes/node-client.ts";
import { refuseUpgrade } from "../refuse-upgrade.ts";

const BODY_LIMIT_BYTES = 64 * 1024;

const CHECK_INTERVAL_MS = 1_000;

interface ControlOptions {
  readonly nodes: Nodes;
  readonly apiKeys: KeyList<string>;
  readonly connectionId: string;
  readonly webhookUrl: string;
  readonly calls: Calls;
  readonly credentials: Credentials;
  readonly numberChecks: NumberChecks;
  /** Null: events are not kept. */
  readonly eventLog: EventLog | null;
  /** Called for a browser that another node forwards, because its call is here. */
  readonly onForwardedBrowser: (browser: BrowserUpgrade) => void;
  readonly onCredentialRemoved: (credentialId: string) => void;
  /** Moves a call to a browser of the session with this name, or of any if it is undefined. @throws CallProblem `wrong_state` */
  readonly onMove: (call: Call, to: { readonly sessid: string; readonly sessionName: string | undefined }) => void;
  /** Answer of `GET /v2/trunks`. */
  readonly trunks: () => readonly Record<string, unknown>[];
  /** How this exchange does, for `GET /v2/exchanges`. */
  readonly exchange: () => Record<string, unknown>;
  /** Fields of `GET /healthz`. Some are business metrics, so it requires the key. */
  readonly health: () => Record<string, unknown>;
  readonly metrics: { write(): Promise<string>; readonly contentType: string };
  readonly log: Logger;
}

function sha256(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}

/** The exchange has no prepaid account. */
const NO_BALANCE = {
  record_type: "balance",
  currency: "USD",
  balance: "0.00",
  credit_limit: "0.00",
  available_credit: "0.00",
  pending: "0.00",
};

/**
 * The control API: the part of the provider's REST API v2 that the service uses, through the provider's client. Every request needs the
 * API key, including those with unknown or malformed paths.
 */
export function createControlApi(options: ControlOptions): { app: FastifyInstance; routes: readonly DeclaredRoute[] } {
  const { nodes, connectionId, log } = options;
  const expected = options.apiKeys.map((key) => sha256(`Bearer ${key}`));

  function hasKey(authorization = ""): boolean {
    const given = sha256(authorization);
    return expected.some((one) => timingSafeEqual(given, one));
  }

  function requireKey(request: FastifyRequest): void {
    if (!hasKey(request.headers.authorization))
      throw new TelnyxError(
        401,
        "10009",
        "Authentication failed",
        "The required authentication headers were either invalid or not included.",
      );
  }

  function answerError(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
    const problem = asTelnyxError(error);
    if (problem.status >= 500) log.error({ err: error, route: request.routeOptions.url }, "command failed");
    return reply.code(problem.status).send({ errors: [{ code: problem.code, title: problem.title, detail: problem.message }] });
  }

  const app = Fastify({
    logger: false,
    bodyLimit: BODY_LIMIT_BYTES,
    forceCloseConnections: true,
    requestTimeout: LISTENERS.control.silentMs,
    http: { headersTimeout: LISTENERS.control.silentMs, connectionsCheckingInterval: CHECK_INTERVAL_MS },
    routerOptions: { maxParamLength: 255 },
    genReqId: ({ headers }) => wellFormedRequestId(headers[REQUEST_ID_HEADER]) ?? randomUUID(),
    // Requests that the router cannot parse run no hooks.
    frameworkErrors(error, request, reply) {
      try {
        requireKey(request);
        void answerError(error, request, reply);
      } catch (refusal) {
        void answerError(refusal, request, reply);
      }
    },
  });
  boundConnections(app.server, LISTENERS.control);
  const routes = declareRoutes(app, "exchange-key");
  app.addHook("onRequest", (request, _reply, done) => inLogContext(logContextOf(request), done));
  app.addHook("onResponse", async (request, reply) => logRequest(log, request, reply));
  app.addHook("onRequest", async (request) => {
    requireKey(request);
    rejectMisdirected(request, nodes.name);
  });
  app.setErrorHandler(answerError);
  app.setNotFoundHandler(() => {
    throw notFound("The requested resource does not exist.");
  });
  acceptJson(app);
  acceptForwardedBrowsers(app.server, nodes.name, { hasKey, accept: options.onForwardedBrowser });

  answerReadings(app, options);
  callCommands(app, { calls: options.calls, connectionId, nodes, move: options.onMove });
  nodeRoutes(app, nodes);
  callEventRoutes(app, { nodes, eventLog: options.eventLog });
  credentialRoutes(app, { nodes, credentials: options.credentials, connectionId, onRemoved: options.onCredentialRemoved });
  verifiedNumberRoutes(app, { checks: options.numberChecks, nodes });
  return { app, routes };
}

function answerReadings(app: FastifyInstance, options: ControlOptions): void {
  const config = { access: "exchange-key" } as const;
  app.get("/healthz", { config }, async () => ({ status: "ok", ...options.health() }));
  app.get("/metrics", { config }, async (_request, reply) =>
    reply.type(options.metrics.contentType).send(await options.metrics.write()),
  );
  app.get("/v2/trunks", { config }, async () => ({ data: options.trunks() }));
  app.get("/v2/exchanges", { config }, async (request) => {
    const others = await askOtherNodes(options.nodes, request);
    return { data: [options.exchange(), ...others.map(({ name, response }) => exchangeOf(name, response))] };
  });
  app.get("/v2/balance", { config }, async () => ({ data: NO_BALANCE }));
  app.get<{ Params: { id: string } }>("/v2/credential_connections/:id", { config }, async (request) => {
    if (request.params.id !== options.connectionId) throw notFound("There is no connection with this id.");
    return { data: connectionRecord(options) };
  });
}

function logContextOf({ id, headers }: FastifyRequest): Parameters<typeof inLogContext>[0] {
  return { request_id: id, call: wellFormedCallId(headers[CALL_ID_HEADER]) };
}

/** One line for each request of the service. */
function logRequest(log: Logger, { method, routeOptions }: FastifyRequest, reply: FastifyReply): void {
  const facts = { method, route: routeOptions.url ?? null, status: reply.statusCode, ms: Math.round(reply.elapsedTime) };
  // The service's questions are many and change nothing.
  log[reply.statusCode < 400 && method === "GET" ? "debug" : "info"](facts, "request");
}

/** Null in place of what is not known of a node that does not answer. */
function exchangeOf(node: string, response: NodeResponse | null): unknown {
  const silent = {
    record_type: "exchange",
    node,
    calls: null,
    max_calls: null,
    journal: null,
    events_waiting_seconds: 0,
    media: [],
    certificates: [],
  };
  if (response === null || response.status !== 200) return silent;
  return (JSON.parse(response.body) as { data?: unknown[] }).data?.[0] ?? silent;
}

function acceptJson(app: FastifyInstance): void {
  app.removeContentTypeParser(["application/json", "text/plain"]);
  app.addContentTypeParser("application/json", { parseAs: "string" }, (_request, text, done) => {
    // The official client sends this content type even without a body.
    if (text === "") return done(null, undefined);
    try {
      const body: unknown = JSON.parse(String(text));
      if (findUnreadable(body) === null) return done(null, body);
    } catch {
      // Falls through to the refusal.
    }
    done(new TelnyxError(400, "10015", "Bad Request", "The body is not valid JSON."), undefined);
  });
}

function connectionRecord({ connectionId, webhookUrl }: ControlOptions): Record<string, unknown> {
  return {
    record_type: "credential_connection",
    id: connectionId,
    active: true,
    connection_name: "web-callers",
    webhook_api_version: "2",
    webhook_event_url: webhookUrl,
    webhook_event_failover_url: null,
    call_cost_in_webhooks: true,
    sip_uri_calling_preference: "disabled",
    // Every browser call is parked; this cannot be switched off.
    outbound: { call_parking_enabled: true },
    // Our extension: commands beyond the provider's API.
    extra_commands: ["extend", "echo", "move", "prices", "trunks", "exchanges"],
  };
}

function asTelnyxError(error: unknown): TelnyxError {
  if (error instanceof TelnyxError) return error;
  if (error instanceof CallProblem) return fromCallProblem(error);
  if (error instanceof NumberProblem) return fromNumberProblem(error);
  if (error instanceof ZodError)
    return invalid(error.issues.map(({ path, message }) => `${path.join(".")}: ${message}`).join("; "));
  const status = error instanceof Error && "statusCode" in error && typeof error.statusCode === "number" ? error.statusCode : 500;
  if (status >= 400 && status < 500)
    return new TelnyxError(status, "10015", "Bad Request", error instanceof Error ? error.message : "Bad request");
  return new TelnyxError(500, "10007", "Unexpected error", "The command failed; its effect is unknown.");
}

/**
 * Accepts WebSockets that other nodes forward to the control listener. Checks the key before it trusts any header, and refuses upgrades
 * for another node or without a tab.
 */
function acceptForwardedBrowsers(
  server: Server,
  nodeName: string,
  { hasKey, accept }: { hasKey: (authorization: string | undefined) => boolean; accept: (browser: BrowserUpgrade) => void },
): void {
  server.on("upgrade", (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    socket.on("error", () => socket.destroy());
    const { [BROWSER_TAB]: voiceSdkId, [BROWSER_ADDRESS]: address, [FOR_NODE]: target } = request.headers;
    if (!hasKey(request.headers.authorization)) return refuseUpgrade(socket, "401 Unauthorized");
    if (target !== nodeName || typeof voiceSdkId !== "string" || typeof address !== "string" || isIP(address) === 0)
      return refuseUpgrade(socket, "404 Not Found");
    accept({ request, socket, head, voiceSdkId, address });
  });
}
