import { operate } from "../../../test/operate.ts";
import { sql } from "kysely";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { asOperator } from "../../../test/test-context.ts";
import type { BillingClient } from "../../../test/worlds/billing-service.ts";
import { BillingWorld } from "../../../test/worlds/billing-world.ts";
import { countDisputes } from "../metrics/billing-metrics.store.ts";

let world: BillingWorld;
let caller: BillingClient;
beforeEach(async () => {
  world = await BillingWorld.start();
  caller = await world.service.signUp();
});
afterEach(() => world.close());

async function mails(): Promise<string[]> {
  const { rows } =
    await sql<any>`select m.template || ': ' || (m.data->>'because') as event from mail m join customer c on c.email = m.recipient where c.id = ${caller.id} order by m.created_at`.execute(
      world.database.handle.db,
    );
  return rows.map((row) => row.event);
}

describe("a dispute", () => {
  test("takes the credit and its bonus, freezes the account and mails the owner once", async () => {
    const { sessionId } = await world.paid(caller, { package_id: "20" });
    const dispute = world.stripe.dispute(sessionId, "needs_response");
    await world.hear("charge.dispute.created", dispute);
    await world.hear("charge.dispute.funds_withdrawn", dispute);
    expect(await world.money(caller)).toEqual({ balance: 0, debt: 0, bonus: 0 });
    expect(await world.statusOf(caller)).toBe("frozen");
    expect(await mails()).toEqual(["account_locked: payment"]);
  });

  test("of spent credit leaves a zero balance and debt", async () => {
    const { sessionId } = await world.paid(caller, { amount: 20 });
    await world.spend(caller, 15);
    await world.hear("charge.dispute.created", world.stripe.dispute(sessionId, "needs_response"));
    expect(await world.money(caller)).toEqual({ balance: 0, debt: 15, bonus: 0 });
  });

  test("that is won returns everything once and leaves the account frozen until reviewed", async () => {
    const { sessionId } = await world.paid(caller, { package_id: "20" });
    await world.spend(caller, 3);
    await world.hear("charge.dispute.created", world.stripe.dispute(sessionId, "needs_response"));
    expect(await world.money(caller)).toMatchObject({ balance: 0 });
    const won = world.stripe.dispute(sessionId, "won");
    await world.hear("charge.dispute.closed", won);
    await world.hear("charge.dispute.funds_reinstated", won);
    expect(await world.money(caller)).toEqual({ balance: 18, debt: 0, bonus: 0 });
    expect(await world.statusOf(caller)).toBe("frozen");
  });

  test("that is already won when first seen moves no money", async () => {
    const { sessionId } = await world.paid(caller, { amount: 20 });
    await world.hear("charge.dispute.closed", world.stripe.dispute(sessionId, "won"));
    expect(await world.money(caller)).toMatchObject({ balance: 20, debt: 0 });
    expect(await world.statusOf(caller)).toBe("active");
  });

  test("that is lost takes nothing further and leaves its debt", async () => {
    const { sessionId } = await world.paid(caller, { amount: 20 });
    await world.spend(caller, 20);
    await world.hear("charge.dispute.created", world.stripe.dispute(sessionId, "needs_response"));
    await world.hear("charge.dispute.closed", world.stripe.dispute(sessionId, "lost"));
    expect(await world.money(caller)).toMatchObject({ balance: 0, debt: 20 });
  });

  test("at the inquiry stage freezes the account and moves no money", async () => {
    const { sessionId } = await world.paid(caller, { amount: 20 });
    await world.hear("charge.dispute.created", world.stripe.dispute(sessionId, "warning_needs_response"));
    expect(await world.money(caller)).toMatchObject({ balance: 20 });
    expect(await world.statusOf(caller)).toBe("frozen");
    await world.hear("charge.dispute.updated", world.stripe.dispute(sessionId, "needs_response"));
    expect(await world.money(caller)).toMatchObject({ balance: 0 });
  });

  test("whose event arrives before its payment's is booked correctly", async () => {
    const { body } = await caller.post("top-up", { amount: 10 });
    world.stripe.pay(body.session_id);
    await world.hear("charge.dispute.created", world.stripe.dispute(body.session_id, "needs_response"));
    await world.hear("checkout.session.completed", { id: body.session_id });
    expect(await world.money(caller)).toMatchObject({ balance: 0, debt: 0 });
    expect(await world.lines(caller)).toEqual(["top_up", "dispute"]);
  });
});

describe("a dispute that changes", () => {
  const says = (sessionId: string, status: string, cents?: number) =>
    world.hear("charge.dispute.updated", world.stripe.dispute(sessionId, status, cents));
  const waiting = () => countDisputes(world.database.handle.db);

  test("from an inquiry of $20 to a dispute of $7 takes $7", async () => {
    const { sessionId } = await world.paid(caller, { amount: 20 });
    await says(sessionId, "warning_needs_response", 2_000);
    await says(sessionId, "needs_response", 700);
    expect(await world.money(caller)).toEqual({ balance: 13, debt: 0, bonus: 0 });
  });

  test.each([
    { to: 700, balance: 7, debt: 0 },
    { to: 2_000, balance: 0, debt: 6 },
  ])("in its amount to $to cents is booked at that amount, once", async ({ to, balance, debt }) => {
    const { sessionId } = await world.paid(caller, { amount: 20 });
    await world.spend(caller, 6);
    await says(sessionId, "needs_response", 1_000);
    await says(sessionId, "needs_response", to);
    await says(sessionId, "under_review", to);
    expect(await world.money(caller)).toEqual({ balance, debt, bonus: 0 });
    await says(sessionId, "won");
    expect(await world.money(caller)).toEqual({ balance: 14, debt: 0, bonus: 0 });
  });

  test("to lost in part leaves the other part to withdraw, and to refund", async () => {
    const { sessionId, paymentId } = await world.paid(caller, { amount: 50 });
    await says(sessionId, "needs_response", 500);
    await sql`update customer set status = 'active'`.execute(world.database.handle.db);
    expect((await caller.get("withdrawals")).body.withdrawable).toBe("0.00");
    await says(sessionId, "lost");
    expect((await caller.get("withdrawals")).body.withdrawable).toBe("45.00");
    expect((await caller.post("withdrawals", { amount: 20 })).status).toBe(200);
    const order = { payment: paymentId, force: false, reason: "Asked for by phone" };
    expect(await operate(asOperator(world.service.ctx, "grace"), "refund", order)).toMatchObject({ amount_micros: 25_000_000n });
    expect(await world.money(caller)).toEqual({ balance: 0, debt: 0, bonus: 0 });
  });

  test.each([
    ["won", "needs_response", 20],
    ["lost", "warning_needs_response", 0],
    ["needs_response", "warning_under_review", 0],
  ])("to %s ignores an earlier state that is read late: %s", async (status, earlier, balance) => {
    const { sessionId } = await world.paid(caller, { amount: 20 });
    await says(sessionId, "needs_response");
    await says(sessionId, status);
    await says(sessionId, earlier);
    expect(await world.money(caller)).toMatchObject({ balance });
  });

  test("in its amount or the bank's date alone is stored, and a missing date keeps the known one", async () => {
    const { sessionId } = await world.paid(caller, { amount: 20 });
    const dispute = world.stripe.dispute(sessionId, "warning_needs_response", 500);
    const stored = async (change: object) => {
      await world.hear("charge.dispute.updated", Object.assign(dispute, change));
      const { rows } = await world.database.handle.pool.query("select amount_micros, due_at from dispute");
      return [Number(rows[0].amount_micros) / 1e6, rows[0].due_at.toISOString()];
    };
    const due_by = Date.parse("2031-01-01T00:00:00Z") / 1_000;
    const at = "2031-01-01T00:00:00.000Z";
    expect(await stored({ evidence_details: { due_by } })).toEqual([5, at]);
    expect(await stored({ amount: 700 })).toEqual([7, at]);
    expect(await stored({ amount: 900, evidence_details: { due_by: null } })).toEqual([9, at]);
  });

  test("says in the statement whether its amount changed or it was closed", async () => {
    const { sessionId } = await world.paid(caller, { amount: 20 });
    await says(sessionId, "needs_response", 500);
    await says(sessionId, "needs_response", 700);
    await says(sessionId, "won");
    const { rows } = await world.service.ctx.ledger.transactions(world.database.handle.db, caller.id, { limit: 10 });
    const returned = rows.toReversed().filter(({ kind }) => kind === "dispute_won");
    expect(returned.map(({ description }) => description)).toEqual([
      "Disputed amount changed",
      "Dispute closed, credit returned",
    ]);
  });

  test("to more than the payment, as after a change of exchange rates, takes it all and owes the rest until it is won", async () => {
    const { sessionId } = await world.paid(caller, { amount: 20 });
    await says(sessionId, "needs_response", 2_100);
    expect(await world.money(caller)).toEqual({ balance: 0, debt: 1, bonus: 0 });
    await says(sessionId, "won");
    expect(await world.money(caller)).toEqual({ balance: 20, debt: 0, bonus: 0 });
  });

  test("from lost to an appeal waits for evidence, and a won appeal returns the credit", async () => {
    const { sessionId } = await world.paid(caller, { amount: 20 });
    await says(sessionId, "lost");
    expect(await waiting()).toBe(0);
    await says(sessionId, "appeal_needs_response");
    expect(await waiting()).toBe(1);
    expect(await world.money(caller)).toMatchObject({ balance: 0 });
    await says(sessionId, "appeal_under_review");
    expect(await waiting()).toBe(0);
    await says(sessionId, "won");
    expect(await world.money(caller)).toMatchObject({ balance: 20 });
  });

  test.each([
    ["a status that nobody knows", { status: "second_arbitration" }],
    ["another currency", { status: "lost", currency: "eur" }],
  ])("to %s moves no money and waits for a person", async (_name, change) => {
    const { sessionId } = await world.paid(caller, { amount: 20 });
    const dispute = world.stripe.dispute(sessionId, "needs_response", 500);
    await world.hear("charge.dispute.created", dispute);
    await world.hear("charge.dispute.updated", Object.assign(dispute, change));
    expect(await world.money(caller)).toEqual({ balance: 15, debt: 0, bonus: 0 });
    expect(await waiting()).toBe(1);
    await world.hear("charge.dispute.closed", Object.assign(dispute, { status: "won", currency: "usd" }));
    expect(await world.money(caller)).toMatchObject({ balance: 20 });
    expect(await waiting()).toBe(0);
  });

  test.each(["prevented", "warning_closed"])("from an inquiry to %s moves nothing", async (status) => {
    const { sessionId } = await world.paid(caller, { amount: 20 });
    await says(sessionId, "warning_needs_response");
    await says(sessionId, status);
    expect(await world.money(caller)).toMatchObject({ balance: 20 });
    expect(await waiting()).toBe(0);
  });
});

describe("a payment that is both withdrawn and disputed", () => {
  const says = (sessionId: string, status: string, cents?: number) =>
    world.hear("charge.dispute.updated", world.stripe.dispute(sessionId, status, cents));
  const unfreeze = () => sql`update customer set status = 'active'`.execute(world.database.handle.db);
  const refundFails = (sessionId: string) => {
    const [refund] = world.stripe.session(sessionId).refunds;
    return world.hear("refund.failed", Object.assign(refund!, { status: "failed" }));
  };

  test("for more than is left owes what went back twice, until the dispute is won", async () => {
    const { sessionId } = await world.paid(caller, { amount: 20 });
    await caller.post("withdrawals", { amount: 15 });
    await says(sessionId, "needs_response", 2_000);
    expect(await world.money(caller)).toEqual({ balance: 0, debt: 15, bonus: 0 });
    await says(sessionId, "won");
    await unfreeze();
    expect(await world.money(caller)).toEqual({ balance: 5, debt: 0, bonus: 0 });
    expect((await caller.get("withdrawals")).body.withdrawable).toBe("5.00");
  });

  test("has its credit once if the card rejects the withdrawal, and its bonus only when the dispute is won", async () => {
    const { sessionId } = await world.paid(caller, { package_id: "50" });
    world.stripe.refundsAre = "pending";
    await caller.post("withdrawals", { amount: 50 });
    await says(sessionId, "needs_response");
    expect(await world.money(caller)).toEqual({ balance: 0, debt: 50, bonus: 0 });
    await refundFails(sessionId);
    expect(await world.money(caller)).toEqual({ balance: 0, debt: 0, bonus: 0 });
    await says(sessionId, "won");
    expect(await world.money(caller)).toEqual({ balance: 55, debt: 0, bonus: 5 });
  });

  test("writes no further lines if it had no bonus", async () => {
    const { sessionId } = await world.paid(caller, { amount: 50 });
    world.stripe.refundsAre = "pending";
    await caller.post("withdrawals", { amount: 50 });
    await says(sessionId, "needs_response");
    await refundFails(sessionId);
    expect(await world.lines(caller)).toEqual(["top_up", "withdrawal", "dispute", "refund_failed"]);
  });

  test("has no bonus if the provider refuses the withdrawal because of the dispute", async () => {
    const { sessionId } = await world.paid(caller, { package_id: "50" });
    world.stripe.failNext = 3;
    await caller.post("withdrawals", { amount: 50 });
    await says(sessionId, "needs_response");
    world.stripe.refundsAre = "refused";
    world.service.clock.advance(60_000);
    await world.service.runJob("push-refunds");
    expect(await world.money(caller)).toEqual({ balance: 0, debt: 0, bonus: 0 });
    await says(sessionId, "won");
    expect(await world.money(caller)).toEqual({ balance: 55, debt: 0, bonus: 5 });
  });

  test("twice for the whole keeps its bonus away until both disputes are won", async () => {
    const { sessionId } = await world.paid(caller, { package_id: "50" });
    await says(sessionId, "needs_response");
    const [first] = world.stripe.session(sessionId).disputes;
    const second = { ...first!, id: "dp_second" };
    world.stripe.session(sessionId).disputes.push(second);
    await world.hear("charge.dispute.created", second);
    expect(await world.money(caller)).toEqual({ balance: 0, debt: 50, bonus: 0 });
    world.service.takeHints(caller);
    await says(sessionId, "won");
    expect(world.service.takeHints(caller)).toContainEqual({ type: "balance" });
    expect(await world.money(caller)).toEqual({ balance: 0, debt: 0, bonus: 0 });
    await world.hear("charge.dispute.closed", Object.assign(second, { status: "won" }));
    expect(await world.money(caller)).toEqual({ balance: 55, debt: 0, bonus: 5 });
  });

  test("in part, lost, appealed and won has its share of the bonus taken and returned", async () => {
    const { sessionId } = await world.paid(caller, { package_id: "50" });
    const after = async (status: string, cents?: number) => {
      await says(sessionId, status, cents);
      return world.money(caller);
    };
    expect(await after("needs_response", 1_000)).toEqual({ balance: 44, debt: 0, bonus: 4 });
    expect(await after("lost")).toEqual({ balance: 44, debt: 0, bonus: 4 });
    expect(await after("appeal_needs_response", 2_000)).toEqual({ balance: 33, debt: 0, bonus: 3 });
    expect(await after("won")).toEqual({ balance: 55, debt: 0, bonus: 5 });
    await unfreeze();
    expect((await caller.get("withdrawals")).body.withdrawable).toBe("50.00");
  });

  test("does not stop the withdrawal of another payment, nor does an inquiry stop its own", async () => {
    const disputed = await world.paid(caller, { amount: 20 });
    await says(disputed.sessionId, "warning_needs_response");
    await unfreeze();
    expect((await caller.get("withdrawals")).body.withdrawable).toBe("20.00");
    await world.paid(caller, { amount: 10 });
    await says(disputed.sessionId, "needs_response");
    await unfreeze();
    expect((await caller.get("withdrawals")).body.withdrawable).toBe("10.00");
  });
});

describe("a fraud warning", () => {
  test("after a withdrawal refunds the rest, never more than was paid", async () => {
    const { sessionId } = await world.paid(caller, { amount: 20 });
    await caller.post("withdrawals", { amount: 15 });
    await world.hear("radar.early_fraud_warning.created", world.stripe.warn(sessionId));
    expect(world.stripe.session(sessionId).refunds.map(({ amount }) => amount)).toEqual([1_500, 500]);
    expect(await world.money(caller)).toEqual({ balance: 0, debt: 0, bonus: 0 });
  });

  test("freezes the account and refunds a mostly unspent payment once", async () => {
    const { sessionId } = await world.paid(caller, { amount: 20 });
    await world.spend(caller, 3);
    const warning = world.stripe.warn(sessionId);
    await world.hear("radar.early_fraud_warning.created", warning);
    await world.hear("radar.early_fraud_warning.updated", warning);
    expect(world.stripe.session(sessionId).refunds.map(({ amount }) => amount)).toEqual([2_000]);
    expect(await world.money(caller)).toEqual({ balance: 0, debt: 3, bonus: 0 });
    expect(await world.statusOf(caller)).toBe("frozen");
  });

  test("of a mostly spent payment freezes the account and awaits review", async () => {
    const { sessionId } = await world.paid(caller, { amount: 20 });
    await world.spend(caller, 10);
    await world.hear("radar.early_fraud_warning.created", world.stripe.warn(sessionId));
    expect(world.stripe.session(sessionId).refunds).toEqual([]);
    expect(await world.money(caller)).toMatchObject({ balance: 10 });
    expect(await world.statusOf(caller)).toBe("frozen");
  });
});
