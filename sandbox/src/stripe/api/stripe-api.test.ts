import { DAY_MS } from "@farline/domain/durations.ts";
import { describe, expect, it } from "vitest";
import { failure, SECRET_KEY, stripeWorld } from "../../../test/stripe-world.ts";

const world = stripeWorld();

describe("Stripe's API", () => {
  it("rejects requests without its key", async () => {
    expect(await failure(world.client("sk_test_wrong").checkout.sessions.list())).toMatchObject({
      statusCode: 401,
      type: "StripeAuthenticationError",
    });
    const bare = await fetch(`${world.sandbox.url}/v1/checkout/sessions`);
    expect(bare.status).toBe(401);
    expect(await bare.json()).toMatchObject({ error: { type: "invalid_request_error" } });
  });

  it("reports unknown paths, objects, properties and content types in Stripe's error format", async () => {
    expect(await failure(world.stripe.checkout.sessions.retrieve("cs_test_none"))).toMatchObject({
      statusCode: 404,
      code: "resource_missing",
    });
    const session = await world.stripe.checkout.sessions.create(world.params());
    expect(await failure(world.stripe.checkout.sessions.retrieve(session.id, { expand: ["nothing"] }))).toMatchObject({
      statusCode: 400,
    });
    const headers = { authorization: `Bearer ${SECRET_KEY}` };
    expect((await fetch(`${world.sandbox.url}/v1/nothing`, { headers })).status).toBe(404);
    const json = await fetch(`${world.sandbox.url}/v1/refunds`, {
      method: "POST",
      headers: { ...headers, "content-type": "application/json" },
      body: "{}",
    });
    expect(json.status).toBe(415);
    expect(await json.json()).toHaveProperty("error.type");
  });

  it("rejects oversized forms and ignores prototype pollution", async () => {
    const post = (body: string) =>
      fetch(`${world.sandbox.url}/v1/customers`, {
        method: "POST",
        headers: { authorization: `Bearer ${SECRET_KEY}`, "content-type": "application/x-www-form-urlencoded" },
        body,
      });
    expect((await post(`name=${"x".repeat(70_000)}`)).status).toBe(413);
    expect((await post(Array.from({ length: 600 }, (_, i) => `metadata[k${i}]=1`).join("&"))).status).toBe(400);
    expect((await post(`metadata${"[a]".repeat(20)}=1`)).status).toBe(400);
    expect((await post("__proto__[polluted]=1&metadata[__proto__][polluted]=1&email=a@example.com")).status).toBe(200);
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
  });

  it("processes an idempotency key once and repeats its response, even after a restart", async () => {
    const key = { idempotencyKey: "co:1" };
    const first = await world.stripe.checkout.sessions.create(world.params(), key);
    const again = await world.stripe.checkout.sessions.create(world.params(), key);
    expect(again.id).toBe(first.id);
    expect(again.lastResponse.headers["idempotent-replayed"]).toBe("true");
    expect(
      await failure(world.stripe.checkout.sessions.create(world.params({ client_reference_id: "other" }), key)),
    ).toMatchObject({
      statusCode: 400,
      type: "StripeIdempotencyError",
    });
    await world.sandbox.close();
    await world.start();
    expect((await world.stripe.checkout.sessions.create(world.params(), key)).id).toBe(first.id);
    world.nowMs += DAY_MS + 1000;
    expect((await world.stripe.checkout.sessions.create(world.params(), key)).id).not.toBe(first.id);
  });

  it("creates one session from concurrent requests with one idempotency key", async () => {
    const patient = world.client(SECRET_KEY, { maxNetworkRetries: 4 });
    const made = await Promise.all(
      Array.from({ length: 6 }, () => patient.checkout.sessions.create(world.params(), { idempotencyKey: "co:burst" })),
    );
    expect(new Set(made.map(({ id }) => id)).size).toBe(1);
  });
});
