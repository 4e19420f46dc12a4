import { MINUTE_MS } from "@farline/domain/durations.ts";
import { operate } from "../../../test/operate.ts";
import { sql } from "kysely";
import { afterEach, beforeEach, expect, test } from "vitest";
import { asOperator, testContext } from "../../../test/test-context.ts";
import { BillingWorld } from "../../../test/worlds/billing-world.ts";
import { billingMetrics } from "./billing-metrics.ts";

let world: BillingWorld;
beforeEach(async () => {
  world = await BillingWorld.start();
});
afterEach(() => world.close());

async function read(): Promise<Record<string, unknown>> {
  const metrics = billingMetrics(testContext({ handle: world.database.handle, clock: world.service.clock }));
  const values = await Promise.all(metrics.map(async (metric) => [metric.name.replace("farline_", ""), await metric.read()]));
  return Object.fromEntries(values);
}

const outcomes = (paid: number, failed: number) =>
  new Map([
    ["paid", paid],
    ["failed", failed],
  ]);

test("payments of the last hour and disputes that wait for evidence are counted", async () => {
  expect(await read()).toEqual({
    payments_usual_percent: 100,
    payments_hour: outcomes(0, 0),
    payment_event_waiting_seconds: 0,
    payments_without_event: 0,
    disputes_open: 0,
    disputes_due_soon: 0,
    refunds_slow: 0,
  });
  const { sessionId } = await world.paid(await world.service.signUp(), { package_id: "20" });
  await world.hear("charge.dispute.created", world.stripe.dispute(sessionId, "needs_response"));
  expect(await read()).toMatchObject({ payments_hour: outcomes(1, 0), disputes_open: 1 });
  world.service.clock.advance(60 * MINUTE_MS + 1);
  await world.hear("charge.dispute.updated", world.stripe.dispute(sessionId, "under_review"));
  expect(await read()).toMatchObject({ payments_hour: outcomes(0, 0), disputes_open: 0 });
});

test("a dispute is due soon within 48 hours of the bank's date, until an operator has handled it", async () => {
  const { sessionId } = await world.paid(await world.service.signUp(), { amount: 20 });
  const dispute = world.stripe.dispute(sessionId, "needs_response");
  const dueInHours = (hours: number) => ({
    evidence_details: { due_by: Math.floor(world.service.clock.now().getTime() / 1_000) + hours * 3_600 },
  });
  await world.hear("charge.dispute.created", Object.assign(dispute, dueInHours(49)));
  expect(await read()).toMatchObject({ disputes_open: 1, disputes_due_soon: 0 });
  await world.hear("charge.dispute.updated", Object.assign(dispute, dueInHours(47)));
  expect(await read()).toMatchObject({ disputes_open: 1, disputes_due_soon: 1 });
  const order = { dispute: dispute.id, as: "answered", reason: "Sent the calls" } as const;
  await operate(asOperator(world.service.ctx, "bob"), "handle-dispute", order);
  expect(await read()).toMatchObject({ disputes_open: 0, disputes_due_soon: 0 });
});

test("an event that is not processed is reported by its age", async () => {
  const { db } = world.database.handle;
  const at = new Date(world.service.clock.now().getTime() - 20 * MINUTE_MS);
  await sql`insert into stripe_event (event_id, type, received_at) values ('evt_waits', 'charge.refunded', ${at})`.execute(db);
  expect(await read()).toMatchObject({ payment_event_waiting_seconds: 1_200 });
  await sql`update stripe_event set done_at = now()`.execute(db);
  expect(await read()).toMatchObject({ payment_event_waiting_seconds: 0 });
});

test("a refund is slow after two days at the provider, until it succeeds or fails", async () => {
  const caller = await world.service.signUp();
  const { sessionId } = await world.paid(caller, { amount: 20 });
  world.stripe.refundsAre = "pending";
  expect((await caller.post("withdrawals", { amount: 20 })).status).toBe(200);
  world.service.clock.advance(48 * 60 * MINUTE_MS);
  expect(await read()).toMatchObject({ refunds_slow: 0 });
  world.service.clock.advance(1);
  expect(await read()).toMatchObject({ refunds_slow: 1 });
  world.stripe.refundTo(sessionId, 0);
  await world.hear("refund.failed", world.stripe.session(sessionId).refunds[0] ?? {});
  expect(await read()).toMatchObject({ refunds_slow: 0 });
  expect(await world.money(caller)).toMatchObject({ balance: 20 });
});

test("twenty payments that failed are a trouble if few were paid beside them", async () => {
  await world.paid(await world.service.signUp(), { package_id: "20" });
  const metrics = billingMetrics(testContext({ handle: world.database.handle, clock: world.service.clock }));
  const metric = metrics.find(({ name }) => name === "farline_payments_hour");
  await metric?.read();
  expect(metric?.warning?.(20, "failed")).toBe("20 of the 21 payments of the last hour failed.");
  expect(metric?.warning?.(19, "failed")).toBeNull();
  expect(metric?.warning?.(100, "paid")).toBeNull();
});

test("payments without any event of the provider since are counted, so that lost events are noticed", async () => {
  const caller = await world.service.signUp();
  const payWithoutEvent = async () => {
    const { body } = await caller.post("top-up", { amount: 5 });
    world.stripe.pay(body.session_id);
    expect((await caller.post("confirm", { session_id: body.session_id })).body).toMatchObject({ status: "paid" });
  };
  for (const _ of [1, 2, 3]) await payWithoutEvent();
  expect(await read()).toMatchObject({ payments_without_event: 0 });
  world.service.clock.advance(16 * MINUTE_MS);
  expect(await read()).toMatchObject({ payments_without_event: 3 });
  await world.paid(caller, { amount: 5 });
  expect(await read()).toMatchObject({ payments_without_event: 0 });
  world.service.clock.advance(16 * MINUTE_MS);
  expect(await read()).toMatchObject({ payments_without_event: 0 });
  for (const _ of [1, 2]) await payWithoutEvent();
  world.service.clock.advance(16 * MINUTE_MS);
  expect(await read()).toMatchObject({ payments_without_event: 2 });
  world.service.clock.advance(24 * 60 * MINUTE_MS);
  expect(await read()).toMatchObject({ payments_without_event: 0 });
});
