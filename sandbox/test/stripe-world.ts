import { Client } from "pg";
import { pino } from "pino";
import { Stripe } from "stripe";
import { afterAll, afterEach, beforeAll, beforeEach } from "vitest";
import { startSandbox, type Sandbox } from "../src/sandbox.ts";
import { emptyTestDatabase } from "./test-database.ts";
import { WebhookListener } from "./webhook-listener.ts";

export const SECRET_KEY = "sk_test_contract";
export const WEBHOOK_SECRET = "whsec_contract";
export const START_MS = Date.UTC(2026, 10, 21, 12);
export const CARD = { number: "4242 4242 4242 4242", expiry: "12 / 34", cvc: "123", name: "Anna O'Neil" };

/** A sandbox for one test, used through the official client, on a database that the tests of a file share. */
class StripeWorld {
  databaseUrl = "";
  sandbox!: Sandbox;
  listener!: WebhookListener;
  stripe!: Stripe;
  /** The sandbox's clock, which only tests advance. */
  nowMs = START_MS;

  async start(): Promise<void> {
    this.sandbox = await startSandbox({
      log: pino({ level: "silent" }),
      port: 0,
      sipPort: 0,
      databaseUrl: this.databaseUrl,
      stripe: {
        secretKey: SECRET_KEY,
        webhookSecrets: [WEBHOOK_SECRET],
        webhookUrl: this.listener.url,
        retryDelaysMs: [20, 20, 20],
      },
      now: () => this.nowMs,
    });
    this.stripe = this.client(SECRET_KEY);
  }

  client(key: string, options: { maxNetworkRetries?: number } = {}): Stripe {
    return new Stripe(key, { host: "127.0.0.1", port: this.sandbox.port, protocol: "http", telemetry: false, ...options });
  }

  params(change: Partial<Stripe.Checkout.SessionCreateParams> = {}): Stripe.Checkout.SessionCreateParams {
    return {
      mode: "payment",
      ui_mode: "hosted_page",
      allowed_payment_method_types: ["card"],
      adaptive_pricing: { enabled: false },
      client_reference_id: "pay-1",
      customer_email: "anna@example.com",
      metadata: { payment_id: "pay-1" },
      payment_intent_data: { metadata: { payment_id: "pay-1" }, statement_descriptor_suffix: "CREDIT" },
      payment_method_options: { card: { request_three_d_secure: "automatic" } },
      expires_at: Math.floor(this.nowMs / 1000) + 31 * 60,
      line_items: [{ quantity: 1, price_data: { currency: "usd", unit_amount: 1000, product_data: { name: "Farline credit" } } }],
      success_url: "http://app.example/billing/success?session_id={CHECKOUT_SESSION_ID}",
      cancel_url: "http://app.example/billing/cancel",
      ...change,
    };
  }

  /** Presses Pay on the session's page. */
  pay(
    session: { id: string },
    card: Partial<typeof CARD & { email: string; zip: string; terms: string; currency: string }> = {},
  ): Promise<Response> {
    const body = new URLSearchParams({ ...CARD, ...card });
    return fetch(`${this.sandbox.url}/pay/${session.id}`, { method: "POST", body, redirect: "manual" });
  }

  /** Opens a session and pays it at once. @returns the session's and the payment intent's ids */
  async payNew(number: string = CARD.number): Promise<{ session: string; intent: string }> {
    const session = await this.stripe.checkout.sessions.create(this.params());
    const answer = await this.pay(session, { number });
    if (answer.status !== 303) throw new Error(`The card was not taken: ${answer.status}`);
    const { payment_intent: intent } = await this.stripe.checkout.sessions.retrieve(session.id);
    return { session: session.id, intent: intent as string };
  }

  /** Submits the form on the bank's page. */
  answer(url: string, answer: "complete" | "fail"): Promise<Response> {
    return fetch(url, { method: "POST", body: new URLSearchParams({ answer }), redirect: "manual" });
  }

  /** Posts JSON to the control panel. */
  panel(path: string, body: Record<string, unknown> = {}): Promise<Response> {
    return fetch(`${this.sandbox.url}/sandbox/stripe/${path}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    });
  }

  async chaos(change: Record<string, unknown>): Promise<void> {
    const response = await this.panel("chaos", change);
    if (!response.ok) throw new Error(`fault settings rejected: ${await response.text()}`);
  }
}

/** Gives every test of a file a new sandbox and webhook listener. */
export function stripeWorld(): StripeWorld {
  const world = new StripeWorld();
  let database: Awaited<ReturnType<typeof emptyTestDatabase>>;
  beforeAll(async () => {
    database = await emptyTestDatabase();
    world.databaseUrl = database.url;
  });
  beforeEach(async () => {
    world.nowMs += 1000;
    world.listener = await WebhookListener.open();
    await world.start();
  });
  afterEach(async () => {
    await fetch(`${world.sandbox.url}/sandbox/stripe/chaos`, { method: "DELETE" }); // the database is shared by the file's tests
    await world.sandbox.close();
    await world.listener.close();
    await deleteDeliveries(world.databaseUrl);
  });
  afterAll(() => database.drop());
  return world;
}

/** Deliveries queued by one test must not be sent during the next one. */
async function deleteDeliveries(databaseUrl: string): Promise<void> {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  await client.query("delete from sandbox_stripe.delivery");
  await client.end();
}

/** The error that the client throws; fails if there is none. */
export async function failure(promise: Promise<unknown>): Promise<Stripe.errors.StripeError> {
  const outcome = await promise.then(
    () => null,
    (error: unknown) => error,
  );
  if (!(outcome instanceof Stripe.errors.StripeError)) throw new Error("The request should have been rejected.");
  return outcome;
}
