import { randomUUID } from "node:crypto";
import type { LiveCallResponse } from "@farline/contract/calls.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createCallWorld, type CallWorld } from "../../../test/worlds/call-world.ts";
import { passTime, startRunningCall, type RunningCall } from "../../../test/running-call.ts";
import type { Customer } from "../../accounts/accounts.ts";

let world: CallWorld;
beforeAll(async () => {
  world = await createCallWorld({ limitsScale: 0 });
});
afterAll(() => world.close());
beforeEach(() => world.provider.calmDown());

const leave = async (customer: Customer | null, id: string, page: string = randomUUID()) =>
  (await world.request(customer, { method: "POST", path: `/api/calls/${id}/leave`, body: { page } })).status;

const stay = async (customer: Customer, id: string, page: string = randomUUID()) =>
  (await world.request(customer, { method: "POST", path: `/api/calls/${id}/stay`, body: { page } })).status;

const readLive = (customer: Customer) => world.request<LiveCallResponse>(customer, { path: "/api/calls/live" });

const lives = ({ leg }: RunningCall): boolean => world.provider.legs.get(leg.far)?.alive ?? false;

describe("a call whose page is closed", () => {
  test("is hung up ten seconds later on both legs and charged until then", async () => {
    const call = await startRunningCall(world);
    await passTime(world, 20);
    expect(await leave(call.customer, call.id)).toBe(200);
    await passTime(world, 9);
    expect(lives(call)).toBe(true);
    await passTime(world, 2);
    expect(lives(call)).toBe(false);
    expect(world.provider.legs.get(call.leg.parked)?.alive).toBe(false);
    // Ended by a command, so the provider names no side.
    await call.end(31_000, { source: "unknown" });
    expect(await world.readCall(call.customer, call.id)).toMatchObject({
      status: "completed",
      end_reason: "hangup",
      hung_up_by: "caller",
      billed_seconds: 31,
    });
    expect((await world.money(call.customer)).heldMicros).toBe(0n);
  });

  test("continues when the page is reloaded, and is hung up when the new page is closed", async () => {
    const call = await startRunningCall(world);
    const [first, second] = [randomUUID(), randomUUID()];
    await leave(call.customer, call.id, first);
    await passTime(world, 8);
    expect(await stay(call.customer, call.id, second)).toBe(200);
    expect((await readLive(call.customer)).body).toMatchObject({ call: { id: call.id }, rejoinable: true });
    await passTime(world, 30);
    expect(lives(call)).toBe(true);
    await leave(call.customer, call.id, second);
    await passTime(world, 11);
    expect(lives(call)).toBe(false);
  });

  test("is not kept alive by another tab that only displays it", async () => {
    const call = await startRunningCall(world);
    await leave(call.customer, call.id);
    await readLive(call.customer);
    expect(await stay(call.customer, randomUUID())).toBe(404);
    expect(await stay(await world.customer(), call.id)).toBe(404);
    await world.readCall(call.customer, call.id);
    await passTime(world, 11);
    expect(lives(call)).toBe(false);
  });

  test("is not kept alive by a pending request of the closed page", async () => {
    const call = await startRunningCall(world);
    const page = randomUUID();
    await leave(call.customer, call.id, page);
    await stay(call.customer, call.id, page);
    await passTime(world, 11);
    expect(lives(call)).toBe(false);
  });

  test("continues when the beacon arrives late or twice after a reload", async () => {
    const call = await startRunningCall(world);
    const [first, second] = [randomUUID(), randomUUID()];
    await stay(call.customer, call.id, second);
    await leave(call.customer, call.id, first);
    await stay(call.customer, call.id, second);
    await leave(call.customer, call.id, first);
    await passTime(world, 20);
    expect(lives(call)).toBe(true);
  });

  test("is hung up even if the service or the provider was down when it was due", async () => {
    const call = await startRunningCall(world);
    await leave(call.customer, call.id);
    world.clock.advance(60_000);
    world.provider.failure = { status: 503 };
    await passTime(world, 2);
    expect(lives(call)).toBe(true);
    world.provider.failure = null;
    await passTime(world, 15);
    expect(lives(call)).toBe(false);
  });

  test("releases its hold if the browser has not dialled", async () => {
    const customer = await world.customer();
    const started = await world.initiate(customer);
    await leave(customer, started.call.id);
    await passTime(world, 11);
    expect(await world.readCall(customer, started.call.id)).toMatchObject({ status: "failed", end_reason: "cancelled" });
    expect((await world.money(customer)).heldMicros).toBe(0n);
  });
});

describe("an unauthorised beacon", () => {
  test("of another customer, without a session, for an ended call, or malformed, changes nothing", async () => {
    const call = await startRunningCall(world);
    expect(await leave(await world.customer(), call.id)).toBe(404);
    expect(await leave(null, call.id)).toBe(401);
    expect(await leave(call.customer, call.id, "any page")).toBe(422);
    await passTime(world, 15);
    expect(lives(call)).toBe(true);
    await call.end(16_000);
    const over = await world.readCall(call.customer, call.id);
    expect(await leave(call.customer, call.id)).toBe(200);
    await passTime(world, 15);
    expect(await world.readCall(call.customer, call.id)).toEqual(over);
  });
});
