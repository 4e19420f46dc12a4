import type { Server, Socket } from "node:net";
import { ClientCounts } from "@farline/domain/client-network.ts";

/** What strangers may hold open at one listener. All of it is closed before it reaches a log. */
interface ListenerBounds {
  /** Open connections, those in a handshake included. */
  readonly total: number;
  /** Of one IPv4 address or IPv6 /64; its networks may have a multiple. */
  readonly perHost: number;
  /** A connection that has sent nothing, or no whole request, is closed after this long. */
  readonly silentMs: number;
}

/**
 * The exchange's listeners over TCP. Together they leave most of the descriptors that a service gets (`LimitNOFILE`) to calls.
 * `browsers`: connections before their sign-in, of which the oldest yields to a new one (`PendingLogins`). `sip`: only trunks' addresses
 * get as far as being counted.
 */
export const LISTENERS = {
  browsers: { total: 2_000, perHost: 20, silentMs: 5_000 },
  control: { total: 1_000, perHost: 250, silentMs: 10_000 },
  sip: { total: 500, perHost: 100, silentMs: 10_000 },
} as const satisfies Record<string, ListenerBounds>;

/** Closes connections beyond the bounds at once, before they cost anything. */
export function boundConnections(server: Server, { total, perHost }: ListenerBounds): void {
  server.maxConnections = total;
  const counts = new ClientCounts({ total, perHost });
  server.prependListener("connection", (socket: Socket) => {
    const release = counts.take(socket.remoteAddress ?? "");
    if (release === null) socket.destroy();
    else socket.once("close", release);
  });
}
