import pg from "pg";
import { pino } from "pino";
import Stripe from "stripe";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { startSandbox, type Sandbox } from "../sandbox.ts";
import { emptyTestDatabase } from "../test-database.ts";
import { WebhookListener } from "./webhook-listener.ts";

const SECRET_KEY = "sk_test_contract";
const WEBHOOK_SECRET = "whsec_contract";
const START_MS = Date.UTC(2026, 10, 21, 12);

let database: Awaited<ReturnType<typeof emptyTestDatabase>>;
let sandbox: Sandbox;
let listener: WebhookListener;
let stripe: Stripe;
let nowMs = START_MS;

async function start(): Promise<void> {
  sandbox = await startSandbox({
    log: pino({ level: "silent" }),
    port: 0,
    sipPort: 0,
    databaseUrl: database.url,
    stripe: { secretKey: SECRET_KEY, webhookSecrets: [WEBHOOK_SECRET], webhookUrl: listener.url, retryDelaysMs: [20, 20, 20] },
    now: () => nowMs,
  });
  stripe = client(SECRET_KEY);
}

function client(key: string, options: { maxNetworkRetries?: number } = {}): Stripe {
  return new Stripe(key, { host: "127.0.0.1", port: sandbox.port, protocol: "http", telemetry: false, ...options });
}

beforeAll(async () => {
  database = await emptyTestDatabase();
});
beforeEach(async () => {
  nowMs = Math.max(nowMs, START_MS) + 1000;
  listener = await WebhookListener.open();
  await start();
});
afterEach(async () => {
  await sandbox.close();
  await listener.close();
});
afterAll(() => database.drop());

function params(change: Partial<Stripe.Checkout.SessionCreateParams> = {}): Stripe.Checkout.SessionCreateParams {
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
    expires_at: Math.floor(nowMs / 1000) + 31 * 60,
    line_items: [{ quantity: 1, price_data: { currency: "usd", unit_amount: 1000, product_data: { name: "Farline credit" } } }],
    success_url: "http://app.example/billing/success?session_id={CHECKOUT_SESSION_ID}",
    cancel_url: "http://app.example/billing/cancel",
    ...change,
  };
}

const CARD = { number: "4242 4242 4242 4242", expiry: "12 / 34", cvc: "123", name: "Anna O'Neil" };

async function pay(session: Stripe.Checkout.Session, card: Partial<typeof CARD & { email: string }> = {}): Promise<Response> {
  const body = new URLSearchParams({ ...CARD, ...card });
  return fetch(`${sandbox.url}/pay/${session.id}`, { method: "POST", body, redirect: "manual" });
}

async function chaos(change: Record<string, unknown>): Promise<void> {
  const response = await fetch(`${sandbox.url}/sandbox/stripe/chaos`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(change),
  });
  expect(response.status).toBe(200);
}

const failure = (promise: Promise<unknown>) => promise.then(() => expect.unreachable("should have been refused"), (error: unknown) => error as Stripe.errors.StripeError);

describe("a Checkout session", () => {
  it("is created, paid on its page and read back with its charge", async () => {
    const session = await stripe.checkout.sessions.create(params());
    expect(session).toMatchObject({
      object: "checkout.session",
      status: "open",
      payment_status: "unpaid",
      amount_total: 1000,
      currency: "usd",
      livemode: false,
      client_reference_id: "pay-1",
      metadata: { payment_id: "pay-1" },
      url: `${sandbox.url}/pay/${session.id}`,
    });
    expect(session.lastResponse.requestId).toMatch(/^req_/);
    expect(session.lastResponse.headers["stripe-version"]).toBe(Stripe.API_VERSION);

    const answer = await pay(session);
    expect(answer.status).toBe(303);
    expect(answer.headers.get("location")).toBe(`http://app.example/billing/success?session_id=${session.id}`);

    const paid = await stripe.checkout.sessions.retrieve(session.id, { expand: ["payment_intent.latest_charge", "line_items"] });
    expect(paid).toMatchObject({ status: "complete", payment_status: "paid", url: null });
    expect(paid.line_items?.data[0]).toMatchObject({ description: "Farline credit", amount_total: 1000, quantity: 1 });
    const intent = paid.payment_intent as Stripe.PaymentIntent;
    expect(intent).toMatchObject({ status: "succeeded", amount_received: 1000, metadata: { payment_id: "pay-1" } });
    const charge = intent.latest_charge as Stripe.Charge;
    expect(charge).toMatchObject({ paid: true, amount: 1000, amount_refunded: 0, billing_details: { name: "Anna O'Neil" } });
    expect(charge.payment_method_details?.card).toMatchObject({ brand: "visa", last4: "4242", exp_month: 12, exp_year: 2034 });
    expect((await fetch(charge.receipt_url as string)).status).toBe(200);
    expect(await stripe.paymentIntents.retrieve(intent.id)).toMatchObject({ latest_charge: charge.id });
    expect(await stripe.paymentMethods.retrieve(charge.payment_method as string)).toMatchObject({ card: { last4: "4242" } });
  });

  it("is paid once, however often and at once Pay is pressed", async () => {
    const session = await stripe.checkout.sessions.create(params());
    const answers = await Promise.all(Array.from({ length: 8 }, () => pay(session)));
    expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(303));
    const { payment_intent } = await stripe.checkout.sessions.retrieve(session.id);
    const charges = await stripe.charges.list({ payment_intent: payment_intent as string });
    expect(charges.data).toHaveLength(1);
    await listener.waitFor("checkout.session.completed");
    const later = await fetch(session.url as string);
    expect(await later.text()).toContain("This payment is done");
  });

  it.each([
    ["4000 0000 0000 0002", "card_declined", "generic_decline"],
    ["4000 0000 0000 9995", "card_declined", "insufficient_funds"],
    ["4000 0000 0000 9987", "card_declined", "lost_card"],
    ["4000 0000 0000 0069", "expired_card", undefined],
    ["4000 0000 0000 0127", "incorrect_cvc", undefined],
    ["4000 0000 0000 0119", "processing_error", undefined],
  ])("card %s is declined, and another card then pays the same session", async (number, code, declineCode) => {
    const session = await stripe.checkout.sessions.create(params());
    const declined = await pay(session, { number });
    expect(declined.status).toBe(402);
    expect(await declined.text()).toMatch(/role="alert"/);
    const open = await stripe.checkout.sessions.retrieve(session.id, { expand: ["payment_intent"] });
    expect(open).toMatchObject({ status: "open", payment_status: "unpaid" });
    const intent = open.payment_intent as Stripe.PaymentIntent;
    expect(intent).toMatchObject({ status: "requires_payment_method", last_payment_error: { code } });
    expect(intent.last_payment_error?.decline_code).toBe(declineCode);
    const [failed] = await listener.waitFor("payment_intent.payment_failed");
    expect(failed?.event.data.object["id"]).toBe(intent.id);
    expect((await pay(session)).status).toBe(303);
    const charges = await stripe.charges.list({ payment_intent: intent.id });
    expect(charges.data.map(({ status }) => status)).toEqual(["succeeded", "failed"]);
  });

  it.each([
    ["an unknown card", { number: "4111 1111 1111 1111" }, "Your card number is incorrect."],
    ["no card", { number: "" }, "Enter the card number."],
    ["a past date", { expiry: "10 / 26" }, "This date is in the past."],
    ["a month that is none", { expiry: "13/30" }, "The month must be between 01 and 12."],
    ["half a date", { expiry: "12" }, "Enter the expiry date"],
    ["a short CVC", { cvc: "12" }, "Enter the 3 digits"],
    ["no name", { name: " " }, "Enter the name on the card."],
  ])("%s is an error at its field and charges nothing", async (_what, card, message) => {
    const session = await stripe.checkout.sessions.create(params());
    const answer = await pay(session, card);
    expect(answer.status).toBe(422);
    const page = await answer.text();
    expect(page).toContain(message);
    expect(page).not.toContain("4111");
    expect(await stripe.checkout.sessions.retrieve(session.id)).toMatchObject({ status: "open", payment_intent: null });
  });

  it("asks for an e-mail address when it came without one, and keeps it", async () => {
    const session = await stripe.checkout.sessions.create(params({ customer_email: undefined }));
    expect((await pay(session)).status).toBe(422);
    expect((await pay(session, { email: "ann@example.com" })).status).toBe(303);
    expect((await stripe.checkout.sessions.retrieve(session.id)).customer_details).toMatchObject({ email: "ann@example.com" });
  });

  it("expires by itself, says so, and takes no card any more", async () => {
    const session = await stripe.checkout.sessions.create(params());
    nowMs += 31 * 60_000;
    const answer = await pay(session);
    expect(answer.status).toBe(410);
    expect(await answer.text()).toContain("has expired");
    expect(await stripe.checkout.sessions.retrieve(session.id)).toMatchObject({ status: "expired", payment_status: "unpaid", url: null });
    await listener.waitFor("checkout.session.expired");
  });

  it("expires though nobody looks at it", async () => {
    const session = await stripe.checkout.sessions.create(params());
    nowMs += 32 * 60_000;
    const expired = () => listener.of("checkout.session.expired").map(({ event }) => event.data.object["id"]);
    await expect.poll(expired, { timeout: 15_000 }).toContain(session.id);
  });

  it("can be expired once by request, but not when paid", async () => {
    const session = await stripe.checkout.sessions.create(params());
    expect(await stripe.checkout.sessions.expire(session.id)).toMatchObject({ status: "expired" });
    expect(await failure(stripe.checkout.sessions.expire(session.id))).toMatchObject({ statusCode: 400, type: "StripeInvalidRequestError" });
    const paid = await stripe.checkout.sessions.create(params());
    await pay(paid);
    expect(await failure(stripe.checkout.sessions.expire(paid.id))).toMatchObject({ statusCode: 400 });
  });

  it.each([
    ["too small an amount", { line_items: [{ quantity: 1, price_data: { currency: "usd", unit_amount: 49, product_data: { name: "x" } } }] }, "amount_too_small"],
    ["no success address", { success_url: undefined }, "parameter_missing"],
    ["a removed parameter", { payment_method_types: ["card"] }, "parameter_unknown"],
    ["an unknown customer", { customer_email: undefined, customer: "cus_none" }, "resource_missing"],
    ["too short a life", { expires_at: START_MS / 1000 + 60 }, "parameter_invalid"],
    ["too long a life", { expires_at: START_MS / 1000 + 90_000_000 }, "parameter_invalid"],
    ["a fraction of a cent", { line_items: [{ quantity: 1, price_data: { currency: "usd", unit_amount: 99.5, product_data: { name: "x" } } }] }, "parameter_invalid"],
  ])("is refused for %s", async (_what, change, code) => {
    const error = await failure(stripe.checkout.sessions.create(params(change as Partial<Stripe.Checkout.SessionCreateParams>)));
    expect(error).toMatchObject({ statusCode: 400, code });
  });

  it("carries the e-mail of its customer", async () => {
    const customer = await stripe.customers.create({ email: "cus@example.com", name: "Cus", metadata: { id: "7" } });
    expect(await stripe.customers.retrieve(customer.id)).toMatchObject({ email: "cus@example.com", metadata: { id: "7" } });
    const session = await stripe.checkout.sessions.create(params({ customer: customer.id, customer_email: undefined }));
    expect(session).toMatchObject({ customer: customer.id, customer_details: { email: "cus@example.com" } });
  });

  it("is found by filters, page by page, newest first", async () => {
    const ids: string[] = [];
    for (let i = 0; i < 5; i++) {
      nowMs += 1000;
      ids.unshift((await stripe.checkout.sessions.create(params())).id);
    }
    const from = Math.floor(nowMs / 1000) - 4;
    const first = await stripe.checkout.sessions.list({ limit: 2, created: { gte: from } });
    expect(first.data.map(({ id }) => id)).toEqual(ids.slice(0, 2));
    expect(first.has_more).toBe(true);
    const before = await stripe.checkout.sessions.list({ limit: 2, ending_before: ids[4], created: { gte: from } });
    expect(before.data.map(({ id }) => id)).toEqual(ids.slice(2, 4));
    const all: string[] = [];
    for await (const session of stripe.checkout.sessions.list({ limit: 2, created: { gte: from }, status: "open" })) all.push(session.id);
    expect(all).toEqual(ids);
    await pay((await stripe.checkout.sessions.retrieve(ids[0] as string)) as Stripe.Checkout.Session);
    const { payment_intent } = await stripe.checkout.sessions.retrieve(ids[0] as string);
    const found = await stripe.checkout.sessions.list({ payment_intent: payment_intent as string, expand: ["data.payment_intent"] });
    expect(found.data).toMatchObject([{ id: ids[0], payment_intent: { status: "succeeded" } }]);
  });
});

describe("the payment page", () => {
  it("forbids scripts and framing, and lets its form lead to the shop only", async () => {
    const session = await stripe.checkout.sessions.create(params());
    const page = await fetch(session.url as string);
    const policy = page.headers.get("content-security-policy");
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("form-action 'self' http://app.example;");
    const text = await page.text();
    expect(text).toContain("Farline credit");
    expect(text).toContain("$10.00");
    expect(text).toContain("anna@example.com");
    expect(text).toContain('href="http://app.example/billing/cancel"');
    expect(text).not.toContain("<script");
  });

  it("fills in a chosen test card, and nothing else", async () => {
    const session = await stripe.checkout.sessions.create(params());
    expect(await (await fetch(`${session.url}?card=4000000000009995`)).text()).toContain('value="4000 0000 0000 9995"');
    expect(await (await fetch(`${session.url}?card=${encodeURIComponent('"><i>mine')}`)).text()).not.toContain("mine");
  });

  it("escapes what the shop sent", async () => {
    const item = { quantity: 1, price_data: { currency: "usd", unit_amount: 500, product_data: { name: "<img src=x onerror=1>" } } };
    const session = await stripe.checkout.sessions.create(params({ line_items: [item] }));
    const text = await (await fetch(session.url as string)).text();
    expect(text).not.toContain("<img src=x");
    expect(text).toContain("&lt;img src=x");
  });

  it("takes no form from a foreign page and knows no foreign session", async () => {
    const session = await stripe.checkout.sessions.create(params());
    const body = new URLSearchParams(CARD);
    const foreign = await fetch(session.url as string, { method: "POST", body, headers: { "sec-fetch-site": "cross-site" } });
    expect(foreign.status).toBe(400);
    expect((await fetch(`${sandbox.url}/pay/cs_test_none`)).status).toBe(404);
    expect((await fetch(`${sandbox.url}/pay/cs_test_none`, { method: "POST", body })).status).toBe(404);
    expect(await stripe.checkout.sessions.retrieve(session.id)).toMatchObject({ status: "open" });
  });
});

describe("refunds", () => {
  async function paidIntent(): Promise<string> {
    const session = await stripe.checkout.sessions.create(params());
    await pay(session);
    return (await stripe.checkout.sessions.retrieve(session.id)).payment_intent as string;
  }

  it("give back in parts and never more than was paid", async () => {
    const payment_intent = await paidIntent();
    const refund = await stripe.refunds.create({ payment_intent, amount: 300, reason: "requested_by_customer" });
    expect(refund).toMatchObject({ amount: 300, status: "succeeded", payment_intent });
    expect(await failure(stripe.refunds.create({ payment_intent, amount: 701 }))).toMatchObject({ statusCode: 400 });
    await stripe.refunds.create({ charge: refund.charge as string });
    expect(await failure(stripe.refunds.create({ payment_intent }))).toMatchObject({ code: "charge_already_refunded" });
    expect(await stripe.charges.retrieve(refund.charge as string)).toMatchObject({ amount_refunded: 1000, refunded: true });
    expect((await stripe.refunds.list({ payment_intent })).data.map(({ amount }) => amount)).toEqual([700, 300]);
    expect(await stripe.refunds.retrieve(refund.id)).toMatchObject({ id: refund.id });
    const events = await listener.waitFor("charge.refunded", 2);
    expect(new Set(events.map(({ event }) => event.data.object["amount_refunded"]))).toEqual(new Set([300, 1000]));
    await listener.waitFor("refund.created", 2);
  });

  it("at once never give back more than was paid", async () => {
    const payment_intent = await paidIntent();
    const tries = await Promise.allSettled(Array.from({ length: 6 }, () => stripe.refunds.create({ payment_intent, amount: 400 })));
    expect(tries.filter(({ status }) => status === "fulfilled")).toHaveLength(2);
  });
});

describe("the API", () => {
  it("wants its key", async () => {
    expect(await failure(client("sk_test_wrong").checkout.sessions.list())).toMatchObject({ statusCode: 401, type: "StripeAuthenticationError" });
    const bare = await fetch(`${sandbox.url}/v1/checkout/sessions`);
    expect(bare.status).toBe(401);
    expect(await bare.json()).toMatchObject({ error: { type: "invalid_request_error" } });
  });

  it("answers an unknown address, object, property and content type in Stripe's form", async () => {
    expect(await failure(stripe.checkout.sessions.retrieve("cs_test_none"))).toMatchObject({ statusCode: 404, code: "resource_missing" });
    const session = await stripe.checkout.sessions.create(params());
    expect(await failure(stripe.checkout.sessions.retrieve(session.id, { expand: ["nothing"] }))).toMatchObject({ statusCode: 400 });
    const headers = { authorization: `Bearer ${SECRET_KEY}` };
    expect((await fetch(`${sandbox.url}/v1/nothing`, { headers })).status).toBe(404);
    const json = await fetch(`${sandbox.url}/v1/refunds`, { method: "POST", headers: { ...headers, "content-type": "application/json" }, body: "{}" });
    expect(json.status).toBe(415);
    expect(await json.json()).toHaveProperty("error.type");
  });

  it("refuses oversized and poisoned forms", async () => {
    const post = (body: string) =>
      fetch(`${sandbox.url}/v1/customers`, {
        method: "POST",
        headers: { authorization: `Bearer ${SECRET_KEY}`, "content-type": "application/x-www-form-urlencoded" },
        body,
      });
    expect((await post(`name=${"x".repeat(70_000)}`)).status).toBe(413);
    expect((await post(Array.from({ length: 600 }, (_, i) => `metadata[k${i}]=1`).join("&"))).status).toBe(400);
    expect((await post(`metadata${"[a]".repeat(20)}=1`)).status).toBe(400);
    expect((await post("__proto__[polluted]=1&metadata[__proto__][polluted]=1&email=a")).status).toBe(200);
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
  });

  it("does a request once for its key and answers the same again, also after a restart", async () => {
    const key = { idempotencyKey: "co:1" };
    const first = await stripe.checkout.sessions.create(params(), key);
    const again = await stripe.checkout.sessions.create(params(), key);
    expect(again.id).toBe(first.id);
    expect(again.lastResponse.headers["idempotent-replayed"]).toBe("true");
    expect(await failure(stripe.checkout.sessions.create(params({ client_reference_id: "other" }), key))).toMatchObject({
      statusCode: 400,
      type: "StripeIdempotencyError",
    });
    await sandbox.close();
    await start();
    expect((await stripe.checkout.sessions.create(params(), key)).id).toBe(first.id);
    nowMs += 24 * 60 * 60_000 + 1000;
    expect((await stripe.checkout.sessions.create(params(), key)).id).not.toBe(first.id);
  });

  it("makes one session of many requests at once with one key", async () => {
    const patient = client(SECRET_KEY, { maxNetworkRetries: 4 });
    const made = await Promise.all(Array.from({ length: 6 }, () => patient.checkout.sessions.create(params(), { idempotencyKey: "co:burst" })));
    expect(new Set(made.map(({ id }) => id)).size).toBe(1);
  });
});

describe("webhooks", () => {
  it("carry Stripe's signature and a snapshot, and can be listed", async () => {
    nowMs = Date.now(); // the official verifier compares with the real time
    const session = await stripe.checkout.sessions.create(params());
    await pay(session);
    const [received] = await listener.waitFor("checkout.session.completed");
    const { headers, payload } = received as NonNullable<typeof received>;
    const event = stripe.webhooks.constructEvent(payload, headers["stripe-signature"] as string, WEBHOOK_SECRET);
    expect(event).toMatchObject({ type: "checkout.session.completed", data: { object: { id: session.id, payment_status: "paid" } } });
    expect(() => stripe.webhooks.constructEvent(payload, headers["stripe-signature"] as string, "whsec_other")).toThrow();
    await listener.waitFor("payment_intent.succeeded");
    await listener.waitFor("charge.succeeded");
    expect(await stripe.events.retrieve(event.id)).toMatchObject({ id: event.id, api_version: Stripe.API_VERSION });
    const listed = await stripe.events.list({ types: ["checkout.session.completed"], limit: 1 });
    expect(listed.data[0]?.id).toBe(event.id);
  });

  it("are sent again until they are taken", async () => {
    const session = await stripe.checkout.sessions.create(params());
    await stripe.checkout.sessions.expire(session.id);
    listener.answers.push(500, 302);
    const before = Date.now();
    await expect.poll(() => ((nowMs += 50), listener.of("checkout.session.expired").length), { timeout: 10_000, interval: 20 }).toBe(3);
    expect(Date.now()).toBeGreaterThan(before);
    const ids = listener.of("checkout.session.expired").map(({ event }) => event.id);
    expect(new Set(ids).size).toBe(1);
    await expect.poll(async () => (await stripe.events.retrieve(ids[0] as string)).pending_webhooks).toBe(0);
  });

  it("are given up after the last retry but stay listed as undelivered", async () => {
    listener.answers.push(...Array<number>(20).fill(500));
    const customer = await stripe.customers.create({ email: "x@example.com" });
    await expect.poll(() => ((nowMs += 50), listener.of("customer.created").length), { timeout: 10_000, interval: 20 }).toBe(4);
    const open = await stripe.events.list({ delivery_success: false, type: "customer.created" });
    expect(open.data[0]?.data.object).toMatchObject({ id: customer.id });
    const pool = new pg.Pool({ connectionString: database.url });
    await expect
      .poll(async () => (await pool.query("select count(*)::int as n from sandbox_stripe.delivery where done_at is null")).rows[0].n)
      .toBe(0);
    await pool.end();
  });

  it("that were not sent before a restart are sent after it", async () => {
    await chaos({ delayMs: 60_000 });
    const customer = await stripe.customers.create({ email: "late@example.com" });
    await sandbox.close();
    expect(listener.of("customer.created")).toHaveLength(0);
    nowMs += 61_000;
    await start();
    const [late] = await listener.waitFor("customer.created");
    expect(late?.event.data.object["id"]).toBe(customer.id);
  });

  it("are forgotten after 30 days, with their deliveries", async () => {
    const session = await stripe.checkout.sessions.create(params());
    await stripe.checkout.sessions.expire(session.id);
    await listener.waitFor("checkout.session.expired");
    const { forgetOld } = await import("./object.store.ts");
    const pool = new pg.Pool({ connectionString: database.url });
    await forgetOld(pool, nowMs + 31 * 86_400_000);
    await pool.end();
    expect((await stripe.events.list()).data).toHaveLength(0);
    expect(await stripe.checkout.sessions.retrieve(session.id)).toMatchObject({ status: "expired" });
  });
});

describe("chaos", () => {
  it("loses every webhook, for good, while the event can still be listed", async () => {
    await chaos({ lose: true });
    const lost = await stripe.customers.create({ email: "lost@example.com" });
    await chaos({ lose: false });
    await stripe.customers.create({ email: "kept@example.com" });
    const [kept] = await listener.waitFor("customer.created");
    expect(kept?.event.data.object["email"]).toBe("kept@example.com");
    expect(listener.received).toHaveLength(1);
    const listed = await stripe.events.list({ type: "customer.created", limit: 2 });
    expect(listed.data[1]?.data.object).toMatchObject({ id: lost.id });
  });

  it("delivers twice", async () => {
    await chaos({ duplicate: true });
    await stripe.customers.create({ email: "twice@example.com" });
    const twice = await listener.waitFor("customer.created", 2);
    expect(twice[0]?.event.id).toBe(twice[1]?.event.id);
  });

  it("fails a create without doing it", async () => {
    await chaos({ failNextCreate: 1 });
    const key = { idempotencyKey: "co:fail", maxNetworkRetries: 0 };
    expect(await failure(stripe.checkout.sessions.create(params(), key))).toMatchObject({ statusCode: 500, type: "StripeAPIError" });
    expect(await stripe.checkout.sessions.create(params(), key)).toMatchObject({ status: "open" });
  });

  it("loses the answer of a create, and the client's retry finds what was made", async () => {
    const before = await stripe.checkout.sessions.list({ limit: 1 });
    await chaos({ dropNextAnswer: true });
    const session = await stripe.checkout.sessions.create(params());
    const after = await stripe.checkout.sessions.list({ limit: 2 });
    expect(after.data.map(({ id }) => id)).toEqual([session.id, ...before.data.map(({ id }) => id)]);
  });

  it("refuses nonsense and can be calmed", async () => {
    const post = (body: string) => fetch(`${sandbox.url}/sandbox/stripe/chaos`, { method: "POST", headers: { "content-type": "application/json" }, body });
    expect((await post('{"delayMs":-1}')).status).toBe(422);
    expect((await post('{"unknown":1}')).status).toBe(422);
    await chaos({ lose: true, duplicate: true });
    const calmed = await fetch(`${sandbox.url}/sandbox/stripe/chaos`, { method: "DELETE" });
    expect(await calmed.json()).toEqual({ lose: false, duplicate: false, delayMs: 0, failNextCreate: 0, dropNextAnswer: 0 });
  });
});
