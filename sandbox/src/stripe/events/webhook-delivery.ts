import { createHmac } from "node:crypto";
import type { Pool } from "pg";
import type { Logger } from "pino";
import { allDelivered, dueDeliveries, finishDelivery, markDelivered, retryDelivery, type DueDelivery } from "./delivery.store.ts";

/** Delays after the first, second … failed attempt. After the last one the event is given up but can still be listed. */
const RETRY_DELAYS_MS: readonly number[] = [5000, 30_000, 120_000, 600_000, 3_600_000];
const RESPONSE_TIMEOUT_MS = 10_000;
const MAX_CONCURRENT = 8;
const MAX_SLEEP_MS = 1000;
const SETTLED_CHECK_MS = 25;

export interface WebhookOptions {
  /** Null without a listener. */
  url: string | null;
  /** Signing secrets; several during a rotation, each with its own signature. */
  secrets: readonly string[];
  retryDelaysMs?: readonly number[];
}

/**
 * Delivers events from the queue in the database, at least once, in no guaranteed order, with retries. Undelivered events
 * survive a restart.
 */
export class WebhookDelivery {
  readonly #pool: Pool;
  readonly #options: WebhookOptions;
  readonly #log: Logger;
  readonly #now: () => number;
  readonly #skewSeconds: () => number;
  readonly #stop = new AbortController();
  readonly #loop: Promise<void>;
  #wake: () => void = () => undefined;
  #woken = false;

  /** @param context `skewSeconds` is the error of the signing clock */
  constructor(context: { pool: Pool; log: Logger; now: () => number; skewSeconds: () => number }, options: WebhookOptions) {
    this.#pool = context.pool;
    this.#log = context.log;
    this.#now = context.now;
    this.#skewSeconds = context.skewSeconds;
    this.#options = options;
    this.#loop = options.url === null ? Promise.resolve() : this.#run(options.url);
  }

  /** Where events are sent; null without a listener. */
  get url(): string | null {
    return this.#options.url;
  }

  /** Tells the delivery loop that the queue may have new entries. */
  wake(): void {
    this.#woken = true;
    this.#wake();
  }

  /** Waits until the events are delivered or given up, for `timeoutMs` at most. */
  async settled(eventIds: readonly string[], timeoutMs: number): Promise<void> {
    const until = performance.now() + timeoutMs;
    while (performance.now() < until && !this.#stop.signal.aborted && !(await allDelivered(this.#pool, eventIds)))
      await new Promise((resolve) => setTimeout(resolve, SETTLED_CHECK_MS));
  }

  async close(): Promise<void> {
    this.#stop.abort();
    this.#wake();
    await this.#loop;
  }

  async #run(url: string): Promise<void> {
    while (!this.#stop.signal.aborted) {
      try {
        const due = await dueDeliveries(this.#pool, new Date(this.#now()), MAX_CONCURRENT);
        await Promise.all(due.map((delivery) => this.#deliver(url, delivery)));
        if (due.length === 0) await this.#sleep();
      } catch (error) {
        this.#log.error({ err: error }, "webhook queue not reachable");
        await this.#sleep();
      }
    }
  }

  async #deliver(url: string, delivery: DueDelivery): Promise<void> {
    const { event } = delivery;
    const outcome = await this.#send(url, JSON.stringify(event, null, 2));
    if (this.#stop.signal.aborted && outcome !== "delivered") return; // the next process retries
    const delayMs = (this.#options.retryDelaysMs ?? RETRY_DELAYS_MS)[delivery.attempts];
    this.#log.info({ event: event.id, type: event.type, attempt: delivery.attempts + 1, outcome }, "webhook sent");
    if (outcome !== "delivered" && delayMs !== undefined)
      return retryDelivery(this.#pool, delivery.id, { nextAt: new Date(this.#now() + delayMs), outcome });
    await finishDelivery(this.#pool, delivery.id, { doneAt: new Date(this.#now()), outcome });
    if (outcome === "delivered") await markDelivered(this.#pool, event.id);
  }

  async #send(url: string, payload: string): Promise<string> {
    const timestamp = Math.floor(this.#now() / 1000) + this.#skewSeconds();
    try {
      const response = await fetch(url, {
        method: "POST",
        headers: {
          "content-type": "application/json; charset=utf-8",
          "stripe-signature": signatureHeader(payload, timestamp, this.#options.secrets),
          "user-agent": "Stripe/1.0 (+https://stripe.com/docs/webhooks)",
        },
        body: payload,
        redirect: "manual",
        signal: AbortSignal.any([this.#stop.signal, AbortSignal.timeout(RESPONSE_TIMEOUT_MS)]),
      });
      await response.body?.cancel();
      return response.status >= 200 && response.status < 300 ? "delivered" : `status ${response.status}`;
    } catch (error) {
      return `no response: ${(error as Error).name}`;
    }
  }

  #sleep(): Promise<void> {
    if (this.#woken || this.#stop.signal.aborted) {
      this.#woken = false;
      return Promise.resolve();
    }
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, MAX_SLEEP_MS);
      this.#wake = () => {
        clearTimeout(timer);
        this.#woken = false;
        resolve();
      };
    });
  }
}

/** Stripe's `t=…,v1=…` header (docs.stripe.com/webhooks/signature): HMAC-SHA256 over "timestamp.payload". */
function signatureHeader(payload: string, timestamp: number, secrets: readonly string[]): string {
  const signatures = secrets.map(
    (secret) => `v1=${createHmac("sha256", secret).update(`${timestamp}.${payload}`).digest("hex")}`,
  );
  return [`t=${timestamp}`, ...signatures].join(",");
}
