import type Stripe from "stripe";
import { describe, expect, it } from "vitest";
import { CARD, stripeWorld } from "../../../test/stripe-world.ts";

const world = stripeWorld();

describe("the payment page", () => {
  it("forbids framing, foreign scripts and form redirects to anywhere but the shop", async () => {
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
    expect(text.match(/<script[^>]*>/g)).toEqual(['<script type="module" src="/countdown.js">']);
    expect(policy).toContain("script-src 'self'");
    expect((await fetch(`${world.sandbox.url}/countdown.js`)).headers.get("content-type")).toContain("text/javascript");
    expect(text).toContain(">31:00<");
  });

  it("prefills a chosen test card, and ignores any other value", async () => {
    const session = await world.stripe.checkout.sessions.create(world.params());
    expect(await (await fetch(`${session.url}?card=4000000000009995`)).text()).toContain('value="4000 0000 0000 9995"');
    expect(await (await fetch(`${session.url}?card=${encodeURIComponent('"><i>mine')}`)).text()).not.toContain("mine");
  });

  it("escapes the shop's texts", async () => {
    const item = {
      quantity: 1,
      price_data: { currency: "usd", unit_amount: 500, product_data: { name: "<img src=x onerror=1>" } },
    };
    const session = await world.stripe.checkout.sessions.create(world.params({ line_items: [item] }));
    const text = await (await fetch(session.url as string)).text();
    expect(text).not.toContain("<img src=x");
    expect(text).toContain("&lt;img src=x");
  });

  it("rejects cross-site forms and unknown sessions", async () => {
    const session = await world.stripe.checkout.sessions.create(world.params());
    const body = new URLSearchParams(CARD);
    const foreign = await fetch(session.url as string, { method: "POST", body, headers: { "sec-fetch-site": "cross-site" } });
    expect(foreign.status).toBe(400);
    expect((await fetch(`${world.sandbox.url}/pay/cs_test_none`)).status).toBe(404);
    expect((await fetch(`${world.sandbox.url}/pay/cs_test_none`, { method: "POST", body })).status).toBe(404);
    expect(await world.stripe.checkout.sessions.retrieve(session.id)).toMatchObject({ status: "open" });
  });

  it("requires postal code and agreement if the shop does, and stores the postal code", async () => {
    const session = await world.stripe.checkout.sessions.create(
      world.params({ billing_address_collection: "required", consent_collection: { terms_of_service: "required" } }),
    );
    const refused = await world.pay(session);
    expect(refused.status).toBe(422);
    expect(await refused.text()).toMatch(/Enter the ZIP or postal code[\s\S]*Agree to the terms/);
    expect((await world.pay(session, { zip: "!!", terms: "on" })).status).toBe(422);
    expect((await world.pay(session, { zip: "SW1A 1AA", terms: "on" })).status).toBe(303);
    const paid = await world.stripe.checkout.sessions.retrieve(session.id, { expand: ["payment_intent.latest_charge"] });
    expect(paid.customer_details?.address).toMatchObject({ postal_code: "SW1A 1AA" });
    const charge = (paid.payment_intent as Stripe.PaymentIntent).latest_charge as Stripe.Charge;
    expect(charge.payment_method_details?.card?.checks?.address_postal_code_check).toBe("pass");
  });

  it("creates a customer for the payer if the shop requests it", async () => {
    const session = await world.stripe.checkout.sessions.create(world.params({ customer_creation: "always" }));
    await world.pay(session);
    const { customer } = await world.stripe.checkout.sessions.retrieve(session.id, { expand: ["customer"] });
    expect(customer).toMatchObject({ email: "anna@example.com", name: "Anna O'Neil" });
  });
});
