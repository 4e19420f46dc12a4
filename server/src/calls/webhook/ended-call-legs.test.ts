import { sql } from "kysely";
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createCallWorld, type CallWorld, type ParkedLeg } from "../../../test/worlds/call-world.ts";
import { passTime, startRunningCall } from "../../../test/running-call.ts";
import type { Customer } from "../../accounts/accounts.ts";

let world: CallWorld;
beforeAll(async () => {
  world = await createCallWorld({ limitsScale: 0 });
});
afterAll(() => world.close());
beforeEach(() => world.provider.calmDown());

const hangUp = (customer: Customer, id: string) => world.request(customer, { method: "POST", path: `/api/calls/${id}/hangup` });

/** Makes settlements fail during `run`; events are still stored. */
async function whileNothingSettles(run: () => Promise<void>): Promise<void> {
  const { db } = world.database.handle;
  await sql`alter table hold rename to hold_out_of_reach`.execute(db);
  try {
    await run();
  } finally {
    await sql`alter table hold_out_of_reach rename to hold`.execute(db);
  }
}

/** Expects that the leg was hung up and no number was dialled for it. */
function expectOnlyEnded(leg: ParkedLeg): void {
  expect(world.provider.commandsOf("transfer")).toHaveLength(0);
  expect(world.provider.legs.get(leg.parked)?.alive).toBe(false);
}

describe("an ended but unsettled call", () => {
  test("is not dialled after its customer cancelled it and is settled within seconds", async () => {
    const customer = await world.customer();
    const started = await world.initiate(customer);
    await whileNothingSettles(async () => {
      expect((await hangUp(customer, started.call.id)).status).toBe(500);
      expectOnlyEnded(await world.park(started));
      expect(await world.readCall(customer, started.call.id)).toMatchObject({ status: "initiated" });
    });
    await passTime(world, 3);
    expect(await world.readCall(customer, started.call.id)).toMatchObject({ status: "failed", end_reason: "cancelled" });
    expect((await world.money(customer)).heldMicros).toBe(0n);
  });

  test("is not dialled after its ticket expired, not even by an instance whose clock is behind", async () => {
    const customer = await world.customer();
    const started = await world.initiate(customer);
    await whileNothingSettles(async () => {
      world.clock.advance(60_000);
      await world.sweep();
      world.clock.advance(-1_000);
      expectOnlyEnded(await world.park(started));
      world.clock.advance(1_000);
    });
    await passTime(world, 12);
    expect(await world.readCall(customer, started.call.id)).toMatchObject({ status: "failed", end_reason: "never_connected" });
    expect((await world.money(customer)).heldMicros).toBe(0n);
  });

  test("is settled instead of dialled when its leg's event is delivered again", async () => {
    const customer = await world.customer();
    const started = await world.initiate(customer);
    world.provider.transferFailure = { status: 422, code: "10016" };
    const eventId = randomUUID();
    const parked = `v3:${randomUUID()}`;
    world.provider.legs.set(parked, { alive: true, endedAt: null });
    const deliver = () =>
      world.deliver({
        type: "call.initiated",
        id: eventId,
        callControlId: parked,
        occurredAt: world.clock.now(),
        payload: {
          state: "parked",
          client_state: Buffer.from(started.ticket).toString("base64"),
          to: started.call.destination_number,
        },
      });
    await whileNothingSettles(async () => expect(await deliver()).toBe(500));
    world.provider.calmDown();
    expect(await deliver()).toBe(200);
    expect(world.provider.commandsOf("transfer")).toHaveLength(0);
    expect(world.provider.legs.get(parked)?.alive).toBe(false);
    expect(await world.readCall(customer, started.call.id)).toMatchObject({ status: "failed", end_reason: "network_failure" });
  });
});

describe("a leg of a settled call", () => {
  test.each(["call.initiated", "call.answered", "call.bridged"])(
    "is hung up at each late event (%s) and the charge is unchanged",
    async (type) => {
      const running = await startRunningCall(world);
      const { parked, far, session } = running.leg;
      const payload = { call_session_id: session, client_state: world.farState(parked), state: "bridging" };
      await running.end(10_000);
      const before = await world.readCall(running.customer, running.id);
      expect(before).toMatchObject({ status: "completed" });
      world.provider.legs.set(far, { alive: true, endedAt: null });
      const late = { type, id: randomUUID(), callControlId: far, occurredAt: world.clock.now(), payload };
      for (let times = 0; times < 2; times++) expect(await world.deliver(late)).toBe(200);
      expect(world.provider.legs.get(far)?.alive).toBe(false);
      expect(await world.readCall(running.customer, running.id)).toEqual(before);
    },
  );

  test("leaves its event unacknowledged for redelivery while it cannot be hung up", async () => {
    const running = await startRunningCall(world);
    const { parked, far, session } = running.leg;
    const payload = { call_session_id: session, client_state: world.farState(parked) };
    await running.end(10_000);
    world.provider.legs.set(far, { alive: true, endedAt: null });
    const late = { type: "call.bridged", id: randomUUID(), callControlId: far, occurredAt: world.clock.now(), payload };
    world.provider.hangUpFailure = { status: 503 };
    expect(await world.deliver(late)).toBe(503);
    world.provider.calmDown();
    expect(await world.deliver(late)).toBe(200);
    expect(world.provider.legs.get(far)?.alive).toBe(false);
  });

  test("gets no commands for its hang-up and cost events", async () => {
    const running = await startRunningCall(world);
    const { parked, far, session } = running.leg;
    const payload = { call_session_id: session, client_state: world.farState(parked), hangup_cause: "normal_clearing" };
    await running.end(10_000);
    await expect.poll(() => world.provider.legs.get(parked)?.alive).toBe(false);
    await world.deliver({
      type: "call.hangup",
      callControlId: parked,
      occurredAt: world.clock.now(),
      payload: { call_session_id: session },
    });
    world.provider.commands.length = 0;
    const cost = { ...payload, status: "success", total_cost: "0.0140" };
    for (const [type, body] of [
      ["call.hangup", payload],
      ["call.cost", cost],
    ] as const)
      await world.deliver({ type, callControlId: far, occurredAt: world.clock.now(), payload: body });
    expect(world.provider.commandsOf("hangup")).toHaveLength(0);
  });
});
