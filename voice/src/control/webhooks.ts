import type { KeyObject } from "node:crypto";
import http from "node:http";
import https from "node:https";
import type { Logger } from "pino";
import type { Journal } from "../journal/journal.ts";
import type { WebhookEvent } from "./webhook-events.ts";
import { signatureHeaders } from "./webhook-signature.ts";

const ATTEMPT_TIMEOUT_MS = 2_000;
const GIVE_UP_AFTER_MS = 15 * 60_000;
const MAX_WAITING = 10_000;
const MAX_SOCKETS = 32;
const retryDelaysMs = [500, 1_000, 2_000, 5_000, 10_000, 30_000] as const;

export interface WebhooksOptions {
  readonly url: string;
  readonly signingKey: KeyObject;
  /** Keeps events until they are delivered. */
  readonly journal: Pick<Journal, "eventWaits" | "eventDone">;
  readonly log: Logger;
}

interface Delivery {
  readonly event: WebhookEvent;
  readonly since: number;
  attempts: number;
  retry: NodeJS.Timeout | null;
}

/** The wait before the next attempt, in milliseconds. */
export function retryDelayMs(attempts: number): number {
  return retryDelaysMs[Math.min(attempts, retryDelaysMs.length) - 1] ?? 30_000;
}

/**
 * Posts events, signed, over kept-alive connections. At once; again with growing pauses until the receiver says 2xx, for 15 minutes.
 * Events are independent: no order is guaranteed, and one may arrive twice.
 */
export class Webhooks {
  readonly #options: WebhooksOptions;
  readonly #agent: http.Agent;
  readonly #waiting = new Set<Delivery>();
  #flushed: (() => void) | null = null;

  constructor(options: WebhooksOptions) {
    this.#options = options;
    const agentOptions = { keepAlive: true, maxSockets: MAX_SOCKETS, scheduling: "lifo" } as const;
    this.#agent = options.url.startsWith("https:") ? new https.Agent(agentOptions) : new http.Agent(agentOptions);
  }

  get waiting(): number {
    return this.#waiting.size;
  }

  send(event: WebhookEvent): void {
    if (this.#waiting.size >= MAX_WAITING) {
      this.#options.log.error({ event: event.event_type, eventId: event.id }, "too many webhooks waiting, event dropped");
      return;
    }
    this.#options.journal.eventWaits(event);
    const delivery: Delivery = { event, since: performance.now(), attempts: 0, retry: null };
    this.#waiting.add(delivery);
    this.#attempt(delivery);
  }

  /** Retries what is waiting; resolves when nothing is left or after `timeoutMs`, when the rest waits in the journal for the next start. */
  async close(timeoutMs: number): Promise<void> {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, timeoutMs);
      this.#flushed = () => {
        clearTimeout(timer);
        resolve();
      };
      for (const delivery of this.#waiting) {
        if (delivery.retry === null) continue;
        clearTimeout(delivery.retry);
        this.#attempt(delivery);
      }
      if (this.#waiting.size === 0) this.#flushed();
    });
    if (this.#waiting.size > 0) this.#options.log.error({ events: this.#waiting.size }, "webhooks not delivered before the stop");
    for (const { retry } of this.#waiting) if (retry !== null) clearTimeout(retry);
    this.#waiting.clear();
    this.#agent.destroy();
  }

  #attempt(delivery: Delivery): void {
    delivery.attempts += 1;
    delivery.retry = null;
    const { url } = this.#options;
    const body = JSON.stringify({ data: delivery.event, meta: { attempt: delivery.attempts, delivered_to: url } });
    this.#deliver(delivery, body).catch((error: unknown) => this.#later(delivery, { err: error }));
  }

  async #deliver(delivery: Delivery, body: string): Promise<void> {
    const status = await this.#post(body, signatureHeaders(this.#options.signingKey, body, new Date()));
    if (status >= 200 && status < 300) this.#done(delivery);
    else this.#later(delivery, { status });
  }

  #post(body: string, headers: Record<string, string>): Promise<number> {
    const { url } = this.#options;
    return new Promise((resolve, reject) => {
      const request = (url.startsWith("https:") ? https : http).request(url, {
        method: "POST",
        agent: this.#agent,
        signal: AbortSignal.timeout(ATTEMPT_TIMEOUT_MS),
        headers: { ...headers, "content-type": "application/json", "content-length": Buffer.byteLength(body) },
      });
      request.on("response", (response) => {
        response.on("error", reject);
        response.on("end", () => resolve(response.statusCode ?? 0));
        response.resume();
      });
      request.on("error", reject);
      request.end(body);
    });
  }

  #later(delivery: Delivery, why: { status?: number; err?: unknown }): void {
    if (!this.#waiting.has(delivery)) return;
    const { event, attempts } = delivery;
    const tooLate = performance.now() - delivery.since > GIVE_UP_AFTER_MS;
    this.#options.log.warn(
      { ...why, event: event.event_type, eventId: event.id, attempts, givenUp: tooLate },
      "webhook not delivered",
    );
    if (tooLate) return this.#done(delivery);
    delivery.retry = setTimeout(() => this.#attempt(delivery), retryDelayMs(attempts));
  }

  #done(delivery: Delivery): void {
    this.#waiting.delete(delivery);
    this.#options.journal.eventDone(delivery.event.id);
    if (this.#waiting.size === 0) this.#flushed?.();
  }
}
