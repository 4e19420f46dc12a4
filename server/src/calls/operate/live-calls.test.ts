import { operate } from "../../../test/operate.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { startRunningCall, type RunningCall } from "../../../test/running-call.ts";
import { asOperator } from "../../../test/test-context.ts";
import { createCallWorld, LONDON, type CallWorld } from "../../../test/worlds/call-world.ts";
import { readLiveCalls } from "./read-live-calls.ts";

let world: CallWorld;
beforeAll(async () => {
  world = await createCallWorld({ limitsScale: 0 });
});
afterAll(() => world.close());
beforeEach(async () => {
  world.provider.calmDown();
  await world.database.handle.pool.query(
    "update call set next_check_at = null, status = 'failed', ended_at = now(), end_reason = 'cancelled' where ended_at is null",
  );
});

const as = (operator: string) => asOperator(world.ctx, operator);
const query = (statement: string, values: unknown[] = []) => world.database.handle.pool.query(statement, values);

/** Moves a call's legs to one of our exchanges, which names itself in their ids. */
async function onExchange(running: RunningCall, exchange: string): Promise<void> {
  await query(
    "update call set parked_call_control_id = $2 || md5(parked_call_control_id), far_call_control_id = $2 || md5(far_call_control_id) where id = $1",
    [running.id, `v3:${exchange}.`],
  );
}

/** Advances the clock with a sweep every five seconds, as in the running service. */
async function pass(seconds: number): Promise<void> {
  for (let passed = 0; passed < seconds; passed += 5) {
    world.clock.advance(5_000);
    await world.sweep();
  }
}

describe("live calls", () => {
  test("show ringing ones too, what each costs so far and the credit left, newest first", async () => {
    const talking = await startRunningCall(world);
    await onExchange(talking, "a");
    await query(
      "insert into call_quality (call_id, second, mos, jitter_ms, loss_pct) values ($1, 5, 4.1, 3, 0), ($1, 10, 3.2, 9, 2)",
      [talking.id],
    );
    world.clock.advance(90_000);
    const customer = await world.customer();
    const ringing = await world.initiate(customer);
    const { calls, more, sums } = await readLiveCalls(as("grace"), {});
    expect([more, sums.talking, sums.ringing]).toEqual([false, 1, 1]);
    expect(calls).toMatchObject([
      { id: ringing.call.id, status: "initiated", charge: "0.00", credit_left: "5.00", exchange: null, email: customer.email },
      { id: talking.id, status: "in-progress", destination: LONDON, exchange: "a", mos: expect.closeTo(3.2), ending: false },
    ]);
    const cost = Number(calls[1]?.charge);
    expect(cost).toBeGreaterThan(0);
    expect(Number(calls[1]?.credit_left)).toBeCloseTo(5 - cost, 6);
    expect((await readLiveCalls(as("eve"), {})).calls.map(({ margin }) => margin)).toEqual([null, null]);
    expect(Number(calls[1]?.margin)).toBeLessThan(cost);
    expect(sums.charge).toBe(calls[1]?.charge);
    expect(sums.margin).toBe(calls[1]?.margin);
    expect((await readLiveCalls(as("eve"), {})).sums.margin).toBeNull();
  });

  test("can be narrowed to a customer, a prefix, a country, a trunk or a state; sums are of all of them", async () => {
    const one = await startRunningCall(world);
    const other = await startRunningCall(world, { number: "+4930901820" });
    await query("update call set trunk = 'spare' where id = $1", [other.id]);
    await query("insert into call_quality (call_id, second, mos, jitter_ms, loss_pct) values ($1, 5, 3.1, 3, 0)", [one.id]);
    const ringing = await world.initiate(await world.customer());
    const read = (filter: object) => readLiveCalls(as("grace"), filter);
    const ids = async (filter: object) => (await read(filter)).calls.map(({ id }) => id);
    expect(await ids({ customer: one.customer.email })).toEqual([one.id]);
    expect(await ids({ prefix: "+49 30" })).toEqual([other.id]);
    expect(await ids({ country: "DE" })).toEqual([other.id]);
    expect(await ids({ trunk: "spare" })).toEqual([other.id]);
    expect(await ids({ state: "ringing" })).toEqual([ringing.call.id]);
    expect(await ids({ state: "bad_sound" })).toEqual([one.id]);
    expect(await ids({ state: "bad_sound", country: "DE" })).toEqual([]);
    await expect(ids({ customer: "nobody@example.com" })).rejects.toMatchObject({ code: "not_found" });
    await expect(ids({ prefix: "030" })).rejects.toMatchObject({ code: "validation_failed" });
    const found = await read({ country: "DE" });
    expect(found).toMatchObject({ matching: 1, sums: { talking: 2, ringing: 1 }, states: { ringing: 1, bad_sound: 1 } });
    expect(found.countries.groups.map(({ key, name, calls }) => `${key} ${name} ${calls}`).toSorted()).toEqual([
      "DE Germany 1",
      "GB United Kingdom 2",
    ]);
    expect(found.trunks.groups.find(({ key }) => key === "spare")?.calls).toBe(1);
    expect(found.prefixes.groups.reduce((sum, { calls }) => sum + calls, 0)).toBe(3);
  });

  test("come in parts, in each order, without a call twice or left out", async () => {
    const [first, second] = [await startRunningCall(world, { number: "+4930901820" }), await startRunningCall(world)];
    await query("update call set trunk = 'b' where id = $1", [first.id]);
    await query("update call set trunk = 'a' where id = $1", [second.id]);
    await query("update call set answered_at = answered_at - interval '100 seconds' where id = $1", [second.id]);
    const ids = async (part: object) => (await readLiveCalls(as("grace"), part)).calls.map(({ id }) => id);
    expect(await ids({ order: "start" })).toEqual([second.id, first.id]);
    expect(await ids({ order: "start", reverse: true })).toEqual([first.id, second.id]);
    expect(await ids({ order: "duration" })).toEqual([second.id, first.id]);
    expect(await ids({ order: "cost" })).toEqual([second.id, first.id]);
    expect(await ids({ order: "country" })).toEqual([first.id, second.id]);
    expect(await ids({ order: "trunk" })).toEqual([second.id, first.id]);
    const parts = await Promise.all([0, 1, 2].map((offset) => ids({ order: "cost", offset, limit: 1 })));
    expect(parts).toEqual([[second.id], [first.id], []]);
  });

  test("are grouped by customers with several calls, and by the largest of the others", async () => {
    const customer = await world.customer();
    await query("update customer set name = 'Ifeoma Eze' where id = $1", [customer.id]);
    const one = await startRunningCall(world);
    const other = await startRunningCall(world);
    await query("update call set customer_id = $2 where id = any($1)", [[one.id, other.id], customer.id]);
    await startRunningCall(world);
    const { customers, calls } = await readLiveCalls(as("grace"), {});
    expect(customers.groups).toMatchObject([{ key: customer.id, name: "Ifeoma Eze", calls: 2 }]);
    expect(customers.others).toEqual({ groups: 0, calls: 0, charge: "0.00" });
    expect(calls.filter(({ name }) => name === "Ifeoma Eze")).toHaveLength(2);
  });
});

describe("an operator hangs up", () => {
  test("one call: its legs end, what was talked is charged, and the operation is recorded", async () => {
    const running = await startRunningCall(world);
    const other = await startRunningCall(world);
    world.clock.advance(60_000);
    expect(await operate(as("eve"), "hang-up", { call: running.id, reason: "Fraud" })).toHaveLength(1);
    await world.sweep();
    expect(world.provider.commands.map(({ path }) => path)).toContain(`/calls/${running.leg.far}/actions/hangup`);
    expect(world.provider.commands.map(({ path }) => path)).not.toContain(`/calls/${other.leg.far}/actions/hangup`);
    await running.end(60_000);
    const ended = await world.readCall(running.customer, running.id);
    expect(ended).toMatchObject({ status: "completed", end_reason: "refused" });
    expect(Number(ended.cost)).toBeGreaterThan(0);
    const { rows } = await query("select operator, customer_id, subject, detail from operation where action = 'hang-up'");
    const detail = { calls: 1, amount_micros: "0", reach: 0 };
    expect(rows).toEqual([{ operator: "eve", customer_id: running.customer.id, subject: running.id, detail }]);
    expect(await operate(as("eve"), "hang-up", { call: running.id, reason: "Again" })).toHaveLength(0);
  });

  test("all calls to a prefix, and a call that has not been dialled is never dialled", async () => {
    const berlin = await startRunningCall(world, { number: "+4930901820" });
    const london = await startRunningCall(world);
    const customer = await world.customer();
    const waiting = await world.initiate(customer, "+4930901821");
    expect(await operate(as("grace"), "hang-up", { prefix: "+4930", reason: "Fraud" })).toHaveLength(2);
    await world.park(waiting);
    await world.sweep();
    expect(await world.readCall(customer, waiting.call.id)).toMatchObject({ status: "failed", cost: "0.00" });
    expect((await world.money(customer)).heldMicros).toBe(0n);
    const { calls } = await readLiveCalls(as("grace"), {});
    expect(calls.map(({ id, ending }) => [id, ending])).toEqual([
      [london.id, false],
      [berlin.id, true],
    ]);
  });

  test("all calls of a customer, and never all calls by leaving everything out", async () => {
    const running = await startRunningCall(world);
    await expect(operate(as("grace"), "hang-up", { reason: "Oops" })).rejects.toMatchObject({ code: "validation_failed" });
    expect(await operate(as("grace"), "hang-up", { customer: running.customer.id, reason: "Fraud" })).toHaveLength(1);
  });
});

describe("an exchange that never comes back", () => {
  /** The exchange was seen alive half a minute into the call; then nothing answers for it. */
  async function lostCall(exchange: string): Promise<RunningCall> {
    const running = await startRunningCall(world);
    await pass(30);
    await onExchange(running, exchange);
    world.provider.failure = { status: 503 };
    return running;
  }

  test("has its calls settled at their last proof of life within two minutes", async () => {
    const running = await lostCall("a");
    const { rows } = await query("select last_seen_alive_at - answered_at as alive from call where id = $1", [running.id]);
    await pass(60);
    expect(await world.readCall(running.customer, running.id)).toMatchObject({ status: "in-progress" });
    await pass(60);
    const ended = await world.readCall(running.customer, running.id);
    expect(ended).toMatchObject({ status: "completed", end_reason: "connection_lost", duration_seconds: rows[0].alive.seconds });
    expect((await world.money(running.customer)).heldMicros).toBe(0n);
    world.provider.failure = null;
    expect((await world.initiate(running.customer)).call.status).toBe("initiated");
  });

  test("keeps its calls if it answers again in time", async () => {
    const running = await lostCall("a");
    await pass(60);
    world.provider.failure = null;
    await query("update call set far_call_control_id = $2 where id = $1", [running.id, running.leg.far]);
    await pass(60);
    expect(await world.readCall(running.customer, running.id)).toMatchObject({ status: "in-progress" });
  });

  test("is not assumed of a provider whose legs name no exchange", async () => {
    const running = await startRunningCall(world);
    world.provider.failure = { status: 503 };
    await pass(180);
    expect(await world.readCall(running.customer, running.id)).toMatchObject({ status: "in-progress" });
  });

  test("has its calls settled at once by a command, others stay, and an exchange that answers is refused", async () => {
    const lost = await startRunningCall(world);
    const other = await startRunningCall(world);
    await pass(30);
    await onExchange(lost, "b");
    await onExchange(other, "c");
    await expect(operate(as("grace"), "settle-lost-exchange", { exchange: "c", reason: "Gone" })).rejects.toMatchObject({
      code: "conflict",
    });
    world.clock.advance(31_000);
    expect(await operate(as("grace"), "settle-lost-exchange", { exchange: "b", reason: "The machine burnt" })).toBe(1);
    expect(await world.readCall(lost.customer, lost.id)).toMatchObject({ status: "completed", end_reason: "connection_lost" });
    expect(await world.readCall(other.customer, other.id)).toMatchObject({ status: "in-progress" });
    expect(await operate(as("grace"), "settle-lost-exchange", { exchange: "b", reason: "Again" })).toBe(0);
  });
});
