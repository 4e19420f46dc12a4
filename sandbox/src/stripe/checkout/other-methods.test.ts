import type Stripe from "stripe";
import { describe, expect, it } from "vitest";
import { failure, stripeWorld } from "../../../test/stripe-world.ts";
import type { OtherMethod } from "./other-methods.ts";

const world = stripeWorld();

/** A session that accepts all payment methods, in the payer's currency. */
function openSession(change: Partial<Stripe.Checkout.SessionCreateParams> = {}): Promise<Stripe.Checkout.Session> {
  const { allowed_payment_method_types: _, ...any } = world.params({ adaptive_pricing: { enabled: true }, ...change });
  return world.stripe.checkout.sessions.create(any);
}

function choose(session: { id: string }, type: OtherMethod, currency = ""): Promise<Response> {
  const body = new URLSearchParams({ type, currency });
  return fetch(`${world.sandbox.url}/pay/${session.id}/other-method`, { method: "POST", body, redirect: "manual" });
}

const read = (session: { id: string }) =>
  world.stripe.checkout.sessions.retrieve(session.id, { expand: ["payment_intent.latest_charge"] });
const panelPage = async () => (await fetch(`${world.sandbox.url}/sandbox/stripe`)).text();

describe("payment methods other than cards", () => {
  it("are offered unless the shop restricts the session to cards", async () => {
    expect(await (await fetch((await openSession()).url as string)).text()).toContain("SEPA Direct Debit");
    const cards = await world.stripe.checkout.sessions.create(world.params());
    expect(await (await fetch(cards.url as string)).text()).not.toContain("SEPA Direct Debit");
    expect((await choose(cards, "paypal")).status).toBe(400);
    expect(await read(cards)).toMatchObject({ status: "open" });
  });

  it("include a wallet, which pays at once", async () => {
    const session = await openSession();
    const answer = await choose(session, "paypal");
    expect([answer.status, answer.headers.get("location")]).toEqual([
      303,
      `http://app.example/billing/success?session_id=${session.id}`,
    ]);
    expect((await choose(session, "oxxo")).status).toBe(303);
    const paid = await read(session);
    expect(paid).toMatchObject({ status: "complete", payment_status: "paid", payment_intent: { status: "succeeded" } });
    const charge = (paid.payment_intent as Stripe.PaymentIntent).latest_charge as Stripe.Charge;
    expect(charge.payment_method_details).toEqual({ type: "paypal", paypal: {} });
    await world.listener.waitFor("checkout.session.completed");
  });

  it.each([
    ["sepa_debit", "processing"],
    ["oxxo", "requires_action"],
  ] as const)("include %s, whose payment is pending until it succeeds", async (type, status) => {
    const session = await openSession();
    await choose(session, type);
    expect(await read(session)).toMatchObject({
      status: "complete",
      payment_status: "unpaid",
      payment_intent: { status, latest_charge: null },
    });
    expect(await panelPage()).toContain("Pending payments");
    expect((await world.panel(`sessions/${session.id}/succeed`)).status).toBe(200);
    expect(await read(session)).toMatchObject({ payment_status: "paid", payment_intent: { status: "succeeded" } });
    await world.listener.waitFor("checkout.session.async_payment_succeeded");
    expect((await world.panel(`sessions/${session.id}/succeed`)).status).toBe(400);
    expect((await world.panel(`sessions/${session.id}/fail`)).status).toBe(400);
  });

  it("include a bank debit that fails later", async () => {
    const session = await openSession();
    await choose(session, "sepa_debit");
    expect((await world.panel(`sessions/${session.id}/fail`)).status).toBe(200);
    expect(await read(session)).toMatchObject({
      status: "complete",
      payment_status: "unpaid",
      payment_intent: { status: "requires_payment_method" },
    });
    await world.listener.waitFor("checkout.session.async_payment_failed");
    expect((await world.panel(`sessions/${session.id}/succeed`)).status).toBe(400);
    expect(await panelPage()).not.toContain(session.id);
  });

  it("include a bank debit, which can be refunded, and a voucher, which cannot", async () => {
    const refund = async (type: OtherMethod) => {
      const session = await openSession();
      await choose(session, type);
      await world.panel(`sessions/${session.id}/succeed`);
      const { payment_intent: intent } = await world.stripe.checkout.sessions.retrieve(session.id);
      return world.stripe.refunds.create({ payment_intent: intent as string });
    };
    expect(await refund("sepa_debit")).toMatchObject({ status: "succeeded", amount: 1000 });
    expect(await failure(refund("oxxo"))).toMatchObject({ statusCode: 400 });
  });
});

describe("the payer's own currency", () => {
  it("is shown and stored, while the session's amounts stay in dollars", async () => {
    const session = await openSession();
    expect(await (await fetch(`${session.url}?currency=eur`)).text()).toContain("Pay €9.20");
    await choose(session, "paypal", "eur");
    expect(await read(session)).toMatchObject({
      amount_total: 1000,
      currency: "usd",
      presentment_details: { presentment_amount: 920, presentment_currency: "eur" },
    });
  });

  it("is stored for card payments too, and an unknown currency means dollars", async () => {
    const [rupees, unknown] = [await openSession(), await openSession()];
    await world.pay(rupees, { currency: "inr" });
    await world.pay(unknown, { currency: "xxx" });
    expect((await read(rupees)).presentment_details).toEqual({ presentment_amount: 84_000, presentment_currency: "inr" });
    expect((await read(unknown)).presentment_details).toBeUndefined();
  });

  it("is not offered unless the shop enables it", async () => {
    const session = await openSession({ adaptive_pricing: { enabled: false } });
    expect(await (await fetch(`${session.url}?currency=eur`)).text()).not.toContain("€");
    await choose(session, "paypal", "eur");
    expect((await read(session)).presentment_details).toBeUndefined();
  });
});
