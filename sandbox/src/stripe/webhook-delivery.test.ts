import { Pool } from "pg";
import { Stripe } from "stripe";
import { describe, expect, it } from "vitest";
import { forgetOld } from "./object.store.ts";
import { failure, stripeWorld, WEBHOOK_SECRET } from "./stripe-world.ts";

const world = stripeWorld();

describe("webhooks", () => {
  it("carry Stripe's signature and a snapshot, and can be listed", async () => {
    world.nowMs = Date.now(); // the official verifier compares with the real time
    const session = await world.stripe.checkout.sessions.create(world.params());
    await world.pay(session);
    const [received] = await world.listener.waitFor("checkout.session.completed");
    const { headers, payload } = received as NonNullable<typeof received>;
    const event = world.stripe.webhooks.constructEvent(payload, headers["stripe-signature"] as string, WEBHOOK_SECRET);
    expect(event).toMatchObject({
      type: "checkout.session.completed",
      data: { object: { id: session.id, payment_status: "paid" } },
    });
    expect(() => world.stripe.webhooks.constructEvent(payload, headers["stripe-signature"] as string, "whsec_other")).toThrow();
    await world.listener.waitFor("payment_intent.succeeded");
    await world.listener.waitFor("charge.succeeded");
    expect(await world.stripe.events.retrieve(event.id)).toMatchObject({ id: event.id, api_version: Stripe.API_VERSION });
    const listed = await world.stripe.events.list({ types: ["checkout.session.completed"], limit: 1 });
    expect(listed.data[0]?.id).toBe(event.id);
  });

  it("are sent again until they are taken", async () => {
    const session = await world.stripe.checkout.sessions.create(world.params());
    await world.stripe.checkout.sessions.expire(session.id);
    world.listener.answers.push(500, 302);
    const before = Date.now();
    await expect
      .poll(() => ((world.nowMs += 50), world.listener.of("checkout.session.expired").length), { timeout: 10_000, interval: 20 })
      .toBe(3);
    expect(Date.now()).toBeGreaterThan(before);
    const ids = world.listener.of("checkout.session.expired").map(({ event }) => event.id);
    expect(new Set(ids).size).toBe(1);
    await expect.poll(async () => (await world.stripe.events.retrieve(ids[0] as string)).pending_webhooks).toBe(0);
  });

  it("are given up after the last retry but stay listed as undelivered", async () => {
    world.listener.answers.push(...Array<number>(20).fill(500));
    const customer = await world.stripe.customers.create({ email: "x@example.com" });
    await expect
      .poll(() => ((world.nowMs += 50), world.listener.of("customer.created").length), { timeout: 10_000, interval: 20 })
      .toBe(4);
    const open = await world.stripe.events.list({ delivery_success: false, type: "customer.created" });
    expect(open.data[0]?.data.object).toMatchObject({ id: customer.id });
    const pool = new Pool({ connectionString: world.databaseUrl });
    await expect
      .poll(
        async () => (await pool.query("select count(*)::int as n from sandbox_stripe.delivery where done_at is null")).rows[0].n,
      )
      .toBe(0);
    await pool.end();
  });

  it("that were not sent before a restart are sent after it", async () => {
    await world.chaos({ delayMs: 60_000 });
    const customer = await world.stripe.customers.create({ email: "late@example.com" });
    await world.sandbox.close();
    expect(world.listener.of("customer.created")).toHaveLength(0);
    world.nowMs += 61_000;
    await world.start();
    const [late] = await world.listener.waitFor("customer.created");
    expect(late?.event.data.object["id"]).toBe(customer.id);
  });

  it("are forgotten after 30 days, with their deliveries", async () => {
    const session = await world.stripe.checkout.sessions.create(world.params());
    await world.stripe.checkout.sessions.expire(session.id);
    await world.listener.waitFor("checkout.session.expired");
    const pool = new Pool({ connectionString: world.databaseUrl });
    await forgetOld(pool, world.nowMs + 31 * 86_400_000);
    await pool.end();
    expect((await world.stripe.events.list()).data).toHaveLength(0);
    expect(await world.stripe.checkout.sessions.retrieve(session.id)).toMatchObject({ status: "expired" });
  });
});

describe("chaos", () => {
  it("loses every webhook, for good, while the event can still be listed", async () => {
    await world.chaos({ lose: true });
    const lost = await world.stripe.customers.create({ email: "lost@example.com" });
    await world.chaos({ lose: false });
    await world.stripe.customers.create({ email: "kept@example.com" });
    const [kept] = await world.listener.waitFor("customer.created");
    expect(kept?.event.data.object["email"]).toBe("kept@example.com");
    expect(world.listener.received).toHaveLength(1);
    const listed = await world.stripe.events.list({ type: "customer.created", limit: 2 });
    expect(listed.data[1]?.data.object).toMatchObject({ id: lost.id });
  });

  it("delivers twice", async () => {
    await world.chaos({ duplicate: true });
    await world.stripe.customers.create({ email: "twice@example.com" });
    const twice = await world.listener.waitFor("customer.created", 2);
    expect(twice[0]?.event.id).toBe(twice[1]?.event.id);
  });

  it("fails a create without doing it", async () => {
    await world.chaos({ failNextCreate: 1 });
    const key = { idempotencyKey: "co:fail", maxNetworkRetries: 0 };
    expect(await failure(world.stripe.checkout.sessions.create(world.params(), key))).toMatchObject({
      statusCode: 500,
      type: "StripeAPIError",
    });
    expect(await world.stripe.checkout.sessions.create(world.params(), key)).toMatchObject({ status: "open" });
  });

  it("loses the answer of a create, and the client's retry finds what was made", async () => {
    const before = await world.stripe.checkout.sessions.list({ limit: 1 });
    await world.chaos({ dropNextAnswer: true });
    const session = await world.stripe.checkout.sessions.create(world.params());
    const after = await world.stripe.checkout.sessions.list({ limit: 2 });
    expect(after.data.map(({ id }) => id)).toEqual([session.id, ...before.data.map(({ id }) => id)]);
  });

  it("refuses nonsense and can be calmed", async () => {
    const post = (body: string) =>
      fetch(`${world.sandbox.url}/sandbox/stripe/chaos`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body,
      });
    expect((await post('{"delayMs":-1}')).status).toBe(422);
    expect((await post('{"unknown":1}')).status).toBe(422);
    await world.chaos({ lose: true, duplicate: true });
    const calmed = await fetch(`${world.sandbox.url}/sandbox/stripe/chaos`, { method: "DELETE" });
    expect(await calmed.json()).toEqual({ lose: false, duplicate: false, delayMs: 0, failNextCreate: 0, dropNextAnswer: 0 });
  });
});
