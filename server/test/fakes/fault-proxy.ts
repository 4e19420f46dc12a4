import { connect, createServer, type AddressInfo, type Server, type Socket } from "node:net";

/** The fault applied to connections. `blackhole`: they stay open but no data gets through. */
export type NetworkFault = "none" | "blackhole" | "refuse" | "reset";

/** A proxy between a client and a server on this machine that simulates network faults. */
export class FaultProxy {
  readonly #target: { host: string; port: number };
  readonly #pairs = new Set<Pair>();
  #server: Server;
  #port = 0;
  #fault: NetworkFault = "none";
  /** Milliseconds of delay for each response. */
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

  /** The address that leads through the proxy. */
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
   * Lets the next request that contains this text through, and cuts the connection instead of the response.
   * @param after only on a connection that sends a request with this text first, from now on
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

  /** Whether to drop the response to this request. */
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

/** A connection from the client and its upstream counterpart. */
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
