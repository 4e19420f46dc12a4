import type { AddressInfo } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import type { DeclaredRoute } from "@farline/contract/api/route-access.ts";
import type { FastifyInstance } from "fastify";
import type { Logger } from "pino";
import { CallerIds } from "./calls/caller-ids.ts";
import { type Calls, createCalls } from "./calls/calls.ts";
import type { CallEvent } from "./calls/call-event.ts";
import { NumberChecks } from "./calls/verification/number-checks.ts";
import type { ExchangeConfig } from "./config.ts";
import { createExchangeMetrics, type ExchangeReadings } from "./exchange-metrics.ts";
import { createControlApi } from "./control/control-api.ts";
import { Credentials } from "./control/credentials.ts";
import { trunkRecords } from "./trunk-records.ts";
import { webhookEvent } from "./control/webhook-events.ts";
import { Webhooks } from "./control/webhooks.ts";
import { EventLog } from "./journal/event-log.ts";
import { endOrphanedCalls } from "./journal/end-orphaned-calls.ts";
import { Journal } from "./journal/journal.ts";
import type { MediaSource } from "./media/media-plane.ts";
import { Nodes } from "./nodes/nodes.ts";
import type { FarNetwork, TrunkConfig, TrunkState } from "./sip/trunk.ts";
import { createBrowserListener } from "./verto/browser-listener.ts";
import { createVertoServer, type VertoServer } from "./verto/verto-server.ts";

const MAX_SIGNED_IN = 2_000;
const MAX_SOCKETS_PER_ACCOUNT = 8;
const STOP_CALLS_MS = 1_500;
const FLUSH_WEBHOOKS_MS = 3_000;

export interface ExchangeCoreOptions {
  readonly config: ExchangeConfig;
  readonly media: MediaSource;
  readonly network: FarNetwork;
  readonly log: Logger;
  /** More fields for `GET /healthz` of the control listener. */
  readonly health?: () => Promise<Record<string, unknown>>;
  readonly trunkStates?: () => readonly TrunkState[];
  /** Share of its time that each media process is busy, 0 to 1. */
  readonly mediaBusy?: () => Promise<readonly number[]>;
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

/** Assembles the exchange from its media and network, and opens its ports. */
export async function startExchangeCore(options: ExchangeCoreOptions): Promise<ExchangeCore> {
  const { config, log, media, network } = options;
  const nodes = new Nodes(config.node, config.nodes, config.apiKeys[0]);
  const journal = new Journal(config.journal, log);
  const eventLog = config.journal === null ? null : new EventLog(`${config.journal}.events`, log);
  const webhooks = new Webhooks({ url: config.webhookUrl, signingKey: config.signingKey, journal, log });
  const credentials = new Credentials(config.tokenKeys);
  const callerIds = new CallerIds(config.callerNumber, config.tokenKeys);
  let trunks = config.trunks;
  const numberChecks = new NumberChecks({ media, network, callerIds, canShow: () => canShowNumbers(trunks), log });
  const emit = createEmitter({ webhooks, journal, eventLog });
  const calls = createCalls({
    node: nodes.name,
    media,
    network,
    callerIds,
    log,
    maxCalls: config.maxCalls,
    maxCallsPerAccount: config.maxCallsPerAccount,
    emit,
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
    health: async () => ({ ...countsOf(nodes, calls, verto, webhooks), ...(await options.health?.()) }),
    metrics: createExchangeMetrics(() => readingsOf(options, calls, verto, webhooks)),
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
      nodes.client.close();
      journal.close();
    },
  };
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

async function readingsOf(
  options: ExchangeCoreOptions,
  calls: Calls,
  verto: VertoServer,
  webhooks: Webhooks,
): Promise<ExchangeReadings> {
  return {
    calls: calls.liveCalls,
    sockets: verto.openSockets,
    webhooksWaiting: webhooks.waiting,
    trunks: options.trunkStates?.() ?? [],
    mediaBusy: (await options.mediaBusy?.()) ?? [],
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
    if (event.type === "call.initiated" || event.type === "call.dialling" || event.type === "call.answered")
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
