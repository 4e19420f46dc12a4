import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";

export interface ReceivedWebhook {
  readonly body: string;
  readonly headers: Record<string, string>;
  readonly type: string;
  readonly id: string;
  readonly occurredAt: Date;
  readonly attempt: number;
  readonly payload: Record<string, unknown>;
}

/** Receives webhooks. `answer` decides the status of each; default 200. */
export class WebhookReceiver {
  readonly received: ReceivedWebhook[] = [];
  readonly #server: Server;
  readonly #waiting: { wants: (webhook: ReceivedWebhook) => boolean; resolve: (webhook: ReceivedWebhook) => void }[] = [];
  answer: (webhook: ReceivedWebhook) => number | Promise<number> = () => 200;

  constructor() {
    this.#server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on("data", (chunk: Buffer) => chunks.push(chunk));
      request.on("end", () => {
        const webhook = read(Buffer.concat(chunks).toString("utf8"), request.headers);
        void Promise.resolve(this.answer(webhook)).then((status) => response.writeHead(status).end());
        this.received.push(webhook);
        for (const waiter of this.#waiting.splice(0)) {
          if (waiter.wants(webhook)) waiter.resolve(webhook);
          else this.#waiting.push(waiter);
        }
      });
    });
  }

  async listen(): Promise<string> {
    this.#server.listen(0, "127.0.0.1");
    await once(this.#server, "listening");
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/api/webhooks/telnyx`;
  }

  /** Resolves to the first webhook of a type (and leg side: "parked" is the browser's), past or future. */
  async next(type: string, matches: (webhook: ReceivedWebhook) => boolean = () => true): Promise<ReceivedWebhook> {
    const wants = (webhook: ReceivedWebhook): boolean => webhook.type === type && matches(webhook);
    const there = this.received.find(wants);
    return there ?? new Promise((resolve) => this.#waiting.push({ wants, resolve }));
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, "close");
  }
}

function read(body: string, headers: NodeJS.Dict<string | string[]>): ReceivedWebhook {
  const { data, meta } = JSON.parse(body) as {
    data: { event_type: string; id: string; occurred_at: string; payload: Record<string, unknown> };
    meta: { attempt: number };
  };
  return {
    body,
    headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)])),
    type: data.event_type,
    id: data.id,
    occurredAt: new Date(data.occurred_at),
    attempt: meta.attempt,
    payload: data.payload,
  };
}
