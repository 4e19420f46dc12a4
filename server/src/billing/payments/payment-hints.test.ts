import { afterEach, beforeEach, expect, test } from "vitest";
import { BillingWorld } from "../../../test/worlds/billing-world.ts";
import type { BillingClient } from "../../../test/worlds/billing-service.ts";

let world: BillingWorld;
let caller: BillingClient;
beforeEach(async () => {
  world = await BillingWorld.start();
  caller = await world.service.signUp();
});
afterEach(() => world.close());

const MONEY_MOVED = ["account", "balance", "payment", "transactions"];

/** The kinds of hints that the caller's open pages receive while `run` runs. */
async function hintsDuring(run: () => Promise<unknown>): Promise<string[]> {
  world.service.takeHints(caller);
  await run();
  return [...new Set(world.service.takeHints(caller).map(({ type }) => type))].toSorted();
}

async function openCheckout(): Promise<string> {
  return (await caller.post("top-up", { amount: 10 })).body.session_id;
}

test("open pages get hints when a delayed payment is pending and when it arrives, but not for repeated events", async () => {
  const id = await openCheckout();
  const hear = (type: string) => hintsDuring(() => world.hear(`checkout.session.${type}`, { id }));
  world.stripe.promise(id);
  expect(await hear("completed")).toEqual(["payment"]);
  expect(await hear("completed")).toEqual([]);
  world.stripe.pay(id);
  expect(await hear("async_payment_succeeded")).toEqual(MONEY_MOVED);
  expect(await hear("async_payment_succeeded")).toEqual([]);
});

test("open pages get hints about a refund, a dispute and a fraud warning", async () => {
  const refunded = await world.paid(caller, { amount: 10 });
  world.stripe.refundTo(refunded.sessionId, 400);
  const refund = { id: "ch_1", payment_intent: refunded.intentId };
  expect(await hintsDuring(() => world.hear("charge.refunded", refund))).toEqual(MONEY_MOVED);
  const disputed = await world.paid(caller, { amount: 10 });
  const dispute = world.stripe.dispute(disputed.sessionId, "needs_response");
  expect(await hintsDuring(() => world.hear("charge.dispute.created", dispute))).toEqual(MONEY_MOVED);
  const warned = await world.paid(caller, { amount: 10 });
  const warning = world.stripe.warn(warned.sessionId);
  expect(await hintsDuring(() => world.hear("radar.early_fraud_warning.created", warning))).toEqual(MONEY_MOVED);
});

test("refunding or disputing a mismatched payment debits nothing", async () => {
  await world.paid(caller, { amount: 20 });
  const id = await openCheckout();
  world.stripe.pay(id);
  world.stripe.session(id).amount_total = 999;
  await world.hear("checkout.session.completed", { id });
  const before = await world.money(caller);
  const refund = { id: "ch_2", payment_intent: world.stripe.session(id).intent.id };
  world.stripe.refundTo(id, 999);
  await world.hear("charge.refunded", refund);
  await world.hear("charge.dispute.created", world.stripe.dispute(id, "needs_response"));
  expect(await world.money(caller)).toEqual(before);
  expect(await world.statusOf(caller)).toBe("active");
});
