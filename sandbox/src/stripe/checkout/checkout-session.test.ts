import { Stripe } from "stripe";
import { describe, expect, it } from "vitest";
import { failure, START_MS, stripeWorld } from "../../../test/stripe-world.ts";

const world = stripeWorld();

describe("a Checkout session", () => {
  it("can be created, paid on its page and retrieved with its charge", async () => {
    const session = await world.stripe.checkout.sessions.create(world.params());
    expect(session).toMatchObject({
      object: "checkout.session",
      status: "open",
      payment_status: "unpaid",
      amount_total: 1000,
      currency: "usd",
      livemode: false,
      client_reference_id: "pay-1",
      metadata: { payment_id: "pay-1" },
      url: `${world.sandbox.url}/pay/${session.id}`,
    });
    expect(session.lastResponse.requestId).toMatch(/^req_/);
    expect(session.lastResponse.headers["stripe-version"]).toBe(Stripe.API_VERSION);

    const answer = await world.pay(session);
    expect(answer.status).toBe(303);
    expect(answer.headers.get("location")).toBe(`http://app.example/billing/success?session_id=${session.id}`);

    const paid = await world.stripe.checkout.sessions.retrieve(session.id, {
      expand: ["payment_intent.latest_charge", "line_items"],
    });
    expect(paid).toMatchObject({ status: "complete", payment_status: "paid", url: null });
    expect(paid.line_items?.data[0]).toMatchObject({ description: "Farline credit", amount_total: 1000, quantity: 1 });
    const intent = paid.payment_intent as Stripe.PaymentIntent;
    expect(intent).toMatchObject({ status: "succeeded", amount_received: 1000, metadata: { payment_id: "pay-1" } });
    const charge = intent.latest_charge as Stripe.Charge;
    expect(charge).toMatchObject({ paid: true, amount: 1000, amount_refunded: 0, billing_details: { name: "Anna O'Neil" } });
    expect(charge.payment_method_details?.card).toMatchObject({ brand: "visa", last4: "4242", exp_month: 12, exp_year: 2034 });
    expect((await fetch(charge.receipt_url as string)).status).toBe(200);
    expect(await world.stripe.paymentIntents.retrieve(intent.id)).toMatchObject({ latest_charge: charge.id });
    expect(await world.stripe.paymentMethods.retrieve(charge.payment_method as string)).toMatchObject({
      card: { last4: "4242" },
    });
  });

  it("is charged once if it is paid several times concurrently", async () => {
    const session = await world.stripe.checkout.sessions.create(world.params());
    const answers = await Promise.all(Array.from({ length: 8 }, () => world.pay(session)));
    expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(303));
    const { payment_intent } = await world.stripe.checkout.sessions.retrieve(session.id);
    const charges = await world.stripe.charges.list({ payment_intent: payment_intent as string });
    expect(charges.data).toHaveLength(1);
    await world.listener.waitFor("checkout.session.completed");
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
  ])("stays open after card %s is declined, and can be paid with another card", async (number, code, declineCode) => {
    const session = await world.stripe.checkout.sessions.create(world.params());
    const declined = await world.pay(session, { number });
    expect(declined.status).toBe(402);
    expect(await declined.text()).toMatch(/role="alert"/);
    const open = await world.stripe.checkout.sessions.retrieve(session.id, { expand: ["payment_intent"] });
    expect(open).toMatchObject({ status: "open", payment_status: "unpaid" });
    const intent = open.payment_intent as Stripe.PaymentIntent;
    expect(intent).toMatchObject({ status: "requires_payment_method", last_payment_error: { code } });
    expect(intent.last_payment_error?.decline_code).toBe(declineCode);
    const [failed] = await world.listener.waitFor("payment_intent.payment_failed");
    expect(failed?.event.data.object["id"]).toBe(intent.id);
    expect((await world.pay(session)).status).toBe(303);
    const charges = await world.stripe.charges.list({ payment_intent: intent.id });
    expect(charges.data.map(({ status }) => status)).toEqual(["succeeded", "failed"]);
  });

  it.each([
    ["an unknown card", { number: "4111 1111 1111 1111" }, "Your card number is incorrect."],
    ["no card", { number: "" }, "Enter the card number."],
    ["an expired card", { expiry: "10 / 26" }, "This date is in the past."],
    ["an invalid month", { expiry: "13/30" }, "The month must be between 01 and 12."],
    ["an incomplete date", { expiry: "12" }, "Enter the expiry date"],
    ["a short CVC", { cvc: "12" }, "Enter the 3 digits"],
    ["no name", { name: " " }, "Enter the name on the card."],
  ])("shows an error for %s and charges nothing", async (_what, card, message) => {
    const session = await world.stripe.checkout.sessions.create(world.params());
    const answer = await world.pay(session, card);
    expect(answer.status).toBe(422);
    const page = await answer.text();
    expect(page).toContain(message);
    expect(page).not.toContain("4111");
    expect(await world.stripe.checkout.sessions.retrieve(session.id)).toMatchObject({ status: "open", payment_intent: null });
  });

  it("asks for an e-mail address if it was created without one, and stores it", async () => {
    const session = await world.stripe.checkout.sessions.create(world.params({ customer_email: undefined }));
    expect((await world.pay(session)).status).toBe(422);
    expect((await world.pay(session, { email: "ann@example.com" })).status).toBe(303);
    expect((await world.stripe.checkout.sessions.retrieve(session.id)).customer_details).toMatchObject({
      email: "ann@example.com",
    });
  });

  it("expires on its own, shows that, and no longer accepts a card", async () => {
    const session = await world.stripe.checkout.sessions.create(world.params());
    world.nowMs += 31 * 60_000;
    const answer = await world.pay(session);
    expect(answer.status).toBe(410);
    expect(await answer.text()).toContain("has expired");
    expect(await world.stripe.checkout.sessions.retrieve(session.id)).toMatchObject({
      status: "expired",
      payment_status: "unpaid",
      url: null,
    });
    await world.listener.waitFor("checkout.session.expired");
  });

  it("expires even if nobody requests it", async () => {
    const session = await world.stripe.checkout.sessions.create(world.params());
    world.nowMs += 32 * 60_000;
    const expired = () => world.listener.of("checkout.session.expired").map(({ event }) => event.data.object["id"]);
    await expect.poll(expired).toContain(session.id);
  });

  it("can be expired once on request, but not after it was paid", async () => {
    const session = await world.stripe.checkout.sessions.create(world.params());
    expect(await world.stripe.checkout.sessions.expire(session.id)).toMatchObject({ status: "expired" });
    expect(await failure(world.stripe.checkout.sessions.expire(session.id))).toMatchObject({
      statusCode: 400,
      type: "StripeInvalidRequestError",
    });
    const paid = await world.stripe.checkout.sessions.create(world.params());
    await world.pay(paid);
    expect(await failure(world.stripe.checkout.sessions.expire(paid.id))).toMatchObject({ statusCode: 400 });
  });

  it.each([
    [
      "an amount that is too small",
      { line_items: [{ quantity: 1, price_data: { currency: "usd", unit_amount: 49, product_data: { name: "x" } } }] },
      "amount_too_small",
    ],
    ["no success address", { success_url: undefined }, "parameter_missing"],
    ["a removed parameter", { payment_method_types: ["card"] }, "parameter_unknown"],
    ["an unknown customer", { customer_email: undefined, customer: "cus_none" }, "resource_missing"],
    ["an address with letters outside ASCII", { customer_email: "zoë@example.com" }, "email_invalid"],
    ["an expiry that is too early", { expires_at: START_MS / 1000 + 60 }, "parameter_invalid"],
    ["an expiry that is too late", { expires_at: START_MS / 1000 + 90_000_000 }, "parameter_invalid"],
    [
      "a fraction of a cent",
      { line_items: [{ quantity: 1, price_data: { currency: "usd", unit_amount: 99.5, product_data: { name: "x" } } }] },
      "parameter_invalid",
    ],
  ])("is rejected for %s", async (_what, change, code) => {
    const error = await failure(
      world.stripe.checkout.sessions.create(world.params(change as Partial<Stripe.Checkout.SessionCreateParams>)),
    );
    expect(error).toMatchObject({ statusCode: 400, code });
  });

  it("has its customer's e-mail address", async () => {
    const customer = await world.stripe.customers.create({ email: "cus@example.com", name: "Cus", metadata: { id: "7" } });
    expect(await world.stripe.customers.retrieve(customer.id)).toMatchObject({ email: "cus@example.com", metadata: { id: "7" } });
    const session = await world.stripe.checkout.sessions.create(
      world.params({ customer: customer.id, customer_email: undefined }),
    );
    expect(session).toMatchObject({ customer: customer.id, customer_details: { email: "cus@example.com" } });
  });

  it("is listed by filters, in pages, newest first", async () => {
    const ids: string[] = [];
    for (let i = 0; i < 5; i++) {
      world.nowMs += 1000;
      ids.unshift((await world.stripe.checkout.sessions.create(world.params())).id);
    }
    const from = Math.floor(world.nowMs / 1000) - 4;
    const first = await world.stripe.checkout.sessions.list({ limit: 2, created: { gte: from } });
    expect(first.data.map(({ id }) => id)).toEqual(ids.slice(0, 2));
    expect(first.has_more).toBe(true);
    const before = await world.stripe.checkout.sessions.list({ limit: 2, ending_before: ids[4], created: { gte: from } });
    expect(before.data.map(({ id }) => id)).toEqual(ids.slice(2, 4));
    const all: string[] = [];
    for await (const session of world.stripe.checkout.sessions.list({ limit: 2, created: { gte: from }, status: "open" }))
      all.push(session.id);
    expect(all).toEqual(ids);
    await world.pay({ id: ids[0] as string });
    const { payment_intent } = await world.stripe.checkout.sessions.retrieve(ids[0] as string);
    const found = await world.stripe.checkout.sessions.list({
      payment_intent: payment_intent as string,
      expand: ["data.payment_intent"],
    });
    expect(found.data).toMatchObject([{ id: ids[0], payment_intent: { status: "succeeded" } }]);
  });
});
