import { sql } from "kysely";
import { DAY_MS } from "@farline/domain/durations.ts";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { operate } from "../../../test/operate.ts";
import type { BillingClient } from "../../../test/worlds/billing-service.ts";
import { BillingWorld } from "../../../test/worlds/billing-world.ts";
import { latestReconciliation, reconcilePayments } from "../reconciliation/reconcile-payments.ts";
import { promotionJobs } from "../../promotions/promotions.ts";
import { readClosingAccount } from "../../personal-data/erasure/request-erasure.ts";
import { obstacleOfRequest } from "../../personal-data/erasure/decide-obstacle.ts";
import { asOperator } from "../../../test/test-context.ts";

let world: BillingWorld;
let caller: BillingClient;
beforeEach(async () => {
  world = await BillingWorld.start();
  caller = await world.service.signUp();
});
afterEach(() => world.close());

const read = async () => (await caller.get("withdrawals")).body;
const withdraw = (amount: number) => caller.post("withdrawals", { amount });

async function payByVoucher(amount: number): Promise<void> {
  const { body } = await caller.post("top-up", { amount });
  world.stripe.promise(body.session_id, "oxxo");
  world.stripe.pay(body.session_id);
  await world.hear("checkout.session.async_payment_succeeded", { id: body.session_id });
}

async function obstacle() {
  const { ctx } = world.service;
  return obstacleOfRequest(await readClosingAccount(ctx, caller.id, world.database.handle.db));
}

describe("credit bought with a voucher", () => {
  test("cannot be withdrawn, is reported separately, and does not block an erasure", async () => {
    await payByVoucher(20);
    expect(await read()).toMatchObject({ withdrawable: "0.00", not_returnable: "20.00" });
    expect((await withdraw(20)).body).toMatchObject({ code: "amount_invalid" });
    expect(await world.money(caller)).toMatchObject({ balance: 20 });
    expect(await obstacle()).toBeNull();
  });

  test("is paid out by an operator outside the provider, once per transfer, and reconciles", async () => {
    await payByVoucher(20);
    const { rows } = await sql<any>`select id from payment where customer_id = ${caller.id}`.execute(world.database.handle.db);
    const order = { payment: rows[0].id as string, force: false, reason: "voucher", outside: "SEPA 4711" };
    const refund = await operate(asOperator(world.service.ctx, "ana"), "refund", { ...order, amount: 15_000_000n });
    expect(refund).toMatchObject({ origin: "outside", status: "succeeded", amount_micros: 15_000_000n });
    expect(await world.money(caller)).toMatchObject({ balance: 5 });
    expect(await read()).toMatchObject({ not_returnable: "5.00" });
    await expect(operate(asOperator(world.service.ctx, "ana"), "refund", { ...order, amount: 1_000_000n })).rejects.toThrow(
      /SEPA 4711 is recorded already/,
    );
    const now = world.service.clock.now().getTime();
    await reconcilePayments(world.service.ctx, { from: new Date(now - DAY_MS), to: new Date(now + DAY_MS) });
    expect((await latestReconciliation(world.database.handle.db))?.differences).toEqual([]);
    expect(await world.money(caller)).toMatchObject({ balance: 5 });
  });

  test("does not prevent the withdrawal of credit bought with a card", async () => {
    await world.paid(caller, { amount: 10 });
    await payByVoucher(20);
    expect(await read()).toMatchObject({ withdrawable: "10.00", not_returnable: "20.00" });
    expect(await obstacle()).toBe("withdrawable_credit");
    expect((await withdraw(10)).status).toBe(200);
    expect(await read()).toMatchObject({ withdrawable: "0.00", not_returnable: "20.00" });
    expect(await obstacle()).toBeNull();
  });
});

test("a withdrawal to a card that refused one can be retried and does not block an erasure", async () => {
  await world.paid(caller, { amount: 10 });
  expect(await obstacle()).toBe("withdrawable_credit");
  world.stripe.refundsAre = "refused";
  await withdraw(10);
  expect(await read()).toMatchObject({ withdrawable: "10.00" });
  expect(await obstacle()).toBeNull();
  world.stripe.refundsAre = "succeeded";
  expect((await withdraw(10)).body.withdrawal.parts[0].status).toBe("succeeded");
});

describe("an invitation's reward that was revoked with a payment", () => {
  let inviter: BillingClient;

  beforeEach(async () => {
    inviter = await world.service.signUp();
    const { db } = world.database.handle;
    await sql`insert into referral (invited_id, inviter_id, created_at) values (${caller.id}, ${inviter.id}, now())`.execute(db);
    await sql`update customer set email_verified = true where id = any (${[caller.id, inviter.id]})`.execute(db);
  });

  async function decide(): Promise<void> {
    const config = {
      ...world.service.ctx.config,
      promotions: { firstCallMicros: 0n, referralMicros: 2_000_000n, freeCreditPerDayMicros: 0n },
    };
    for (const job of promotionJobs({ ...world.service.ctx, config })) await job.run(new AbortController().signal);
  }
  const bonuses = async () => [(await world.money(caller)).bonus, (await world.money(inviter)).bonus];

  test("is returned each time the withdrawal fails", async () => {
    await world.paid(caller, { amount: 10 });
    await decide();
    for (let time = 0; time < 2; time++) {
      world.stripe.refundsAre = "refused";
      await withdraw(5);
      expect(await bonuses()).toEqual([2, 2]);
      expect(await world.money(caller)).toMatchObject({ balance: 12, debt: 0 });
    }
    world.stripe.refundsAre = "succeeded";
    await withdraw(5);
    expect(await bonuses()).toEqual([0, 0]);
    expect(await world.money(caller)).toMatchObject({ balance: 5 });
  });

  test("stays revoked while another part of the payment is refunded", async () => {
    const { sessionId } = await world.paid(caller, { amount: 11 });
    await decide();
    world.stripe.refundsAre = "pending";
    await withdraw(2);
    await withdraw(1);
    expect(await bonuses()).toEqual([0, 0]);
    world.stripe.refundTo(sessionId, 200);
    await world.hear("charge.refund.updated", { payment_intent: world.stripe.session(sessionId).intent.id });
    expect(await bonuses()).toEqual([0, 0]);
    world.stripe.refundTo(sessionId, 0);
    await world.hear("charge.refund.updated", { payment_intent: world.stripe.session(sessionId).intent.id });
    expect(await bonuses()).toEqual([2, 2]);
  });

  test("follows what is left while a dispute in part is lost, appealed and won", async () => {
    const { sessionId } = await world.paid(caller, { amount: 12 });
    await decide();
    const seen = [];
    for (const [status, cents] of [
      ["needs_response", 100],
      ["lost", 700],
      ["appeal_needs_response", 900],
      ["won", 900],
    ] as const) {
      await world.hear("charge.dispute.updated", world.stripe.dispute(sessionId, status, cents));
      seen.push(await bonuses());
    }
    expect(seen).toEqual([
      [2, 2],
      [0, 0],
      [0, 0],
      [2, 2],
    ]);
  });

  test("is returned when a dispute is won", async () => {
    const { sessionId } = await world.paid(caller, { amount: 10 });
    await decide();
    const dispute = world.stripe.dispute(sessionId, "needs_response");
    const about = { id: dispute.id, payment_intent: world.stripe.session(sessionId).intent.id };
    await world.hear("charge.dispute.created", about);
    expect(await bonuses()).toEqual([0, 0]);
    dispute.status = "won";
    await world.hear("charge.dispute.closed", about);
    expect(await bonuses()).toEqual([2, 2]);
  });
});
