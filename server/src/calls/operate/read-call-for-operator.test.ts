import { afterAll, beforeAll, expect, test } from "vitest";
import { startRunningCall } from "../../../test/running-call.ts";
import { asOperator } from "../../../test/test-context.ts";
import { createCallWorld, LONDON, type CallWorld } from "../../../test/worlds/call-world.ts";
import { eventsOfCall } from "../../../test/worlds/events-of-call.ts";
import { readCallForOperator } from "./read-call-for-operator.ts";

let world: CallWorld;
beforeAll(async () => {
  world = await createCallWorld({ limitsScale: 1 });
});
afterAll(() => world.close());

const read = (call: string, operator = "grace") => readCallForOperator(asOperator(world.ctx, operator), { call });

test("an ended call shows its decision, every event in order, both legs, the hold, its postings and what it earned", async () => {
  const customer = await world.customer({ tier: "known" });
  const started = await world.initiate(customer);
  const leg = await world.park(started);
  // The cost and the ends arrive before the answers.
  for (const event of eventsOfCall(world, leg, 90_000).toReversed()) await world.deliver(event);
  const found = await read(started.call.id);
  expect(found.call).toMatchObject({ email: customer.email, destination: LONDON, status: "completed", duration_ms: 90_000 });
  expect(found.decision.inputs).toMatchObject({ tier: "known", available: "5.00", live_calls: 0, spend_limit_per_day: "75.00" });
  expect(found.ladder.map(({ kind, leg: of }) => `${of} ${kind}`)).toEqual([
    "parked initiated",
    "far initiated",
    "far answered",
    "parked answered",
    "far bridged",
    "far hangup",
    "parked hangup",
    "far cost",
  ]);
  expect(found.ladder.at(5)?.detail).toEqual({
    hangup_cause: "normal_clearing",
    hangup_source: "callee",
    sip_hangup_cause: "200",
  });
  expect(found.legs).toMatchObject([
    { leg: "parked", control_id: leg.parked },
    { leg: "far", control_id: leg.far },
  ]);
  expect(found.hold).toMatchObject({ state: "posted", posted: found.call.charge });
  expect(found.postings).toMatchObject([{ kind: "call", amount: `-${found.call.charge}` }]);
  expect(found.cost).toBe("0.014");
  expect(Number(found.margin)).toBeCloseTo(Number(found.call.charge) - 0.014, 6);
});

test("what a call cost is shown only to roles that may see it", async () => {
  const running = await startRunningCall(world);
  await running.end(10_000);
  const payload = {
    call_session_id: running.leg.session,
    client_state: world.farState(running.leg.parked),
    total_cost: "0.0070",
  };
  await world.deliver({ type: "call.cost", callControlId: running.leg.far, occurredAt: world.clock.now(), payload });
  expect((await read(running.id, "bob")).cost).toBe("0.007");
  const seen = await read(running.id, "eve");
  expect(seen).toMatchObject({ cost: null, margin: null, call: { status: "completed" } });
  expect(JSON.stringify(seen)).not.toContain("0.007");
});

test("a running call has a pending hold, no posting and no margin yet", async () => {
  const running = await startRunningCall(world);
  expect(await read(running.id)).toMatchObject({
    call: { status: "in-progress" },
    hold: { state: "pending" },
    postings: [],
    margin: null,
  });
});
