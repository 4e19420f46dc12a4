import type { AddressInfo } from "node:net";
import type { DeclaredRoute } from "@farline/contract/route-access.ts";
import type { FastifyInstance } from "fastify";
import type { Logger } from "pino";
import { CallerIds } from "./calls/caller-ids.ts";
import { createCalls } from "./calls/calls.ts";
import type { CallEvent, FarNetwork, MediaSource } from "./calls/call-ports.ts";
import { NumberChecks } from "./calls/number-checks.ts";
import type { ExchangeConfig } from "./config.ts";
import { createControlApi } from "./control/control-api.ts";
import { Credentials } from "./control/credentials.ts";
import { webhookEvent } from "./control/webhook-events.ts";
import { Webhooks } from "./control/webhooks.ts";
import { endRemains } from "./journal/end-remains.ts";
import { Journal } from "./journal/journal.ts";
import type { TrunkConfig } from "./sip/trunk.ts";
import { createBrowserListener } from "./verto/browser-listener.ts";
import { createVertoServer } from "./verto/verto-server.ts";

const MAX_SIGNED_IN = 2_000;
const MAX_SOCKETS_PER_ACCOUNT = 8;
const STOP_CALLS_MS = 1_500;
const FLUSH_WEBHOOKS_MS = 3_000;

export interface ExchangeOptions {
  readonly config: ExchangeConfig;
  readonly media: MediaSource;
  readonly network: FarNetwork;
  readonly log: Logger;
  /** Further facts for the control listener's `GET /healthz`. */
  readonly health?: () => Promise<Record<string, unknown>>;
}

export interface Exchange {
  /** The browsers' TCP port in use. */
  readonly port: number;
  /** The service's TCP port in use. */
  readonly controlPort: number;
  /** Every HTTP route of both listeners; the browsers' one also takes WebSocket upgrades, on any path. */
  readonly routes: { readonly browsers: readonly DeclaredRoute[]; readonly control: readonly DeclaredRoute[] };
  /** The trunks' rules for customers' numbers from now on. */
  useTrunks(trunks: readonly TrunkConfig[]): void;
  /**
   * Takes no new calls and browsers, and lets the live calls end; resolves when none is left or their time is up. Browsers with a call may come
   * back until then.
   */
  drain(): Promise<void>;
  /** Ends all calls, tells the service, and closes the sockets: at most about 5 s. The options stay the caller's to close. */
  close(): Promise<void>;
}

/** Assembles the exchange over its media and its network, and opens its ports. */
export async function startExchange(options: ExchangeOptions): Promise<Exchange> {
  const { config, log } = options;
  const journal = new Journal(config.journal, log);
  const webhooks = new Webhooks({ url: config.webhookUrl, signingKey: config.signingKey, journal, log });
  const credentials = new Credentials(config.tokenKey);
  const { media, network } = options;
  const callerIds = new CallerIds(config.callerNumber, config.tokenKey);
  let { trunks } = config;
  const canShow = (): boolean => trunks.some(({ customerNumbers }) => customerNumbers !== "never");
  const numberChecks = new NumberChecks({ media, network, callerIds, canShow, log });
  const emit = reporter(webhooks, journal);
  const calls = createCalls({
    media,
    network,
    callerIds,
    log,
    maxCalls: config.maxCalls,
    maxCallsPerAccount: config.maxCallsPerAccount,
    emit,
  });
  const verto = createVertoServer({
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
    apiKey: config.apiKey,
    connectionId: config.connectionId,
    webhookUrl: config.webhookUrl,
    calls,
    credentials,
    numberChecks,
    onCredentialRemoved: (id) => verto.signOut(id),
    health: async () => ({
      calls: calls.liveCalls,
      sockets: verto.openSockets,
      webhooks_waiting: webhooks.waiting,
      ...(await options.health?.()),
    }),
    log,
  });
  const browsers = createBrowserListener(verto);
  await Promise.all([
    browsers.app.listen({ host: config.host, port: config.port }),
    control.app.listen({ host: config.controlHost, port: config.controlPort }),
  ]);
  for (const event of journal.remains.events) webhooks.send(event);
  endRemains(journal, { network, emit, log });
  return {
    port: portOf(browsers.app),
    controlPort: portOf(control.app),
    routes: { browsers: browsers.routes, control: control.routes },
    useTrunks(now) {
      trunks = now;
    },
    async drain() {
      verto.drain();
      await calls.drain(config.drainMs);
    },
    async close() {
      numberChecks.stop();
      await calls.stop(STOP_CALLS_MS);
      verto.close();
      await webhooks.close(FLUSH_WEBHOOKS_MS);
      await Promise.all([browsers.app.close(), control.app.close()]);
      journal.close();
    },
  };
}

/** Tells the service of each event, and the journal of legs that live and end. */
function reporter(webhooks: Webhooks, journal: Journal): (event: CallEvent) => void {
  return (event) => {
    const webhook = webhookEvent(event);
    if (webhook !== null) webhooks.send(webhook);
    if (event.type === "call.initiated" || event.type === "call.answered") journal.legLives(event.leg);
    else if (event.type === "call.hangup") journal.legEnded(event.leg.controlId);
  };
}

function portOf(app: FastifyInstance): number {
  return (app.server.address() as AddressInfo).port;
}
