import { DAY_MS } from "@farline/domain/durations.ts";
import { sql } from "kysely";
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createCallWorld, type CallWorld, type ParkedLeg } from "../../../test/worlds/call-world.ts";
import type { Customer } from "../../accounts/accounts.ts";
import type { CallContext } from "../call-context.ts";
import { sweepCalls } from "./sweep-calls.ts";

let world: CallWorld;
beforeAll(async () => {
  world = await createCallWorld({ limitsScale: 0 });
});
afterAll(() => world.close());
beforeEach(() => world.provider.calmDown());

interface Running {
  customer: Customer;
  leg: ParkedLeg;
  id: string;
}

async function ringing(): Promise<Running> {
  const customer = await world.customer();
  const started = await world.initiate(customer);
  const leg = await world.park(started);
  world.provider.legs.set(leg.far, { alive: true, endedAt: null });
  await world.deliver({
    type: "call.initiated",
    callControlId: leg.far,
    occurredAt: world.clock.now(),
    payload: { state: "bridging", call_session_id: leg.session, client_state: world.farState(leg.parked) },
  });
  return { customer, leg, id: started.call.id };
}

async function answered(): Promise<Running> {
  const running = await ringing();
  await world.deliver({ type: "call.answered", callControlId: running.leg.far, occurredAt: world.clock.now() });
  return running;
}

/** Advances the clock with a sweep every five seconds, as in the running service. */
async function live(seconds: number): Promise<void> {
  for (let passed = 0; passed < seconds; passed += 5) {
    world.clock.advance(5_000);
    await world.sweep();
  }
}

describe("calls that two services sweep", () => {
  /** Two services on one database, and how often each has asked about each call. */
  async function twoServices(calls: number) {
    await sql`update call set next_check_at = ${new Date(world.clock.now().getTime() + DAY_MS)} where next_check_at is not null`.execute(
      world.database.handle.db,
    );
    const running: Running[] = [];
    for (let made = 0; made < calls; made += 1) running.push(await answered());
    world.clock.advance(60_000);
    const services = [new Map<string, number>(), new Map<string, number>()].map((asked) => {
      const status: CallContext["commands"]["status"] = async (controlId) => {
        asked.set(controlId, (asked.get(controlId) ?? 0) + 1);
        return world.ctx.commands.status(controlId);
      };
      return { asked, ctx: { ...world.ctx, commands: { ...world.ctx.commands, status } } };
    });
    const far = running.map(({ leg }) => leg.far);
    const askedOf = (leg: string) => services.reduce((sum, { asked }) => sum + (asked.get(leg) ?? 0), 0);
    return { services, asked: () => far.map(askedOf), far };
  }

  test("are each swept once, by either", async () => {
    const { services, asked, far } = await twoServices(120);
    await Promise.all(services.map(({ ctx }) => sweepCalls(ctx, new AbortController().signal)));
    expect(asked()).toEqual(far.map(() => 1));
    expect(services.every(({ asked: own }) => own.size > 0)).toBe(true);
  });

  test("are swept by the other when one dies with calls that it has claimed", async () => {
    const { services, far } = await twoServices(20);
    const [dying, other] = services;
    if (dying === undefined || other === undefined) throw new Error("two services");
    const death = new AbortController();
    const status: CallContext["commands"]["status"] = async (controlId) => {
      death.abort();
      return dying.ctx.commands.status(controlId);
    };
    await sweepCalls({ ...dying.ctx, commands: { ...dying.ctx.commands, status } }, death.signal);
    await sweepCalls(other.ctx, new AbortController().signal);
    expect(other.asked.size).toBe(0);
    world.clock.advance(15_000);
    await sweepCalls(other.ctx, new AbortController().signal);
    expect(far.every((leg) => other.asked.get(leg) === 1)).toBe(true);
  });

  test("are left to others once they were claimed for longer than that lasts", async () => {
    const { services, far } = await twoServices(20);
    const [slow, other] = services;
    if (slow === undefined || other === undefined) throw new Error("two services");
    const status: CallContext["commands"]["status"] = async (controlId) => {
      const answer = await slow.ctx.commands.status(controlId);
      world.clock.advance(11_000);
      return answer;
    };
    await sweepCalls({ ...slow.ctx, commands: { ...slow.ctx.commands, status } }, new AbortController().signal);
    await sweepCalls(other.ctx, new AbortController().signal);
    expect(far.every((leg) => (slow.asked.get(leg) ?? 0) + (other.asked.get(leg) ?? 0) >= 1)).toBe(true);
    expect(slow.asked.size).toBeLessThan(20);
  });
});

describe("a call whose events are lost", () => {
  test("fails and releases its hold if no browser dialled in time", async () => {
    const customer = await world.customer();
    const { call } = await world.initiate(customer);
    await live(55);
    expect(await world.readCall(customer, call.id)).toMatchObject({ status: "initiated" });
    await live(10);
    expect(await world.readCall(customer, call.id)).toMatchObject({
      status: "failed",
      end_reason: "never_connected",
      cost: "0.00",
    });
    expect((await world.money(customer)).heldMicros).toBe(0n);
  });

  test("stays live while the provider reports it alive, and last_seen_alive_at is updated", async () => {
    const { customer, id } = await answered();
    await live(120);
    expect(await world.readCall(customer, id)).toMatchObject({ status: "in-progress" });
    const { rows } = await sql<{ seen: Date }>`select last_seen_alive_at as seen from call where id = ${id}`.execute(
      world.database.handle.db,
    );
    expect(world.clock.now().getTime() - (rows[0]?.seen.getTime() ?? 0)).toBeLessThanOrEqual(15_000);
  });

  test("is settled by the provider's status when the hang-up was lost", async () => {
    const { customer, leg, id } = await answered();
    const endedAt = new Date(world.clock.now().getTime() + 42_500).toISOString();
    await live(60);
    world.provider.legs.set(leg.far, { alive: false, endedAt });
    await live(15);
    expect(await world.readCall(customer, id)).toMatchObject({
      status: "completed",
      duration_seconds: 43,
      ended_at: endedAt,
      end_reason: "hangup",
    });
    expect((await world.money(customer)).heldMicros).toBe(0n);
  });

  test("is charged until it was last seen if the provider no longer knows it", async () => {
    const { customer, leg, id } = await answered();
    await live(60);
    world.provider.legs.delete(leg.far);
    world.clock.advance(20_000);
    await world.sweep();
    const call = await world.readCall(customer, id);
    expect(call).toMatchObject({ status: "completed", end_reason: "connection_lost" });
    expect(call.duration_seconds).toBeGreaterThanOrEqual(45);
    expect(call.duration_seconds).toBeLessThanOrEqual(60);
  });

  test("is ended and settled at its limit when the provider does not enforce it", async () => {
    const { customer, leg, id } = await answered();
    const { max_seconds: maxSeconds } = await world.readCall(customer, id);
    world.clock.advance((maxSeconds + 6) * 1000);
    await world.sweep();
    expect(world.provider.legs.get(leg.far)?.alive).toBe(false);
    expect(await world.readCall(customer, id)).toMatchObject({
      status: "completed",
      end_reason: "time_limit",
      duration_seconds: maxSeconds,
      billed_seconds: maxSeconds,
    });
  });

  test("is settled five minutes after its limit, not at it, if the provider does not end its leg", async () => {
    const { customer, id } = await answered();
    const { max_seconds: maxSeconds } = await world.readCall(customer, id);
    world.provider.hangUpFailure = { status: 503 };
    world.clock.advance((maxSeconds + 6) * 1000);
    await world.sweep();
    expect(await world.readCall(customer, id)).toMatchObject({ status: "in-progress" });
    world.clock.advance(6 * 60_000);
    await world.sweep();
    expect(await world.readCall(customer, id)).toMatchObject({ status: "completed", duration_seconds: maxSeconds });
  });

  test("is settled with the provider's answer time if only the hang-up event arrived", async () => {
    const { customer, leg, id } = await ringing();
    const at = (ms: number) => new Date(world.clock.now().getTime() + ms);
    world.provider.legs.set(leg.far, { alive: false, endedAt: at(30_000).toISOString(), answeredAt: at(7_000).toISOString() });
    await world.deliver({
      type: "call.hangup",
      callControlId: leg.far,
      occurredAt: at(30_000),
      payload: { hangup_cause: "normal_clearing", sip_hangup_cause: "200" },
    });
    await expect.poll(async () => (await world.readCall(customer, id)).status).toBe("completed");
    expect(await world.readCall(customer, id)).toMatchObject({ duration_seconds: 23 });
  });

  test("costs nothing if its answer is still unknown after the wait for late events", async () => {
    const { customer, leg, id } = await ringing();
    world.provider.legs.set(leg.far, { alive: false, endedAt: world.clock.now().toISOString() });
    await world.deliver({
      type: "call.hangup",
      callControlId: leg.far,
      occurredAt: world.clock.now(),
      payload: { hangup_cause: "normal_clearing", sip_hangup_cause: "200" },
    });
    await live(5);
    expect(await world.readCall(customer, id)).toMatchObject({ status: "ringing" });
    await live(20);
    // The query sent right after the hang-up may still be settling the call, so the sweeps may skip it.
    await expect.poll(async () => (await world.readCall(customer, id)).status).toBe("failed");
    expect(await world.readCall(customer, id)).toMatchObject({ status: "failed", cost: "0.00" });
    expect((await world.money(customer)).heldMicros).toBe(0n);
  });

  test("has its far leg hung up when the browser's leg has ended", async () => {
    const { leg } = await answered();
    await world.deliver({
      type: "call.hangup",
      callControlId: leg.parked,
      occurredAt: world.clock.now(),
      payload: { hangup_cause: "normal_clearing" },
    });
    await expect.poll(() => world.provider.legs.get(leg.far)?.alive).toBe(false);
  });

  test("is cancelled within seconds if it was dialled but no far leg appeared", async () => {
    const customer = await world.customer();
    const started = await world.initiate(customer);
    const leg = await world.park(started);
    world.provider.legs.set(leg.parked, { alive: false, endedAt: world.clock.now().toISOString() });
    const payload = { hangup_cause: "originator_cancel", sip_hangup_cause: "487", hangup_source: "caller" };
    await world.deliver({ type: "call.hangup", callControlId: leg.parked, occurredAt: world.clock.now(), payload });
    await live(10);
    expect(await world.readCall(customer, started.call.id)).toMatchObject({ status: "failed", end_reason: "cancelled" });
  });

  test("is ended if the service crashed before it could dial", async () => {
    const customer = await world.customer();
    const started = await world.initiate(customer);
    const leg = await world.park(started);
    await sql`update call set transferred_at = null where id = ${started.call.id}`.execute(world.database.handle.db);
    await live(30);
    expect(world.provider.legs.get(leg.parked)?.alive).toBe(false);
    expect(await world.readCall(customer, started.call.id)).toMatchObject({ status: "failed", end_reason: "network_failure" });
  });

  test("is not settled as undialled while its leg cannot be ended, because the number may be ringing", async () => {
    const customer = await world.customer();
    const started = await world.initiate(customer);
    const leg = await world.park(started);
    await sql`update call set transferred_at = null where id = ${started.call.id}`.execute(world.database.handle.db);
    world.provider.hangUpFailure = { status: 503 };
    await live(40);
    expect(world.provider.commandsOf("hangup").length).toBeGreaterThan(0);
    expect(await world.readCall(customer, started.call.id)).toMatchObject({ status: "initiated" });
    expect((await world.money(customer)).heldMicros).toBeGreaterThan(0n);
    world.provider.calmDown();
    await live(15);
    expect(world.provider.legs.get(leg.parked)?.alive).toBe(false);
    expect(await world.readCall(customer, started.call.id)).toMatchObject({ status: "failed", end_reason: "network_failure" });
  });

  test("goes on while a proxy answers instead of the provider that it knows no such path", async () => {
    const { customer, leg, id } = await answered();
    world.provider.failure = { status: 404, plain: true };
    await live(60);
    expect(await world.readCall(customer, id)).toMatchObject({ status: "in-progress" });
    world.provider.failure = null;
    const endedAt = world.clock.now().toISOString();
    world.provider.legs.set(leg.far, { alive: false, endedAt });
    await live(15);
    expect(await world.readCall(customer, id)).toMatchObject({ status: "completed", duration_seconds: 60 });
  });

  test("waits for an unreachable provider and is settled on known facts five minutes after its limit", async () => {
    const { customer, id } = await answered();
    const { max_seconds: maxSeconds } = await world.readCall(customer, id);
    await live(30);
    world.provider.failure = { status: 503 };
    world.clock.advance((maxSeconds + 60) * 1000);
    await world.sweep();
    expect(await world.readCall(customer, id)).toMatchObject({ status: "in-progress" });
    world.clock.advance(6 * 60_000);
    await world.sweep();
    const call = await world.readCall(customer, id);
    expect(call).toMatchObject({ status: "completed", end_reason: "connection_lost" });
    expect(call.duration_seconds).toBeLessThanOrEqual(30);
  });
});

describe("hanging up", () => {
  const hangUp = (customer: Customer, id: string) =>
    world.request<{ call: { status: string; end_reason: string | null }; code?: string }>(customer, {
      method: "POST",
      path: `/api/calls/${id}/hangup`,
    });

  test("before the browser dialled cancels the call immediately and releases the hold", async () => {
    const customer = await world.customer();
    const { call } = await world.initiate(customer);
    expect(await hangUp(customer, call.id)).toMatchObject({
      status: 200,
      body: { call: { status: "failed", end_reason: "cancelled" } },
    });
    expect((await world.money(customer)).heldMicros).toBe(0n);
    expect(world.provider.commandsOf("hangup")).toHaveLength(0);
  });

  test("ends both legs and is idempotent", async () => {
    const { customer, leg, id } = await answered();
    expect((await hangUp(customer, id)).status).toBe(200);
    expect([world.provider.legs.get(leg.far)?.alive, world.provider.legs.get(leg.parked)?.alive]).toEqual([false, false]);
    await world.deliver({
      type: "call.hangup",
      callControlId: leg.far,
      occurredAt: world.clock.now(),
      payload: { hangup_cause: "normal_clearing" },
    });
    const first = await hangUp(customer, id);
    expect(first).toMatchObject({ status: 200, body: { call: { status: "completed", end_reason: "hangup" } } });
    expect((await hangUp(customer, id)).body).toEqual(first.body);
  });

  test("continues in the background while the provider is unreachable", async () => {
    const { customer, leg, id } = await answered();
    world.provider.failure = { status: 503 };
    expect(await hangUp(customer, id)).toMatchObject({ status: 503, body: { code: "voice_provider_down" } });
    world.provider.failure = null;
    await live(5);
    expect(world.provider.legs.get(leg.far)?.alive).toBe(false);
  });

  test("another customer's call or an unknown one returns 404 and ends nothing", async () => {
    const { leg, id } = await answered();
    const stranger = await world.customer();
    for (const path of [id, randomUUID(), "no-id"])
      expect(await hangUp(stranger, path)).toMatchObject({ status: 404, body: { code: "not_found" } });
    expect(world.provider.legs.get(leg.far)?.alive).toBe(true);
  });
});
