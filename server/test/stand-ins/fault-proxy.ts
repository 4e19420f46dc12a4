import { connect, createServer, type AddressInfo, type Server, type Socket } from "node:net";

/** What the network does to connections through the proxy. `blackhole`: open, and nothing comes through. */
export type NetworkFault = "none" | "blackhole" | "refuse" | "reset";

/** Stands between a client and a server on this machine and does to their connections what networks do. */
export class FaultProxy {
  readonly #target: { host: string; port: number };
  readonly #pairs = new Set<Pair>();
  #server: Server;
  #port = 0;
  #fault: NetworkFault = "none";
  /** Milliseconds that each answer takes longer. */
  latencyMs = 0;
  #loses: Loss | null = null;

  private constructor(target: { host: string; port: number }) {
    this.#target = target;
    this.#server = this.#newServer();
  }

  static async start(url: string): Promise<FaultProxy> {
    const { hostname, port } = new URL(url);
    const proxy = new FaultProxy({ host: hostname, port: Number(port) });
    await proxy.#listen(0);
    return proxy;
  }

  /** The same address, by way of the proxy. */
  through(url: string): string {
    const way = new URL(url);
    way.host = `127.0.0.1:${this.#port}`;
    return way.href.replace(/\/$/, "");
  }

  async setFault(fault: NetworkFault): Promise<void> {
    const before = this.#fault;
    this.#fault = fault;
    if (fault === "refuse") {
      for (const pair of this.#pairs) pair.reset();
      await new Promise((resolve) => this.#server.close(resolve));
      return;
    }
    if (before === "refuse") {
      this.#server = this.#newServer();
      await this.#listen(this.#port);
    }
    for (const pair of this.#pairs) {
      if (fault === "reset") pair.reset();
      else pair.hold(fault === "blackhole");
    }
  }

  /**
   * The next request that contains this text gets through; the connection is cut in place of its answer.
   * @param after only on a connection that asked something with this text before, from now on
   */
  loseAnswerTo(pattern: string, after = ""): Promise<void> {
    return new Promise((resolve) => (this.#loses = { pattern, after, marked: new WeakSet(), done: resolve }));
  }

  async close(): Promise<void> {
    for (const pair of this.#pairs) pair.reset();
    if (this.#server.listening) await new Promise((resolve) => this.#server.close(resolve));
  }

  #newServer(): Server {
    return createServer((client) => {
      if (this.#fault === "reset") {
        client.resetAndDestroy();
        return;
      }
      const pair = new Pair(client, connect(this.#target), this);
      this.#pairs.add(pair);
      pair.onEnd = () => this.#pairs.delete(pair);
      pair.hold(this.#fault === "blackhole");
    });
  }

  #listen(port: number): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#server.once("error", reject);
      this.#server.listen(port, "127.0.0.1", () => {
        this.#port = (this.#server.address() as AddressInfo).port;
        resolve();
      });
    });
  }

  /** Whether the answer to this request is to be lost. */
  takesLoss(pair: Pair, request: Buffer): (() => void) | null {
    if (this.#loses === null) return null;
    const { pattern, after, marked, done } = this.#loses;
    if (request.includes(after)) marked.add(pair);
    if (!marked.has(pair) || !request.includes(pattern)) return null;
    this.#loses = null;
    return done;
  }
}

interface Loss {
  readonly pattern: string;
  readonly after: string;
  readonly marked: WeakSet<Pair>;
  readonly done: () => void;
}

/** One connection and its continuation. */
class Pair {
  readonly #client: Socket;
  readonly #server: Socket;
  onEnd: () => void = () => undefined;

  constructor(client: Socket, server: Socket, proxy: FaultProxy) {
    this.#client = client;
    this.#server = server;
    let lost: (() => void) | null = null;
    client.on("data", (chunk) => {
      lost ??= proxy.takesLoss(this, chunk);
      server.write(chunk);
    });
    server.on("data", (chunk) => {
      if (lost !== null) {
        this.reset();
        lost();
        return;
      }
      if (proxy.latencyMs === 0) client.write(chunk);
      else setTimeout(() => client.destroyed || client.write(chunk), proxy.latencyMs);
    });
    for (const socket of [client, server]) {
      socket.on("error", () => this.reset());
      socket.on("close", () => this.reset());
    }
  }

  hold(held: boolean): void {
    for (const socket of [this.#client, this.#server]) {
      if (held) socket.pause();
      else socket.resume();
    }
  }

  reset(): void {
    this.onEnd();
    if (!this.#client.destroyed) this.#client.resetAndDestroy();
    if (!this.#server.destroyed) this.#server.destroy();
  }
}
