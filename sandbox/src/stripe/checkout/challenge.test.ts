import type Stripe from "stripe";
import { describe, expect, it } from "vitest";
import { stripeWorld } from "../../../test/stripe-world.ts";

const world = stripeWorld();

/** Opens and pays a session. @returns the session and the address of the bank's page */
async function openChallenge(number: string): Promise<{ id: string; url: string }> {
  const session = await world.stripe.checkout.sessions.create(world.params());
  const answer = await world.pay(session, { number });
  expect(answer.status).toBe(303);
  return { id: session.id, url: answer.headers.get("location") ?? "" };
}

describe("the bank's challenge", () => {
  it.each(["4000 0025 0000 3155", "4000 0027 6000 3184"])("completes a payment with card %s once confirmed", async (number) => {
    const { id, url } = await openChallenge(number);
    expect(url).toContain(`${world.sandbox.url}/challenge/pi_`);
    const page = await fetch(url);
    expect(page.headers.get("content-security-policy")).toContain("form-action 'self' http://app.example;");
    expect(await page.text()).toMatch(/Your bank asks[\s\S]*\$10\.00[\s\S]*3155|3184/);
    expect(await world.stripe.checkout.sessions.retrieve(id)).toMatchObject({ status: "open", payment_status: "unpaid" });
    await world.listener.waitFor("payment_intent.requires_action");
    const answer = await world.answer(url, "complete");
    expect(answer.headers.get("location")).toBe(`http://app.example/billing/success?session_id=${id}`);
    const paid = await world.stripe.checkout.sessions.retrieve(id, { expand: ["payment_intent.latest_charge"] });
    expect(paid).toMatchObject({ status: "complete", payment_status: "paid" });
    const charge = (paid.payment_intent as Stripe.PaymentIntent).latest_charge as Stripe.Charge;
    expect(charge.payment_method_details?.card?.three_d_secure?.result).toBe("authenticated");
    await world.listener.waitFor("checkout.session.completed");
    expect(await (await fetch(url)).text()).toContain("This payment is done");
  });

  it("returns to the payment page if it fails, which shows the reason and accepts another card", async () => {
    const { id, url } = await openChallenge("4000 0027 6000 3184");
    const failed = await world.answer(url, "fail");
    expect(failed.headers.get("location")).toBe(`/pay/${id}`);
    const page = await (await fetch(`${world.sandbox.url}/pay/${id}`)).text();
    expect(page).toMatch(/role="alert">\s*Your bank could not confirm/);
    const open = await world.stripe.checkout.sessions.retrieve(id, { expand: ["payment_intent"] });
    expect(open.payment_intent).toMatchObject({
      status: "requires_payment_method",
      last_payment_error: { code: "payment_intent_authentication_failure" },
    });
    expect((await world.stripe.charges.list({ payment_intent: (open.payment_intent as Stripe.PaymentIntent).id })).data).toEqual(
      [],
    );
    expect((await world.pay({ id })).headers.get("location")).toContain("/billing/success");
  });

  it("succeeds for card 1629, which is then declined", async () => {
    const { id, url } = await openChallenge("4000 0084 0000 1629");
    expect((await world.answer(url, "complete")).headers.get("location")).toBe(`/pay/${id}`);
    expect(await (await fetch(`${world.sandbox.url}/pay/${id}`)).text()).toMatch(/role="alert">\s*Your card was declined/);
    await world.listener.waitFor("charge.failed");
    expect(await world.stripe.checkout.sessions.retrieve(id)).toMatchObject({ status: "open" });
  });

  it("charges once if it is answered several times concurrently", async () => {
    const { id, url } = await openChallenge("4000 0025 0000 3155");
    const answers = await Promise.all(Array.from({ length: 6 }, () => world.answer(url, "complete")));
    for (const answer of answers) expect(answer.headers.get("location")).toContain(`session_id=${id}`);
    const { payment_intent } = await world.stripe.checkout.sessions.retrieve(id);
    expect((await world.stripe.charges.list({ payment_intent: payment_intent as string })).data).toHaveLength(1);
  });

  it("is rejected with 410 if the session has expired", async () => {
    const { id, url } = await openChallenge("4000 0025 0000 3155");
    world.nowMs += 31 * 60_000;
    expect((await world.answer(url, "complete")).status).toBe(410);
    expect(await world.stripe.checkout.sessions.retrieve(id)).toMatchObject({ status: "expired", payment_status: "unpaid" });
  });

  it("rejects invalid answers, cross-site forms and unknown intents", async () => {
    const { id, url } = await openChallenge("4000 0025 0000 3155");
    const post = (address: string, answer: string, headers: Record<string, string> = {}) =>
      fetch(address, { method: "POST", body: new URLSearchParams({ answer }), headers, redirect: "manual" });
    expect((await post(url, "maybe")).status).toBe(422);
    expect((await post(url, "complete", { "sec-fetch-site": "cross-site" })).status).toBe(400);
    expect((await post(`${world.sandbox.url}/challenge/pi_none`, "complete")).status).toBe(404);
    expect((await fetch(`${world.sandbox.url}/challenge/ch_none`)).status).toBe(404);
    expect(await world.stripe.checkout.sessions.retrieve(id)).toMatchObject({ status: "open" });
  });
});
