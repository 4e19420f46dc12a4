import type { KeyObject } from "node:crypto";
import http from "node:http";
import https from "node:https";
import { DAY_MS } from "@farline/domain/durations.ts";
import type { Logger } from "pino";
import { RateLimitedLog } from "../rate-limits/rate-limited-log.ts";
import type { Journal } from "../journal/journal.ts";
import type { WebhookEvent } from "./webhook-events.ts";
import { signatureHeaders } from "./webhook-signature.ts";

/** Starts when the attempt has a socket. */
const ATTEMPT_TIMEOUT_MS = 2_000;
/**
 * Events of unauthorised legs (`parked`) have their own sockets and queue, because anybody with a token can cause them. They expire
 * sooner. Those of calls are kept as long as a service may be without its database: they say what the calls cost.
 */
const LANES = {
  calls: { maxSockets: 32, maxWaiting: 10_000, giveUpAfterMs: DAY_MS },
  parked: { maxSockets: 16, maxWaiting: 1_000, giveUpAfterMs: 60_000 },
} as const;
type WebhookLane = keyof typeof LANES;
const retryDelaysMs = [500, 1_000, 2_000, 5_000, 10_000, 30_000, 30_000, 60_000] as const;

interface WebhooksOptions {
  readonly url: string;
  readonly signingKey: KeyObject;
  readonly journal: Pick<Journal, "recordEvent" | "removeEvent">;
  readonly log: Logger;
  readonly attemptTimeoutMs?: number;
}

interface Delivery {
  readonly event: WebhookEvent;
  readonly lane: WebhookLane;
  readonly queuedAtMs: number;
  attempts: number;
  retry: NodeJS.Timeout | null;
}

function retryDelayMs(attempts: number): number {
  return retryDelaysMs[Math.min(attempts, retryDelaysMs.length) - 1] ?? 60_000;
}

/**
 * Posts signed events. Retries with increasing delays until the receiver responds with 2xx or the event expires. Events may arrive out of
 * order and more than once.
 */
export class Webhooks {
  readonly #options: WebhooksOptions;
  readonly #limitedLog: RateLimitedLog;
  readonly #agents: Readonly<Record<WebhookLane, http.Agent>>;
  readonly #waiting = new Set<Delivery>();
  #flushed: (() => void) | null = null;

  constructor(options: WebhooksOptions) {
    this.#options = options;
    this.#limitedLog = new RateLimitedLog(options.log);
    const agentOf = (lane: WebhookLane): http.Agent => {
      const agentOptions = { keepAlive: true, maxSockets: LANES[lane].maxSockets, scheduling: "lifo" } as const;
      return options.url.startsWith("https:") ? new https.Agent(agentOptions) : new http.Agent(agentOptions);
    };
    this.#agents = { calls: agentOf("calls"), parked: agentOf("parked") };
  }

  get waiting(): number {
    return this.#waiting.size;
  }

  /** For how long the oldest event of a call has not been accepted, in seconds; 0 if none waits. */
  get waitingSeconds(): number {
    for (const { lane, queuedAtMs } of this.#waiting)
      if (lane === "calls") return Math.floor((performance.now() - queuedAtMs) / 1_000);
    return 0;
  }

  send(event: WebhookEvent, lane: WebhookLane): void {
    if (this.#waitingIn(lane) >= LANES[lane].maxWaiting && !this.#giveUpOldest(lane)) {
      this.#limitedLog.warn({ event: event.event_type, eventId: event.id, lane }, "too many webhooks waiting, event dropped");
      return;
    }
    this.#options.journal.recordEvent(event);
    const delivery: Delivery = { event, lane, queuedAtMs: performance.now(), attempts: 0, retry: null };
    this.#waiting.add(delivery);
    this.#attempt(delivery);
  }

  /** Retries all waiting events at once. Resolves when none is left, or after `timeoutMs`; the rest stays in the journal. */
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
    if (this.#waiting.size > 0) this.#options.log.error({ events: this.#waiting.size }, "webhooks not delivered before shutdown");
    for (const { retry } of this.#waiting) if (retry !== null) clearTimeout(retry);
    this.#waiting.clear();
    for (const agent of Object.values(this.#agents)) agent.destroy();
  }

  /** Makes room: events that the receiver never accepts must not keep out new ones. @returns false if every event is being sent */
  #giveUpOldest(lane: WebhookLane): boolean {
    for (const delivery of this.#waiting) {
      if (delivery.lane !== lane || delivery.retry === null) continue;
      const { event, attempts } = delivery;
      clearTimeout(delivery.retry);
      this.#limitedLog.warn(
        { event: event.event_type, eventId: event.id, attempts, lane },
        "too many webhooks waiting, oldest given up",
      );
      this.#done(delivery);
      return true;
    }
    return false;
  }

  #waitingIn(lane: WebhookLane): number {
    let count = 0;
    for (const delivery of this.#waiting) if (delivery.lane === lane) count += 1;
    return count;
  }

  #attempt(delivery: Delivery): void {
    delivery.attempts += 1;
    delivery.retry = null;
    const { url } = this.#options;
    const body = JSON.stringify({ data: delivery.event, meta: { attempt: delivery.attempts, delivered_to: url } });
    this.#deliver(delivery, body).catch((error: unknown) => this.#retryLater(delivery, { err: error }));
  }

  async #deliver(delivery: Delivery, body: string): Promise<void> {
    const status = await this.#post(delivery.lane, body);
    if (status >= 200 && status < 300) this.#done(delivery);
    else this.#retryLater(delivery, { status });
  }

  #post(lane: WebhookLane, body: string): Promise<number> {
    const { url, signingKey, attemptTimeoutMs = ATTEMPT_TIMEOUT_MS } = this.#options;
    return new Promise((resolve, reject) => {
      const headers = signatureHeaders(signingKey, body, new Date());
      const request = (url.startsWith("https:") ? https : http).request(url, {
        method: "POST",
        agent: this.#agents[lane],
        headers: { ...headers, "content-type": "application/json", "content-length": Buffer.byteLength(body) },
      });
      request.on("response", (response) => {
        response.on("error", reject);
        response.on("end", () => resolve(response.statusCode ?? 0));
        response.resume();
      });
      request.on("error", reject);
      let timer: NodeJS.Timeout | undefined;
      // The request may wait long for a socket.
      request.on("socket", () => {
        timer ??= setTimeout(() => request.destroy(new Error("The receiver did not answer in time.")), attemptTimeoutMs);
      });
      request.on("close", () => clearTimeout(timer));
      request.end(body);
    });
  }

  #retryLater(delivery: Delivery, why: { status?: number; err?: unknown }): void {
    if (!this.#waiting.has(delivery)) return;
    const { event, attempts } = delivery;
    const expired = performance.now() - delivery.queuedAtMs > LANES[delivery.lane].giveUpAfterMs;
    this.#limitedLog.warn(
      { ...why, event: event.event_type, eventId: event.id, attempts, givenUp: expired },
      "webhook not delivered",
    );
    if (expired) return this.#done(delivery);
    delivery.retry = setTimeout(() => this.#attempt(delivery), retryDelayMs(attempts));
  }

  #done(delivery: Delivery): void {
    this.#waiting.delete(delivery);
    this.#options.journal.removeEvent(delivery.event.id);
    if (this.#waiting.size === 0) this.#flushed?.();
  }
}
