import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { createCallWorld, type CallWorld } from "../../test/worlds/call-world.ts";
import { eventsOfCall } from "../../test/worlds/events-of-call.ts";
import { createLog } from "../platform/log.ts";
import { sweepCalls } from "./settle/sweep-calls.ts";

/** With the exchange's two lines, a call stays below 2,700 bytes. */
const MAX_BYTES = 2_100;

const lines: Record<string, unknown>[] = [];
let world: CallWorld;
beforeAll(async () => {
  const destination = { write: (line: string) => void lines.push(JSON.parse(line) as Record<string, unknown>) };
  world = await createCallWorld({ limitsScale: 0, log: createLog("info", "service", destination) });
});
afterAll(() => world.close());
beforeEach(() => void lines.splice(0));

async function wholeCall(): Promise<{ id: string; session: string }> {
  const started = await world.initiate(await world.customer());
  const leg = await world.park(started);
  const events = eventsOfCall(world, leg, 61_500);
  const ends = events.filter(({ type }) => type === "call.hangup");
  for (const event of events.filter(({ type }) => type !== "call.hangup")) await world.deliver(event);
  // Both legs end at the same moment, each in a request of its own.
  await Promise.all(ends.map((event) => world.deliver(event)));
  return { id: started.call.id, session: leg.session };
}

test("each line from the click to the posting names the call, and its session as soon as there is one", async () => {
  const { id, session } = await wholeCall();
  expect(lines.every(({ call }) => call === id)).toBe(true);
  expect(lines.map(({ msg, event }) => event ?? msg)).toEqual([
    "request",
    "call dialled",
    "answered",
    "answered",
    "hangup",
    "hangup",
    "call settled",
  ]);
  expect(lines.slice(1).every((line) => line["session"] === session && typeof line["request_id"] === "string")).toBe(true);
  expect(lines.map((line) => `${JSON.stringify(line)}\n`).join("").length).toBeLessThan(MAX_BYTES);
});

test("calls at the same time are settled in one line each, which names its own call", async () => {
  const calls = await Promise.all(Array.from({ length: 8 }, wholeCall));
  const settled = lines.filter(({ msg }) => msg === "call settled");
  expect(settled.map(({ call, session }) => `${String(call)} ${String(session)}`).toSorted()).toEqual(
    calls.map(({ id, session }) => `${id} ${session}`).toSorted(),
  );
  const sessions = new Map(calls.map(({ id, session }) => [id, session]));
  for (const { call, session } of lines) if (session !== undefined) expect(session).toBe(sessions.get(String(call)));
});

test("a line of the sweep names the call that it is about, and no other", async () => {
  const started = await Promise.all([world.customer(), world.customer()].map(async (customer) => world.initiate(await customer)));
  lines.splice(0);
  world.clock.advance(10 * 60_000);
  await sweepCalls(world.ctx, new AbortController().signal);
  const settled = lines.filter(({ msg }) => msg === "call settled").map(({ call }) => String(call));
  expect(settled.toSorted()).toEqual(started.map(({ call }) => call.id).toSorted());
});

test("a request about a call names it in its line", async () => {
  const customer = await world.customer();
  const { call } = await world.initiate(customer);
  lines.splice(0);
  await world.request(customer, { method: "GET", path: `/api/calls/${call.id}` });
  expect(lines).toMatchObject([{ msg: "request", route: "/api/calls/:id", call: call.id }]);
});
