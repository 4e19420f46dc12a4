import { createSocket, type RemoteInfo, type Socket } from "node:dgram";
import { once } from "node:events";
import type { Page, WebSocketRoute } from "@playwright/test";
import { WebSocket } from "ws";

const PRODUCT = new URL(process.env["PRODUCT_URL"] ?? "http://localhost");
const CANDIDATE = /candidate:\S+ \d+ udp \d+ (\S+) (\d+) typ host/gi;

/** The network between a page and the exchange: a test controls the page's socket and sound. */
export interface LossyNetwork {
  /** While dropping, no packet passes: sound is lost, and socket messages arrive later, because TCP retransmits them. */
  drop(dropping: boolean): void;
  /** Simulates a new address of the page: earlier connections stay dead, undetected. */
  changeAddress(): void;
  close(): void;
}

/** Call it before the page is opened. */
export async function takeNetwork(page: Page): Promise<LossyNetwork> {
  const exchangePort = String(Number(PRODUCT.port) + 2);
  const relays = new Map<string, Relay>();
  const sockets = new Set<HeldSocket>();
  let dropping = false;
  /** Rewrites each candidate of the exchange to a relay in front of it. */
  const throughRelays = async (text: string): Promise<string> => {
    let rewritten = text;
    for (const [, host = "", port = ""] of text.matchAll(CANDIDATE)) {
      const key = `${host} ${port} typ host`;
      const relay = relays.get(key) ?? (await openRelay({ host, port: Number(port) }, () => dropping));
      relays.set(key, relay);
      rewritten = rewritten.replaceAll(key, `127.0.0.1 ${relay.port} typ host`);
    }
    return rewritten;
  };
  await page.routeWebSocket(
    (url) => url.port === exchangePort,
    (socket) => void sockets.add(new HeldSocket(socket, { isDropping: () => dropping, throughRelays })),
  );
  return {
    drop(on) {
      dropping = on;
      if (!on) for (const socket of sockets) socket.release();
    },
    changeAddress() {
      for (const socket of sockets) socket.lose();
      for (const relay of relays.values()) relay.lose();
      sockets.clear();
      relays.clear();
    },
    close() {
      for (const relay of relays.values()) relay.close();
    },
  };
}

/** A socket whose messages wait while packets are dropped. One opened during that time reaches the exchange afterwards. */
class HeldSocket {
  readonly #page: WebSocketRoute;
  readonly #isDropping: () => boolean;
  #waiting: (() => void)[] = [];
  #lost = false;

  constructor(page: WebSocketRoute, wire: { isDropping: () => boolean; throughRelays: (text: string) => Promise<string> }) {
    this.#page = page;
    this.#isDropping = wire.isDropping;
    const exchange = new Promise<WebSocket>((resolve) => this.#pass(() => resolve(this.#connect(wire.throughRelays))));
    page.onMessage((message) => this.#pass(() => void exchange.then((socket) => socket.send(message))));
    page.onClose(() => this.#pass(() => void exchange.then((socket) => socket.close())));
  }

  release(): void {
    for (const step of this.#waiting.splice(0)) step();
  }

  lose(): void {
    this.#lost = true;
    this.#waiting = [];
  }

  /** Not Playwright's own connection, which responds to the exchange's pings whatever happens to the page. */
  async #connect(throughRelays: (text: string) => Promise<string>): Promise<WebSocket> {
    const exchange = new WebSocket(this.#page.url(), { autoPong: false, origin: PRODUCT.origin });
    const toPage = async (message: string): Promise<void> => {
      const text = await throughRelays(message);
      this.#pass(() => this.#page.send(text));
    };
    let inOrder = Promise.resolve();
    exchange.on("ping", (data) => this.#pass(() => exchange.pong(data)));
    exchange.on("message", (data: Buffer) => {
      inOrder = inOrder.then(() => toPage(data.toString()));
    });
    exchange.on("close", () => this.#pass(() => void this.#page.close()));
    await once(exchange, "open");
    return exchange;
  }

  #pass(step: () => void): void {
    if (this.#lost) return;
    if (this.#isDropping() || this.#waiting.length > 0) this.#waiting.push(step);
    else step();
  }
}

interface Relay {
  readonly port: number;
  lose(): void;
  close(): void;
}

/** Relays the sound between the page and one port of the exchange. */
async function openRelay(exchange: { host: string; port: number }, isDropping: () => boolean): Promise<Relay> {
  const [front, back] = [createSocket("udp4"), createSocket("udp4")];
  await Promise.all([front, back].map((socket) => bind(socket)));
  let browser: RemoteInfo | null = null;
  let lost = false;
  front.on("message", (packet, from) => {
    browser = from;
    if (!lost && !isDropping()) back.send(packet, exchange.port, exchange.host);
  });
  back.on("message", (packet) => {
    if (browser !== null && !lost && !isDropping()) front.send(packet, browser.port, browser.address);
  });
  return {
    port: front.address().port,
    lose: () => void (lost = true),
    close() {
      front.close();
      back.close();
    },
  };
}

async function bind(socket: Socket): Promise<void> {
  socket.bind(0, "127.0.0.1");
  await once(socket, "listening");
}
