import { randomUUID } from "node:crypto";
import { sql } from "kysely";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { passTime, type RunningCall, startRunningCall } from "../../../test/running-call.ts";
import { type CallWorld, createCallWorld } from "../../../test/worlds/call-world.ts";
import { familyOf } from "../../../test/worlds/family-of.ts";
import type { Customer } from "../../accounts/accounts.ts";
import { endSession, endSessionsOf, SESSION_ENDINGS, type SessionEnding } from "../../accounts/session/session.store.ts";
import { cutCalls } from "./cut-calls.ts";

/** From the end of a session to the end of its call. */
const WITHIN_SECONDS = 5;

let world: CallWorld;
beforeAll(async () => {
  world = await createCallWorld({ limitsScale: 0 });
});
afterAll(() => world.close());
beforeEach(() => {
  world.provider.calmDown();
  world.provider.extraCommands.push("move");
});

/** The session that makes a test customer's calls has the customer's id. */
const end = (customer: Customer, by: SessionEnding) =>
  endSession(world.database.handle.db, { id: customer.id, customerId: customer.id }, { by, at: world.clock.now() });

function hangUps(leg: RunningCall["leg"]): number {
  return world.provider.commandsOf("hangup").filter(({ path }) => path.includes(leg.far) || path.includes(leg.parked)).length;
}

describe.each(Object.keys(SESSION_ENDINGS) as SessionEnding[])("a session that ends by %s", (by) => {
  const ends = SESSION_ENDINGS[by].calls === "end";

  test(`${ends ? "ends" : "keeps"} its running call, which is charged for its talk time`, async () => {
    const running = await startRunningCall(world);
    await passTime(world, 30);
    await end(running.customer, by);
    await passTime(world, WITHIN_SECONDS);
    expect(hangUps(running.leg) > 0).toBe(ends);
    await running.end(35_000, { source: "unknown" });
    const call = await world.readCall(running.customer, running.id);
    expect(call).toMatchObject({ status: "completed", end_reason: ends ? "signed_out" : "hangup", duration_seconds: 35 });
    expect(Number(call.cost)).toBeGreaterThan(0);
    expect((await world.money(running.customer)).heldMicros).toBe(0n);
  });

  test(`${ends ? "ends" : "keeps"} its call that waits for the browser`, async () => {
    const customer = await world.customer();
    const started = await world.initiate(customer);
    await end(customer, by);
    const leg = await world.park(started);
    expect(world.provider.commandsOf("transfer").some(({ path }) => path.includes(leg.parked))).toBe(!ends);
    await passTime(world, WITHIN_SECONDS);
    const { status } = await world.readCall(customer, started.call.id);
    expect(status).toBe(ends ? "failed" : "initiated");
    expect((await world.money(customer)).heldMicros > 0n).toBe(!ends);
  });

  test(`${ends ? "ends" : "keeps"} its call that rings`, async () => {
    const customer = await world.customer();
    const leg = await world.park(await world.initiate(customer));
    await end(customer, by);
    await passTime(world, WITHIN_SECONDS);
    expect(hangUps(leg) > 0).toBe(ends);
  });
});

test.each(["signed_out_here", "expired"] as const)(
  "a call that goes on after its session ended by %s ends when somebody ends the customer's sessions",
  async (by) => {
    const { customer, leg } = await startRunningCall(world);
    await end(customer, by);
    await passTime(world, WITHIN_SECONDS);
    expect(hangUps(leg)).toBe(0);
    const at = world.clock.now();
    await endSessionsOf(world.database.handle.db, { customerId: customer.id, except: null }, { by: "password_changed", at });
    await passTime(world, WITHIN_SECONDS);
    expect(hangUps(leg)).toBeGreaterThan(0);
  },
);

describe("a session that has ended", () => {
  test("makes no call, although its request was already admitted", async () => {
    const customer = await world.customer();
    await end(customer, "password_changed");
    const body = { destination_number: "+442079460000" };
    const answer = await world.request(customer, { method: "POST", path: "/api/calls/initiate", body });
    expect(answer).toMatchObject({ status: 401, body: { code: "unauthenticated" } });
    expect((await world.money(customer)).heldMicros).toBe(0n);
  });

  test("leaves no call when it ends while the call is being made", async () => {
    const customers = await Promise.all(Array.from({ length: 8 }, () => world.customer()));
    const body = { destination_number: "+442079460000" };
    const call = (customer: Customer) => world.request(customer, { method: "POST", path: "/api/calls/initiate", body });
    await Promise.all(customers.flatMap((customer) => [call(customer), end(customer, "signed_out_elsewhere")]));
    await passTime(world, WITHIN_SECONDS);
    for (const customer of customers) expect((await world.money(customer)).heldMicros).toBe(0n);
  });

  test("ends its calls even if its row was deleted without a word", async () => {
    const { customer, leg } = await startRunningCall(world);
    await sql`delete from session where id = ${customer.id}`.execute(world.database.handle.db);
    await passTime(world, WITHIN_SECONDS);
    expect(hangUps(leg)).toBeGreaterThan(0);
  });

  test("ends its call after a crash between the two, and again while the provider does not respond", async () => {
    const running = await startRunningCall(world);
    await end(running.customer, "signed_out_elsewhere");
    const stopped = new AbortController();
    stopped.abort();
    await cutCalls(world.ctx, stopped.signal);
    expect(hangUps(running.leg)).toBe(0);
    await passTime(world, WITHIN_SECONDS);
    const tried = hangUps(running.leg);
    expect(tried).toBeGreaterThan(0);
    await passTime(world, 20);
    expect(hangUps(running.leg)).toBeGreaterThan(tried);
  });
});

describe("a family's call", () => {
  test("belongs to the member's session, not to the owner's", async () => {
    const [owner, member] = [await world.customer({ tier: "trusted" }), await world.customer({ tier: "known" })];
    await familyOf(world).join(owner, member);
    const running = await startRunningCall(world, { customer: member });
    await end(owner, "signed_out_elsewhere");
    await passTime(world, WITHIN_SECONDS);
    expect(hangUps(running.leg)).toBe(0);
    await end(member, "signed_out_elsewhere");
    await passTime(world, WITHIN_SECONDS);
    expect(hangUps(running.leg)).toBeGreaterThan(0);
  });
});

describe("a moved call", () => {
  test("belongs to the session that moved it", async () => {
    const running = await startRunningCall(world);
    const { customer } = running;
    await sql`update call set caller_session_id = ${randomUUID()} where id = ${running.id}`.execute(world.database.handle.db);
    const path = `/api/calls/${running.id}/move`;
    const answer = await world.request(customer, { method: "POST", path, body: { voice_session: randomUUID() } });
    expect(answer.status).toBe(200);
    expect(world.provider.commandsOf("move").at(-1)?.body).toMatchObject({
      session_mark: world.ctx.secrets.sessionMark(customer.id),
    });
    await passTime(world, WITHIN_SECONDS);
    expect(hangUps(running.leg)).toBe(0);
    await end(customer, "signed_out_elsewhere");
    await passTime(world, WITHIN_SECONDS);
    expect(hangUps(running.leg)).toBeGreaterThan(0);
  });
});
