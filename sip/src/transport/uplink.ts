import type { StreamConnection } from "./stream-connection.ts";
import { DEFAULT_TIMES, type StreamTimes } from "./stream-times.ts";
import type { Target } from "./target.ts";

interface UplinkOptions {
  /** The targets in the order in which to try them; asked before each attempt. */
  readonly targets: () => Promise<readonly Target[]>;
  readonly connect: (target: Target) => StreamConnection;
  readonly events: UplinkEvents;
  readonly times?: Partial<StreamTimes>;
  /** Returns numbers from 0 to below 1, so that many clients do not return at once (RFC 5626 §4.5). */
  readonly random?: () => number;
}

export interface UplinkEvents {
  opened(target: Target): void;
  /** An established connection broke. */
  lost(problem: Error): void;
  /** No target could be reached. */
  unreachable(problem: Error, retryMs: number): void;
}

/** Keeps a connection to a carrier open: fails over between its addresses (RFC 3263 §4.3) and reconnects with back-off. */
export class Uplink {
  readonly #options: UplinkOptions;
  readonly #times: StreamTimes;
  #connection: StreamConnection | null = null;
  #timer: NodeJS.Timeout | null = null;
  #retryMs: number;
  #closed = false;

  constructor(options: UplinkOptions) {
    this.#options = options;
    this.#times = { ...DEFAULT_TIMES, ...options.times };
    this.#retryMs = this.#times.firstRetryMs;
    void this.#connect();
  }

  /** The connected target; null while there is none. */
  get target(): Target | null {
    return this.#connection === null || this.#connection.isClosed ? null : this.#connection.peer;
  }

  close(): void {
    this.#closed = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#connection?.close();
  }

  async #connect(): Promise<void> {
    try {
      const connection = await this.#openFirst();
      if (this.#closed) return connection.close();
      this.#connection = connection;
      this.#options.events.opened(connection.peer);
      const problem = await connection.ended;
      this.#connection = null;
      if (this.#closed) return;
      // A peer that accepts connections and never says anything is retried less and less often.
      if (connection.heard) this.#retryMs = this.#times.firstRetryMs;
      this.#options.events.lost(problem);
    } catch (error) {
      if (this.#closed) return;
      this.#options.events.unreachable(error as Error, this.#retryMs);
    }
    this.#retry();
  }

  async #openFirst(): Promise<StreamConnection> {
    let problem = new Error("The carrier has no address.");
    for (const target of await this.#options.targets()) {
      if (this.#closed) break;
      try {
        const connection = this.#options.connect(target);
        await connection.ready;
        return connection;
      } catch (error) {
        problem = error as Error;
      }
    }
    throw problem;
  }

  /** Waits between half of the interval and all of it. */
  #retry(): void {
    const { random = Math.random } = this.#options;
    this.#timer = setTimeout(() => void this.#connect(), this.#retryMs * (0.5 + random() / 2));
    this.#retryMs = Math.min(this.#retryMs * 2, this.#times.maxRetryMs);
  }
}
