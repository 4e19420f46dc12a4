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

/** A sandbox for one test, driven by the official client over HTTP, on a database that the file's tests share. */
export class StripeWorld {
  databaseUrl = "";
  sandbox!: Sandbox;
  listener!: WebhookListener;
  stripe!: Stripe;
  /** The sandbox's clock: stands still until a test moves it. */
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

  /** Answers the bank's question on its page. */
  answer(url: string, answer: "complete" | "fail"): Promise<Response> {
    return fetch(url, { method: "POST", body: new URLSearchParams({ answer }), redirect: "manual" });
  }

  /** Does something in the control panel, as JSON. */
  panel(path: string, body: Record<string, unknown> = {}): Promise<Response> {
    return fetch(`${this.sandbox.url}/sandbox/stripe/${path}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    });
  }

  async chaos(change: Record<string, unknown>): Promise<void> {
    const response = await this.panel("chaos", change);
    if (!response.ok) throw new Error(`chaos refused: ${await response.text()}`);
  }
}

/** The world of a test file: a fresh sandbox and webhook listener for every test. */
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
    await fetch(`${world.sandbox.url}/sandbox/stripe/chaos`, { method: "DELETE" }); // the database outlives the test
    await world.sandbox.close();
    await world.listener.close();
    await forgetDeliveries(world.databaseUrl);
  });
  afterAll(() => database.drop());
  return world;
}

/** What a test left in the queue must not be sent in the next one. */
async function forgetDeliveries(databaseUrl: string): Promise<void> {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  await client.query("delete from sandbox_stripe.delivery");
  await client.end();
}

/** The error that the client throws. */
export async function failure(promise: Promise<unknown>): Promise<Stripe.errors.StripeError> {
  const outcome = await promise.then(
    () => null,
    (error: unknown) => error,
  );
  if (!(outcome instanceof Stripe.errors.StripeError)) throw new Error("The request should have been refused.");
  return outcome;
}
