import { sql } from "kysely";
import { DAY_MS } from "@farline/domain/durations.ts";
import { confirmResponse } from "@farline/contract/billing.ts";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { BillingClient } from "../../../test/worlds/billing-service.ts";
import { BillingWorld } from "../../../test/worlds/billing-world.ts";
import { newCampaign } from "../../../test/new-campaign.ts";

const HOUR_MS = 60 * 60 * 1000;

let world: BillingWorld;
let caller: BillingClient;
beforeEach(async () => {
  world = await BillingWorld.start({ limitsScale: 1, live: true });
  caller = await world.service.signUp();
});
afterEach(() => world.close());

async function promised(amount = 20, order: { promo_code?: string } = {}): Promise<string> {
  const { body } = await caller.post("top-up", { amount, ...order });
  world.stripe.promise(body.session_id);
  await world.hear("checkout.session.completed", { id: body.session_id });
  return body.session_id;
}

async function arrives(sessionId: string): Promise<void> {
  world.stripe.pay(sessionId);
  await world.hear("checkout.session.async_payment_succeeded", { id: sessionId });
}

async function breaks(sessionId: string): Promise<void> {
  world.stripe.breakPromise(sessionId);
  await world.hear("checkout.session.async_payment_failed", { id: sessionId });
}

const shown = async (sessionId: string) => confirmResponse.parse((await caller.post("confirm", { session_id: sessionId })).body);
const line = async () => (await caller.get("transactions")).body.transactions.data[0];

describe("a payment whose money comes later", () => {
  test("is pending without credit, then credited once, however often and in which order its events come", async () => {
    const id = await promised();
    expect(await shown(id)).toMatchObject({ status: "pending", balance: "0.00", problem: null, receipt_id: null });
    expect(await line()).toMatchObject({ status: "pending", about: "on_its_way", balance_after: null, problem: null });
    await arrives(id);
    for (const type of ["async_payment_succeeded", "completed", "async_payment_succeeded"])
      await world.hear(`checkout.session.${type}`, { id });
    expect(await shown(id)).toMatchObject({ status: "paid", amount: "20.00", balance: "20.00" });
    const { body } = await caller.get("receipts");
    expect(body.receipts.data[0].card).toEqual({ brand: "sepa_debit", last4: "3000" });
  });

  test("that does not come fails with a mail, and its promo code can be used again", async () => {
    const code = await newCampaign(world.service.ctx, { maxUses: 1 });
    const id = await promised(20, { promo_code: code });
    for (let i = 0; i < 2; i++) await breaks(id);
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

  test("is credited even if its failure was heard before", async () => {
    const id = await promised();
    await breaks(id);
    await arrives(id);
    expect(await world.money(caller)).toMatchObject({ balance: 20 });
  });

  test("is found by polling for 30 days if no event comes", async () => {
    const id = await promised();
    for (let day = 0; day < 3; day++) {
      world.service.clock.advance(DAY_MS);
      await world.service.runJob("poll-payments");
    }
    world.stripe.pay(id);
    world.service.clock.advance(7 * HOUR_MS);
    await world.service.runJob("poll-payments");
    expect(await world.money(caller)).toMatchObject({ balance: 20 });
  });

  test("counts in the limits, so that unpaid vouchers cannot be stacked, and is not closed for another payment", async () => {
    const id = await promised(60);
    world.service.clock.advance(2 * HOUR_MS);
    const more = await caller.post("top-up", { amount: 50 });
    expect([more.status, more.body.code]).toEqual([429, "top_up_limit_reached"]);
    expect(world.stripe.session(id).status).toBe("complete");
    await breaks(id);
    expect((await caller.post("top-up", { amount: 50 })).status).toBe(200);
  });

  test("of a wallet has its name on the receipt", async () => {
    const { body } = await caller.post("top-up", { amount: 20 });
    world.stripe.promise(body.session_id, "paypal");
    await arrives(body.session_id);
    expect((await shown(body.session_id)).receipt_id).not.toBeNull();
    expect((await caller.get("receipts")).body.receipts.data[0].card).toEqual({ brand: "paypal", last4: null });
  });
});

test("the payer's own currency is kept for display, and the credit stays in dollars", async () => {
  const { body } = await caller.post("top-up", { amount: 20 });
  world.stripe.session(body.session_id).presentment_details = { presentment_amount: 1840, presentment_currency: "eur" };
  world.stripe.pay(body.session_id);
  await world.hear("checkout.session.completed", { id: body.session_id });
  expect(await shown(body.session_id)).toMatchObject({
    amount: "20.00",
    currency: "USD",
    presented: { amount: "1840", currency: "EUR" },
  });
});
