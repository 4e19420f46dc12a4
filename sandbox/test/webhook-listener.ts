import { createServer, type IncomingHttpHeaders } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { PATIENCE } from "@farline/domain/test/patience.ts";
import { vi } from "vitest";

export interface Received {
  headers: IncomingHttpHeaders;
  payload: string;
  event: { id: string; type: string; data: { object: Record<string, unknown> } };
}

/** A webhook endpoint for tests that stores requests and sends the configured responses. */
export class WebhookListener {
  readonly received: Received[] = [];
  /** Statuses of the next responses; 200 after those. */
  readonly answers: number[] = [];
  readonly url: string;
  readonly #server: ReturnType<typeof createServer>;

  private constructor(server: ReturnType<typeof createServer>) {
    this.#server = server;
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/webhooks`;
  }

  static async open(): Promise<WebhookListener> {
    const server = createServer();
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const listener = new WebhookListener(server);
    server.on("request", async (request, response) => {
      const payload = await text(request);
      listener.received.push({ headers: request.headers, payload, event: JSON.parse(payload) });
      response.writeHead(listener.answers.shift() ?? 200).end();
    });
    return listener;
  }

  of(type: string): Received[] {
    return this.received.filter(({ event }) => event.type === type);
  }

  /** Waits until `count` events of a type have arrived. */
  async waitFor(type: string, count = 1): Promise<Received[]> {
    return vi.waitFor(() => {
      const found = this.of(type);
      if (found.length < count)
        throw new Error(`only ${found.length} of ${type}; ${this.received.map(({ event }) => event.type).join(", ")}`);
      return found;
    }, PATIENCE);
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, "close");
  }
}
