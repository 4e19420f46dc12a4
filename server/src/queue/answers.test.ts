import { parse } from "csv-parse/sync";
import { sql } from "kysely";
import { uuidv7 } from "uuidv7";
import { afterAll, beforeAll, expect, test } from "vitest";
import { consoleApp, type ConsoleApp } from "../../test/worlds/console-app.ts";
import { insertPastCalls } from "../../test/past-calls.ts";
import type { BillingClient } from "../../test/worlds/billing-service.ts";
import { BillingWorld } from "../../test/worlds/billing-world.ts";
import { ledger } from "../ledger/ledger.ts";
import { operationRoutes } from "../operations/operations.ts";
import { queueRoutes } from "./queue.ts";

let world: BillingWorld;
let app: ConsoleApp;
let caller: BillingClient;
beforeAll(async () => {
  world = await BillingWorld.start();
  app = consoleApp(world.service.ctx, queueRoutes, operationRoutes);
  caller = await world.service.signUp();
});
afterAll(async () => {
  await app.close();
  await world.close();
});

const post = (name: string, path: string, payload: object) => app.as(name, "POST", path, payload);

async function waiting(): Promise<{ kind: string; id: string; provider_url: string | null }[]> {
  return (await app.as("grace", "GET", "queue")).body.items;
}

async function recorded(action: string) {
  const { rows } =
    await sql<any>`select operator, customer_id, subject, reason, detail from operation where action = ${action}`.execute(
      world.database.handle.db,
    );
  return rows;
}

async function ask(): Promise<string> {
  const { db } = world.database.handle;
  const { rows } = await sql<{ number: string }>`insert into support_case (id, customer_id, topic, message, created_at)
    values (${uuidv7()}, ${caller.id}, 'other', 'When?', ${world.service.clock.now()}) returning number::text`.execute(db);
  return rows[0]?.number ?? "";
}

/** A call that was charged. */
async function charged({ dollars, destination = "+447400123450" }: { dollars: number; destination?: string }): Promise<string> {
  const { db } = world.database.handle;
  const micros = BigInt(dollars) * 1_000_000n;
  const [call = ""] = await insertPastCalls(db, [
    {
      customerId: caller.id,
      createdAt: world.service.clock.now(),
      destination,
      durationMs: dollars * 60_000,
      chargeMicros: micros,
    },
  ]);
  await ledger.hold(db, { holdId: call, customerId: caller.id, wantMicros: micros, leastMicros: micros });
  await ledger.postHold(db, { holdId: call, chargeMicros: micros, description: "Call" });
  return call;
}

async function requestRefund(): Promise<string> {
  const { db } = world.database.handle;
  const createdAt = world.service.clock.now();
  const call = await charged({ dollars: 2 });
  await sql`insert into call_refund_request (call_id, customer_id, reason, note, evidence, created_at)
    values (${call}, ${caller.id}, 'no_audio', '', '{}', ${createdAt})`.execute(db);
  return call;
}

async function disputed(dollars: number): Promise<{ disputeId: string; paymentId: string }> {
  const { sessionId, paymentId } = await world.paid(caller, { amount: dollars }, "visa 4242");
  const dispute = world.stripe.dispute(sessionId, "needs_response");
  await world.hear("charge.dispute.created", dispute);
  return { disputeId: dispute.id, paymentId };
}

test("of two operators who answer a question at once, the second learns that it is answered", async () => {
  const number = await ask();
  const answers = await Promise.all(["eve", "bob"].map((name) => post(name, `cases/${number}/answer`, { answer: "On Monday." })));
  expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([204, 409]);
  expect((await post("eve", `cases/${await ask()}/close`, { reason: "Spam" })).status).toBe(204);
  expect((await post("eve", "cases/999999/close", { reason: "Spam" })).status).toBe(404);
  expect((await waiting()).filter(({ kind }) => kind === "question")).toEqual([]);
});

test("a refund is granted once, however often it is confirmed, and declined only with a reason", async () => {
  await world.paid(caller, { amount: 20 });
  const granted = await requestRefund();
  const grants = await Promise.all([1, 2].map(() => post("eve", `calls/${granted}/refund`, { reason: null, answer: null })));
  expect(grants.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 404]);
  expect(await world.lines(caller)).toEqual(["top_up", "call", "call_refund"]);
  const declined = await requestRefund();
  expect((await post("eve", `refund-requests/${declined}/decline`, { answer: " " })).status).toBe(422);
  expect((await post("eve", `refund-requests/${declined}/decline`, { answer: "The line was fine." })).status).toBe(204);
  expect((await post("eve", "refund-requests/x/decline", { answer: "No." })).status).toBe(404);
});

test("a frozen account waits until it is unfrozen or kept frozen, and for each new finding", async () => {
  const fine = { ofReview: true, reason: "Fine" };
  await disputed(10);
  expect(await waiting()).toContainEqual(expect.objectContaining({ kind: "review", id: caller.id }));
  expect((await post("eve", `customers/${caller.id}/unfreeze`, fine)).status).toBe(403);
  expect((await post("bob", `customers/${caller.id}/keep-frozen`, { reason: "A stolen card" })).status).toBe(204);
  expect(await world.statusOf(caller)).toBe("frozen");
  expect((await post("grace", `customers/${caller.id}/unfreeze`, fine)).body.message).toContain("decided");
  await disputed(10);
  expect((await post("grace", `customers/${caller.id}/unfreeze`, fine)).status).toBe(200);
  expect(await world.statusOf(caller)).toBe("active");
  expect((await recorded("keep-frozen")).map(({ reason }: { reason: string }) => reason)).toEqual(["A stolen card"]);
});

test("a dispute leaves the queue when it was handled, until the bank asks for evidence once more", async () => {
  const { sessionId } = await world.paid(caller, { amount: 20 });
  const inquiry = world.stripe.dispute(sessionId, "warning_needs_response");
  await world.hear("charge.dispute.created", inquiry);
  const ids = async () => (await waiting()).filter(({ kind }) => kind === "dispute").map(({ id }) => id);
  expect(await ids()).toContain(inquiry.id);
  const handle = (name: string) => post(name, `disputes/${inquiry.id}/handled`, { as: "answered", reason: "Sent the calls" });
  expect((await handle("eve")).status).toBe(403);
  expect([(await handle("bob")).status, (await handle("grace")).body.message]).toEqual([
    204,
    "This dispute no longer needs our answer: answered with evidence.",
  ]);
  expect(await ids()).not.toContain(inquiry.id);
  await world.hear("charge.dispute.updated", world.stripe.dispute(sessionId, "needs_response"));
  expect(await ids()).toContain(inquiry.id);
  expect((await post("bob", "disputes/dp_none/handled", { as: "accepted", reason: "Cheap" })).status).toBe(404);
});

test("the evidence has the payment, its receipt and the calls made with its credit, with masked numbers", async () => {
  caller = await world.service.signUp();
  const earlier = await world.paid(caller, { amount: 5 });
  world.service.clock.advance(1_000);
  const disputedPayment = await world.paid(caller, { amount: 10 });
  await world.paid(caller, { amount: 5 });
  for (const [index, dollars] of [5, 4, 6, 3].entries()) {
    world.service.clock.advance(60_000);
    await charged({ dollars, destination: `+44740012345${index}` });
  }
  const dispute = world.stripe.dispute(disputedPayment.sessionId, "needs_response");
  await world.hear("charge.dispute.created", dispute);
  expect((await post("eve", `disputes/${dispute.id}/evidence`, { reason: "For the bank" })).status).toBe(403);
  const { status, body } = await post("bob", `disputes/${dispute.id}/evidence`, { reason: "For the bank" });
  expect([status, body.name]).toEqual([200, `evidence-${dispute.id}.csv`]);
  const rows: string[][] = parse(body.csv, { bom: true, relax_column_count: true });
  const of = (what: string) => rows.filter((row) => row[1] === what).map((row) => row.slice(3));
  expect(of("call")).toEqual([
    ["44******451", "240", "4.00"],
    ["44******452", "360", "6.00"],
  ]);
  expect(of("payment")).toEqual([["", "", "10.00"]]);
  expect(rows.filter(([, what]) => what === "payment").map(([, , detail]) => detail)).toEqual([
    `${disputedPayment.intentId}, Visa •••• 4242`,
  ]);
  expect(rows.filter(([, what]) => what === "call").map(([, , detail]) => detail)).toEqual(
    Array.from({ length: 2 }, () => expect.stringMatching(/^United Kingdom [a-z ]+$/)),
  );
  expect(rows.map((row) => row[1])).toContain("account opened");
  expect(JSON.stringify(rows)).not.toContain(earlier.intentId);
  expect(await recorded("export-evidence")).toMatchObject([{ operator: "bob", customer_id: caller.id, subject: dispute.id }]);
  expect((await post("bob", "disputes/dp_none/evidence", { reason: "For the bank" })).status).toBe(404);
});

test("who has a case open is seen by others until it is taken over, or no longer open for two minutes", async () => {
  const number = await ask();
  const { clock } = world.service;
  const open = async (name: string, more: object = {}) =>
    (await post(name, "queue/open", { kind: "question", id: number, ...more })).body.held_by;
  const listed = async (name: string) => (await app.as(name, "GET", `queue?kind=question&id=${number}`)).body.items[0].held_by;
  const since = clock.now().toISOString();
  expect(await open("grace")).toBeNull();
  clock.advance(60_000);
  expect(await open("eve")).toEqual({ name: "grace", since });
  expect([await listed("eve"), await listed("grace")]).toEqual([{ name: "grace", since }, null]);
  clock.advance(50_000);
  expect(await open("grace")).toBeNull();
  const taken = clock.now().toISOString();
  clock.advance(1_000);
  expect(await open("eve", { take_over: true })).toBeNull();
  expect(await open("grace")).toMatchObject({ name: "eve" });
  expect(Date.parse((await listed("grace")).since)).toBeLessThan(Date.parse(taken));
  clock.advance(121_000);
  expect(await listed("grace")).toBeNull();
  await open("eve");
  expect(await post("eve", "queue/open", { kind: "question", id: "1" })).toMatchObject({ status: 200 });
  expect(await listed("grace")).toBeNull();
  await post("grace", `cases/${number}/close`, { reason: "Spam" });
});
