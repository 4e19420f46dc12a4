import { sql } from "kysely";
import { DAY_MS, HOUR_MS } from "@farline/domain/durations.ts";
import { confirmResponse } from "@farline/contract/billing.ts";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { BillingClient } from "../../../test/worlds/billing-service.ts";
import { BillingWorld } from "../../../test/worlds/billing-world.ts";
import { newCampaign } from "../../../test/operate.ts";

let world: BillingWorld;
let caller: BillingClient;
beforeEach(async () => {
  world = await BillingWorld.start({ limitsScale: 1, live: true });
  caller = await world.service.signUp();
});
afterEach(() => world.close());

async function delayedPayment(amount = 20, order: { promo_code?: string } = {}): Promise<string> {
  const { body } = await caller.post("top-up", { amount, ...order });
  world.stripe.promise(body.session_id);
  await world.hear("checkout.session.completed", { id: body.session_id });
  return body.session_id;
}

async function deliverSuccess(sessionId: string): Promise<void> {
  world.stripe.pay(sessionId);
  await world.hear("checkout.session.async_payment_succeeded", { id: sessionId });
}

async function deliverFailure(sessionId: string): Promise<void> {
  world.stripe.breakPromise(sessionId);
  await world.hear("checkout.session.async_payment_failed", { id: sessionId });
}

const shown = async (sessionId: string) => confirmResponse.parse((await caller.post("confirm", { session_id: sessionId })).body);
const line = async () => (await caller.get("transactions")).body.transactions.data[0];

describe("a delayed payment", () => {
  test("is pending without credit, then credited once for any order and repetition of its events", async () => {
    const id = await delayedPayment();
    expect(await shown(id)).toMatchObject({ status: "pending", balance: "0.00", problem: null, receipt_id: null });
    expect(await line()).toMatchObject({ status: "pending", about: "on_its_way", balance_after: null, problem: null });
    await deliverSuccess(id);
    for (const type of ["async_payment_succeeded", "completed", "async_payment_succeeded"])
      await world.hear(`checkout.session.${type}`, { id });
    expect(await shown(id)).toMatchObject({ status: "paid", amount: "20.00", balance: "20.00" });
    const { body } = await caller.get("receipts");
    expect(body.receipts.data[0].card).toEqual({ brand: "sepa_debit", last4: "3000" });
  });

  test("that never arrives fails with a mail and releases its promo code", async () => {
    const code = await newCampaign(world.service.ctx, { maxUses: 1 });
    const id = await delayedPayment(20, { promo_code: code });
    for (let i = 0; i < 2; i++) await deliverFailure(id);
    expect(await shown(id)).toMatchObject({ status: "failed", balance: "0.00" });
    expect(await line()).toMatchObject({ status: "failed", about: null });
    const { rows } =
      await sql<any>`select data from mail where recipient = ${`${caller.id}@example.com`} and template = 'payment_failed'`.execute(
        world.database.handle.db,
      );
    expect(rows).toEqual([{ data: { name: expect.any(String), event: "not_arrived", amount: "20.00" } }]);
    await world.paid(caller, { amount: 10, promo_code: code });
    expect(await world.money(caller)).toMatchObject({ balance: 11, bonus: 1 });
  });

  test("is credited even after a failure event", async () => {
    const id = await delayedPayment();
    await deliverFailure(id);
    await deliverSuccess(id);
    expect(await world.money(caller)).toMatchObject({ balance: 20 });
  });

  test("is polled for 30 days if no event arrives", async () => {
    const id = await delayedPayment();
    for (let day = 0; day < 3; day++) {
      world.service.clock.advance(DAY_MS);
      await world.service.runJob("poll-payments");
    }
    world.stripe.pay(id);
    world.service.clock.advance(7 * HOUR_MS);
    await world.service.runJob("poll-payments");
    expect(await world.money(caller)).toMatchObject({ balance: 20 });
  });

  test("counts towards the limits, so that unpaid vouchers cannot be stacked, and is not closed for another payment", async () => {
    const id = await delayedPayment(60);
    world.service.clock.advance(2 * HOUR_MS);
    const second = await caller.post("top-up", { amount: 50 });
    expect([second.status, second.body.code]).toEqual([429, "top_up_limit_reached"]);
    expect(world.stripe.session(id).status).toBe("complete");
    await deliverFailure(id);
    expect((await caller.post("top-up", { amount: 50 })).status).toBe(200);
  });

  test("by a wallet has the wallet's name on the receipt", async () => {
    const { body } = await caller.post("top-up", { amount: 20 });
    world.stripe.promise(body.session_id, "paypal");
    await deliverSuccess(body.session_id);
    expect((await shown(body.session_id)).receipt_id).not.toBeNull();
    expect((await caller.get("receipts")).body.receipts.data[0].card).toEqual({ brand: "paypal", last4: null });
  });
});

test.each([
  [1_840, "eur", "18.40"],
  [3_000, "jpy", "3000"],
  // The provider counts hundredths, although the króna no longer has a smaller unit.
  [280_000, "isk", "2800.00"],
])("stores the payer's own currency for display and credits dollars: %s in %s", async (amount, currency, written) => {
  const { body } = await caller.post("top-up", { amount: 20 });
  world.stripe.session(body.session_id).presentment_details = { presentment_amount: amount, presentment_currency: currency };
  world.stripe.pay(body.session_id);
  await world.hear("checkout.session.completed", { id: body.session_id });
  expect(await shown(body.session_id)).toMatchObject({
    amount: "20.00",
    currency: "USD",
    presented: { amount: written, currency: currency.toUpperCase() },
  });
});
