import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { startRunningCall } from "../../../test/running-call.ts";
import { createCallWorld, type CallWorld } from "../../../test/worlds/call-world.ts";
import { endUnknownLegs } from "./sweep-calls.ts";

let world: CallWorld;
beforeAll(async () => {
  world = await createCallWorld({ limitsScale: 0 });
});
afterAll(() => world.close());
beforeEach(() => world.provider.calmDown());

const run = () => endUnknownLegs(world.ctx, new AbortController().signal);

function legAtProvider(seconds: number): string {
  const id = `v3:${randomUUID()}`;
  world.provider.legs.set(id, { alive: true, endedAt: null, seconds });
  return id;
}

test("a leg of no live call is hung up once its event is overdue, and a call's own legs continue", async () => {
  const call = await startRunningCall(world);
  for (const id of [call.leg.far, call.leg.parked]) world.provider.legs.set(id, { alive: true, endedAt: null, seconds: 600 });
  const [unknown, young] = [legAtProvider(60), legAtProvider(59)];
  await run();
  const alive = (id: string) => world.provider.legs.get(id)?.alive;
  expect([unknown, young, call.leg.far, call.leg.parked].map(alive)).toEqual([false, true, true, true]);
});

test("a leg that outlives its settled call is hung up", async () => {
  const call = await startRunningCall(world);
  await call.end(30_000);
  world.provider.legs.set(call.leg.far, { alive: true, endedAt: null, seconds: 90 });
  await run();
  expect(world.provider.legs.get(call.leg.far)?.alive).toBe(false);
});

test("unknown legs are hung up by a later run if the provider was unreachable", async () => {
  const unknown = legAtProvider(90);
  world.provider.failure = { status: 500 };
  await run();
  expect(world.provider.legs.get(unknown)?.alive).toBe(true);
  world.provider.failure = null;
  await run();
  expect(world.provider.legs.get(unknown)?.alive).toBe(false);
});
