import type Stripe from "stripe";
import { describe, expect, it } from "vitest";
import { failure, stripeWorld } from "../../../test/stripe-world.ts";

const world = stripeWorld();
const page = async (path = "") => (await fetch(`${world.sandbox.url}/sandbox/stripe${path}`)).text();

/** Submits a form of a page. */
function press(path: string, fields: Record<string, string> = {}, headers: Record<string, string> = {}): Promise<Response> {
  const referer = `${world.sandbox.url}/sandbox/stripe/payments`;
  return fetch(`${world.sandbox.url}/sandbox/stripe/${path}`, {
    method: "POST",
    body: new URLSearchParams(fields),
    headers: { referer, ...headers },
    redirect: "manual",
  });
}

describe("the control panel", () => {
  it("refunds a payment given by session, intent or charge", async () => {
    const { session, intent } = await world.payNew();
    const refund = (await (await world.panel(`payments/${session}/refund`, { amount: 200 })).json()) as Stripe.Refund;
    expect(refund).toMatchObject({ object: "refund", amount: 200, status: "succeeded" });
    await world.panel(`payments/${intent}/refund`, { amount: 300 });
    await world.panel(`payments/${refund.charge as string}/refund`);
    expect(await world.stripe.charges.retrieve(refund.charge as string)).toMatchObject({ amount_refunded: 1000 });
    await world.listener.waitFor("charge.refunded", 3);
    const more = await world.panel(`payments/${intent}/refund`);
    expect(more.status).toBe(400);
    expect(await more.json()).toMatchObject({ message: expect.stringContaining("already been refunded") });
  });

  it("sends a fraud warning, opens a dispute and decides it", async () => {
    const { session } = await world.payNew();
    expect(await (await world.panel(`payments/${session}/early-fraud-warning`)).json()).toMatchObject({ actionable: true });
    const opened = await world.panel(`payments/${session}/dispute`, { reason: "product_not_received" });
    const dispute = (await opened.json()) as Stripe.Dispute;
    expect(dispute).toMatchObject({ reason: "product_not_received", status: "needs_response" });
    await world.listener.waitFor("charge.dispute.funds_withdrawn");
    expect((await world.panel(`payments/${session}/dispute`)).status).toBe(400);
    expect(await (await world.panel(`disputes/${dispute.id}/lose`)).json()).toMatchObject({ status: "lost" });
    expect((await world.panel(`disputes/${dispute.id}/win`)).status).toBe(400);
  });

  it("can make a pending refund fail early", async () => {
    const { intent } = await world.payNew("4000 0000 0000 7726");
    const { id } = await world.stripe.refunds.create({ payment_intent: intent });
    expect(await (await world.panel(`refunds/${id}/fail`)).json()).toMatchObject({ status: "failed" });
    expect((await world.panel(`refunds/${id}/succeed`)).status).toBe(400);
  });

  it("resends an event that was lost", async () => {
    await world.chaos({ lose: 100 });
    await world.stripe.customers.create({});
    const [event] = (await world.stripe.events.list({ type: "customer.created", limit: 1 })).data;
    expect((await world.panel(`events/${event?.id}/resend`)).status).toBe(200);
    const [arrived] = await world.listener.waitFor("customer.created");
    expect(arrived?.event.id).toBe(event?.id);
    expect((await world.panel("events/evt_none/resend")).status).toBe(404);
  });

  it("lists payments and events in pages, and processes their forms", async () => {
    for (let i = 0; i < 3; i++) await world.payNew();
    const { intent } = await world.payNew();
    const { latest_charge: charge } = await world.stripe.paymentIntents.retrieve(intent);
    expect(await page()).toMatch(/Latest payments[\s\S]*\$10\.00[\s\S]*Faults[\s\S]*checkout\.session\.completed/);
    expect(await page("/payments")).toContain(`/sandbox/stripe/payments/${charge as string}`);
    const older = /href="(\/sandbox\/stripe\/events\?after=evt_\w+)"/.exec(await page("/events"))?.[1];
    expect((await fetch(`${world.sandbox.url}${older}`)).status).toBe(200);
    const back = await press(`payments/${charge as string}/refund`, { dollars: "2.50" });
    expect(back.status).toBe(303);
    expect(back.headers.get("location")).toBe("/sandbox/stripe/payments");
    const shown = await page(`/payments/${charge as string}`);
    expect(shown).toMatch(/Paid, \$2\.50 refunded[\s\S]*Let it fail[\s\S]*charge\.refunded/);
    expect(await press("chaos", { lose: "5", order: "webhook_first" })).toMatchObject({ status: 303 });
    expect(await page()).toMatch(/name="lose"[^>]*value="5"/);
    await press("chaos/reset");
    expect(await page()).toMatch(/name="lose"[^>]*value="0"/);
  });

  it("rejects invalid actions without moving money", async () => {
    const { intent } = await world.payNew();
    for (const dollars of ["abc", "-1", "0.001", "1e3"])
      expect((await press(`payments/${intent}/refund`, { dollars })).status).toBe(422);
    for (const amount of [0, -5, 1.5, "5", 1001])
      expect([400, 422]).toContain((await world.panel(`payments/${intent}/refund`, { amount })).status);
    expect((await press(`payments/${intent}/refund`, {}, { "sec-fetch-site": "cross-site" })).status).toBe(403);
    expect((await world.panel("payments/pi_none/refund")).status).toBe(404);
    expect((await fetch(`${world.sandbox.url}/sandbox/stripe/payments/ch_none`)).status).toBe(404);
    const unpaid = await world.stripe.checkout.sessions.create(world.params());
    expect((await world.panel(`payments/${unpaid.id}/refund`)).status).toBe(400);
    const declined = await failure(
      world.stripe.paymentIntents.create({
        amount: 500,
        currency: "usd",
        payment_method: "pm_card_chargeDeclined",
        confirm: true,
      }),
    );
    expect((await world.panel(`payments/${declined.payment_intent?.id}/refund`)).status).toBe(400);
    expect((await world.stripe.refunds.list({ payment_intent: intent })).data).toEqual([]);
  });
});
