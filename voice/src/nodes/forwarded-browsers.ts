import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { NODE_DEADLINE_MS, type NodeClient, type OtherNode } from "./node-client.ts";

/** Names the tab whose call the other node is asked for, and the address of its browser. */
export const BROWSER_TAB = "x-farline-tab";
export const BROWSER_ADDRESS = "x-farline-browser";
/** Attempts under way at a time, to each node. Over it a browser is treated as if that node were gone. */
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
 * WebSockets of browsers whose call is at another node: their bytes go there and back. They enter at that node's control listener, with
 * the key, so that no header of a stranger has to be believed.
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

  /** False if the node does not answer or has no such call: then this node takes the browser itself. */
  async forward(node: OtherNode, upgrade: BrowserUpgrade): Promise<boolean> {
    const attempts = this.#attempts.get(node.name) ?? 0;
    if (attempts >= MAX_ATTEMPTS) return false;
    this.#attempts.set(node.name, attempts + 1);
    try {
      const accepted = await this.#ask(node, upgrade);
      if (accepted === null) return false;
      this.#join(upgrade, accepted);
      return true;
    } finally {
      this.#attempts.set(node.name, (this.#attempts.get(node.name) ?? 1) - 1);
    }
  }

  /** Cuts them: the SDK comes back through another node. */
  close(): void {
    for (const socket of this.#open) socket.destroy();
  }

  #ask(node: OtherNode, { request, voiceSdkId, address }: BrowserUpgrade): Promise<Accepted | null> {
    const headers: Record<string, string> = { connection: "Upgrade", upgrade: "websocket", [BROWSER_TAB]: voiceSdkId };
    headers[BROWSER_ADDRESS] = address;
    for (const name of ["sec-websocket-key", "sec-websocket-version"]) headers[name] = String(request.headers[name] ?? "");
    return new Promise((resolve) => {
      const sent = this.#client.request(node, { method: "GET", path: "/", headers }, { agent: false });
      const timer = setTimeout(() => sent.destroy(new Error("no answer in time")), NODE_DEADLINE_MS);
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

  #join({ socket, head }: BrowserUpgrade, accepted: Accepted): void {
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
