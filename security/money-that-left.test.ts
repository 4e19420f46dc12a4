import { grantPromo, reservePromo } from "@farline/server/promotions/promotions.ts";
import { newCampaign, operate } from "@farline/server/test/operate.ts";
import { asOperator } from "@farline/server/test/test-context.ts";
import type { BillingClient } from "@farline/server/test/worlds/billing-service.ts";
import { BillingWorld } from "@farline/server/test/worlds/billing-world.ts";
import { PromotionWorld, type Person } from "@farline/server/test/worlds/promotion-world.ts";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { Attempts } from "./src/attempts.ts";

const DOLLAR = 1_000_000n;

const attempts = new Attempts();
describe("money that has left a payment", () => {
  let world: BillingWorld;
  let payer: BillingClient;
  let friend: BillingClient;
  beforeEach(async () => {
    world = await BillingWorld.start();
    [payer, friend] = [await world.service.signUp(), await world.service.signUp()];
  });
  // Closing verifies the whole ledger.
  afterEach(() => world.close());

  const sent = (sessionId: string) => world.stripe.session(sessionId).refunds.reduce((sum, { amount }) => sum + amount, 0);
  const says = (sessionId: string, status: string, cents?: number) =>
    world.hear("charge.dispute.updated", world.stripe.dispute(sessionId, status, cents));
  const unfreeze = () => world.database.handle.pool.query("update customer set status = 'active'");
  const withdrawable = async (one: BillingClient) => Number((await one.get("withdrawals")).body.withdrawable);

  test.each([
    ["own credit first", async () => [await world.paid(payer, { amount: 50 }), await given()]],
    ["the gift first", async () => [await given(), await world.paid(payer, { amount: 50 })].toReversed()],
  ] as const)("own credit is never withdrawn to the card of a gift, %s, and then disputed there", async (order, pay) => {
    const [own, gift] = await pay();
    await world.spend(payer, 10);
    const kind = "own credit withdrawn to the card of a gift";
    for (const amount of [90, 50, 41]) {
      const { status } = await payer.post("withdrawals", { amount });
      attempts.check(kind, `${order}: $${amount} of $40: ${status}`, status === 422);
    }
    for (const amount of [15, 25]) await payer.post("withdrawals", { amount });
    attempts.check(kind, `${order}: ${sent(gift!.sessionId)} cents to its card`, sent(gift!.sessionId) === 0);
    attempts.check(kind, `${order}: ${sent(own!.sessionId)} cents to the own card`, sent(own!.sessionId) === 4_000);
    await says(gift!.sessionId, "needs_response");
    const left = await world.money(payer);
    attempts.check(kind, `${order}: after the dispute ${JSON.stringify(left)}`, left.balance === 0 && left.debt === 0);
  });

  /** A gift of $50 to the friend. */
  async function given() {
    return world.gives(payer, await world.asks(friend), 50);
  }

  test("a spent gift is not refunded out of the payer's other credit", async () => {
    const kind = "spent gift refunded from other credit";
    await world.paid(payer, { amount: 50 });
    const gift = await given();
    await world.spend(friend, 45);
    for (const amount of [undefined, 50n * DOLLAR, 6n * DOLLAR]) {
      const order = { payment: gift.paymentId, amount, force: false, reason: "Asked for by phone" };
      const refused = await operate(asOperator(world.service.ctx, "grace"), "refund", order).then(
        () => false,
        () => true,
      );
      attempts.check(kind, `operator's refund of ${amount ?? "all"}`, refused);
    }
    await world.hear("radar.early_fraud_warning.created", world.stripe.warn(gift.sessionId));
    attempts.check(kind, `fraud warning: ${sent(gift.sessionId)} cents`, sent(gift.sessionId) === 0);
    await unfreeze();
    await payer.post("withdrawals", { amount: 50 });
    attempts.check(kind, `withdrawal: ${sent(gift.sessionId)} cents`, sent(gift.sessionId) === 0);
    attempts.check(kind, "the friend withdraws the rest", (await friend.post("withdrawals", { amount: 5 })).status === 422);
    expect(await world.money(payer)).toEqual({ balance: 0, debt: 0, bonus: 0 });
  });

  const STORIES: Record<string, readonly [status: string, cents: number][]> = {
    "an inquiry that shrinks": [
      ["warning_needs_response", 2_000],
      ["needs_response", 700],
    ],
    "an inquiry that grows": [
      ["warning_needs_response", 700],
      ["needs_response", 2_000],
    ],
    "a dispute that shrinks": [
      ["needs_response", 2_000],
      ["under_review", 1],
      ["lost", 1],
    ],
    "a dispute that grows": [
      ["needs_response", 100],
      ["lost", 2_000],
      ["appeal_needs_response", 300],
    ],
    "a won dispute that is appealed": [
      ["needs_response", 500],
      ["won", 500],
      ["appeal_under_review", 1_500],
      ["won", 1_500],
    ],
  };
  test.each(Object.entries(STORIES))("%s takes what the bank took, no more and no less", async (_timeline, steps) => {
    const { sessionId } = await world.paid(payer, { amount: 20 });
    await world.spend(payer, 6);
    for (const [status, cents] of steps) {
      await says(sessionId, status, cents);
      await says(sessionId, status, cents);
      const isTaken = !status.startsWith("warning") && status !== "won";
      const { balance, debt } = await world.money(payer);
      attempts.check(
        "dispute that grows or shrinks",
        `${status} ${cents}: ${balance} left, ${debt} owed`,
        Math.round((balance - debt) * 100) === 1_400 - (isTaken ? cents : 0),
      );
    }
  });

  test("the undisputed rest stays while the bank decides", async () => {
    const { sessionId } = await world.paid(payer, { amount: 50 });
    for (const status of [
      "needs_response",
      "under_review",
      "second_arbitration",
      "appeal_needs_response",
      "appeal_under_review",
    ]) {
      await says(sessionId, status, 500);
      await unfreeze();
      const { status: answered } = await payer.post("withdrawals", { amount: 20 });
      attempts.check("rest withdrawn while the bank decides", `${status}: ${answered}`, answered === 422);
    }
    await says(sessionId, "lost", 500);
    expect(await withdrawable(payer)).toBe(45);
  });

  test("a dispute in a status or currency that nobody knows moves nothing", async () => {
    for (const [from, change] of [
      ["needs_response", { status: "second_arbitration", amount: 2_000 }],
      ["warning_needs_response", { status: "inquiry_escalated" }],
      ["needs_response", { status: "won", currency: "eur" }],
      ["needs_response", { status: "", amount: 1 }],
    ] as const) {
      const one = await world.service.signUp();
      const { sessionId } = await world.paid(one, { amount: 20 });
      const dispute = world.stripe.dispute(sessionId, from, 500);
      await world.hear("charge.dispute.created", dispute);
      const before = await world.money(one);
      await world.hear("charge.dispute.updated", Object.assign(dispute, change));
      const after = await world.money(one);
      attempts.check("dispute that is not understood", `${from} to ${JSON.stringify(change)}`, after.balance === before.balance);
    }
  });
});

describe("the day's free credit", () => {
  let world: PromotionWorld;
  beforeEach(async () => {
    world = await PromotionWorld.start(1, {
      firstCallMicros: DOLLAR / 4n,
      referralMicros: 2n * DOLLAR,
      freeCreditPerDayMicros: 16n * DOLLAR,
    });
  });
  afterEach(() => world.close());

  /** Opens a checkout with a code. @returns the payment, or the refusal */
  async function checkout(person: Person, typed: string): Promise<{ paymentId: string; refusal: string | null }> {
    const paymentId = await world.pay(person, 20);
    const order = {
      paymentId,
      customerId: person.id,
      typed,
      chargeMicros: 20n * DOLLAR,
      packageId: null,
      now: world.clock.now(),
    };
    const { db } = world.database.handle;
    const refusal = await db
      .transaction()
      .execute((tx) => reservePromo(tx, world.ctx.config, order))
      .then(
        () => null,
        (error: Error) => error.message,
      );
    return { paymentId, refusal };
  }

  function pays(paymentId: string) {
    const paid = { paymentId, chargeMicros: 20n * DOLLAR, packageId: null, fingerprint: null, now: world.clock.now() };
    return world.database.handle.db.transaction().execute((tx) => grantPromo(tx, world.ctx.config, paid));
  }

  test("checkouts that nobody pays don't use it up, and a promise made at a checkout is kept", async () => {
    const code = await newCampaign(world.ctx);
    const people = [];
    for (let i = 0; i < 14; i++) people.push(await world.signUp());
    const strangers = people.slice(0, 4);
    const confirmed = people.slice(4, 12);
    const [caller, honest] = people.slice(12) as [Person, Person];
    await world.prove(honest);
    const promised = await checkout(honest, code);
    const reserved = [];
    for (const one of strangers) reserved.push((await checkout(one, code)).refusal);
    const ofStrangers = reserved.filter((refusal) => refusal === null).length;
    attempts.check("unpaid checkouts use up the day", `${ofStrangers} of 4 by strangers`, ofStrangers === 1);
    await world.prove(...confirmed);
    const unpaid = [];
    for (const one of confirmed) unpaid.push((await checkout(one, code)).refusal);
    const held = unpaid.filter((refusal) => refusal === null).length;
    attempts.check("unpaid checkouts use up the day", `${held} of 8 by customers`, held === 2);
    await world.prove(caller);
    await world.runJobs();
    attempts.check("unpaid checkouts use up the day", "a first call", (await world.bonus(caller)) === 0.25);
    // What others are given after the checkout, up to the last cent of the day.
    await world.database.handle.pool.query(
      "insert into free_credit (key, customer_id, kind, amount_micros, given_at) values ('first-call:x', $1, 'first_call', 16000000, $2)",
      [caller.id, world.clock.now()],
    );
    attempts.check("code beyond the day", "the day is used up", (await checkout(caller, code)).refusal !== null);
    const kept = await pays(promised.paymentId);
    attempts.check("promise at a checkout broken", `${kept?.bonusMicros} granted`, kept?.bonusMicros === 2n * DOLLAR);
    const twice = await pays(promised.paymentId);
    attempts.check("promise at a checkout kept twice", "grant repeated", twice?.bonusMicros !== 4n * DOLLAR);
  });
});

test("every attempt was refused", () => {
  expect(attempts.succeeded).toEqual([]);
});
