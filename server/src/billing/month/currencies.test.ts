import { DAY_MS } from "@farline/domain/durations.ts";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { BillingClient } from "../../../test/worlds/billing-service.ts";
import { BillingWorld } from "../../../test/worlds/billing-world.ts";
import { monthOf } from "../documents/statement-month.ts";
import { readProviderMonth } from "./read-provider-month.ts";

let world: BillingWorld;
let caller: BillingClient;
let month: string;
beforeEach(async () => {
  world = await BillingWorld.start();
  month = monthOf(world.service.clock.now());
  // The provider's movements have the real time, which the service's clock must not be behind.
  world.service.clock.advance(60_000);
});
afterEach(() => world.close());

const report = () => readProviderMonth(world.service.ctx, month);
const lines = async () =>
  (await report()).lines.map(({ currency, category, count, amount, fee, net }) => [currency, category, count, amount, fee, net]);
const move = (currency: string, category: string, amount: number) => {
  world.stripe.balance.settlesIn = { currency, rate: 1 };
  return world.stripe.balance.move(category, amount);
};

describe.each([
  ["eur", 0.921, "18.42", "-9.21"],
  ["jpy", 1.5123, "3025", "-1512"],
  ["kwd", 3.07, "6.140", "-3.070"],
])("an account that settles in %s", (currency, rate, received, returned) => {
  beforeEach(async () => {
    world.stripe.balance.settlesIn = { currency, rate };
    caller = await world.service.signUp();
  });

  test("has no differences after payments, a refund, a payout and a dispute", async () => {
    const { sessionId } = await world.paid(caller, { amount: 20 });
    world.stripe.balance.move("payout", -1900);
    const other = await world.service.signUp();
    const disputed = await world.paid(other, { amount: 10 });
    await world.hear("charge.dispute.created", world.stripe.dispute(disputed.sessionId, "needs_response"));
    await world.hear("charge.refunded", { id: "ch", payment_intent: world.stripe.session(sessionId).intent.id });
    world.stripe.refundTo(sessionId, 700);
    await world.hear("charge.refunded", { id: "ch", payment_intent: world.stripe.session(sessionId).intent.id });
    world.service.clock.advance(60_000);
    const read = await report();
    expect(read.differences.filter(({ timing }) => !timing)).toEqual([]);
    expect(read.lines.every((line) => line.currency === currency.toUpperCase())).toBe(true);
    const charge = read.lines.find(({ category }) => category === "charge");
    expect(charge).toMatchObject({ count: 2, paid: "30.00" });
    expect(Number(charge?.rate)).toBeCloseTo(Number(received) / 20, 1);
    const dispute = read.lines.find(({ category }) => category === "dispute");
    expect(dispute).toMatchObject({ amount: returned, paid: "-10.00" });
    expect(read).toMatchObject({ provider_net: "13.00" });
  });

  test("has no differences after a withdrawal, a refund that fails and a dispute that is won", async () => {
    const { sessionId, intentId } = await world.paid(caller, { amount: 20 });
    expect((await caller.post("withdrawals", { amount: 5 })).status).toBe(200);
    world.stripe.refundTo(sessionId, 900);
    await world.hear("charge.refunded", { id: "ch", payment_intent: intentId });
    world.stripe.refundTo(sessionId, 500);
    await world.hear("refund.failed", { id: "re", payment_intent: intentId });
    const disputed = await world.paid(await world.service.signUp(), { amount: 10 });
    await world.hear("charge.dispute.created", world.stripe.dispute(disputed.sessionId, "needs_response"));
    await world.hear("charge.dispute.closed", world.stripe.dispute(disputed.sessionId, "won"));
    world.stripe.balance.move("dispute_reversal", 1_000, { intent: disputed.intentId });
    world.service.clock.advance(60_000);
    const read = await report();
    expect(read.differences.filter(({ timing }) => !timing)).toEqual([]);
    expect(read).toMatchObject({ provider_net: "25.00" });
  });
});

test("payouts are summed by currency, in each currency's own decimals", async () => {
  move("usd", "payout", -1_900);
  move("eur", "payout", -500_000);
  move("jpy", "payout", -3_000);
  move("kwd", "payout", -1_234);
  move("kwd", "payout_reversal", 1_234);
  expect(await lines()).toEqual([
    ["EUR", "payout", 1, "-5000.00", "0.00", "-5000.00"],
    ["JPY", "payout", 1, "-3000", "0", "-3000"],
    ["KWD", "payout", 1, "-1.234", "0.000", "-1.234"],
    ["KWD", "payout_reversal", 1, "1.234", "0.000", "1.234"],
    ["USD", "payout", 1, "-19.00", "0.00", "-19.00"],
  ]);
});

test("a category that nobody knows has a line of its own and goes to a person", async () => {
  move("eur", "moon_tax", -700);
  const { lines: found, differences } = await report();
  expect(found).toMatchObject([{ category: "moon_tax", currency: "EUR", amount: "-7.00", known: false }]);
  expect(differences).toMatchObject([{ currency: "EUR", provider: "-7.00", text: expect.stringContaining("“moon_tax”") }]);
});

describe("another shop in the same account", () => {
  const site = "https://other-shop.example";

  test("is summed on one line for each currency, and is no difference", async () => {
    const { balance } = world.stripe;
    balance.move("charge", 500, { intent: "pi_shop", fee: 45, metadata: { order: "7" } });
    balance.move("refund", -200, { intent: "pi_shop" });
    balance.move("charge", 900, { intent: "pi_staging", metadata: { site } });
    balance.move("charge", 300);
    move("eur", "issuing_transaction", -100);
    const { differences, provider_net: net } = await report();
    expect([differences, net]).toEqual([[], "0.00"]);
    expect(await lines()).toEqual([
      ["EUR", "other_business", 1, "-1.00", "0.00", "-1.00"],
      ["USD", "other_business", 4, "15.00", "0.45", "14.55"],
    ]);
  });

  test("what claims to be ours and has no payment here is a difference", async () => {
    const ours = { site: world.service.ctx.config.publicUrl };
    world.stripe.balance.move("charge", 500, { intent: "pi_claims", metadata: ours });
    world.stripe.balance.move("refund", -100, { intent: "pi_refund_claims", metadata: ours });
    const { differences } = await report();
    const strangers = differences.filter(({ payment_id: id }) => id === null);
    expect(strangers.map(({ reference, provider }) => [reference, provider])).toEqual([
      ["pi_refund_claims", "-1.00"],
      ["pi_claims", "5.00"],
    ]);
  });

  test("a refund of an older charge is asked about, and belongs to who made the charge", async () => {
    const old = await world.paid(await world.service.signUp(), { amount: 20 });
    const { intent } = world.stripe.session(old.sessionId);
    world.stripe.balance.movements.length = 0;
    world.stripe.balance.move("refund", -100, { intent: intent.id });
    world.service.clock.advance(DAY_MS / 24);
    const known = (await report()).differences.find(({ reference }) => reference === intent.id);
    expect(known).toMatchObject({ provider: "-1.00", ledger: "20.00" });
  });
});

test.each([
  [
    "Having the 'rak_balance_transaction_read' permission would allow this.",
    /without the permission rak_balance_transaction_read\./,
  ],
  ["The key may not do this.", /without the permission to read balance transactions\./],
])("a restricted key: the month names what it lacks", async (text, message) => {
  world.stripe.refuses = { path: "/v1/balance_transactions", message: text };
  await expect(report()).rejects.toMatchObject({ code: "payment_provider_down", message: expect.stringMatching(message) });
});
