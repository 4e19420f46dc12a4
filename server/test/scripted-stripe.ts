import { randomBytes } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Stripe } from "stripe";

interface Session {
  id: string;
  object: "checkout.session";
  url: string;
  status: "open" | "complete" | "expired";
  payment_status: "unpaid" | "paid";
  amount_total: number;
  currency: string;
  livemode: boolean;
  metadata: Record<string, string>;
  intent: { id: string; status: string; charge: { id: string; amount_refunded: number } | null };
  params: Record<string, string>;
}

/**
 * The few answers of Stripe that billing reads, over real HTTP, with a script: a test says what happens to a checkout
 * and what goes wrong on the way, which a faithful stand-in would not do on command.
 */
export class ScriptedStripe {
  readonly webhookSecret = "whsec_scripted";
  readonly sessions = new Map<string, Session>();
  /** Answers to lose after the work was done. */
  dropNext = 0;
  /** Requests to answer with a server error. */
  failNext = 0;
  requests = 0;
  /** Session ids in the order they were asked about. */
  readonly asked: string[] = [];
  /** Called before an answer is sent: a test can let something else happen first. */
  beforeAnswer: () => Promise<void> = async () => {};
  readonly #byIdempotencyKey = new Map<string, { body: string; session: Session }>();
  readonly #server: Server;
  readonly #signer = new Stripe("sk_test_signer");

  private constructor(server: Server) {
    this.#server = server;
  }

  static async start(): Promise<ScriptedStripe> {
    const server = createServer();
    const stripe = new ScriptedStripe(server);
    server.on("request", (request, response) => {
      stripe.#answer(request, response).catch((error: unknown) => response.destroy(error as Error));
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return stripe;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  session(id: string): Session {
    const session = this.sessions.get(id);
    if (session === undefined) throw new Error(`no session ${id}`);
    return session;
  }

  timesAsked(id: string): number {
    return this.asked.filter((one) => one === id).length;
  }

  pay(id: string): void {
    const session = this.session(id);
    Object.assign(session, { status: "complete", payment_status: "paid" });
    Object.assign(session.intent, { status: "succeeded", charge: { id: newId("ch"), amount_refunded: 0 } });
  }

  /** `cents`: what the card got back in all. */
  refundTo(id: string, cents: number): void {
    const { charge } = this.session(id).intent;
    if (charge === null) throw new Error("nothing was charged");
    charge.amount_refunded = cents;
  }

  /** A signed delivery of an event about the object. */
  event(type: string, object: object, more: { id?: string; signedAt?: Date; secret?: string } = {}) {
    const payload = JSON.stringify({ id: more.id ?? newId("evt"), object: "event", type, data: { object } });
    const signature = this.#signer.webhooks.generateTestHeaderString({
      payload,
      secret: more.secret ?? this.webhookSecret,
      timestamp: Math.floor((more.signedAt ?? new Date()).getTime() / 1000),
    });
    return { payload, headers: { "content-type": "application/json; charset=utf-8", "stripe-signature": signature } };
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    this.requests++;
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    if (this.failNext > 0) {
      this.failNext--;
      return send(response, 500, { error: { type: "api_error", message: "out of order" } });
    }
    const found = this.#route(request, Buffer.concat(chunks).toString());
    // As it is now: a test may change it while the answer waits.
    const answer = found && structuredClone(found);
    await this.beforeAnswer();
    if (this.dropNext > 0) {
      this.dropNext--;
      response.destroy();
      return;
    }
    if (answer === null)
      return send(response, 404, {
        error: { type: "invalid_request_error", code: "resource_missing", message: "No such object" },
      });
    send(response, 200, answer);
  }

  #route(request: IncomingMessage, body: string): object | null {
    const { pathname } = new URL(request.url ?? "/", this.url);
    if (request.method === "POST" && pathname === "/v1/checkout/sessions")
      return shown(this.#create(body, String(request.headers["idempotency-key"])));
    const [, kind, id] = /^\/v1\/(checkout\/sessions|payment_intents)\/(\w+)$/.exec(pathname) ?? [];
    if (kind === "checkout/sessions" && id !== undefined) this.asked.push(id);
    for (const session of this.sessions.values()) {
      if (kind === "checkout/sessions" && session.id === id) return shown(session);
      if (kind === "payment_intents" && session.intent.id === id) return shownIntent(session);
    }
    return null;
  }

  #create(body: string, key: string): Session {
    const known = this.#byIdempotencyKey.get(key);
    if (known !== undefined) {
      if (known.body !== body) throw new Error("the idempotency key was used with other parameters");
      return known.session;
    }
    const params = Object.fromEntries(new URLSearchParams(body));
    const id = newId("cs_test");
    const session: Session = {
      id,
      object: "checkout.session",
      url: `${this.url}/pay/${id}`,
      status: "open",
      payment_status: "unpaid",
      amount_total: Number(params["line_items[0][price_data][unit_amount]"]),
      currency: params["line_items[0][price_data][currency]"] ?? "",
      livemode: false,
      metadata: { payment_id: params["metadata[payment_id]"] ?? "" },
      intent: { id: newId("pi"), status: "requires_payment_method", charge: null },
      params,
    };
    this.#byIdempotencyKey.set(key, { body, session });
    this.sessions.set(id, session);
    return session;
  }
}

function shown(session: Session): object {
  const { intent: _intent, params: _params, ...rest } = session;
  return { ...rest, payment_intent: session.status === "complete" ? shownIntent(session) : null };
}

function shownIntent({ intent, metadata }: Session): object {
  return { id: intent.id, object: "payment_intent", status: intent.status, metadata, latest_charge: intent.charge };
}

function send(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}

function newId(prefix: string): string {
  return `${prefix}_${randomBytes(12).toString("hex")}`;
}
