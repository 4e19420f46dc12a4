import type { Socket } from "node:net";
import { KeepAlive } from "./keep-alive.ts";
import { StreamFramer } from "./stream-framer.ts";
import { DEFAULT_TIMES, type StreamTimes } from "./stream-times.ts";
import type { Target } from "./target.ts";

/** More means that the peer has stopped reading. */
const MAX_UNSENT_BYTES = 1_048_576;

export interface StreamEvents {
  message(bytes: Uint8Array, connection: StreamConnection): void;
}

export interface StreamOptions {
  readonly peer: Target;
  /** Whether we opened it: who opens a connection keeps it alive (RFC 5626 §4.4.1). */
  readonly opened: boolean;
  readonly events: StreamEvents;
  readonly times?: Partial<StreamTimes>;
}

/** A TCP or TLS connection that carries SIP (RFC 3261 §18), opened by us or by the peer. */
export class StreamConnection {
  readonly peer: Target;
  /** Resolves when the connection is established; rejects if it cannot be. */
  readonly ready: Promise<void>;
  /** Resolves with the reason when the connection is closed. */
  readonly ended: Promise<Error>;
  readonly #socket: Socket;
  readonly #times: StreamTimes;
  readonly #keepAlive: KeepAlive;
  readonly #framer = new StreamFramer();
  #messageTimer: NodeJS.Timeout | null = null;
  #established = false;
  #heard = false;
  #closed = false;

  /** @param socket connecting if `opened`, else established */
  constructor(socket: Socket, options: StreamOptions) {
    this.peer = options.peer;
    this.#socket = socket;
    this.#times = { ...DEFAULT_TIMES, ...options.times };
    this.#keepAlive = new KeepAlive({
      write: (text) => this.#write(Buffer.from(text)),
      fail: (problem) => socket.destroy(problem),
      times: this.#times,
    });
    socket.setNoDelay(true);
    this.ended = this.#awaitEnd();
    this.ready = options.opened ? this.#awaitReady() : Promise.resolve(this.#accept());
    // Rejected for those who wait for it.
    this.ready.catch(() => undefined);
    socket.on("data", (chunk: Buffer) => {
      try {
        this.#receive(chunk, options.events);
      } catch (error) {
        socket.destroy(error as Error);
      }
    });
  }

  /** Whether the peer has sent anything, which shows that it speaks SIP. */
  get heard(): boolean {
    return this.#heard;
  }

  /** The peer supports outbound, so that it must answer pings from now on (RFC 5626 §4.4.1). */
  demandPongs(): void {
    this.#keepAlive.demandPongs();
  }

  /** Resolves when the bytes are handed to the system; rejects if the connection breaks before. Waits for the connection. */
  async send(bytes: Uint8Array): Promise<void> {
    if (this.#closed) throw new Error("The SIP connection is closed.");
    const failed = await new Promise<boolean>((resolve) => this.#write(bytes, (error) => resolve(Boolean(error))));
    // A failed write destroys the socket, which then tells the cause.
    if (failed) throw await this.ended;
  }

  close(): void {
    if (this.#established) this.#socket.end();
    else this.#socket.destroy();
    this.#socket.setTimeout(this.#times.connectWithinMs, () => this.#socket.destroy());
    this.#socket.unref();
  }

  #write(bytes: Uint8Array, done?: (error?: Error | null) => void): void {
    this.#socket.write(bytes, done);
    if (this.#socket.writableLength > MAX_UNSENT_BYTES)
      this.#socket.destroy(new Error("The peer does not read from the SIP connection."));
  }

  #accept(): void {
    this.#established = true;
    this.#socket.setTimeout(this.#times.idleMs, () => this.#socket.destroy(new Error("The SIP connection was idle.")));
  }

  async #awaitReady(): Promise<void> {
    const { connectWithinMs } = this.#times;
    const late = setTimeout(() => this.#socket.destroy(new Error("The peer did not accept the connection.")), connectWithinMs);
    const event = this.peer.transport === "TLS" ? "secureConnect" : "connect";
    const established = new Promise<null>((resolve) =>
      this.#socket.once(event, () => {
        clearTimeout(late);
        this.#established = true;
        this.#keepAlive.start();
        resolve(null);
      }),
    );
    const problem = await Promise.race([established, this.ended]);
    clearTimeout(late);
    if (problem !== null) throw problem;
  }

  #awaitEnd(): Promise<Error> {
    let problem = new Error("The peer closed the SIP connection.");
    this.#socket.on("error", (error) => {
      problem = error;
    });
    return new Promise((resolve) => {
      this.#socket.once("close", () => {
        this.#closed = true;
        this.#keepAlive.stop();
        if (this.#messageTimer !== null) clearTimeout(this.#messageTimer);
        resolve(problem);
      });
    });
  }

  #receive(chunk: Buffer, events: StreamEvents): void {
    const { messages, pings, lineBreak } = this.#framer.push(chunk, performance.now());
    this.#heard = true;
    this.#keepAlive.received({ pings, lineBreak });
    this.#watchMessage(messages.length > 0);
    for (const message of messages) if (!this.#closed) events.message(message, this);
  }

  #watchMessage(completed: boolean): void {
    if (this.#messageTimer !== null && (completed || !this.#framer.unfinished)) {
      clearTimeout(this.#messageTimer);
      this.#messageTimer = null;
    }
    if (!this.#framer.unfinished) return;
    this.#messageTimer ??= setTimeout(
      () => this.#socket.destroy(new Error("A SIP message was not completed in time.")),
      this.#times.messageWithinMs,
    );
  }
}
