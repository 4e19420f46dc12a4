import { DAY_MS } from "@farline/domain/durations.ts";
import { Pool } from "pg";
import { Stripe } from "stripe";
import { describe, expect, it } from "vitest";
import { deleteExpired } from "../store/object.store.ts";
import { stripeWorld, WEBHOOK_SECRET } from "../../../test/stripe-world.ts";

const world = stripeWorld();

describe("webhooks", () => {
  it("are signed like Stripe's, contain a snapshot of the object, and can be listed", async () => {
    world.nowMs = Date.now(); // the official verifier uses the real time
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

  it("are retried until they are acknowledged", async () => {
    const session = await world.stripe.checkout.sessions.create(world.params());
    await world.stripe.checkout.sessions.expire(session.id);
    world.listener.answers.push(500, 302);
    const before = Date.now();
    await expect.poll(() => ((world.nowMs += 50), world.listener.of("checkout.session.expired").length)).toBe(3);
    expect(Date.now()).toBeGreaterThan(before);
    const ids = world.listener.of("checkout.session.expired").map(({ event }) => event.id);
    expect(new Set(ids).size).toBe(1);
    await expect.poll(async () => (await world.stripe.events.retrieve(ids[0] as string)).pending_webhooks).toBe(0);
  });

  it("are given up after the last retry but stay listed as undelivered", async () => {
    world.listener.answers.push(...Array<number>(20).fill(500));
    const customer = await world.stripe.customers.create({ email: "x@example.com" });
    await expect.poll(() => ((world.nowMs += 50), world.listener.of("customer.created").length)).toBe(4);
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

  it("left in the queue by a restart are sent after it", async () => {
    await world.chaos({ delayMs: 60_000 });
    const customer = await world.stripe.customers.create({ email: "late@example.com" });
    await world.sandbox.close();
    expect(world.listener.of("customer.created")).toHaveLength(0);
    world.nowMs += 61_000;
    await world.start();
    const [late] = await world.listener.waitFor("customer.created");
    expect(late?.event.data.object["id"]).toBe(customer.id);
  });

  it("are deleted after 30 days, with their deliveries", async () => {
    const session = await world.stripe.checkout.sessions.create(world.params());
    await world.stripe.checkout.sessions.expire(session.id);
    await world.listener.waitFor("checkout.session.expired");
    const pool = new Pool({ connectionString: world.databaseUrl });
    await deleteExpired(pool, world.nowMs + 31 * DAY_MS);
    await pool.end();
    expect((await world.stripe.events.list()).data).toHaveLength(0);
    expect(await world.stripe.checkout.sessions.retrieve(session.id)).toMatchObject({ status: "expired" });
  });
});
