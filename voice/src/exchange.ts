import type { AddressInfo } from "node:net";
import type { Logger } from "pino";
import { createCalls } from "./calls/calls.ts";
import type { FarNetwork, MediaSource } from "./calls/call-parts.ts";
import type { ExchangeConfig } from "./config.ts";
import { createControlApi } from "./control/control-api.ts";
import { Credentials } from "./control/credentials.ts";
import { webhookEvent } from "./control/webhook-events.ts";
import { Webhooks } from "./control/webhooks.ts";
import { createVertoServer } from "./verto/verto-server.ts";

const maxSockets = 2_000;
const maxSocketsPerAccount = 8;
const stopCallsMs = 1_500;
const flushWebhooksMs = 3_000;

export interface ExchangeParts {
  readonly config: ExchangeConfig;
  readonly media: MediaSource;
  readonly network: FarNetwork;
  readonly log: Logger;
  /** Further facts for `GET /healthz`. */
  readonly health?: () => Record<string, unknown>;
}

export interface Exchange {
  /** The TCP port in use. */
  readonly port: number;
  /** Ends all calls, tells the service, and closes the sockets: at most about 5 s. The parts stay the caller's to close. */
  close(): Promise<void>;
}

/** Puts the exchange together over its media and its way out, and opens its port. */
export async function startExchange(parts: ExchangeParts): Promise<Exchange> {
  const { config, log } = parts;
  const webhooks = new Webhooks({ url: config.webhookUrl, signingKey: config.signingKey, log });
  const credentials = new Credentials(config.tokenKey);
  const calls = createCalls({
    media: parts.media,
    network: parts.network,
    log,
    maxCalls: config.maxCalls,
    maxCallsPerAccount: config.maxCallsPerAccount,
    emit: (event) => {
      const webhook = webhookEvent(event, config.pricesPerMinute);
      if (webhook !== null) webhooks.send(webhook);
    },
  });
  const verto = createVertoServer({
    calls,
    connectionId: config.connectionId,
    verifyToken: (token) => credentials.verifyToken(token),
    allowedOrigins: config.allowedOrigins,
    maxSockets,
    maxSocketsPerAccount,
    log,
  });
  const app = createControlApi({
    apiKey: config.apiKey,
    connectionId: config.connectionId,
    webhookUrl: config.webhookUrl,
    calls,
    credentials,
    onCredentialRemoved: (id) => verto.signOut(id),
    health: () => ({
      calls: calls.liveCalls,
      sockets: verto.openSockets,
      webhooks_waiting: webhooks.waiting,
      ...parts.health?.(),
    }),
    log,
  });
  verto.listenOn(app.server);
  await app.listen({ host: config.host, port: config.port });
  return {
    port: (app.server.address() as AddressInfo).port,
    async close() {
      await calls.stop(stopCallsMs);
      verto.close();
      await webhooks.close(flushWebhooksMs);
      await app.close();
    },
  };
}
