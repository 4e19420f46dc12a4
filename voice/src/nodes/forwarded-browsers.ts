import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { NODE_DEADLINE_MS, type NodeClient, type OtherNode } from "./node-client.ts";

/** The browser tab whose call is on the other node, and the browser's address. */
export const BROWSER_TAB = "x-farline-tab";
export const BROWSER_ADDRESS = "x-farline-browser";
/** Concurrent attempts per node. Beyond it the node is treated as down. */
const MAX_ATTEMPTS = 200;
/** The owning node pings its browsers every 15 s. */
const SILENT_MS = 60_000;

export interface BrowserUpgrade {
  readonly request: IncomingMessage;
  readonly socket: Duplex;
  readonly head: Buffer;
  readonly voiceSdkId: string;
  readonly address: string;
}

/**
 * Forwards WebSockets of browsers whose call is on another node. They connect to that node's control listener with the key, so that it
 * can trust their headers.
 */
export class ForwardedBrowsers {
  readonly #client: NodeClient;
  readonly #attempts = new Map<string, number>();
  readonly #open = new Set<Duplex>();

  constructor(client: NodeClient) {
    this.#client = client;
  }

  get size(): number {
    return this.#open.size;
  }

  /** False if the node does not respond or has no such call. */
  async forward(node: OtherNode, upgrade: BrowserUpgrade): Promise<boolean> {
    const attempts = this.#attempts.get(node.name) ?? 0;
    if (attempts >= MAX_ATTEMPTS) return false;
    this.#attempts.set(node.name, attempts + 1);
    try {
      const accepted = await this.#request(node, upgrade);
      if (accepted === null) return false;
      this.#connect(upgrade, accepted);
      return true;
    } finally {
      this.#attempts.set(node.name, (this.#attempts.get(node.name) ?? 1) - 1);
    }
  }

  /** Closes the sockets; the SDK reconnects through another node. */
  close(): void {
    for (const socket of this.#open) socket.destroy();
  }

  #request(node: OtherNode, { request, voiceSdkId, address }: BrowserUpgrade): Promise<Accepted | null> {
    const headers: Record<string, string> = { connection: "Upgrade", upgrade: "websocket", [BROWSER_TAB]: voiceSdkId };
    headers[BROWSER_ADDRESS] = address;
    for (const name of ["sec-websocket-key", "sec-websocket-version"]) headers[name] = String(request.headers[name] ?? "");
    return new Promise((resolve) => {
      const sent = this.#client.request(node, { method: "GET", path: "/", headers }, { agent: false });
      const timer = setTimeout(() => sent.destroy(new Error("no response in time")), NODE_DEADLINE_MS);
      const done = (accepted: Accepted | null): void => {
        clearTimeout(timer);
        resolve(accepted);
      };
      sent.on("error", () => done(null));
      sent.on("response", () => {
        done(null);
        sent.destroy();
      });
      sent.on("upgrade", (response, socket, head) =>
        done({ socket, head, key: String(response.headers["sec-websocket-accept"] ?? "") }),
      );
      sent.end();
    });
  }

  #connect({ socket, head }: BrowserUpgrade, accepted: Accepted): void {
    const node = accepted.socket;
    this.#open.add(socket);
    const end = (): void => {
      this.#open.delete(socket);
      socket.destroy();
      node.destroy();
    };
    for (const side of [socket, node]) side.on("error", end).on("close", end);
    node.setTimeout(SILENT_MS, end);
    if (socket.destroyed) return end();
    socket.write(
      `HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Accept: ${accepted.key}\r\n\r\n`,
    );
    socket.write(accepted.head);
    node.write(head);
    socket.pipe(node).pipe(socket);
  }
}

interface Accepted {
  readonly socket: Socket;
  readonly head: Buffer;
  readonly key: string;
}
