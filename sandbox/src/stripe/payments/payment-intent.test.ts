import type Stripe from "stripe";
import { describe, expect, it } from "vitest";
import { failure, stripeWorld } from "../../../test/stripe-world.ts";

const world = stripeWorld();

function create(change: Partial<Stripe.PaymentIntentCreateParams>): Promise<Stripe.Response<Stripe.PaymentIntent>> {
  return world.stripe.paymentIntents.create({ amount: 700, currency: "usd", ...change });
}

describe("a payment intent", () => {
  it("is created, updated and confirmed in separate steps", async () => {
    const intent = await create({ metadata: { a: "1", b: "2" }, description: "first" });
    expect(intent).toMatchObject({ status: "requires_payment_method", amount: 700 });
    await world.stripe.paymentIntents.update(intent.id, { description: "second", metadata: { a: "", c: "3" } });
    const paid = await world.stripe.paymentIntents.confirm(intent.id, { payment_method: "pm_card_visa" });
    expect(paid).toMatchObject({ status: "succeeded", description: "second", metadata: { b: "2", c: "3" } });
    expect(await failure(world.stripe.paymentIntents.confirm(intent.id))).toMatchObject({
      code: "payment_intent_unexpected_state",
    });
    expect(await failure(world.stripe.paymentIntents.cancel(intent.id))).toMatchObject({
      code: "payment_intent_unexpected_state",
    });
    await world.listener.waitFor("payment_intent.created");
    await world.listener.waitFor("charge.succeeded");
  });

  it("can be cancelled while it requires action", async () => {
    const intent = await create({ payment_method: "pm_card_authenticationRequired", confirm: true });
    expect(intent.status).toBe("requires_action");
    await world.listener.waitFor("payment_intent.requires_action");
    const url = intent.next_action?.redirect_to_url?.url ?? "";
    expect(await world.stripe.paymentIntents.cancel(intent.id, { cancellation_reason: "abandoned" })).toMatchObject({
      status: "canceled",
      cancellation_reason: "abandoned",
    });
    expect((await world.answer(url, "complete")).status).toBe(200);
    expect(await world.stripe.paymentIntents.retrieve(intent.id)).toMatchObject({ status: "canceled", amount_received: 0 });
  });

  it.each([
    ["pm_card_visa_chargeDeclinedInsufficientFunds", "card_declined", "insufficient_funds"],
    ["pm_card_chargeDeclinedExpiredCard", "expired_card", ""],
    ["pm_card_radarBlock", "card_declined", "fraudulent"],
  ])("is declined with %s and then accepts another card", async (payment_method, code, decline_code) => {
    const error = await failure(create({ payment_method, confirm: true }));
    expect(error).toMatchObject({ statusCode: 402, type: "StripeCardError", code });
    expect(error.decline_code).toBe(decline_code);
    const intent = await world.stripe.paymentIntents.retrieve(error.payment_intent?.id ?? "", { expand: ["latest_charge"] });
    expect(intent).toMatchObject({ status: "requires_payment_method", last_payment_error: { code } });
    const { outcome } = intent.latest_charge as Stripe.Charge;
    const blocked = decline_code === "fraudulent";
    expect(outcome).toMatchObject(
      blocked ? { type: "blocked", risk_level: "highest" } : { type: "issuer_declined", risk_level: "normal" },
    );
    await world.stripe.paymentIntents.confirm(intent.id, { payment_method: "pm_card_mastercard" });
  });

  it("is declined if the card needs confirmation and `error_on_requires_action` is set", async () => {
    const error = await failure(
      create({ payment_method: "pm_card_authenticationRequired", confirm: true, error_on_requires_action: true }),
    );
    expect(error).toMatchObject({ code: "authentication_required", statusCode: 402 });
    expect(error.charge).toBeUndefined();
  });

  it.each([
    ["an amount that is too small", { amount: 49 }, "parameter_invalid"],
    ["an amount that is too large", { amount: 100_000_000 }, "parameter_invalid"],
    ["an amount that is not a number", { amount: Number.NaN }, "parameter_invalid"],
    ["an invalid currency", { currency: "dollars" }, "parameter_invalid"],
    ["a removed parameter", { payment_method_types: ["card"] }, "parameter_unknown"],
    ["an off-session intent that is not confirmed", { off_session: true }, "parameter_invalid"],
    ["a confirmation without a card", { confirm: true }, "payment_intent_unexpected_state"],
    ["an unknown card", { payment_method: "pm_none" }, "resource_missing"],
    ["an unknown customer", { customer: "cus_none" }, "resource_missing"],
  ])("is rejected for %s", async (_what, change, code) => {
    expect(await failure(create(change as Partial<Stripe.PaymentIntentCreateParams>))).toMatchObject({ statusCode: 400, code });
  });

  it("of a Checkout session can only be paid on the session's page", async () => {
    const session = await world.stripe.checkout.sessions.create(world.params());
    await world.pay(session, { number: "4000 0000 0000 0002" });
    const { payment_intent } = await world.stripe.checkout.sessions.retrieve(session.id);
    const confirm = world.stripe.paymentIntents.confirm(payment_intent as string, { payment_method: "pm_card_visa" });
    expect(await failure(confirm)).toMatchObject({ statusCode: 400 });
  });
});

describe("a setup intent", () => {
  it("can fail the bank's challenge, be declined, succeed or be cancelled", async () => {
    const { id: customer } = await world.stripe.customers.create({});
    const intent = await world.stripe.setupIntents.create({ customer });
    const waits = await world.stripe.setupIntents.confirm(intent.id, {
      payment_method: "pm_card_authenticationRequired",
      return_url: "http://app.example/back",
    });
    expect(waits.status).toBe("requires_action");
    const failed = await world.answer(waits.next_action?.redirect_to_url?.url ?? "", "fail");
    expect(failed.headers.get("location")).toContain("redirect_status=failed");
    expect(await world.stripe.setupIntents.retrieve(intent.id)).toMatchObject({
      status: "requires_payment_method",
      last_setup_error: { code: "setup_intent_authentication_failure" },
    });
    const declined = await failure(world.stripe.setupIntents.confirm(intent.id, { payment_method: "pm_card_chargeDeclined" }));
    expect(declined).toMatchObject({ code: "card_declined", setup_intent: { status: "requires_payment_method" } });
    await world.listener.waitFor("setup_intent.setup_failed", 2);
    await world.stripe.setupIntents.confirm(intent.id, { payment_method: "pm_card_visa" });
    expect((await world.stripe.setupIntents.list({ customer })).data).toMatchObject([{ status: "succeeded" }]);
    const other = await world.stripe.setupIntents.create({ usage: "on_session" });
    expect(await world.stripe.setupIntents.cancel(other.id)).toMatchObject({ status: "canceled" });
  });
});

describe("a payment method", () => {
  it.each([
    ["a real-looking number", { number: "4111111111111111", exp_month: 12, exp_year: 2034 }, "incorrect_number"],
    ["an expired card", { number: "4242424242424242", exp_month: 1, exp_year: 2020 }, "invalid_expiry_year"],
  ])("is declined for %s", async (_what, card, code) => {
    const error = await failure(world.stripe.paymentMethods.create({ type: "card", card }));
    expect(error).toMatchObject({ statusCode: 402, type: "StripeCardError", code });
  });

  it("cannot be saved if its card is declined", async () => {
    const { id: customer } = await world.stripe.customers.create({});
    expect(await failure(world.stripe.paymentMethods.attach("pm_card_chargeDeclined", { customer }))).toMatchObject({
      code: "card_declined",
    });
  });
});

describe("a customer", () => {
  it("can be updated and deleted", async () => {
    const { id } = await world.stripe.customers.create({ name: "Ann", email: "ann@example.com", metadata: { a: "1" } });
    await world.stripe.customers.update(id, { name: "Anna", metadata: { a: "", b: "2" } });
    expect(await world.stripe.customers.retrieve(id)).toMatchObject({ name: "Anna", metadata: { b: "2" } });
    const wrong = { invoice_settings: { default_payment_method: "pm_none" } };
    expect(await failure(world.stripe.customers.update(id, wrong))).toMatchObject({ code: "resource_missing" });
    expect(await world.stripe.customers.del(id)).toMatchObject({ deleted: true });
    expect(await world.stripe.customers.retrieve(id)).toEqual(expect.objectContaining({ id, deleted: true }));
    expect((await world.stripe.customers.list({ email: "ann@example.com" })).data).toEqual([]);
    expect(await failure(create({ customer: id }))).toMatchObject({ code: "resource_missing" });
    await world.listener.waitFor("customer.deleted");
  });
});

describe("products and prices", () => {
  it("can be created and sold by a session", async () => {
    const product = await world.stripe.products.create({ name: "Calling credit" });
    const price = await world.stripe.prices.create({ product: product.id, currency: "usd", unit_amount: 1500 });
    const session = await world.stripe.checkout.sessions.create(world.params({ line_items: [{ price: price.id, quantity: 2 }] }));
    expect(session.amount_total).toBe(3000);
    const items = await world.stripe.checkout.sessions.listLineItems(session.id);
    expect(items.data).toMatchObject([{ description: "Calling credit", quantity: 2, price: { id: price.id } }]);
    expect(
      await failure(world.stripe.checkout.sessions.create(world.params({ line_items: [{ price: "price_x", quantity: 1 }] }))),
    ).toMatchObject({
      code: "resource_missing",
    });
  });
});
