import type { IncomingMessage, Server } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { Logger } from "pino";
import type { RateLimitedLog } from "../rate-limits/rate-limited-log.ts";
import { type BrowserUpgrade, ForwardedBrowsers } from "../nodes/forwarded-browsers.ts";
import type { Nodes } from "../nodes/nodes.ts";
import { refuseUpgrade } from "../refuse-upgrade.ts";
import { clientAddress } from "./client-address.ts";
import { PendingLogins, type LoginSlot } from "./pending-logins.ts";

/** A browser before the WebSocket handshake. It occupies `slot` until it signs in. */
export type NewBrowser = Omit<BrowserUpgrade, "voiceSdkId" | "address"> & {
  readonly voiceSdkId: string | null;
  readonly slot: LoginSlot;
};

interface UpgradeHandlerOptions {
  readonly nodes: Nodes;
  readonly allowedOrigins: readonly string[];
  readonly trustedProxies: number;
  /** While draining, browsers are not forwarded to other nodes. */
  readonly draining: () => boolean;
  readonly accept: (browser: NewBrowser) => void;
  readonly log: Logger;
  readonly limitedLog: RateLimitedLog;
}

/** Handles browsers' WebSocket upgrades: forwards those whose call is on another node, and accepts the others. */
export class UpgradeHandler {
  readonly #options: UpgradeHandlerOptions;
  readonly #origins: ReadonlySet<string>;
  readonly #pendingLogins = new PendingLogins();
  readonly #slots = new WeakMap<Duplex, LoginSlot>();
  readonly #forwarded: ForwardedBrowsers;

  constructor(options: UpgradeHandlerOptions) {
    this.#options = options;
    this.#origins = new Set(options.allowedOrigins);
    this.#forwarded = new ForwardedBrowsers(options.nodes.client);
  }

  get forwarded(): number {
    return this.#forwarded.size;
  }

  listenOn(server: Server): void {
    server.on("connection", (socket) => this.#connected(socket));
    server.on("upgrade", (request, socket, head) => this.#upgrade(request, socket, head));
  }

  /** Accepts a browser from another node, which has checked its origin. */
  acceptForwarded({ request, socket, head, voiceSdkId, address }: BrowserUpgrade): void {
    this.#options.accept({ request, socket, head, voiceSdkId, slot: this.#pendingLogins.add(socket, address) });
  }

  /** Closes the forwarded sockets; their browsers reconnect through another node. */
  closeForwarded(): void {
    this.#forwarded.close();
  }

  /** Counts a connection before its first byte. Behind a proxy the client's address is known only from the request. */
  #connected(socket: Socket): void {
    if (this.#options.trustedProxies === 0) this.#slots.set(socket, this.#pendingLogins.add(socket, socket.remoteAddress ?? ""));
  }

  #upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const { nodes, trustedProxies, draining, accept, log, limitedLog } = this.#options;
    socket.on("error", (error) => log.debug({ err: error }, "socket error before upgrade"));
    const { origin } = request.headers;
    if (origin === undefined || !this.#origins.has(origin)) {
      limitedLog.warn({ origin: origin?.slice(0, 200) }, "socket refused: origin not allowed");
      return refuseUpgrade(socket, "403 Forbidden");
    }
    const address = clientAddress(request, trustedProxies);
    const slot = this.#slots.get(socket) ?? this.#pendingLogins.add(socket, address);
    // oxlint-disable-next-line farline/no-raw-url -- the query of an upgrade, which has no router; nothing is decided by its path
    const query = (request.url ?? "").split("?")[1] ?? "";
    const voiceSdkId = new URLSearchParams(query).get("voice_sdk_id");
    const owner = voiceSdkId === null || draining() ? "self" : nodes.ownerOfBrowser(voiceSdkId);
    if (voiceSdkId === null || owner === "self" || owner === null) return accept({ request, socket, head, voiceSdkId, slot });
    void this.#forwarded
      .forward(owner, { request, socket, head, address, voiceSdkId })
      .then((forwarded) => (forwarded ? slot.free() : accept({ request, socket, head, voiceSdkId, slot })));
  }
}
