import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import { consoleApp, type ConsoleApp } from "../../test/worlds/console-app.ts";
import { operate } from "../../test/operate.ts";
import { asOperator } from "../../test/test-context.ts";
import { BillingWorld } from "../../test/worlds/billing-world.ts";
import { openApprovals, peopleRoutes, auditLogRoutes, rightToDecide } from "../operator/operator.ts";
import { queueRoutes } from "../queue/queue.ts";
import { operationRoutes } from "./operations.ts";

let world: BillingWorld;
let app: ConsoleApp;
beforeAll(async () => {
  world = await BillingWorld.start();
  app = consoleApp(world.service.ctx, operationRoutes, queueRoutes, auditLogRoutes, peopleRoutes);
});
afterAll(async () => {
  await app.close();
  await world.close();
});

/** A refund that Bob proposes. */
async function proposed(): Promise<{ id: string; email: string }> {
  const caller = await world.service.signUp();
  const { paymentId } = await world.paid(caller, { amount: 150 });
  const order = { payment: paymentId, force: false, reason: "Asked for by phone" };
  await expect(operate(asOperator(world.service.ctx, "bob"), "refund", order)).rejects.toMatchObject({ code: "conflict" });
  const [waiting] = await queueOf("grace");
  return waiting!.approval;
}

/** The proposals that an operator sees in the queue. */
async function queueOf(operator: string): Promise<{ id: string; approval: any }[]> {
  return (await app.as(operator, "GET", "queue?kind=approval")).body.items;
}

test("a proposal shows its maker, reason and amount, and is confirmed by an operator other than its maker", async () => {
  const { id } = await proposed();
  const seenBy = async (operator: string) => (await queueOf(operator)).find((one) => one.id === id)?.approval;
  expect(await seenBy("grace")).toMatchObject({
    action: "refund",
    amount: "150.00",
    reason: "Asked for by phone",
    customer: { email: expect.stringContaining("@") },
    proposed_by: { name: "bob" },
    can: ["confirm", "reject"],
  });
  expect([(await seenBy("bob")).can, await seenBy("eve")]).toEqual([["withdraw"], undefined]);
  const confirm = async (operator: string) => {
    const { status, body } = await app.as(operator, "POST", `approvals/${id}/confirm`);
    return [status, body.code ?? body];
  };
  expect(await confirm("bob")).toEqual([409, "conflict"]);
  expect(await confirm("eve")).toEqual([403, "forbidden"]);
  expect(await confirm("grace")).toEqual([200, { failure: null }]);
  expect(await confirm("grace")).toEqual([404, "not_found"]);
});

test("confirming a deck or a setting takes another right than confirming money", () => {
  const rights = ["refund", "activate-deck", "set-setting"].map((action) => rightToDecide({ action }));
  expect(rights).toEqual(["money", "decks", "settings"]);
  expect(() => rightToDecide({ action: "fly" })).toThrow("does not know");
});

/** Ends a proposal as an operator. @returns the status */
async function end(name: string, id: string, how: "reject" | "withdraw", reason = "The customer called back"): Promise<number> {
  return (await app.as(name, "POST", `approvals/${id}/${how}`, { reason })).status;
}

test("a proposal is rejected, with a reason, by whoever may confirm it, and not by its maker", async () => {
  const { id } = await proposed();
  expect(await end("eve", id, "reject")).toBe(403);
  expect(await end("bob", id, "reject")).toBe(409);
  expect(await end("grace", id, "reject", " ")).toBe(422);
  expect([await end("grace", id, "reject"), await end("grace", id, "reject")]).toEqual([204, 404]);
  expect(await queueOf("grace")).toEqual([]);
});

test("rejecting a proposed setting takes the right to change settings", async () => {
  const { ctx } = world.service;
  const change = { setting: "carrier-costs.spend-per-day", value: "5000", from: null, reason: "A new carrier" };
  await expect(operate(asOperator(ctx, "grace"), "set-setting", change)).rejects.toMatchObject({ code: "conflict" });
  const [proposal] = await openApprovals(ctx);
  const reject = (name: string) =>
    operate(asOperator(ctx, name), "reject-proposal", { proposal: proposal?.id ?? "", reason: "Too much" });
  await expect(reject("bob")).rejects.toMatchObject({ code: "forbidden" });
  await reject("ana");
});

test("a proposal is withdrawn by its maker alone, and the database refuses anybody else", async () => {
  const { id } = await proposed();
  expect(await end("grace", id, "withdraw")).toBe(409);
  const { db } = world.database.handle;
  const write = (state: string) =>
    sql`update approval set state = ${state}, decided_at = now(),
      decided_by = (select id from operator where name = ${state === "withdrawn" ? "grace" : "bob"}) where id = ${id}`.execute(
      db,
    );
  await expect(write("withdrawn")).rejects.toThrow("approval_withdrawn");
  await expect(write("rejected")).rejects.toThrow("approval_by_another");
  expect([await end("bob", id, "withdraw"), await end("bob", id, "withdraw")]).toEqual([204, 404]);
  const { rows } = await sql`select operator, reason, detail from operation where action = 'withdraw-proposal'`.execute(db);
  expect(rows).toMatchObject([{ operator: "bob", reason: "The customer called back", detail: { action: "refund" } }]);
});

test("the audit log is paged without gaps, and filtered by operator and action", async () => {
  const joan = (n: number) => ({ email: `joan${n}@example.com`, name: "Joan", role: "support", reason: `Number ${n}` });
  for (let n = 0; n < 60; n += 1) expect((await app.as("grace", "POST", "operators", joan(n))).status).toBe(201);
  const read = async (query: string) => (await app.as("grace", "GET", `audit-log?${query}`)).body;
  const first = await read("action=invite-operator");
  expect(first.operations).toHaveLength(50);
  const second = await read(`action=invite-operator&cursor=${first.next_cursor}`);
  expect(second.next_cursor).toBeNull();
  const reasons = [...first.operations, ...second.operations].map(({ reason }) => reason);
  expect(reasons).toEqual(Array.from({ length: 60 }, (_, n) => `Number ${59 - n}`));
  const { operations } = await read(`operator=${first.operations[0].operator.id}&action=refund`);
  expect(operations.every((one: { operator: { name: string }; action: string }) => one.operator.name === "grace")).toBe(true);
  expect((await app.as("eve", "GET", "audit-log")).status).toBe(403);
});

test("an administrator manages operators at the console", async () => {
  const mary = { email: "mary@example.com", name: "Mary", role: "support", reason: "New" };
  const link = await app.as("grace", "POST", "operators", mary);
  expect(link.body.url).toContain("/operator/invitation#fo_");
  const find = async () =>
    (await app.as("grace", "GET", "operators")).body.operators.find(({ name }: { name: string }) => name === "Mary");
  const { id } = await find();
  const act = async (what: string, payload: object = {}) => {
    const method = what === "role" ? "PUT" : "POST";
    return (await app.as("grace", method, `operators/${id}/${what}`, { reason: "Why", ...payload })).status;
  };
  expect(await act("role", { role: "finance" })).toBe(204);
  expect(await find()).toMatchObject({
    role: "finance",
    password: false,
    passkeys: 0,
    sessions: 0,
    invited_until: expect.any(String),
  });
  expect([await act("link"), await act("end-sessions"), await act("remove"), await act("remove")]).toEqual([200, 204, 204, 404]);
});
