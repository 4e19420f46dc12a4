import { outgoingBytes, transactionKey } from "./sip-transport.ts";
import type { SipSummary } from "./sip-text.ts";

/** As long as the library waits for a response: RFC 3261 timer F. */
const RESPONSE_WITHIN_MS = 32_000;
const MAX_WAITING = 2_000;
/** Requests of live calls that must arrive although the connection breaks: an unheard BYE leaves a leg that costs money. */
const KEPT_METHODS = new Set(["BYE", "CANCEL", "ACK"]);

interface Waiting {
  readonly bytes: Buffer;
  readonly method: string;
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
  readonly timer: NodeJS.Timeout;
  sent: boolean;
}

/** Requests on a connection that have no response yet, or wait for the connection. */
export class StreamRequests {
  readonly #waiting = new Map<string, Waiting>();

  /** Must the request wait for the next connection when there is none? */
  static keeps({ method }: SipSummary): boolean {
    return KEPT_METHODS.has(method);
  }

  /** Settles when the request is answered, or lost with its connection. Rejects at once when too many wait. */
  add(text: string, summary: SipSummary, sent: boolean): Promise<void> {
    const key = transactionKey(summary);
    if (this.#waiting.size >= MAX_WAITING) return Promise.reject(new Error("Too many SIP requests wait for their responses."));
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

  /** The connection is there: writes what waits for it. Nothing answers an ACK. */
  sendWaiting(write: (bytes: Buffer) => void): void {
    for (const [key, waiting] of this.#waiting) {
      if (waiting.sent) continue;
      write(waiting.bytes);
      waiting.sent = true;
      if (waiting.method === "ACK") this.answered(key);
    }
  }

  /** The connection broke or could not be opened: fails everything that need not arrive later. */
  connectionLost(error: Error): void {
    for (const [key, waiting] of this.#waiting) {
      if (KEPT_METHODS.has(waiting.method)) waiting.sent = false;
      else {
        clearTimeout(waiting.timer);
        this.#waiting.delete(key);
        waiting.reject(error);
      }
    }
  }

  /** Forgets everything. */
  clear(): void {
    for (const key of this.#waiting.keys()) this.answered(key);
  }
}
