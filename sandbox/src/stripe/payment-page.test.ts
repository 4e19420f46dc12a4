import { describe, expect, it } from "vitest";
import { CARD, stripeWorld } from "./stripe-world.ts";

const world = stripeWorld();

describe("the payment page", () => {
  it("forbids scripts and framing, and lets its form lead to the shop only", async () => {
    const session = await world.stripe.checkout.sessions.create(world.params());
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
    const session = await world.stripe.checkout.sessions.create(world.params());
    expect(await (await fetch(`${session.url}?card=4000000000009995`)).text()).toContain('value="4000 0000 0000 9995"');
    expect(await (await fetch(`${session.url}?card=${encodeURIComponent('"><i>mine')}`)).text()).not.toContain("mine");
  });

  it("escapes what the shop sent", async () => {
    const item = {
      quantity: 1,
      price_data: { currency: "usd", unit_amount: 500, product_data: { name: "<img src=x onerror=1>" } },
    };
    const session = await world.stripe.checkout.sessions.create(world.params({ line_items: [item] }));
    const text = await (await fetch(session.url as string)).text();
    expect(text).not.toContain("<img src=x");
    expect(text).toContain("&lt;img src=x");
  });

  it("takes no form from a foreign page and knows no foreign session", async () => {
    const session = await world.stripe.checkout.sessions.create(world.params());
    const body = new URLSearchParams(CARD);
    const foreign = await fetch(session.url as string, { method: "POST", body, headers: { "sec-fetch-site": "cross-site" } });
    expect(foreign.status).toBe(400);
    expect((await fetch(`${world.sandbox.url}/pay/cs_test_none`)).status).toBe(404);
    expect((await fetch(`${world.sandbox.url}/pay/cs_test_none`, { method: "POST", body })).status).toBe(404);
    expect(await world.stripe.checkout.sessions.retrieve(session.id)).toMatchObject({ status: "open" });
  });
});
