import type { IncomingMessage, Server } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { Logger } from "pino";
import type { RateLimitedLog } from "../rate-limits/rate-limited-log.ts";
import { type BrowserUpgrade, ForwardedBrowsers } from "../nodes/forwarded-browsers.ts";
import type { Nodes } from "../nodes/nodes.ts";
import { clientAddress } from "./client-address.ts";
import { PendingLogins, type LoginSlot } from "./pending-logins.ts";

/** A browser before its handshake; `place` is its slot until it has signed in. */
export type NewBrowser = Omit<BrowserUpgrade, "voiceSdkId" | "address"> & {
  readonly voiceSdkId: string | null;
  readonly place: LoginSlot;
};

export interface UpgradeHandlerOptions {
  readonly nodes: Nodes;
  readonly allowedOrigins: readonly string[];
  readonly trustedProxies: number;
  /** Whether browsers are kept from other nodes too. */
  readonly draining: () => boolean;
  readonly accept: (browser: NewBrowser) => void;
  readonly log: Logger;
  readonly limitedLog: RateLimitedLog;
}

export function refuseUpgrade(socket: Duplex, status: string): void {
  socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
}

/** Where browsers come in: those whose call is at another node are led there, the others are accepted here. */
export class UpgradeHandler {
  readonly #options: UpgradeHandlerOptions;
  readonly #origins: ReadonlySet<string>;
  readonly #waiting = new PendingLogins();
  readonly #places = new WeakMap<Duplex, LoginSlot>();
  readonly #elsewhere: ForwardedBrowsers;

  constructor(options: UpgradeHandlerOptions) {
    this.#options = options;
    this.#origins = new Set(options.allowedOrigins);
    this.#elsewhere = new ForwardedBrowsers(options.nodes.client);
  }

  /** Sockets that are led to another node. */
  get forwarded(): number {
    return this.#elsewhere.size;
  }

  listenOn(server: Server): void {
    server.on("connection", (socket) => this.#connected(socket));
    server.on("upgrade", (request, socket, head) => this.#upgrade(request, socket, head));
  }

  /** Of another node, which has checked its origin. */
  acceptForwarded({ request, socket, head, voiceSdkId, address }: BrowserUpgrade): void {
    this.#options.accept({ request, socket, head, voiceSdkId, place: this.#waiting.add(socket, address) });
  }

  /** Cuts the sockets that are led elsewhere: their browsers come back through another node. */
  closeForwarded(): void {
    this.#elsewhere.close();
  }

  /** Counts a connection before it says anything. Behind a proxy the sender is known with the request only. */
  #connected(socket: Socket): void {
    if (this.#options.trustedProxies === 0) this.#places.set(socket, this.#waiting.add(socket, socket.remoteAddress ?? ""));
  }

  #upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const { nodes, trustedProxies, draining, accept, log, limitedLog } = this.#options;
    socket.on("error", (error) => log.debug({ err: error }, "socket error before the upgrade"));
    const { origin } = request.headers;
    if (origin === undefined || !this.#origins.has(origin)) {
      limitedLog.warn({ origin: origin?.slice(0, 200) }, "socket refused: foreign origin");
      return refuseUpgrade(socket, "403 Forbidden");
    }
    const address = clientAddress(request, trustedProxies);
    const place = this.#places.get(socket) ?? this.#waiting.add(socket, address);
    // oxlint-disable-next-line farline/no-raw-url -- the query of an upgrade, which has no router; nothing is decided by its path
    const query = (request.url ?? "").split("?")[1] ?? "";
    const voiceSdkId = new URLSearchParams(query).get("voice_sdk_id");
    const owner = voiceSdkId === null || draining() ? "own" : nodes.ofBrowser(voiceSdkId);
    if (voiceSdkId === null || owner === "own" || owner === null) return accept({ request, socket, head, voiceSdkId, place });
    void this.#elsewhere
      .forward(owner, { request, socket, head, address, voiceSdkId })
      .then((forwarded) => (forwarded ? place.leave() : accept({ request, socket, head, voiceSdkId, place })));
  }
}
