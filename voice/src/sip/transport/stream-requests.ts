import { outgoingBytes, transactionKey } from "./sip-transport.ts";
import type { SipSummary } from "./sip-text.ts";

/** RFC 3261 timer F. */
const RESPONSE_WITHIN_MS = 32_000;
const MAX_WAITING = 2_000;
/** Requests that must survive a broken connection: a lost BYE leaves a leg that costs money. */
const SURVIVING_METHODS = new Set(["BYE", "CANCEL", "ACK"]);

interface Waiting {
  readonly bytes: Buffer;
  readonly method: string;
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
  readonly timer: NodeJS.Timeout;
  sent: boolean;
}

/** Requests without a response, or waiting for the connection. */
export class StreamRequests {
  readonly #waiting = new Map<string, Waiting>();

  static survivesReconnect({ method }: SipSummary): boolean {
    return SURVIVING_METHODS.has(method);
  }

  /** Settles when the request is answered, or lost with its connection. Rejects at once if too many are waiting. */
  add(text: string, summary: SipSummary, sent: boolean): Promise<void> {
    const key = transactionKey(summary);
    if (this.#waiting.size >= MAX_WAITING) return Promise.reject(new Error("Too many SIP requests are waiting for responses."));
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => this.answered(key), RESPONSE_WITHIN_MS);
      this.#waiting.set(key, { bytes: outgoingBytes(text), method: summary.method, resolve, reject, timer, sent });
    });
  }

  answered(key: string): void {
    const waiting = this.#waiting.get(key);
    if (waiting === undefined) return;
    clearTimeout(waiting.timer);
    this.#waiting.delete(key);
    waiting.resolve();
  }

  /** Writes what waited for the connection. An ACK gets no response. */
  sendWaiting(write: (bytes: Buffer) => void): void {
    for (const [key, waiting] of this.#waiting) {
      if (waiting.sent) continue;
      write(waiting.bytes);
      waiting.sent = true;
      if (waiting.method === "ACK") this.answered(key);
    }
  }

  /** The connection broke or could not be opened: rejects all requests that do not survive it. */
  connectionLost(error: Error): void {
    for (const [key, waiting] of this.#waiting) {
      if (SURVIVING_METHODS.has(waiting.method)) waiting.sent = false;
      else {
        clearTimeout(waiting.timer);
        this.#waiting.delete(key);
        waiting.reject(error);
      }
    }
  }

  clear(): void {
    for (const key of this.#waiting.keys()) this.answered(key);
  }
}
