import type { Server, Socket } from "node:net";
import { ClientCounts } from "@farline/domain/client-network.ts";

/** How long a client may take, in milliseconds. */
export interface ConnectionTimes {
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
export const PROXY_KEEP_ALIVE_MS = 72_000;

/** Open connections in total, and per client address; the surrounding networks may have a multiple. */
export const MAX_CONNECTIONS = 10_000;
export const CONNECTIONS_PER_HOST = 200;

/**
 * Bounds the connections that one client can hold open. A connection over the bound is closed at once, before it costs anything.
 * @param options.scale multiplies the bound of an address; 0 turns it off
 * @param options.trustedProxies behind a proxy, every connection is the proxy's, which limits its own clients
 */
export function boundConnections(server: Server, options: { readonly scale: number; readonly trustedProxies: number }): void {
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
