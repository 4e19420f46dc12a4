import { describe, expect, it } from "vitest";
import type Stripe from "stripe";
import { failure, stripeWorld } from "../../../test/stripe-world.ts";

const world = stripeWorld();

describe("refunds", () => {
  it("can be partial, and never exceed the payment", async () => {
    const { intent: payment_intent } = await world.payNew();
    const refund = await world.stripe.refunds.create({ payment_intent, amount: 300, reason: "requested_by_customer" });
    expect(refund).toMatchObject({ amount: 300, status: "succeeded", payment_intent });
    expect(await failure(world.stripe.refunds.create({ payment_intent, amount: 701 }))).toMatchObject({ statusCode: 400 });
    await world.stripe.refunds.create({ charge: refund.charge as string });
    expect(await failure(world.stripe.refunds.create({ payment_intent }))).toMatchObject({ code: "charge_already_refunded" });
    const charge = await world.stripe.charges.retrieve(refund.charge as string, { expand: ["refunds"] });
    expect(charge).toMatchObject({ amount_refunded: 1000, refunded: true });
    expect(charge.refunds?.data.map(({ amount }) => amount)).toEqual([700, 300]);
    expect((await world.stripe.refunds.list({ payment_intent })).data.map(({ amount }) => amount)).toEqual([700, 300]);
    expect(await world.stripe.refunds.retrieve(refund.id)).toMatchObject({ id: refund.id });
    const changed = await world.stripe.refunds.update(refund.id, { metadata: { ticket: "7" } });
    expect(changed.metadata).toEqual({ ticket: "7" });
    const events = await world.listener.waitFor("charge.refunded", 2);
    expect(new Set(events.map(({ event }) => event.data.object["amount_refunded"]))).toEqual(new Set([300, 1000]));
    await world.listener.waitFor("refund.created", 2);
  });

  it("never exceed the payment if requested concurrently", async () => {
    const { intent: payment_intent } = await world.payNew();
    const tries = await Promise.allSettled(
      Array.from({ length: 6 }, () => world.stripe.refunds.create({ payment_intent, amount: 400 })),
    );
    expect(tries.filter(({ status }) => status === "fulfilled")).toHaveLength(2);
  });

  it("to card 7726 are pending and succeed some seconds later", async () => {
    const { intent: payment_intent } = await world.payNew("4000 0000 0000 7726");
    const refund = await world.stripe.refunds.create({ payment_intent });
    expect(refund).toMatchObject({ status: "pending", pending_reason: "processing" });
    world.nowMs += 5000;
    const [updated] = await world.listener.waitFor("refund.updated");
    expect(updated?.event.data).toMatchObject({
      object: { id: refund.id, status: "succeeded" },
      previous_attributes: { status: "pending" },
    });
    expect(await world.stripe.charges.retrieve(refund.charge as string)).toMatchObject({ amount_refunded: 1000 });
  });

  it("to card 5126 succeed, then fail, and the money returns to the shop", async () => {
    const { intent: payment_intent } = await world.payNew("4000 0000 0000 5126");
    const refund = await world.stripe.refunds.create({ payment_intent, amount: 400 });
    expect(refund.status).toBe("succeeded");
    world.nowMs += 5000;
    const [failed] = await world.listener.waitFor("refund.failed");
    expect(failed?.event.data.object).toMatchObject({ id: refund.id, status: "failed", failure_reason: "lost_or_stolen_card" });
    await world.listener.waitFor("charge.refund.updated");
    expect(await world.stripe.charges.retrieve(refund.charge as string)).toMatchObject({ amount_refunded: 0, refunded: false });
    const again = await world.stripe.refunds.create({ payment_intent });
    expect(again.amount).toBe(1000);
  });

  it("that are pending survive a restart", async () => {
    const { intent: payment_intent } = await world.payNew("4000 0000 0000 7726");
    const { id } = await world.stripe.refunds.create({ payment_intent });
    await world.sandbox.close();
    world.nowMs += 60_000;
    await world.start();
    await expect.poll(async () => (await world.stripe.refunds.retrieve(id)).status).toBe("succeeded");
  });
});

describe("the shop's balance", () => {
  it("lists each movement with its type, fee and source, by time", async () => {
    const from = Math.floor(world.nowMs / 1000);
    const { intent: payment_intent } = await world.payNew();
    const refund = await world.stripe.refunds.create({ payment_intent, amount: 250 });
    const { data } = await world.stripe.balanceTransactions.list({ created: { gte: from }, limit: 100 });
    expect(data.map(({ type, amount, fee, net }) => ({ type, amount, fee, net }))).toEqual([
      { type: "refund", amount: -250, fee: 0, net: -250 },
      { type: "charge", amount: 1000, fee: 59, net: 941 },
    ]);
    const charge = await world.stripe.charges.retrieve(refund.charge as string, { expand: ["balance_transaction"] });
    expect(charge.balance_transaction as Stripe.BalanceTransaction).toMatchObject({ id: data[1]?.id, source: charge.id });
    expect((await world.stripe.balanceTransactions.list({ source: refund.id })).data).toHaveLength(1);
    expect((await world.stripe.charges.list({ created: { gte: from } })).data).toHaveLength(1);
    expect((await world.stripe.charges.list({ created: { lt: from } })).data.map(({ id }) => id)).not.toContain(charge.id);
  });

  it("is in the currency that the account settles in, with the rate", async () => {
    await world.chaos({ settles: "jpy" });
    const from = Math.floor(world.nowMs / 1000);
    await world.payNew();
    await world.chaos({ settles: "usd" });
    const { data } = await world.stripe.balanceTransactions.list({ created: { gte: from }, limit: 1, expand: ["data.source"] });
    expect(data).toMatchObject([{ amount: 1512, fee: 89, net: 1423, currency: "jpy", exchange_rate: 1.512 }]);
    expect(data[0]?.source).toMatchObject({ object: "charge", amount: 1000, currency: "usd" });
  });
});
