import { PATIENCE } from "@farline/domain/test/patience.ts";
import { operate } from "../../../test/operate.ts";
import { sql } from "kysely";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { BillingClient } from "../../../test/worlds/billing-service.ts";
import { BillingWorld } from "../../../test/worlds/billing-world.ts";
import { ledger } from "../../ledger/ledger.ts";
import { lockMoneyOperations } from "../../operator/approval.store.ts";
import { asOperator } from "../../../test/test-context.ts";

let world: BillingWorld;
let caller: BillingClient;
beforeEach(async () => {
  world = await BillingWorld.start();
  caller = await world.service.signUp();
});
afterEach(() => world.close());

const why = { reason: "Asked for by phone" };
const grace = () => asOperator(world.service.ctx, "grace");

/** Waits until this many transactions wait for a lock. */
async function untilLocked(transactions: number): Promise<void> {
  await vi.waitFor(async () => {
    const { rows } =
      await sql<any>`select count(*)::int as n from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`.execute(
        world.database.handle.db,
      );
    expect(rows[0].n).toBe(transactions);
  }, PATIENCE);
}

async function operations() {
  const { rows } =
    await sql<any>`select operator, action, customer_id, subject, reason from operation order by happened_at, id`.execute(
      world.database.handle.db,
    );
  return rows;
}

test("an operator's refund goes to the card and is audited with operator and reason", async () => {
  const { paymentId, sessionId } = await world.paid(caller, { amount: 20 });
  const refund = await operate(grace(), "refund", { payment: paymentId, amount: 5_000_000n, force: false, ...why });
  expect(refund.status).toBe("succeeded");
  expect(world.stripe.session(sessionId).refunds.map(({ amount }) => amount)).toEqual([500]);
  expect(await world.money(caller)).toMatchObject({ balance: 15 });
  await world.hear("charge.refunded", { id: "ch", payment_intent: world.stripe.session(sessionId).intent.id });
  expect(await world.money(caller)).toMatchObject({ balance: 15 });
  expect(await operations()).toEqual([
    { operator: "grace", action: "refund", customer_id: caller.id, subject: paymentId, reason: "Asked for by phone" },
  ]);
});

test("spent credit is refunded only with --force, which leaves a debt; refusals are not audited", async () => {
  const { paymentId } = await world.paid(caller, { amount: 20 });
  await world.spend(caller, 12);
  const order = { payment: paymentId, ...why };
  await expect(operate(grace(), "refund", { ...order, force: false })).rejects.toThrow(/Only \$8.00 .* unspent/);
  expect(await operations()).toEqual([]);
  await operate(grace(), "refund", { ...order, force: true });
  expect(await world.money(caller)).toEqual({ balance: 0, debt: 12, bonus: 0 });
  await expect(operate(grace(), "refund", { ...order, force: true })).rejects.toThrow(/\$0.00 of this payment is left/);
});

test("two operators who refund two payments at once cannot both use the same unspent credit", async () => {
  const payments = [await world.paid(caller, { amount: 20 }), await world.paid(caller, { amount: 20 })];
  await world.spend(caller, 20);
  const { refunds } = await world.database.handle.db.transaction().execute(async (tx) => {
    await lockMoneyOperations(tx);
    const orders = payments.map(({ paymentId }, index) =>
      operate(asOperator(world.service.ctx, index === 0 ? "grace" : "bob"), "refund", {
        ...{ payment: paymentId, force: false, ...why },
      }),
    );
    const settled = Promise.allSettled(orders);
    await untilLocked(2);
    return { refunds: settled };
  });
  const outcomes = (await refunds).map(({ status }) => status);
  expect(outcomes.toSorted()).toEqual(["fulfilled", "rejected"]);
  expect(await world.money(caller)).toEqual({ balance: 0, debt: 0, bonus: 0 });
  expect(await operations()).toHaveLength(1);
});

test("spent bonus of the payment is deducted from the refund", async () => {
  const { paymentId } = await world.paid(caller, { package_id: "50" });
  await world.spend(caller, 5);
  const order = { payment: paymentId, force: false, ...why };
  await expect(operate(grace(), "refund", { ...order, amount: 50_000_000n })).rejects.toThrow(
    /Only \$45.00 .* after \$5.00 for bonus/,
  );
  await operate(grace(), "refund", { ...order, amount: 40_000_000n });
  expect(await world.money(caller)).toEqual({ balance: 6, debt: 0, bonus: 0 });
});

test("a refund of more than the rest, of an unpaid or of an unknown payment is refused", async () => {
  const { paymentId } = await world.paid(caller, { amount: 20 });
  const open = await caller.post("top-up", { amount: 10 });
  const order = { amount: 21_000_000n, force: true, ...why };
  await expect(operate(grace(), "refund", { ...order, payment: paymentId })).rejects.toThrow(/\$20.00 of this payment is left/);
  await expect(operate(grace(), "refund", { ...order, payment: open.body.payment_id })).rejects.toThrow(/not paid/);
  await expect(operate(grace(), "refund", { ...order, payment: "nothing" })).rejects.toThrow(/no payment/);
});

test("a disputed payment is not refunded, because the bank has taken the money back", async () => {
  const { paymentId, sessionId } = await world.paid(caller, { amount: 20 });
  await world.hear("charge.dispute.created", world.stripe.dispute(sessionId, "needs_response", 500));
  const order = { payment: paymentId, force: true, ...why };
  await expect(operate(grace(), "refund", order)).rejects.toThrow(/disputed/);
  expect(await operations()).toEqual([]);
});

test("a payment without a charge at the provider is not refunded", async () => {
  const { paymentId } = await world.paid(caller, { amount: 20 });
  const { db } = world.database.handle;
  const order = { payment: paymentId, force: true, ...why };
  await sql`update payment set status = 'review' where id = ${paymentId}`.execute(db);
  await expect(operate(grace(), "refund", order)).rejects.toThrow(/not paid/);
  await sql`update payment set status = 'paid', payment_intent_id = null where id = ${paymentId}`.execute(db);
  await expect(operate(grace(), "refund", order)).rejects.toThrow(/not paid/);
  const unknown = "00000000-0000-7000-8000-000000000000";
  await expect(operate(grace(), "refund", { ...order, payment: unknown })).rejects.toThrow(/no payment/);
});

test("freezing, unfreezing and writing off a debt are audited", async () => {
  const { paymentId } = await world.paid(caller, { amount: 5 });
  await world.spend(caller, 5);
  await operate(grace(), "refund", { payment: paymentId, force: true, ...why });
  const order = { customer: `${caller.id}@EXAMPLE.com`, ...why };
  expect(await operate(grace(), "freeze", { ...order, because: "review" })).toBe(true);
  expect(await operate(grace(), "freeze", { ...order, because: "review" })).toBe(false);
  expect(await world.statusOf(caller)).toBe("frozen");
  expect(await operate(grace(), "write-off", order)).toBe(5_000_000n);
  expect(await operate(grace(), "unfreeze", { ...order, customer: caller.id })).toBe(true);
  expect(await world.statusOf(caller)).toBe("active");
  expect(await world.money(caller)).toEqual({ balance: 0, debt: 0, bonus: 0 });
  expect((await operations()).map(({ action }) => action)).toEqual(["refund", "freeze", "freeze", "write-off", "unfreeze"]);
  await expect(operate(grace(), "freeze", { ...order, because: "review", customer: "nobody@example.com" })).rejects.toThrow(
    /no customer/,
  );
});

test.each([
  ["a refund", (paid: { paymentId: string }) => operate(grace(), "refund", { payment: paid.paymentId, force: false, ...why })],
  ["a withdrawal", async () => expect((await caller.post("withdrawals", { amount: "20" })).status).toBe(200)],
  [
    "a dispute",
    (paid: { sessionId: string; intentId: string }) => {
      const dispute = world.stripe.dispute(paid.sessionId, "needs_response");
      return world.hear("charge.dispute.created", { id: dispute.id, payment_intent: paid.intentId });
    },
  ],
])("%s and the decision about the payment's invitation are serialised", async (_name, goesBack) => {
  const inviter = await world.service.signUp();
  const paid = await world.paid(caller, { package_id: "20" });
  const { db } = world.database.handle;
  await sql`insert into referral (invited_id, inviter_id, state, payment_id, paid_micros, paid_at, created_at, decided_at)
     values (${caller.id}, ${inviter.id}, 'rewarded', ${paid.paymentId}, 20000000, ${world.service.clock.now()}, ${world.service.clock.now()}, ${world.service.clock.now()})`.execute(
    db,
  );
  // Takes the same locks as the job: the referral, then the accounts.
  const going = await db.transaction().execute(async (tx) => {
    await tx.selectFrom("referral").select("state").where("invited_id", "=", caller.id).forNoKeyUpdate().execute();
    const started = goesBack(paid);
    // Handled below.
    started.catch(() => undefined);
    await untilLocked(1);
    await ledger.lockAccounts(tx, [caller.id, inviter.id]);
    return { started };
  });
  await going.started;
  expect(await world.money(caller)).toMatchObject({ balance: 0, debt: 0 });
  const { rows } = await sql<any>`select state from referral where invited_id = ${caller.id}`.execute(db);
  expect(rows).toEqual([{ state: "taken_back" }]);
});

test("more than a hundred refunds of a payment are all booked, and the oldest comes back if its bank refuses it", async () => {
  const { sessionId } = await world.paid(caller, { amount: 200 });
  for (let refunded = 1; refunded <= 101; refunded += 1) world.stripe.refundTo(sessionId, refunded * 100);
  const { refunds } = world.stripe.session(sessionId);
  await world.hear("refund.created", refunds.at(-1) ?? {});
  expect(await world.money(caller)).toMatchObject({ balance: 99 });
  await world.hear("refund.failed", Object.assign(refunds[0] ?? {}, { status: "failed" }));
  expect(await world.money(caller)).toMatchObject({ balance: 100 });
});
