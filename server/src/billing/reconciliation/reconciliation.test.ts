import { sql } from "kysely";
import { DAY_MS } from "@farline/domain/durations.ts";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { operate } from "../../../test/operate.ts";
import { asOperator } from "../../../test/test-context.ts";
import type { BillingClient } from "../../../test/worlds/billing-service.ts";
import { BillingWorld } from "../../../test/worlds/billing-world.ts";
import { ledger } from "../../ledger/ledger.ts";
import { latestReconciliation, reconciliationMetrics, reconcilePayments } from "./reconcile-payments.ts";

let world: BillingWorld;
let caller: BillingClient;
beforeEach(async () => {
  world = await BillingWorld.start();
  caller = await world.service.signUp();
});
afterEach(() => world.close());

async function reconcile() {
  const now = world.service.clock.now().getTime();
  return reconcilePayments(world.service.ctx, { from: new Date(now - DAY_MS), to: new Date(now + DAY_MS) });
}

const metricOf = (name: string) => reconciliationMetrics(world.service.ctx).find((one) => one.name === name);

async function differences() {
  const latest = await latestReconciliation(world.database.handle.db);
  return latest?.differences.map(({ kind, payment_id, provider_micros, ledger_micros }) => ({
    kind,
    payment: payment_id,
    provider: Number(provider_micros) / 1e6,
    ledger: Number(ledger_micros) / 1e6,
  }));
}

test("a day of payments, refunds, withdrawals and disputes reconciles to the cent", async () => {
  const first = await world.paid(caller, { package_id: "50" });
  const second = await world.paid(caller, { amount: 20 });
  const third = await world.paid(await world.service.signUp(), { amount: 10 });
  await world.spend(caller, 30);
  await caller.post("withdrawals", { amount: 5 });
  world.stripe.refundTo(first.sessionId, 700);
  await world.hear("charge.refunded", { id: "ch", payment_intent: first.intentId });
  await world.hear("charge.dispute.created", world.stripe.dispute(third.sessionId, "needs_response"));
  expect(await reconcile()).toMatchObject({ charges: 3, differences: 0, providerMicros: 58_000_000n, ledgerMicros: 58_000_000n });
  expect(second.sessionId).not.toBe(first.sessionId);
});

test("a change whose event was lost is repaired and not reported as a difference", async () => {
  const { body } = await caller.post("top-up", { amount: 10 });
  world.stripe.pay(body.session_id);
  const other = await world.paid(caller, { amount: 20 });
  world.stripe.refundTo(other.sessionId, 500);
  expect(await reconcile()).toMatchObject({ repaired: 2, differences: 0 });
  expect(await world.money(caller)).toMatchObject({ balance: 25 });
});

test("each payment is compared once, however many there are and on however many lists, and no row is left", async () => {
  const payments = [];
  for (let count = 0; count < 9; count++) payments.push(await world.paid(caller, { amount: 10 }));
  for (const { sessionId } of payments.slice(5)) world.stripe.refundTo(sessionId, 300);
  world.stripe.asked.length = 0;
  expect(await reconcile()).toMatchObject({
    ...{ charges: 9, repaired: 4, differences: 0 },
    ...{ providerMicros: 78_000_000n, ledgerMicros: 78_000_000n },
  });
  expect(world.stripe.asked.toSorted()).toEqual(payments.map(({ sessionId }) => sessionId).toSorted());
  expect((await sql`select from reconciliation_payment`.execute(world.database.handle.db)).rows).toEqual([]);
});

test("a comparison that is stopped compares nothing more and is not the latest", async () => {
  await world.paid(caller, { amount: 10 });
  world.stripe.asked.length = 0;
  const now = world.service.clock.now();
  const span = { from: new Date(now.getTime() - DAY_MS), to: now };
  await expect(reconcilePayments(world.service.ctx, span, AbortSignal.abort())).rejects.toThrow("aborted");
  expect([world.stripe.asked, await differences()]).toEqual([[], undefined]);
  const runs = () => sql`select from reconciliation_run`.execute(world.database.handle.db);
  expect((await runs()).rows).toHaveLength(1);
  world.service.clock.advance(8 * DAY_MS);
  await world.service.runJob("reconcile-payments");
  expect((await runs()).rows).toHaveLength(1);
});

test("an undelivered event is processed, and an earlier or delivered one is not", async () => {
  const card = { id: "pm_gone", object: "payment_method" };
  world.stripe.addEvent("payment_method.detached", card, false);
  world.service.clock.advance(2 * DAY_MS);
  world.stripe.addEvent("payment_method.detached", card, false);
  world.stripe.addEvent("payment_method.detached", card);
  await reconcile();
  const { rows } = await sql`select event_id from stripe_event`.execute(world.database.handle.db);
  expect(rows).toEqual([{ event_id: world.stripe.events[1]?.id }]);
});

describe("of a payment that was made long ago,", () => {
  const later = () => world.service.clock.advance(40 * DAY_MS);

  test("a dispute that was won is booked, although its event was delivered", async () => {
    const { sessionId } = await world.paid(caller, { amount: 20 });
    await world.hear("charge.dispute.created", world.stripe.dispute(sessionId, "needs_response"));
    later();
    world.stripe.dispute(sessionId, "won");
    expect(await reconcile()).toMatchObject({ repaired: 1, differences: 0 });
    expect(await world.money(caller)).toMatchObject({ balance: 20 });
  });

  test("a fraud warning freezes the account, although its event was delivered", async () => {
    const { sessionId } = await world.paid(caller, { amount: 20 });
    later();
    world.stripe.warn(sessionId);
    await reconcile();
    expect(await world.statusOf(caller)).toBe("frozen");
  });

  test("a refund that the card rejected is booked back, although its event was delivered", async () => {
    const { sessionId, intentId } = await world.paid(caller, { amount: 20 });
    world.stripe.refundTo(sessionId, 500);
    await world.hear("charge.refunded", { id: "ch", payment_intent: intentId });
    later();
    world.stripe.refundTo(sessionId, 0);
    expect(await reconcile()).toMatchObject({ repaired: 1, differences: 0 });
    expect(await world.money(caller)).toMatchObject({ balance: 20 });
  });

  test("money that arrives at last is credited, although its event was delivered and the row names no charge", async () => {
    const { body } = await caller.post("top-up", { amount: 20 });
    world.stripe.promise(body.session_id);
    later();
    world.stripe.pay(body.session_id);
    expect(await reconcile()).toMatchObject({ repaired: 1, differences: 0 });
    expect(await world.money(caller)).toMatchObject({ balance: 20 });
  });

  test("a dispute that is open here is read after a restore, even if the provider no longer keeps an event of it", async () => {
    const { sessionId } = await world.paid(caller, { amount: 20 });
    await world.hear("charge.dispute.created", world.stripe.dispute(sessionId, "needs_response"));
    world.stripe.dispute(sessionId, "won");
    later();
    const now = world.service.clock.now();
    const span = { from: new Date(now.getTime() - DAY_MS), to: now };
    expect(await reconcilePayments(world.service.ctx, span)).toMatchObject({ repaired: 0 });
    expect(await reconcilePayments(world.service.ctx, { ...span, openDisputes: true })).toMatchObject({ repaired: 1 });
  });
});

describe("a difference is recorded for review and changes nothing:", () => {
  test("credit without a payment at the provider", async () => {
    const { paymentId, sessionId } = await world.paid(caller, { amount: 10 });
    world.stripe.session(sessionId).payment_status = "unpaid";
    await reconcile();
    expect(await differences()).toEqual([{ kind: "missing_at_provider", payment: paymentId, provider: 0, ledger: 10 }]);
    expect(await world.money(caller)).toMatchObject({ balance: 10 });
  });

  test("a charge with a different amount", async () => {
    const { paymentId, sessionId } = await world.paid(caller, { amount: 10 });
    world.stripe.session(sessionId).amount_total = 900;
    await reconcile();
    expect(await differences()).toEqual([{ kind: "amount", payment: paymentId, provider: 9, ledger: 10 }]);
  });

  test("a debit that refers to a payment", async () => {
    const { paymentId } = await world.paid(caller, { amount: 10 });
    const { db } = world.database.handle;
    await sql`insert into refund (id, payment_id, customer_id, origin, amount_micros, status, provider_refund_id, created_at)
       values (${"00000000-0000-7000-8000-000000000001"}, ${paymentId}, ${caller.id}, 'provider', 4000000, 'succeeded', 're_invented', now())`.execute(
      db,
    );
    await ledger.reverse(db, {
      key: "refund:00000000-0000-7000-8000-000000000001",
      customerId: caller.id,
      kind: "refund",
      amountMicros: 4_000_000n,
      referenceId: paymentId,
      description: "Nobody knows why",
    });
    await reconcile();
    expect(await differences()).toEqual([{ kind: "amount", payment: paymentId, provider: 10, ledger: 6 }]);
  });

  test("a charge without a payment", async () => {
    const { sessionId } = await world.paid(caller, { amount: 10 });
    const stray = structuredClone(world.stripe.session(sessionId));
    Object.assign(stray, {
      id: "cs_stray",
      intent: { ...stray.intent, id: "pi_stray" },
      metadata: { site: world.service.ctx.config.publicUrl },
    });
    world.stripe.sessions.set("cs_stray", stray);
    await reconcile();
    expect(await differences()).toEqual([{ kind: "unknown_charge", payment: null, provider: 10, ledger: 0 }]);
  });
});

test("the nightly reconciliation runs once, catches up on a missed night, and warns while differences remain", async () => {
  const { sessionId } = await world.paid(caller, { amount: 10 });
  world.stripe.session(sessionId).amount_total = 900;
  world.service.clock.advance(60_000);
  const { db } = world.database.handle;
  const runs = async () => (await sql<any>`select count(*)::int as count from reconciliation_run`.execute(db)).rows[0].count;
  await world.service.runJob("reconcile-payments");
  await world.service.runJob("reconcile-payments");
  expect(await runs()).toBe(1);
  const metric = metricOf("farline_reconciliation_differences");
  expect(metric?.warning?.(((await metric?.read()) as number) ?? 0)).toMatch(/differ in 1 places/);
  world.service.clock.advance(DAY_MS);
  await world.service.runJob("reconcile-payments");
  expect(await runs()).toBe(2);
});

describe("a difference is found again each night", () => {
  const nextNight = async (nights = 1) => {
    world.service.clock.advance(nights * DAY_MS);
    await world.service.runJob("reconcile-payments");
  };

  test("although its payment is older than the nights that are compared, until it is gone", async () => {
    const { paymentId, sessionId } = await world.paid(caller, { amount: 10 });
    world.stripe.session(sessionId).amount_total = 900;
    await nextNight();
    const [first] = (await latestReconciliation(world.database.handle.db))?.differences ?? [];
    for (let night = 0; night < 6; night++) await nextNight();
    const [last] = (await latestReconciliation(world.database.handle.db))?.differences ?? [];
    expect(last).toMatchObject({ kind: "amount", payment_id: paymentId, found_at: first?.found_at });
    world.stripe.session(sessionId).amount_total = 1_000;
    await nextNight();
    expect(await differences()).toEqual([]);
  });

  test("although its charge belongs to no payment, once, until the money was sent back", async () => {
    const { sessionId } = await world.paid(caller, { amount: 10 });
    const stray = structuredClone(world.stripe.session(sessionId));
    const metadata = { site: world.service.ctx.config.publicUrl };
    Object.assign(stray, { id: "cs_stray", intent: { ...stray.intent, id: "pi_stray" }, metadata });
    world.stripe.sessions.set("cs_stray", stray);
    const unknown = [{ kind: "unknown_charge", payment: null, provider: 10, ledger: 0 }];
    await nextNight();
    await nextNight();
    expect(await differences()).toEqual(unknown);
    for (let night = 0; night < 6; night++) await nextNight();
    expect(await differences()).toEqual(unknown);
    world.stripe.refundTo("cs_stray", 1_000);
    await nextNight(5);
    expect(await differences()).toEqual([]);
  });

  test("for ninety days", async () => {
    const { sessionId } = await world.paid(caller, { amount: 10 });
    world.stripe.session(sessionId).amount_total = 900;
    await nextNight();
    await nextNight(89);
    expect(await differences()).toHaveLength(1);
    await nextNight(2);
    expect(await differences()).toEqual([]);
  });
});

test("the time since the latest comparison that ended is measured, and warned of after a night without one", async () => {
  const metric = metricOf("farline_reconciliation_age_seconds");
  const read = async () => Number(await metric?.read());
  expect(await read()).toBe(0);
  const { clock, ctx } = world.service;
  const span = { from: new Date(clock.now().getTime() - DAY_MS), to: new Date(clock.now().getTime() + DAY_MS) };
  await world.paid(caller, { amount: 10 });
  await expect(reconcilePayments(ctx, span, AbortSignal.abort())).rejects.toThrow("aborted");
  clock.advance(2 * DAY_MS);
  expect(await read()).toBe(2 * 86_400);
  expect(metric?.warning?.(await read())).toMatch(/48 hours ago/);
  await reconcilePayments(ctx, span);
  expect(await read()).toBe(0);
  expect(metric?.warning?.(0)).toBeNull();
});

test("operators' comparisons run one at a time, and each is in the audit log", async () => {
  await world.paid(caller, { amount: 20 });
  // The provider's times are whole seconds, which the service's clock must not be behind.
  world.service.clock.advance(60_000);
  const order = (name: string) =>
    operate(asOperator(world.service.ctx, name), "reconcile", { days: 3, reason: "The month's end" });
  const both = await Promise.allSettled([order("bob"), order("grace")]);
  expect(both[0]).toMatchObject({ status: "fulfilled", value: { charges: 1, differences: 0 } });
  expect(both[1]).toMatchObject({ status: "rejected", reason: { code: "conflict" } });
  expect(await order("grace")).toMatchObject({ charges: 1 });
  const { rows } =
    await sql`select operator, detail ->> 'days' as days from operation where action = 'reconcile' order by happened_at`.execute(
      world.database.handle.db,
    );
  expect(rows).toEqual([
    { operator: "bob", days: "3" },
    { operator: "grace", days: "3" },
  ]);
});
