import { HOUR_MS } from "@farline/domain/durations.ts";
import { countQueue, readQueue } from "./read-queue.ts";
import { operate } from "../../test/operate.ts";
import { queueKinds } from "@farline/contract/constants.ts";
import { queueWords } from "@farline/contract/operator/words/timeline-words.ts";
import { sql } from "kysely";
import { uuidv7 } from "uuidv7";
import { afterAll, beforeAll, expect, test } from "vitest";
import { insertPastCalls } from "../../test/past-calls.ts";
import { asOperator } from "../../test/test-context.ts";
import { BillingWorld } from "../../test/worlds/billing-world.ts";
import type { BillingClient } from "../../test/worlds/billing-service.ts";
import type { QueueRow } from "./queue.store.ts";

let world: BillingWorld;
let caller: BillingClient;
let dispute: { id: string };
let disputedSession: string;
let dueSeconds: number;
let slow: object;
beforeAll(async () => {
  world = await BillingWorld.start();
  caller = await world.service.signUp();
  const other = await world.service.signUp();
  const { db } = world.database.handle;
  const now = () => world.service.clock.now();
  const withdrawn = await world.paid(other, { amount: 5 });
  world.stripe.refundsAre = "pending";
  await other.post("withdrawals", { amount: 5 });
  slow = world.stripe.session(withdrawn.sessionId).refunds[0]!;
  await world.hear("refund.updated", Object.assign(slow, { pending_reason: "insufficient_funds" }));
  world.service.clock.advance(48 * HOUR_MS);
  expect((await readQueue(as("grace"), { order: "due", limit: 9 })).rows).toEqual([]);
  const refunded = await world.paid(caller, { amount: 150 });
  const order = { payment: refunded.paymentId, force: false, reason: "Asked by phone" };
  await expect(operate(asOperator(world.service.ctx, "bob"), "refund", order)).rejects.toMatchObject({ code: "conflict" });
  world.service.clock.advance(HOUR_MS);
  const [call = ""] = await insertPastCalls(db, [{ customerId: caller.id, createdAt: now(), chargeMicros: 7_000_000n }]);
  await sql`insert into support_case (id, customer_id, topic, message, call_id, created_at)
    values (${uuidv7()}, ${caller.id}, 'charge', 'Why so much?', ${call}, ${now()})`.execute(db);
  await sql`insert into call_refund_request (call_id, customer_id, reason, note, evidence, created_at)
    values (${call}, ${caller.id}, 'no_audio', 'Silence', '{}', ${now()})`.execute(db);
  const { sessionId } = await world.paid(other, { amount: 20 });
  dispute = world.stripe.dispute(sessionId, "needs_response");
  dueSeconds = Math.floor(now().getTime() / 1000) + 3 * 24 * 3600;
  Object.assign(dispute, { evidence_details: { due_by: dueSeconds } });
  await world.hear("charge.dispute.created", dispute);
  disputedSession = sessionId;
});
afterAll(() => world.close());

const titleOf = (row: Pick<QueueRow, "kind" | "code" | "state">) => {
  const { title, note } = queueWords({ ...row, amount: null });
  return `${title}: ${note}`;
};
const as = (name: string) => asOperator(world.service.ctx, name);
const kindsOf = async (name: string) => (await readQueue(as(name), { order: "due", limit: 100 })).rows.map(({ kind }) => kind);

test("the queue lists what is due first, with its customer and the money at stake", async () => {
  const { rows, nextCursor } = await readQueue(as("grace"), { order: "due", limit: 100 });
  expect(nextCursor).toBeNull();
  expect(rows.map((row) => [row.kind, Number(row.amount_micros) / 1e6, titleOf(row)])).toEqual([
    ["review", 0, "Frozen account: "],
    ["approval", 150, "Proposal: Refund"],
    ["question", 7, "Question: a charge"],
    ["refund_request", 7, "Refund of a call: no sound"],
    ["dispute", 20, "Dispute: the owner says they did not pay"],
    ["slow_refund", 5, "Pending withdrawal: our balance at the provider is too low"],
  ]);
  expect(rows[2]).toMatchObject({ text: "Why so much?", customer_id: caller.id, email: expect.stringContaining("@") });
  expect(rows[4]).toMatchObject({ id: dispute.id, due: new Date(dueSeconds * 1_000) });
  expect(rows[5]).toMatchObject({ text: expect.stringContaining("Add funds there"), facts: { method: "visa 4242" } });
});

test("ordered by money, the largest amount comes first; pages have no gap and no repetition", async () => {
  const seen: string[] = [];
  let cursor: string | undefined;
  do {
    const page = await readQueue(as("grace"), { order: "money", limit: 2, cursor });
    seen.push(...page.rows.map(({ kind }) => kind));
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
  expect(seen).toEqual(["approval", "dispute", "question", "refund_request", "slow_refund", "review"]);
  for (const wrong of ["x", `${"9".repeat(19)}~question:1`])
    await expect(readQueue(as("grace"), { order: "due", limit: 2, cursor: wrong })).rejects.toMatchObject({
      code: "malformed_request",
    });
});

test("one case is read by its id, until it no longer waits", async () => {
  const wanted = { kind: "dispute", id: dispute.id, order: "due", limit: 9 } as const;
  expect((await readQueue(as("grace"), wanted)).rows).toMatchObject([
    { id: dispute.id, name: expect.any(String), language: "en" },
  ]);
  expect((await readQueue(as("grace"), { ...wanted, id: "dp_none" })).rows).toEqual([]);
  expect((await readQueue(as("eve"), wanted)).rows).toEqual([]);
});

test.each(queueKinds)("the queue shows only the kind %s when it is asked for", async (kind) => {
  const { rows } = await readQueue(as("grace"), { kind, order: "due", limit: 100 });
  expect(rows.map((row) => row.kind)).toEqual([kind]);
});

test("each role sees only what it may answer, and its own proposals", async () => {
  expect(await kindsOf("bob")).toEqual(["review", "approval", "question", "refund_request", "dispute", "slow_refund"]);
  expect(await kindsOf("eve")).toEqual(["question", "refund_request", "slow_refund"]);
  expect((await readQueue(as("eve"), { kind: "dispute", order: "due", limit: 9 })).rows).toEqual([]);
  const counts = (await countQueue(as("eve"))).map(({ kind, waiting }) => [kind, waiting]);
  expect(counts).toEqual([
    ["question", 1],
    ["refund_request", 1],
    ["approval", 0],
    ["slow_refund", 1],
  ]);
});

test("what was answered, decided or has expired no longer waits", async () => {
  const { db } = world.database.handle;
  await sql`update support_case set state = 'closed', closed_at = now()`.execute(db);
  await sql`update call_refund_request set state = 'declined', decided_at = now(), decided_by = 'eve'`.execute(db);
  await world.hear("charge.dispute.updated", world.stripe.dispute(disputedSession, "under_review"));
  world.service.clock.advance(24 * HOUR_MS);
  expect(await kindsOf("grace")).toEqual(["review", "slow_refund"]);
  await world.hear("refund.updated", Object.assign(slow, { status: "succeeded", pending_reason: undefined }));
  expect(await kindsOf("grace")).toEqual(["review"]);
});

test.each([
  ["succeeded", "arrives"],
  ["failed", "fails"],
  ["canceled", "is cancelled"],
])("a refund that waits says its reason, an unknown one as written, and leaves when its status is %s: it %s", async (status) => {
  const person = await world.service.signUp();
  const { sessionId } = await world.paid(person, { amount: 20 });
  await person.post("withdrawals", { amount: 5 });
  const [refund] = world.stripe.session(sessionId).refunds;
  const waiting = async () =>
    (await readQueue(as("grace"), { order: "due", limit: 9, kind: "slow_refund" })).rows.map((row) => [titleOf(row), row.text]);
  world.service.clock.advance(48 * HOUR_MS + 1);
  expect(await waiting()).toEqual([["Pending withdrawal: ", "Look it up at the payment provider."]]);
  await world.hear("refund.updated", Object.assign(refund!, { pending_reason: "new_word" }));
  expect(await waiting()).toEqual([["Pending withdrawal: new word", "Look it up at the payment provider."]]);
  await world.hear("refund.updated", Object.assign(refund!, { status: "requires_action" }));
  expect(await waiting()).toEqual([
    ["Pending withdrawal: the customer must say where the money should go", expect.stringContaining("mailed the customer")],
  ]);
  await world.hear("refund.updated", Object.assign(refund!, { status }));
  expect(await waiting()).toEqual([]);
  expect(await world.money(person)).toMatchObject({ balance: status === "succeeded" ? 15 : 20 });
});

test.each([
  ["appeal_needs_response", "Appeal of a lost dispute: the owner says they did not pay"],
  ["second_arbitration", "Dispute in a status we do not know: Second arbitration: the owner says they did not pay"],
])("a dispute in the status %s waits under its own title", async (status, title) => {
  const { sessionId } = await world.paid(await world.service.signUp(), { amount: 20 });
  const changed = world.stripe.dispute(sessionId, status);
  await world.hear("charge.dispute.updated", changed);
  const { rows } = await readQueue(as("grace"), { order: "due", limit: 100, kind: "dispute" });
  expect(rows.filter(({ id }) => id === changed.id).map(titleOf)).toEqual([title]);
});
