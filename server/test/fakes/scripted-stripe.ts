import { randomBytes } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Stripe } from "stripe";
import { ScriptedBalance } from "./scripted-balance.ts";
import {
  shown,
  shownCharge,
  shownIntent,
  type Dispute,
  type Refund,
  type ScriptedEvent,
  type Session,
} from "./scripted-session.ts";

/**
 * The few Stripe responses that billing reads, over real HTTP. A test scripts what happens to a checkout and which requests
 * fail, which the sandbox does not do on command.
 */
export class ScriptedStripe {
  readonly webhookSecret = "whsec_scripted";
  readonly sessions = new Map<string, Session>();
  /** The result of refunds requested from now on. */
  /** What a restricted key may not do, by the start of its path. */
  refuses: { path: string; message: string } | null = null;
  refundsAre: "pending" | "succeeded" | "refused" = "succeeded";
  /** All events, delivered or not. */
  readonly events: ScriptedEvent[] = [];
  now: () => Date = () => new Date();
  readonly balance = new ScriptedBalance();
  /** Number of responses to drop after the request took effect. */
  dropNext = 0;
  /** Number of requests to answer with a server error. */
  failNext = 0;
  requests = 0;
  readonly deletedCustomers: string[] = [];
  /** Whether checkouts are in live mode. */
  live = false;
  /** Session ids in the order of requests. */
  readonly asked: string[] = [];
  /** Called before a response is sent, so that a test can make something else happen first. */
  beforeAnswer: () => Promise<void> = async () => {};
  readonly #byIdempotencyKey = new Map<string, { body: string; made: object }>();
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

  /** @param card used as its fingerprint */
  pay(id: string, card = "card"): void {
    const session = this.session(id);
    Object.assign(session, { status: "complete", payment_status: "paid" });
    session.intent.status = "succeeded";
    const paysLater = session.method !== null;
    session.charges.push({ id: newId("ch"), status: "succeeded", card, created: paysLater ? session.created : this.#seconds() });
    if (paysLater) this.addEvent("checkout.session.async_payment_succeeded", shown(session));
    this.balance.move("charge", session.amount_total, { intent: session.intent.id, fee: 59 });
  }

  /** Completes the checkout with a payment that arrives later. */
  promise(id: string, method = "sepa_debit"): void {
    Object.assign(this.session(id), { status: "complete", method });
    this.session(id).intent.status = method === "sepa_debit" ? "processing" : "requires_action";
  }

  /** A delayed payment fails. */
  breakPromise(id: string): void {
    this.session(id).intent.status = "requires_payment_method";
  }

  /** The bank declines; the checkout stays open. */
  decline(id: string, card = "card", at = this.#seconds()): void {
    this.session(id).charges.push({ id: newId("ch"), status: "failed", card, created: at });
  }

  /** `cents`: the total refunded to the card; a lower total than before makes the newest refunds fail. */
  refundTo(id: string, cents: number): void {
    const session = this.session(id);
    const made = session.refunds.filter(({ status }) => status !== "failed");
    let sum = made.reduce((total, { amount }) => total + amount, 0);
    if (cents > sum) this.#refund(session, { amount: cents - sum, status: "succeeded", metadata: {} });
    while (sum > cents) {
      const newest = made.pop();
      if (newest === undefined) throw new Error("nothing was charged");
      newest.status = "failed";
      this.addEvent("refund.failed", newest);
      this.balance.move("refund_failure", newest.amount, { intent: session.intent.id });
      sum -= newest.amount;
    }
  }

  /** Opens a payment's dispute, or changes its status and, if given, its amount. */
  dispute(id: string, status: string, cents?: number): Dispute {
    const session = this.session(id);
    const known = session.disputes[0];
    const amount = cents ?? known?.amount ?? session.amount_total;
    if (known !== undefined) {
      this.addEvent("charge.dispute.updated", Object.assign(known, { status, amount }));
      return known;
    }
    const made: Dispute = {
      id: newId("dp"),
      object: "dispute",
      amount,
      currency: "usd",
      reason: "fraudulent",
      status,
      payment_intent: session.intent.id,
      created: this.#seconds(),
    };
    session.disputes.push(made);
    this.addEvent("charge.dispute.created", made);
    this.balance.move("dispute", -amount, { intent: session.intent.id, fee: 1500 });
    return made;
  }

  warn(id: string): object {
    const session = this.session(id);
    const warning = {
      id: newId("issfr"),
      actionable: true,
      fraud_type: "made_with_stolen_card",
      payment_intent: session.intent.id,
      created: this.#seconds(),
    };
    session.warnings.push(warning);
    this.addEvent("radar.early_fraud_warning.created", warning);
    return warning;
  }

  /** @param delivered whether the provider has an answer to it */
  addEvent(type: string, object: object, delivered = true): void {
    this.events.unshift({
      id: newId("evt"),
      object: "event",
      type,
      created: this.#seconds(),
      pending_webhooks: delivered ? 0 : 1,
      data: { object: structuredClone(object) },
    });
  }

  #seconds(): number {
    return Math.floor(this.now().getTime() / 1000);
  }

  /** Builds a signed delivery of an event about the object. */
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
    if (this.refuses !== null && request.url?.startsWith(this.refuses.path))
      return send(response, 403, { error: { type: "invalid_request_error", message: this.refuses.message } });
    const found = this.#route(request, Buffer.concat(chunks).toString());
    // A snapshot, because a test may change the object while the response waits.
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
    const { pathname, searchParams } = new URL(request.url ?? "/", this.url);
    const key = String(request.headers["idempotency-key"]);
    const deleted = request.method === "DELETE" && /^\/v1\/customers\/(\w+)$/.exec(pathname)?.[1];
    if (deleted) {
      this.deletedCustomers.push(deleted);
      return { id: deleted, object: "customer", deleted: true };
    }
    if (request.method === "POST") return this.#change(pathname, body, key);
    const [, kind = "", id] = /^\/v1\/(checkout\/sessions|payment_intents)\/(\w+)$/.exec(pathname) ?? [];
    if (pathname === "/v1/balance_transactions") return this.balance.report(searchParams);
    const [, list, oneId] = /^\/v1\/(charges|refunds|disputes|events|balance_transactions)\/(\w+)$/.exec(pathname) ?? [];
    if (oneId !== undefined) return this.#one(list, oneId);
    if (id === undefined) return this.#list(pathname, searchParams);
    if (kind === "checkout/sessions") this.asked.push(id);
    for (const session of this.sessions.values()) {
      if (kind === "checkout/sessions" && session.id === id) return shown(session);
      if (kind === "payment_intents" && session.intent.id === id) return shownIntent(session);
    }
    return null;
  }

  #one(list: string | undefined, id: string): object | null {
    const sessions = [...this.sessions.values()];
    const all: Record<string, readonly { id: string }[]> = {
      charges: sessions.flatMap((session) => session.charges.map((_, index) => shownCharge(session, index))),
      refunds: sessions.flatMap(({ refunds }) => refunds),
      disputes: sessions.flatMap(({ disputes }) => disputes),
      events: this.events,
      balance_transactions: this.balance.movements,
    };
    return all[list ?? ""]?.find((one) => one.id === id) ?? null;
  }

  #list(pathname: string, query: URLSearchParams): object | null {
    const lists: Record<string, (session: Session) => { created: number }[]> = {
      "/v1/checkout/sessions": (session) => [shown(session)],
      "/v1/payment_intents": (session) => [shownIntent(session)],
      "/v1/refunds": ({ refunds }) => refunds,
      "/v1/disputes": ({ disputes }) => disputes,
      "/v1/radar/early_fraud_warnings": ({ warnings }) => warnings,
      "/v1/charges": (session) => session.charges.map((_, index) => shownCharge(session, index)),
    };
    const list = lists[pathname];
    const intentId = query.get("payment_intent");
    const asked = [...this.sessions.values()].filter(({ intent }) => intentId === null || intent.id === intentId);
    const all = pathname === "/v1/events" ? this.#eventsOf(query) : list && asked.flatMap(list);
    if (all === undefined) return null;
    const [from, until] = [Number(query.get("created[gte]") ?? 0), Number(query.get("created[lt]") ?? Infinity)];
    const data = all.filter(({ created }) => created >= from && created < until);
    return pageOf(pathname === "/v1/events" ? data : data.toReversed(), query);
  }

  #eventsOf(query: URLSearchParams): ScriptedEvent[] {
    const types = [...query].flatMap(([name, value]) => (name.startsWith("types") ? [value] : []));
    const undelivered = query.get("delivery_success") === "false";
    return this.events.filter(
      ({ type, pending_webhooks }) => (types.length === 0 || types.includes(type)) && (!undelivered || pending_webhooks > 0),
    );
  }

  #refund(session: Session, made: Pick<Refund, "amount" | "status" | "metadata">): Refund {
    const refund: Refund = {
      id: newId("re"),
      object: "refund",
      payment_intent: session.intent.id,
      created: this.#seconds(),
      ...made,
    };
    session.refunds.push(refund);
    this.addEvent("refund.created", refund);
    this.balance.move("refund", -refund.amount, { intent: session.intent.id });
    return refund;
  }

  #change(pathname: string, body: string, key: string): object | null {
    const known = this.#byIdempotencyKey.get(key);
    if (known !== undefined && known.body !== body) throw new Error("the idempotency key was used with other parameters");
    if (known !== undefined) return known.made;
    const params = Object.fromEntries(new URLSearchParams(body));
    const made = this.#make(pathname, params);
    if (made !== null) this.#byIdempotencyKey.set(key, { body, made });
    return made;
  }

  #make(pathname: string, params: Record<string, string>): object | null {
    if (pathname === "/v1/checkout/sessions") return shown(this.#create(params));
    const [, id] = /^\/v1\/checkout\/sessions\/(\w+)\/expire$/.exec(pathname) ?? [];
    if (id !== undefined) {
      const session = this.session(id);
      if (session.status !== "open") return null;
      session.status = "expired";
      return shown(session);
    }
    const [, kind, changedId] = /^\/v1\/(payment_intents|refunds)\/(\w+)$/.exec(pathname) ?? [];
    if (changedId !== undefined) return this.#describe(kind, changedId, metadataOf(params));
    const session = [...this.sessions.values()].find(({ intent }) => intent.id === params["payment_intent"]);
    if (pathname !== "/v1/refunds" || session === undefined || this.refundsAre === "refused") return null;
    return this.#refund(session, {
      amount: Number(params["amount"]),
      status: this.refundsAre,
      metadata: metadataOf(params),
    });
  }

  /** Adds metadata. */
  #describe(kind: string | undefined, id: string, metadata: Record<string, string>): object | null {
    for (const session of this.sessions.values()) {
      const refund = session.refunds.find((one) => one.id === id);
      if (kind === "refunds" && refund !== undefined)
        return Object.assign(refund, { metadata: { ...refund.metadata, ...metadata } });
      if (kind === "payment_intents" && session.intent.id === id) {
        Object.assign(session.metadata, metadata);
        return shownIntent(session);
      }
    }
    return null;
  }

  #create(params: Record<string, string>): Session {
    const id = newId("cs_test");
    const session: Session = {
      id,
      object: "checkout.session",
      url: `${this.url}/pay/${id}`,
      status: "open",
      payment_status: "unpaid",
      amount_total: Number(params["line_items[0][price_data][unit_amount]"]),
      currency: params["line_items[0][price_data][currency]"] ?? "",
      livemode: this.live,
      customer_email: params["customer_email"] ?? null,
      metadata: metadataOf(params),
      intent: { id: newId("pi"), status: "requires_payment_method" },
      charges: [],
      method: null,
      refunds: [],
      disputes: [],
      warnings: [],
      params,
      created: this.#seconds(),
    };
    this.sessions.set(id, session);
    return session;
  }
}

/** A page of a list, newest first. */
function pageOf(all: readonly object[], query: URLSearchParams): object {
  const after = query.get("starting_after");
  const from = after === null ? 0 : all.findIndex((one) => "id" in one && one.id === after) + 1;
  const until = from + Number(query.get("limit") ?? 10);
  return { object: "list", has_more: until < all.length, data: all.slice(from, until) };
}

function metadataOf(params: Record<string, string>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(params).flatMap(([name, value]) => {
      const [, key] = /^metadata\[(\w+)\]$/.exec(name) ?? [];
      return key === undefined ? [] : [[key, value]];
    }),
  );
}

function send(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}

function newId(prefix: string): string {
  return `${prefix}_${randomBytes(12).toString("hex")}`;
}
