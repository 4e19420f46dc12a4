import { afterAll, beforeAll, expect, test } from "vitest";
import { createTestApp } from "../../test/create-test-app.ts";
import { operatorToken } from "../../test/operators.ts";
import { asOperator } from "../../test/test-context.ts";
import { TestBrowser } from "../../test/worlds/account-app.ts";
import { BillingWorld } from "../../test/worlds/billing-world.ts";
import { orderRefund } from "../billing/billing.ts";
import { operatorGuard, peopleRoutes, recordRoutes, rightToDecide } from "../operator/operator.ts";
import type { App } from "../platform/http/http.ts";
import { approvalRoutes } from "./approvals.ts";

let world: BillingWorld;
let app: App;
beforeAll(async () => {
  world = await BillingWorld.start();
  const { ctx } = world.service;
  app = createTestApp({ log: ctx.log, trustedProxies: 0, guards: { operator: operatorGuard(ctx) } });
  approvalRoutes(app, ctx);
  recordRoutes(app, ctx);
  peopleRoutes(app, ctx);
});
afterAll(async () => {
  await app.close();
  await world.close();
});

/** The browser of a test operator who has just signed in. */
async function browserOf(name: string): Promise<TestBrowser> {
  const { pool } = world.database.handle;
  const token = await operatorToken((sql, values) => pool.query(sql, values), name, { at: world.service.clock.now() });
  const browser = new TestBrowser(app);
  browser.cookies["__Host-operator"] = token;
  return browser;
}

/** A refund that Bob proposes. */
async function proposed(): Promise<{ id: string; email: string }> {
  const caller = await world.service.signUp();
  const { paymentId } = await world.paid(caller, { amount: 150 });
  const order = { paymentId, amountMicros: null, force: false, reason: "Asked for by phone" };
  await expect(orderRefund(asOperator(world.service.ctx, "bob"), order)).rejects.toMatchObject({ code: "conflict" });
  const listed = (await (await browserOf("grace")).request("GET", "/api/operator/approvals")).json().approvals;
  return listed.at(-1);
}

test("a proposal shows its maker, reason and amount, and is confirmed by another operator than its maker", async () => {
  const { id } = await proposed();
  const [bob, grace, eve] = await Promise.all(["bob", "grace", "eve"].map(browserOf));
  const seenBy = async (browser: TestBrowser | undefined) =>
    (await browser!.request("GET", "/api/operator/approvals")).json().approvals.find((one: { id: string }) => one.id === id);
  expect(await seenBy(grace)).toMatchObject({
    action: "refund",
    amount: "150.00",
    reason: "Asked for by phone",
    customer: { email: expect.stringContaining("@") },
    proposed_by: { name: "bob" },
    may_confirm: true,
  });
  expect([(await seenBy(bob)).may_confirm, (await seenBy(eve)).may_confirm]).toEqual([false, false]);
  const confirm = async (browser: TestBrowser | undefined) => {
    const answer = await browser!.request("POST", `/api/operator/approvals/${id}/confirm`);
    return [answer.statusCode, answer.json().code ?? answer.json()];
  };
  expect(await confirm(bob)).toEqual([409, "conflict"]);
  expect(await confirm(eve)).toEqual([403, "forbidden"]);
  expect(await confirm(grace)).toEqual([200, { failure: null }]);
  expect(await confirm(grace)).toEqual([404, "not_found"]);
});

test("confirming a deck or a setting takes another right than confirming money", () => {
  const rights = ["refund", "activate-deck", "set-setting"].map((action) => rightToDecide({ action }));
  expect(rights).toEqual(["money", "decks", "settings"]);
  expect(() => rightToDecide({ action: "fly" })).toThrow("does not know");
});

test("a proposal is rejected with a reason", async () => {
  const { id } = await proposed();
  const eve = await browserOf("eve");
  const reject = (reason: string) => eve.request("POST", `/api/operator/approvals/${id}/reject`, { payload: { reason } });
  expect((await reject(" ")).statusCode).toBe(422);
  expect((await reject("The customer called back")).statusCode).toBe(204);
  expect((await eve.request("GET", "/api/operator/approvals")).json()).toEqual({ approvals: [] });
});

test("the record is paged without gaps, and filtered by operator and action", async () => {
  const grace = await browserOf("grace");
  const invite = (n: number) =>
    grace.request("POST", "/api/operator/operators", {
      payload: { email: `joan${n}@example.com`, name: "Joan", role: "support", reason: `Number ${n}` },
    });
  for (let n = 0; n < 60; n += 1) expect((await invite(n)).statusCode).toBe(201);
  const read = async (query: string) => (await grace.request("GET", `/api/operator/record?${query}`)).json();
  const first = await read("action=invite-operator");
  expect(first.operations).toHaveLength(50);
  const second = await read(`action=invite-operator&cursor=${first.next_cursor}`);
  expect(second.next_cursor).toBeNull();
  const reasons = [...first.operations, ...second.operations].map(({ reason }) => reason);
  expect(reasons).toEqual(Array.from({ length: 60 }, (_, n) => `Number ${59 - n}`));
  const { operations } = await read(`operator=${first.operations[0].operator.id}&action=refund`);
  expect(operations.every((one: { operator: { name: string }; action: string }) => one.operator.name === "grace")).toBe(true);
  expect((await (await browserOf("eve")).request("GET", "/api/operator/record")).statusCode).toBe(403);
});

test("an administrator manages operators at the console", async () => {
  const grace = await browserOf("grace");
  const link = await grace.request("POST", "/api/operator/operators", {
    payload: { email: "mary@example.com", name: "Mary", role: "support", reason: "New" },
  });
  expect(link.json().url).toContain("/operator/invitation#fo_");
  const find = async () =>
    (await grace.request("GET", "/api/operator/operators"))
      .json()
      .operators.find(({ name }: { name: string }) => name === "Mary");
  const { id } = await find();
  const act = async (what: string, payload: object = {}) => {
    const method = what === "role" ? "PUT" : "POST";
    return (
      await grace.request(method as "POST", `/api/operator/operators/${id}/${what}`, { payload: { reason: "Why", ...payload } })
    ).statusCode;
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
