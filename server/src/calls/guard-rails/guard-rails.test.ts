import { sql } from "kysely";
import { DAY_MS } from "@farline/domain/durations.ts";
import type { GuardRailsRequest, GuardRailsResponse } from "@farline/contract/calls.ts";
import type { ErrorBody } from "@farline/contract/errors.ts";
import { chargeFor } from "@farline/domain/calls/charge.ts";
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createCallWorld, LONDON, type CallWorld } from "../../../test/worlds/call-world.ts";
import { insertPastCalls } from "../../../test/past-calls.ts";
import { startRunningCall } from "../../../test/running-call.ts";
import type { Customer } from "../../accounts/accounts.ts";

const NONE: GuardRailsRequest = { daily_cap: null, call_cap: null, countries: null, time_zone: "UTC" };
const BERLIN = "+493023125000";

let world: CallWorld;
beforeAll(async () => {
  world = await createCallWorld({ limitsScale: 0 });
});
afterAll(() => world.close());
beforeEach(() => world.provider.calmDown());

const change = (customer: Customer, rails: Partial<GuardRailsRequest>) =>
  world.request<GuardRailsResponse & ErrorBody>(customer, {
    method: "PUT",
    path: "/api/calls/guard-rails",
    body: { ...NONE, ...rails },
  });

const read = async (customer: Customer) =>
  (await world.request<GuardRailsResponse>(customer, { path: "/api/calls/guard-rails" })).body;

const initiate = (customer: Customer, number = LONDON) =>
  world.request<ErrorBody>(customer, { method: "POST", path: "/api/calls/initiate", body: { destination_number: number } });

function priceOfMinutes(minutes: number): bigint {
  const quote = world.ctx.rates.quote(LONDON, "visitor");
  if (quote === null) throw new Error("London has no rate.");
  return chargeFor(minutes * 60, quote);
}

async function mailsTo(customer: Customer): Promise<number> {
  const { rows } =
    await sql<any>`select count(*)::integer as mails from mail where recipient = ${customer.email} and data->>'event' = 'limits_loosened'`.execute(
      world.database.handle.db,
    );
  return rows[0].mails;
}

describe("a caller's own limits", () => {
  test("are unset by default and stored as set", async () => {
    const customer = await world.customer();
    expect((await read(customer)).guard_rails).toEqual(NONE);
    const answer = await change(customer, {
      daily_cap: "5",
      call_cap: "1.50",
      countries: ["GB", "DE", "GB"],
      time_zone: "Europe/Berlin",
    });
    const kept = { daily_cap: "5.00", call_cap: "1.50", countries: ["DE", "GB"], time_zone: "Europe/Berlin" };
    expect(answer.body.guard_rails).toEqual(kept);
    expect((await read(customer)).guard_rails).toEqual(kept);
    expect((await read(await world.customer())).guard_rails).toEqual(NONE);
  });

  test.each([
    ["daily_cap", "0"],
    ["daily_cap", "-5"],
    ["daily_cap", "1.005"],
    ["call_cap", "ten"],
    ["call_cap", "10000.01"],
    ["countries", ["QQ"]],
    ["countries", []],
    ["time_zone", "Mars/Olympus"],
  ])("%s: %j is refused and changes nothing", async (field, value) => {
    const customer = await world.customer();
    const answer = await change(customer, { [field]: value });
    expect(answer.status).toBe(422);
    expect(Object.keys(answer.body.errors ?? {})).toEqual([field]);
    expect((await read(customer)).guard_rails).toEqual(NONE);
  });

  test("send a mail only when they are loosened", async () => {
    const customer = await world.customer();
    await change(customer, { daily_cap: "5", countries: ["GB"] });
    await change(customer, { daily_cap: "4", call_cap: "1", countries: ["GB"] });
    expect(await mailsTo(customer)).toBe(0);
    await change(customer, { daily_cap: "4", call_cap: "1", countries: ["GB", "DE"] });
    expect(await mailsTo(customer)).toBe(1);
    await change(customer, { daily_cap: "4.01", call_cap: "1", countries: ["GB", "DE"] });
    expect(await mailsTo(customer)).toBe(2);
    await change(customer, {});
    expect(await mailsTo(customer)).toBe(3);
  });
});

describe("allowed countries", () => {
  test("are the only ones that can be called; a refused call holds nothing", async () => {
    const customer = await world.customer();
    await change(customer, { countries: ["DE"] });
    const refused = await initiate(customer);
    expect(refused.status).toBe(403);
    expect(refused.body.code).toBe("country_not_allowed");
    expect((await world.money(customer)).heldMicros).toBe(0n);
    expect((await initiate(customer, BERLIN)).status).toBe(201);
  });
});

describe("the limit for one call", () => {
  test("limits the hold and is the end reason of a call that reaches it", async () => {
    const customer = await world.customer();
    await change(customer, { call_cap: "0.05" });
    const call = await startRunningCall(world, { customer });
    const record = await world.readCall(customer, call.id);
    expect(record.bounded_by).toBe("call_cap");
    expect((await world.money(customer)).heldMicros).toBe(50_000n);
    await call.end(record.max_seconds * 1000, { cause: "time_limit" });
    expect(await world.readCall(customer, call.id)).toMatchObject({ status: "completed", end_reason: "own_limit" });
  });

  test("also limits how far a top-up extends the call", async () => {
    const customer = await world.customer({ creditMicros: priceOfMinutes(1) });
    await change(customer, { call_cap: "0.05" });
    const call = await startRunningCall(world, { customer });
    expect((await world.readCall(customer, call.id)).bounded_by).toBe("credit");
    await world.ctx.ledger.credit(world.database.handle.db, {
      key: randomUUID(),
      customerId: customer.id,
      kind: "top_up",
      amountMicros: 5_000_000n,
      referenceId: randomUUID(),
      description: "Top-up",
    });
    world.ctx.live.publish(customer.id, { type: "balance" });
    await expect.poll(async () => (await world.readCall(customer, call.id)).bounded_by).toBe("call_cap");
    expect((await world.money(customer)).heldMicros).toBe(50_000n);
  });

  test("refuses a call whose shortest length costs more", async () => {
    const customer = await world.customer();
    await change(customer, { call_cap: "0.01" });
    const quote = world.ctx.rates.quote("+2348031234567", "visitor");
    expect(quote === null ? 0n : chargeFor(60, quote)).toBeGreaterThan(10_000n);
    const refused = await initiate(customer, "+2348031234567");
    expect(refused.body).toMatchObject({ code: "call_cap_too_low", message: expect.stringContaining("$0.01") });
  });
});

describe("the limit for a day", () => {
  test("counts the cost of today's calls and the hold of a running one", async () => {
    const customer = await world.customer();
    await insertPastCalls(world.database.handle.db, [
      { customerId: customer.id, createdAt: world.clock.now(), chargeMicros: 700_000n, durationMs: 0 },
      { customerId: customer.id, createdAt: hoursAgo(49), chargeMicros: 4_000_000n },
    ]);
    await change(customer, { daily_cap: "1" });
    expect((await read(customer)).today.spent).toBe("0.70");
    const started = await initiate(customer);
    expect(started.status).toBe(201);
    expect((await world.money(customer)).heldMicros).toBe(300_000n);
    expect((await read(customer)).today.spent).toBe("1.00");
    const refused = await initiate(customer);
    expect(refused.status).toBe(403);
    expect(refused.body).toMatchObject({ code: "daily_cap_reached", message: expect.stringContaining("$0.00 of it is left") });
  });

  test("cannot be exceeded by concurrent calls", async () => {
    const customer = await world.customer({ creditMicros: 50_000_000n });
    await change(customer, { daily_cap: "0.10", call_cap: "0.03" });
    await world.database.warmUp();
    const answers = await Promise.all(Array.from({ length: 30 }, () => initiate(customer)));
    expect(answers.filter(({ status }) => status === 201).length).toBeGreaterThanOrEqual(3);
    expect((await world.money(customer)).heldMicros).toBeLessThanOrEqual(100_000n);
    expect((await read(customer)).today.spent).toBe("0.10");
  });

  test("resets at the caller's own midnight", async () => {
    const customer = await world.customer();
    const zone = "Pacific/Kiritimati";
    const { body } = await change(customer, { daily_cap: "1", time_zone: zone });
    const resetsAt = new Date(body.today.resets_at);
    const clockThere = new Intl.DateTimeFormat("en-GB", { timeZone: zone, hour: "2-digit", minute: "2-digit" });
    expect(clockThere.format(resetsAt)).toBe("00:00");
    const untilMidnightMs = resetsAt.getTime() - world.clock.now().getTime();
    expect(untilMidnightMs).toBeGreaterThan(0);
    expect(untilMidnightMs).toBeLessThanOrEqual(DAY_MS);
    await insertPastCalls(world.database.handle.db, [
      { customerId: customer.id, createdAt: world.clock.now(), chargeMicros: 1_000_000n, durationMs: 0 },
    ]);
    expect((await initiate(customer)).body.code).toBe("daily_cap_reached");
    world.clock.advance(untilMidnightMs + 10_000);
    expect((await read(customer)).today.spent).toBe("0.00");
    expect((await initiate(customer)).status).toBe(201);
  });

  test("is loosened only by a time zone in which the next day has begun", async () => {
    const customer = await world.customer();
    const hour = world.clock.now().getUTCHours();
    /** Where it is this hour now. */
    const zoneAt = (local: number) => {
      const ahead = ((local - hour + 36) % 24) - 12;
      return ahead > 0 ? `Etc/GMT-${ahead}` : `Etc/GMT+${-ahead}`;
    };
    await change(customer, { daily_cap: "1", time_zone: zoneAt(20) });
    const before = await mailsTo(customer);
    await insertPastCalls(world.database.handle.db, [
      { customerId: customer.id, createdAt: hoursAgo(3), chargeMicros: 1_000_000n },
    ]);
    await change(customer, { daily_cap: "1", time_zone: zoneAt(18) });
    expect(await mailsTo(customer)).toBe(before);
    await change(customer, { daily_cap: "1", time_zone: zoneAt(1) });
    expect(await mailsTo(customer)).toBe(before + 1);
  });

  test("takes effect at once when loosened or tightened", async () => {
    const customer = await world.customer();
    await insertPastCalls(world.database.handle.db, [
      { customerId: customer.id, createdAt: world.clock.now(), chargeMicros: 1_000_000n, durationMs: 0 },
    ]);
    await change(customer, { daily_cap: "1" });
    expect((await initiate(customer)).status).toBe(403);
    await change(customer, { daily_cap: "2" });
    expect((await initiate(customer)).status).toBe(201);
    await change(customer, { daily_cap: "1" });
    expect((await initiate(customer)).status).toBe(403);
  });
});

function hoursAgo(hours: number): Date {
  return new Date(world.clock.now().getTime() - hours * 3_600_000);
}
