import { describe, expect, it } from "vitest";
import { failure, SECRET_KEY, stripeWorld } from "../../../test/stripe-world.ts";

const world = stripeWorld();
const NO_FAULTS = {
  lose: 0,
  duplicate: 0,
  delayMs: 0,
  reorderMs: 0,
  order: "free",
  clockSkewSeconds: 0,
  dropAnswers: 0,
  serverErrors: 0,
  rateLimits: 0,
  restricted: 0,
  failNextCreate: 0,
  dropNextAnswer: 0,
  limitNextCreate: 0,
  settles: "usd",
};

async function faults(method = "GET"): Promise<unknown> {
  return (await fetch(`${world.sandbox.url}/sandbox/stripe/chaos`, { method })).json();
}

describe("webhook faults", () => {
  it("lose every event permanently, but the event can still be listed", async () => {
    await world.chaos({ lose: true });
    const lost = await world.stripe.customers.create({ email: "lost@example.com" });
    await world.chaos({ lose: 0 });
    await world.stripe.customers.create({ email: "kept@example.com" });
    const [kept] = await world.listener.waitFor("customer.created");
    expect(kept?.event.data.object["email"]).toBe("kept@example.com");
    expect(world.listener.received).toHaveLength(1);
    const listed = await world.stripe.events.list({ type: "customer.created", limit: 2 });
    expect(listed.data[1]?.data.object).toMatchObject({ id: lost.id });
  });

  it("lose and duplicate the configured percentage of events", async () => {
    await world.chaos({ lose: 50, duplicate: 50 });
    const made = await Promise.all(Array.from({ length: 60 }, () => world.stripe.customers.create({})));
    await world.chaos({ lose: 0, duplicate: 0 });
    const last = await world.stripe.customers.create({});
    const idsOf = () => world.listener.of("customer.created").map(({ event }) => String(event.data.object["id"]));
    await expect.poll(idsOf).toContain(last.id);
    const times = made.map(({ id }) => idsOf().filter((one) => one === id).length);
    for (const count of [0, 1, 2]) expect(times).toContain(count);
  });

  it("deliver an event twice", async () => {
    await world.chaos({ duplicate: 100 });
    await world.stripe.customers.create({ email: "twice@example.com" });
    const twice = await world.listener.waitFor("customer.created", 2);
    expect(twice[0]?.event.id).toBe(twice[1]?.event.id);
  });

  it("deliver events out of order", async () => {
    await world.chaos({ reorderMs: 60_000 });
    for (let i = 0; i < 20; i++) await world.stripe.customers.create({ description: String(i) });
    await world.chaos({ reorderMs: 0 });
    world.nowMs += 30_000;
    await world.stripe.products.create({ name: "marker" });
    await world.listener.waitFor("product.created"); // proves that the queue has been polled since
    const early = world.listener.of("customer.created").map(({ event }) => Number(event.data.object["description"]));
    expect(early.length).toBeGreaterThan(0);
    expect(early.length).toBeLessThan(20);
    expect(early.toSorted((a, b) => a - b)).not.toEqual(early.map((_, i) => i));
    world.nowMs += 30_000;
    await world.listener.waitFor("customer.created", 20);
  });

  it("sign events with a skewed clock", async () => {
    await world.chaos({ clockSkewSeconds: -3600 });
    await world.stripe.customers.create({});
    const [received] = await world.listener.waitFor("customer.created");
    expect(received?.headers["stripe-signature"]).toContain(`t=${Math.floor(world.nowMs / 1000) - 3600},`);
  });

  it("delay the payer's redirect until the webhook is delivered", async () => {
    await world.chaos({ order: "webhook_first" });
    const session = await world.stripe.checkout.sessions.create(world.params());
    expect((await world.pay(session)).status).toBe(303);
    expect(world.listener.of("checkout.session.completed")).toHaveLength(1);
  });

  it("delay the webhook until the payer is redirected", async () => {
    await world.chaos({ order: "redirect_first" });
    const session = await world.stripe.checkout.sessions.create(world.params());
    expect((await world.pay(session)).status).toBe(303);
    await world.stripe.customers.create({});
    await world.listener.waitFor("customer.created"); // proves that the queue has been polled since
    expect(world.listener.of("checkout.session.completed")).toHaveLength(0);
    world.nowMs += 5000;
    await world.listener.waitFor("checkout.session.completed");
  });
});

describe("API faults", () => {
  const once = { maxNetworkRetries: 0 };

  it("reject a create with 500 without processing it", async () => {
    await world.chaos({ failNextCreate: 1 });
    const key = { idempotencyKey: "co:fail", ...once };
    expect(await failure(world.stripe.checkout.sessions.create(world.params(), key))).toMatchObject({
      statusCode: 500,
      type: "StripeAPIError",
    });
    expect(await world.stripe.checkout.sessions.create(world.params(), key)).toMatchObject({ status: "open" });
  });

  it("drop the response to a create, and the client's retry returns the created object", async () => {
    const before = await world.stripe.checkout.sessions.list({ limit: 1 });
    await world.chaos({ dropNextAnswer: true });
    const session = await world.stripe.checkout.sessions.create(world.params());
    const after = await world.stripe.checkout.sessions.list({ limit: 2 });
    expect(after.data.map(({ id }) => id)).toEqual([session.id, ...before.data.map(({ id }) => id)]);
  });

  it("reject only the next create with 429", async () => {
    await world.chaos({ limitNextCreate: 1 });
    expect(await failure(world.stripe.customers.create({}, once))).toMatchObject({
      statusCode: 429,
      type: "StripeRateLimitError",
    });
    expect(await world.stripe.customers.create({})).toMatchObject({ object: "customer" });
  });

  it("rate limits and server errors affect reads too", async () => {
    await world.chaos({ rateLimits: 100 });
    expect(await failure(world.stripe.charges.list({}, once))).toMatchObject({ statusCode: 429 });
    await world.chaos({ rateLimits: 0, serverErrors: 100 });
    expect(await failure(world.stripe.charges.list({}, once))).toMatchObject({ statusCode: 500 });
    await world.chaos({ serverErrors: 0, dropAnswers: 100 });
    expect(await failure(world.client(SECRET_KEY).charges.list({}, once))).toMatchObject({ type: "StripeConnectionError" });
  });
});

describe("the fault settings", () => {
  it("reject invalid values and can be reset", async () => {
    for (const invalid of [{ delayMs: -1 }, { unknown: 1 }, { lose: 101 }, { order: "other" }, { delayMs: 600_001 }])
      expect((await world.panel("chaos", invalid)).status).toBe(422);
    await world.chaos({ lose: true, duplicate: 20 });
    expect(await faults()).toMatchObject({ lose: 100, duplicate: 20 });
    expect(await faults("DELETE")).toEqual(NO_FAULTS);
  });

  it("survive a restart", async () => {
    await world.chaos({ delayMs: 1234, order: "webhook_first" });
    await world.sandbox.close();
    await world.start();
    expect(await faults()).toEqual({ ...NO_FAULTS, delayMs: 1234, order: "webhook_first" });
  });
});
