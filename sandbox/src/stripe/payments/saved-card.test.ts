import type Stripe from "stripe";
import { describe, expect, it } from "vitest";
import { CARD, failure, stripeWorld } from "../../../test/stripe-world.ts";

const world = stripeWorld();
const PAYS = CARD.number;
const ASKS_ONCE = "4000 0025 0000 3155";
const ASKS_ALWAYS = "4000 0027 6000 3184";
const SAVES_THEN_FAILS = "4000 0000 0000 0341";

/** Saves a card on the page of a `setup` session, and confirms at the bank if required. */
async function saved(number: string): Promise<{ customer: string; payment_method: string }> {
  const customer = await world.stripe.customers.create({ email: "saver@example.com" });
  const session = await world.stripe.checkout.sessions.create({
    mode: "setup",
    currency: "usd",
    customer: customer.id,
    setup_intent_data: { metadata: { owner: "7" } },
    success_url: "http://app.example/saved?session_id={CHECKOUT_SESSION_ID}",
  });
  expect(session).toMatchObject({ mode: "setup", payment_status: "no_payment_required", amount_total: null });
  expect(await (await fetch(session.url as string)).text()).toContain("Save a card");
  let answer = await world.pay(session, { number });
  const next = answer.headers.get("location") ?? "";
  if (next.includes("/challenge/")) answer = await world.answer(next, "complete");
  expect(answer.headers.get("location")).toBe(`http://app.example/saved?session_id=${session.id}`);
  const done = await world.stripe.checkout.sessions.retrieve(session.id, { expand: ["setup_intent.payment_method"] });
  const intent = done.setup_intent as Stripe.SetupIntent;
  expect(intent).toMatchObject({ status: "succeeded", customer: customer.id, metadata: { owner: "7" }, usage: "off_session" });
  return { customer: customer.id, payment_method: (intent.payment_method as Stripe.PaymentMethod).id };
}

function chargeLater(who: { customer: string; payment_method: string }, more: Stripe.RequestOptions = {}) {
  const params = { amount: 2000, currency: "usd", off_session: true, confirm: true, error_on_requires_action: true };
  return world.stripe.paymentIntents.create({ ...params, ...who, metadata: { attempt: "1" } }, more);
}

describe("a saved card", () => {
  it.each([PAYS, ASKS_ONCE])("with number %s can be charged off session", async (number) => {
    const who = await saved(number);
    const intent = await chargeLater(who);
    expect(intent).toMatchObject({ status: "succeeded", amount_received: 2000, customer: who.customer });
    const [attached] = await world.listener.waitFor("payment_method.attached");
    expect(attached?.event.data.object).toMatchObject({ id: who.payment_method, customer: who.customer });
    await world.listener.waitFor("setup_intent.succeeded");
    await world.listener.waitFor("payment_intent.succeeded");
  });

  it("that always needs confirmation is declined off session, and pays on session", async () => {
    const who = await saved(ASKS_ALWAYS);
    const error = await failure(chargeLater(who));
    expect(error).toMatchObject({ statusCode: 402, type: "StripeCardError", code: "authentication_required" });
    expect(error.payment_intent).toMatchObject({ status: "requires_payment_method", metadata: { attempt: "1" } });
    await world.listener.waitFor("payment_intent.payment_failed");
    const intent = await world.stripe.paymentIntents.confirm(error.payment_intent?.id ?? "", {
      payment_method: who.payment_method,
      return_url: "http://app.example/back?x=1",
    });
    expect(intent).toMatchObject({ status: "requires_action", next_action: { type: "redirect_to_url" } });
    const answer = await world.answer(intent.next_action?.redirect_to_url?.url ?? "", "complete");
    const back = new URL(answer.headers.get("location") ?? "");
    expect(Object.fromEntries(back.searchParams)).toMatchObject({
      x: "1",
      payment_intent: intent.id,
      redirect_status: "succeeded",
    });
    const paid = await world.stripe.paymentIntents.retrieve(intent.id, { expand: ["latest_charge"] });
    const card = (paid.latest_charge as Stripe.Charge).payment_method_details?.card;
    expect(card?.three_d_secure).toMatchObject({ result: "authenticated", authentication_flow: "challenge" });
  });

  it("that was saved without the required confirmation is declined off session", async () => {
    const customer = (await world.stripe.customers.create({})).id;
    const { id } = await world.stripe.paymentMethods.attach("pm_card_authenticationRequiredOnSetup", { customer });
    expect(await failure(chargeLater({ customer, payment_method: id }))).toMatchObject({ code: "authentication_required" });
  });

  it("with number 0341 is declined at every charge", async () => {
    const who = await saved(SAVES_THEN_FAILS);
    const error = await failure(chargeLater(who));
    expect(error).toMatchObject({ statusCode: 402, code: "card_declined", decline_code: "generic_decline" });
    expect(error.charge).toMatch(/^ch_/);
  });

  it("is charged once per idempotency key, and a decline is repeated without another attempt", async () => {
    const good = await saved(PAYS);
    const first = await chargeLater(good, { idempotencyKey: "auto:1" });
    const again = await chargeLater(good, { idempotencyKey: "auto:1" });
    expect(again.id).toBe(first.id);
    const bad = await saved(SAVES_THEN_FAILS);
    const refused = await failure(chargeLater(bad, { idempotencyKey: "auto:2" }));
    const repeated = await failure(chargeLater(bad, { idempotencyKey: "auto:2" }));
    expect(repeated.payment_intent?.id).toBe(refused.payment_intent?.id);
    expect(repeated.headers?.["idempotent-replayed"]).toBe("true");
    expect((await world.stripe.paymentIntents.list({ customer: bad.customer })).data).toHaveLength(1);
  });

  it("is listed with its customer until it is detached, and cannot be used after that", async () => {
    const { customer, payment_method: id } = await saved(PAYS);
    await world.stripe.customers.update(customer, { invoice_settings: { default_payment_method: id } });
    const listed = await world.stripe.customers.listPaymentMethods(customer, { type: "card" });
    expect(listed.data).toMatchObject([{ id, card: { brand: "visa", last4: "4242", exp_month: 12, exp_year: 2034 } }]);
    expect((await world.stripe.paymentMethods.list({ customer, type: "card" })).data).toHaveLength(1);
    await world.stripe.paymentMethods.update(id, { card: { exp_month: 1, exp_year: 2040 }, metadata: { label: "mine" } });
    expect(await world.stripe.paymentMethods.retrieve(id)).toMatchObject({
      card: { exp_year: 2040 },
      metadata: { label: "mine" },
    });
    expect(await world.stripe.paymentMethods.detach(id)).toMatchObject({ customer: null });
    expect(await failure(world.stripe.paymentMethods.detach(id))).toMatchObject({ statusCode: 400 });
    expect((await world.stripe.paymentMethods.list({ customer })).data).toEqual([]);
    expect((await world.stripe.customers.retrieve(customer)) as Stripe.Customer).toMatchObject({
      invoice_settings: { default_payment_method: null },
    });
    expect(await failure(world.stripe.paymentMethods.attach(id, { customer }))).toMatchObject({
      code: "payment_method_unexpected_state",
    });
    await world.listener.waitFor("payment_method.detached");
  });

  it("cannot be charged for another customer or without its customer", async () => {
    const { payment_method } = await saved(PAYS);
    const stranger = await world.stripe.customers.create({});
    expect(await failure(chargeLater({ customer: stranger.id, payment_method }))).toMatchObject({ statusCode: 400 });
    const create = world.stripe.paymentIntents.create({ amount: 500, currency: "usd", payment_method, confirm: true });
    expect(await failure(create)).toMatchObject({ statusCode: 400 });
  });

  it("has the same fingerprint for every customer", async () => {
    const methods = [await saved(PAYS), await saved(PAYS)].map(({ payment_method: id }) =>
      world.stripe.paymentMethods.retrieve(id),
    );
    const [one, two] = await Promise.all(methods);
    expect(one?.card?.fingerprint).toBe(two?.card?.fingerprint);
  });
});

describe("a card used in a payment", () => {
  it("can be saved with a new customer and charged later", async () => {
    const session = await world.stripe.checkout.sessions.create(
      world.params({ payment_intent_data: { setup_future_usage: "off_session", metadata: { payment_id: "pay-1" } } }),
    );
    expect(await (await fetch(session.url as string)).text()).toContain("The shop saves this card");
    const challenge = (await world.pay(session, { number: ASKS_ONCE })).headers.get("location") ?? "";
    await world.answer(challenge, "complete");
    const paid = await world.stripe.checkout.sessions.retrieve(session.id, { expand: ["payment_intent"] });
    const { payment_method } = paid.payment_intent as Stripe.PaymentIntent;
    const who = { customer: paid.customer as string, payment_method: payment_method as string };
    expect(who.customer).toMatch(/^cus_/);
    expect(await chargeLater(who)).toMatchObject({ status: "succeeded" });
  });

  it("cannot be used again if it was not saved", async () => {
    const { id } = await world.stripe.paymentMethods.create({
      type: "card",
      card: { number: "4242424242424242", exp_month: 12, exp_year: 2034, cvc: "123" },
    });
    const params = { amount: 500, currency: "usd", payment_method: id, confirm: true };
    expect(await world.stripe.paymentIntents.create(params)).toMatchObject({ status: "succeeded" });
    expect(await failure(world.stripe.paymentIntents.create(params))).toMatchObject({ code: "payment_method_unexpected_state" });
  });
});
