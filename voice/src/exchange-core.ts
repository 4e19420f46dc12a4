import type { AddressInfo } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import type { DeclaredRoute } from "@farline/contract/api/route-access.ts";
import Fastify, { type FastifyInstance } from "fastify";
import type { Logger } from "pino";
import { toDecimalString } from "@farline/domain/money.ts";
import { CallerIds } from "./calls/caller-ids.ts";
import { type Calls, createCalls } from "./calls/calls.ts";
import type { CallEvent } from "./calls/call-leg.ts";
import { NumberChecks } from "./calls/verification/number-checks.ts";
import type { ExchangeConfig } from "./config.ts";
import { createExchangeMetrics, type ExchangeReadings } from "./exchange-metrics.ts";
import { createControlApi } from "./control/control-api.ts";
import { Credentials } from "./control/credentials.ts";
import { webhookEvent } from "./control/webhook-events.ts";
import { Webhooks } from "./control/webhooks.ts";
import { EventLog } from "./journal/event-log.ts";
import { Journal } from "./journal/journal.ts";
import type { MediaHealth, MediaSource } from "./media/media-plane.ts";
import { Announcements } from "./nodes/announcements.ts";
import { Nodes } from "./nodes/nodes.ts";
import { type CertificateEnd, type FarNetwork, isTrunkUp, type TrunkConfig, type TrunkState } from "./sip/trunk.ts";
import { createVertoServer, type VertoServer } from "./verto/verto-server.ts";
import { endExchangeLost } from "./calls/hangup-causes.ts";
import { declareRoutes } from "./declare-routes.ts";
import { LISTENERS } from "./listener-bounds.ts";

const MAX_SIGNED_IN = 2_000;

const MAX_SOCKETS_PER_ACCOUNT = 8;

const STOP_CALLS_MS = 1_500;

const FLUSH_WEBHOOKS_MS = 3_000;

interface ExchangeCoreOptions {
  readonly config: ExchangeConfig;
  readonly media: MediaSource;
  readonly network: FarNetwork;
  readonly log: Logger;
  /** More fields for `GET /healthz` of the control listener. */
  readonly health?: () => Record<string, unknown>;
  readonly trunkStates?: () => readonly TrunkState[];
  readonly certificates?: () => readonly CertificateEnd[];
  /** How each media process or proxy does, from memory: who asks must never wait for one. */
  readonly mediaHealth?: () => readonly MediaHealth[];
}

export interface ExchangeCore {
  readonly port: number;
  readonly controlPort: number;
  /** All HTTP routes. The browsers' listener also takes WebSocket upgrades on any path. */
  readonly routes: { readonly browsers: readonly DeclaredRoute[]; readonly control: readonly DeclaredRoute[] };
  /** Replaces the trunks that the service is told of, and whose rules for customers' numbers apply. */
  useTrunks(trunks: readonly TrunkConfig[]): void;
  /**
   * Is not ready at once. After the notice it takes no new calls and browsers, but lets browsers with a call reconnect. Resolves when no call is left or the time is up.
   */
  drain(): Promise<void>;
  /** Ends all calls, reports their ends, and closes the sockets, within about 5 s. Does not close the options. */
  close(): Promise<void>;
}

const BODY_LIMIT_BYTES = 1;

const CHECK_INTERVAL_MS = 1_000;

/** Far above the limits for sockets. Reached only through a proxy that forwards unfinished requests. */
const MAX_CONNECTIONS = 10_000;

/** Then the connection is closed. A load balancer opens a new one. */
const MAX_REQUESTS_PER_CONNECTION = 20;

/** Assembles the exchange from its media and network, and opens its ports. */
export async function startExchangeCore(options: ExchangeCoreOptions): Promise<ExchangeCore> {
  const { config, log, media, network } = options;
  const nodes = await joinNodes(config);
  const journal = new Journal(config.journal, log);
  const eventLog = config.journal === null ? null : new EventLog(`${config.journal}.events`, log);
  const webhooks = new Webhooks({ url: config.webhookUrl, signingKey: config.signingKey, journal, log });
  const credentials = new Credentials(config.tokenKeys);
  const callerIds = new CallerIds(config.callerNumber, config.tokenKeys);
  let trunks = config.trunks;
  const numberChecks = new NumberChecks({ media, network, callerIds, canShow: () => canShowNumbers(trunks), log });
  const emit = createEmitter({ webhooks, journal, eventLog });
  const calls = createCalls({
    ...{ node: nodes.name, media, network, callerIds, log, emit },
    ...{ maxCalls: config.maxCalls, maxCallsPerAccount: config.maxCallsPerAccount },
    canStore: () => journal.failure === null,
  });
  const verto = createVertoServer({
    nodes,
    calls,
    connectionId: config.connectionId,
    verifyToken: (token) => credentials.verifyToken(token),
    allowedOrigins: config.allowedOrigins,
    maxSignedIn: MAX_SIGNED_IN,
    maxSocketsPerAccount: MAX_SOCKETS_PER_ACCOUNT,
    trustedProxies: config.trustedProxies,
    log,
  });
  const parts = { nodes, calls, verto, webhooks, journal };
  const exchangeRecord = () => recordOf(options, parts);
  const control = createControlApi({
    nodes,
    apiKeys: config.apiKeys,
    connectionId: config.connectionId,
    webhookUrl: config.webhookUrl,
    calls,
    credentials,
    numberChecks,
    eventLog,
    onForwardedBrowser: (browser) => verto.acceptForwarded(browser),
    onCredentialRemoved: (id) => verto.signOut(id),
    onMove: (call, { sessid, sessionName }) => verto.move(call, sessid, credentials.ofSession(sessionName)),
    trunks: () => trunkRecords(trunks, options.trunkStates?.() ?? []),
    health: () => ({ ...exchangeRecord(), ...countsOf(nodes, calls, verto, webhooks), ...options.health?.() }),
    metrics: createExchangeMetrics(() => readingsOf(options, parts)),
    exchange: exchangeRecord,
    log,
  });
  const browsers = createBrowserListener(verto);
  await listen(config, browsers.app, control.app);
  for (const event of journal.crashState.events) webhooks.send(event, "calls");
  endOrphanedCalls(journal, { network, emit, log });
  return {
    port: portOf(browsers.app),
    controlPort: portOf(control.app),
    routes: { browsers: browsers.routes, control: control.routes },
    useTrunks: (now) => void (trunks = now),
    drain: () => drain(config, verto, calls),
    async close() {
      numberChecks.stop();
      await calls.stop(STOP_CALLS_MS);
      verto.close();
      await webhooks.close(FLUSH_WEBHOOKS_MS);
      await Promise.all([browsers.app.close(), control.app.close()]);
      nodes.close();
      journal.close();
    },
  };
}

/** Before anything is served, so that this exchange knows the others. */
async function joinNodes({ node, nodes: listed, nodeHosts: hosts, signingKey, apiKeys }: ExchangeConfig): Promise<Nodes> {
  const self = { name: node, url: listed.get(node) ?? null, hosts, signingKey };
  const nodes = new Nodes(node, listed, apiKeys[0], new Announcements(self));
  await nodes.start();
  return nodes;
}

async function drain(config: ExchangeConfig, verto: VertoServer, calls: Calls): Promise<void> {
  verto.announceStop();
  await pause(config.stopNoticeMs);
  verto.drain();
  await calls.drain(config.drainMs);
}

function canShowNumbers(trunks: readonly TrunkConfig[]): boolean {
  return trunks.some(({ customerNumbers }) => customerNumbers !== "never");
}

interface Parts {
  readonly nodes: Nodes;
  readonly calls: Calls;
  readonly verto: VertoServer;
  readonly webhooks: Webhooks;
  readonly journal: Journal;
}

function readingsOf(options: ExchangeCoreOptions, { calls, verto, webhooks, journal }: Parts): ExchangeReadings {
  return {
    ...{ calls: calls.liveCalls, maxCalls: options.config.maxCalls, sockets: verto.openSockets },
    ...{ webhooksWaiting: webhooks.waiting, journalWritten: journal.failure === null },
    ...{ trunks: options.trunkStates?.() ?? [], media: options.mediaHealth?.() ?? [] },
    certificates: options.certificates?.() ?? [],
  };
}

/** How this exchange does, for the service. */
function recordOf(options: ExchangeCoreOptions, { nodes, calls, webhooks, journal }: Parts): Record<string, unknown> {
  return {
    ...{ record_type: "exchange", node: nodes.name, calls: calls.liveCalls, max_calls: options.config.maxCalls },
    ...{ journal: journal.failure, events_waiting_seconds: webhooks.waitingSeconds },
    media: (options.mediaHealth?.() ?? []).map(({ up, died_at }) => ({ up, died_at })),
    certificates: (options.certificates?.() ?? []).map(({ name, endsAt }) => ({ name, ends_at: endsAt.toISOString() })),
  };
}

function countsOf(nodes: Nodes, calls: Calls, verto: VertoServer, webhooks: Webhooks): Record<string, unknown> {
  return {
    node: nodes.name,
    calls: calls.liveCalls,
    sockets: verto.openSockets,
    forwarded_sockets: verto.forwardedSockets,
    webhooks_waiting: webhooks.waiting,
  };
}

async function listen(config: ExchangeConfig, browsers: FastifyInstance, control: FastifyInstance): Promise<void> {
  await Promise.all([
    browsers.listen({ host: config.host, port: config.port }),
    control.listen({ host: config.controlHost, port: config.controlPort }),
  ]);
}

/** Sends each event to the service and keeps those of calls, and records legs in the journal. */
function createEmitter(to: { webhooks: Webhooks; journal: Journal; eventLog: EventLog | null }): (event: CallEvent) => void {
  const { webhooks, journal, eventLog } = to;
  return (event) => {
    const webhook = webhookEvent(event);
    if (webhook !== null && isOfParkedLeg(event)) webhooks.send(webhook, "parked");
    else if (webhook !== null) {
      eventLog?.record(webhook);
      webhooks.send(webhook, "calls");
    }
    if (event.type === "call.initiated" || event.type === "call.dialog" || event.type === "call.answered")
      journal.recordLeg(event.leg);
    else if (event.type === "call.hangup") journal.removeLeg(event.leg.controlId);
  };
}

/** Events of a browser's leg that was never answered go to the lane of unauthorised legs. */
function isOfParkedLeg({ type, leg }: CallEvent): boolean {
  return leg.side === "browser" && leg.answeredAt === null && (type === "call.initiated" || type === "call.hangup");
}

function portOf(app: FastifyInstance): number {
  return (app.server.address() as AddressInfo).port;
}

/** Our extension `GET /v2/trunks`: what the service needs to know whether a call can be carried at its price, and whether a carrier refuses us. */
function trunkRecords(trunks: readonly TrunkConfig[], states: readonly TrunkState[]): Record<string, unknown>[] {
  return trunks.map(({ name, prefixes = [], cost }) => {
    const state = states.find((one) => one.name === name && !one.leaving);
    return {
      record_type: "trunk",
      name,
      prefixes,
      cost:
        cost === undefined
          ? null
          : {
              rate_per_minute: toDecimalString(cost.ratePerMinuteMicros),
              first_interval: cost.firstIntervalSeconds,
              next_interval: cost.nextIntervalSeconds,
            },
      refused_with: state?.refusedWith ?? null,
      failing: state?.failing ?? false,
      down: state?.down ?? false,
      // Not known is not up.
      up: state !== undefined && isTrunkUp(state),
      connected: state?.connected ?? null,
      registration: state?.registration ?? null,
    };
  });
}

/**
 * Ends the calls of a killed exchange: hangs up their far ends and reports their ends. They count as heard until the exchange's last
 * sign of life.
 */
function endOrphanedCalls(
  { crashState }: Pick<Journal, "crashState">,
  { network, emit, log }: { network: FarNetwork; emit: (event: CallEvent) => void; log: Logger },
): void {
  if (crashState.legs.length > 0) log.warn({ legs: crashState.legs.length }, "ending orphaned calls");
  for (const leg of crashState.legs) {
    const at = new Date(Math.max(crashState.aliveAt.getTime(), leg.answeredAt?.getTime() ?? 0));
    Object.assign(leg, { state: "hangup", endedAt: at, heardUntil: at, end: endExchangeLost });
    if (leg.dialog !== null)
      network
        .endDialog(leg.dialog)
        .catch((error: unknown) => log.error({ err: error, session: leg.sessionId }, "far end of an orphaned call not hung up"));
    emit({ type: "call.hangup", leg, at, stats: null });
    // The carrier charges its leg until now.
    const now = new Date();
    if (leg.side === "far") emit({ type: "call.cost", leg: { ...leg, endedAt: now }, at: now });
  }
}

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
