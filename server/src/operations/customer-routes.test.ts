import { afterAll, beforeAll, expect, test } from "vitest";
import { consoleApp, type ConsoleApp } from "../../test/worlds/console-app.ts";
import { insertPastCalls } from "../../test/past-calls.ts";
import type { BillingClient } from "../../test/worlds/billing-service.ts";
import { BillingWorld } from "../../test/worlds/billing-world.ts";
import { refundRoutes } from "../billing/billing.ts";
import { queueRoutes } from "../queue/queue.ts";
import { businessRoutes, operationRoutes } from "./operations.ts";

let world: BillingWorld;
let app: ConsoleApp;
let caller: BillingClient;
beforeAll(async () => {
  world = await BillingWorld.start();
  caller = await world.service.signUp();
  app = consoleApp(world.service.ctx, refundRoutes, queueRoutes, operationRoutes, businessRoutes);
});
afterAll(async () => {
  await app.close();
  await world.close();
});

let keys = 0;
/** A key as a form makes it when it opens. */
const newKey = () => `0199cccc-0000-7000-8000-${String(++keys).padStart(12, "0")}`;

const as = (operator: string, method: "GET" | "POST", path: string, payload: object = { reason: "They called" }) =>
  app.as(operator, method, path, method === "GET" ? undefined : payload);
const change = (operator: string, what: string, payload?: object) =>
  as(operator, "POST", `customers/${caller.id}/${what}`, payload);

test("support freezes an account, and only finance and administrators open it again", async () => {
  const because = { because: "review", reason: "Fraud" };
  expect(await change("eve", "freeze", because)).toEqual({ status: 200, body: { changed: true } });
  expect(await change("eve", "freeze", because)).toEqual({ status: 200, body: { changed: false } });
  expect((await change("eve", "unfreeze")).status).toBe(403);
  expect(await change("bob", "unfreeze")).toEqual({ status: 200, body: { changed: true, proposal: null } });
  expect((await change("eve", "end-sessions")).status).toBe(204);
  expect((await change("bob", "confirm-address", { reason: " " })).status).toBe(422);
  expect((await change("bob", "confirm-address")).status).toBe(200);
  expect((await change("eve", "resend-verification")).body).toEqual({ changed: false });
});

test("a correction is added or taken once, and waits for a second operator above the limit", async () => {
  const order = { amount: "7.50", take: false, key: newKey(), reason: "A wrong charge" };
  expect((await change("eve", "adjust", order)).status).toBe(403);
  // Consoles of the previous release say with `take` what has its own name now.
  expect((await change("bob", "adjust", { ...order, take: true })).status).toBe(422);
  expect(await change("bob", "adjust", order)).toEqual({ status: 200, body: { proposal: null } });
  expect(await change("bob", "adjust", order)).toMatchObject({ status: 409, body: { reason: "operator.done_already" } });
  expect((await change("bob", "deduct", { ...order, amount: "2", key: newKey() })).body).toEqual({ proposal: null });
  expect(await world.money(caller)).toMatchObject({ balance: 5.5 });
  const large = { ...order, amount: 500, key: newKey() };
  const { body } = await change("bob", "adjust", large);
  expect(await change("bob", "adjust", large)).toEqual({ status: 200, body });
  expect((await as("grace", "GET", "queue")).body.items).toMatchObject([{ id: body.proposal, amount: "500.00" }]);
  expect(await world.money(caller)).toMatchObject({ balance: 5.5 });
});

test("a refund is previewed with what becomes a debt, and sent once", async () => {
  const other = await world.service.signUp();
  const { paymentId } = await world.paid(other, { amount: 20 });
  await world.spend(other, 15);
  const preview = (query: string) => as("eve", "GET", `payments/${paymentId}/refund${query}`);
  expect((await preview("")).body).toMatchObject({
    amount: "20.00",
    left: "20.00",
    unspent: "5.00",
    debt: "15.00",
    alone: "20.00",
  });
  expect((await preview("?amount=1.50")).body).toMatchObject({ amount: "1.50", debt: "0.00" });
  expect((await preview("?amount=21")).status).toBe(409);
  const order = { amount: "1.50", key: newKey(), reason: "Asked for by phone" };
  const refund = (more: object) => as("eve", "POST", `payments/${paymentId}/refund`, { ...order, ...more });
  expect(await refund({})).toEqual({ status: 200, body: { proposal: null, failure: null } });
  expect(await refund({})).toMatchObject({ status: 409, body: { reason: "operator.done_already" } });
  expect(await refund({ key: newKey() })).toMatchObject({ status: 409, body: { reason: "operator.done_before" } });
  expect(await refund({ key: newKey(), amount: "18.50" })).toMatchObject({
    status: 409,
    body: { reason: "operator.refund_spent" },
  });
  expect((await refund({ key: newKey(), amount: "18.50", force: true })).body).toMatchObject({ failure: null });
  expect(await world.money(other)).toMatchObject({ balance: 0, debt: 15 });
  expect((await change("bob", "write-off")).body).toEqual({ proposal: null });
});

test("an account that a dispute froze, with more credit than one operator may release, is unfrozen by two", async () => {
  const other = await world.service.signUp();
  await world.paid(other, { amount: 150 });
  const { sessionId } = await world.paid(other, { amount: 20 });
  await world.hear("charge.dispute.created", world.stripe.dispute(sessionId, "needs_response"));
  const { status, body } = await as("bob", "POST", `customers/${other.id}/unfreeze`);
  expect([status, body.changed]).toEqual([200, false]);
  const confirm = async (operator: string) => (await as(operator, "POST", `approvals/${body.proposal}/confirm`)).status;
  expect([await confirm("bob"), await world.statusOf(other)]).toEqual([409, "frozen"]);
  expect([await confirm("ada"), await world.statusOf(other)]).toEqual([200, "active"]);
  expect((await as("eve", "POST", `customers/${other.id}/freeze`, { because: "calls", reason: "A script" })).status).toBe(200);
  expect((await as("bob", "POST", `customers/${other.id}/unfreeze`)).body).toEqual({ changed: true, proposal: null });
});

test("a question is shown with the call or the payment that it is about, and with its answer", async () => {
  const { handle } = world.database;
  const asked = async (about: { call?: string; payment?: string; answer?: string }) => {
    const at = world.service.clock.now();
    const { rows: made } = await handle.pool.query<{ number: string }>(
      `insert into support_case (id, customer_id, topic, message, call_id, payment_id, state, answer, created_at, answered_at)
       values (gen_random_uuid(), $1, 'other', 'Why?', $2, $3, $4, $5, $6, $7)
       returning number`,
      [
        ...[caller.id, about.call ?? null, about.payment ?? null],
        ...(about.answer === undefined ? ["open", null, at, null] : ["answered", about.answer, at, at]),
      ],
    );
    const { body } = await as("eve", "GET", `cases/${made[0]?.number}`);
    return { call: body.call, payment: body.payment, answer: body.answer };
  };
  const other = await world.service.signUp();
  const { paymentId: payment } = await world.paid(other, { amount: 12 });
  const [call = ""] = await insertPastCalls(handle.db, [{ customerId: caller.id, createdAt: world.service.clock.now() }]);
  expect(await asked({})).toEqual({ call: null, payment: null, answer: null });
  expect(await asked({ call })).toMatchObject({ call: { id: call }, payment: null });
  expect(await asked({ payment })).toMatchObject({
    call: null,
    payment: { id: payment, amount: "12.00" },
  });
  expect(await asked({ answer: "Because." })).toMatchObject({ answer: { text: "Because." } });
});

test("the comparison with the payment provider is empty before the first one", async () => {
  expect((await as("bob", "GET", "reconciliation")).body).toEqual({ latest: null, differences: [] });
});
